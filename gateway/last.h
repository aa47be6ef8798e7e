/* SPDX-License-Identifier: ISC */
/* "stockade last": what ran, from the journal. argv[0] is "last"; the exit status is returned. */
#pragma once

int last_main(int argc, char *argv[]);
