/* SPDX-License-Identifier: ISC */
/* "stockade who" and "stockade kill". argv[0] is the subcommand's name; the exit status is returned. */
#pragma once

int who_main(int argc, char *argv[]);
int kill_main(int argc, char *argv[]);
