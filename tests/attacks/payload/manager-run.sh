#!/bin/sh
# SPDX-License-Identifier: ISC
# Has the user manager run a command outside; its bus is not reachable.
# guarantee: G6

attack() {
	mark=/srv/attacks/manager-$(id -un)
	XDG_RUNTIME_DIR=/run/user/$(id -u) systemd-run --user --wait --quiet touch "$mark" 2>/dev/null || return 1
}
