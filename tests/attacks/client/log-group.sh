#!/bin/bash
# SPDX-License-Identifier: ISC
# Kills its own process group, and so whoever leads it from outside; the group is its own.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	# The control's leader is a shell of the account's outside.
	if [ "$mode" = control ]; then
		[ "$(s 'sh -c "kill -9 0" & wait; echo survived' 2>/dev/null)" != survived ]
		return
	fi
	mark
	s 'kill -9 0' >/dev/null 2>&1
	sleep 0.5
	case $(records end) in *'by=payload exit=137'*) return 1 ;; esac
	return 0
}
