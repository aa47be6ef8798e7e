/* SPDX-License-Identifier: ISC */
/* "stockade enroll" and "stockade unenroll". argv[0] is the subcommand's name; the exit status is returned. */
#pragma once

int enroll_main(int argc, char *argv[]);
int unenroll_main(int argc, char *argv[]);
