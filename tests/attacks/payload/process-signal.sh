#!/bin/sh
# SPDX-License-Identifier: ISC
# Ends a process of the host; none can be named.
# guarantee: G9
# alone

attack() {
	pkill -f '^sleep 8643'
	case $? in 0) return 0 ;; 1) return 1 ;; esac
	return 2
}
