/* SPDX-License-Identifier: ISC */
/* "stockade explain": what would be done with a request, by the functions that would do it. */
#pragma once

/* argv[0] is "explain". Returns the exit status: 0 it would run, 126 or 125 it would be refused, 2 wrong usage. */
int explain_main(int argc, char *argv[]);
