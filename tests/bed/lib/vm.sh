# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# The vm kind.
vm_start() { die "not yet"; }
vm_stop() { :; }
