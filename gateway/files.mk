# SPDX-License-Identifier: ISC
# CORE files compute and touch nothing; EDGE files touch the system and decide nothing.
CORE := err strv text words
EDGE := ini seccomp
TOOL := stockade
