/* SPDX-License-Identifier: ISC */
/* "stockade disable" and "stockade enable". argv[0] is the subcommand's name; the exit status is returned. */
#pragma once

int disable_main(int argc, char *argv[]);
int enable_main(int argc, char *argv[]);
