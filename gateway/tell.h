/* SPDX-License-Identifier: ISC */
/* What the gateway says to its client. */
#pragma once

/* Writes the text where it is taken within ms milliseconds: a client that reads nothing holds up no end of a run. */
void tell(int fd, const char *text, int ms);
