/* SPDX-License-Identifier: ISC */
/* bwrap's status text, in pieces of any size: the pieces make no difference, and an end is never seen before a start. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct status whole = { .len = 0 }, pieces = { .len = 0 };
	size_t step = size ? data[0] % 7 + 1 : 1;

	status_feed(&whole, (const char *)data, size);
	for (size_t at = 0; at < size; at += step)
		status_feed(&pieces, (const char *)data + at, size - at < step ? size - at : step);
	/* What came before garbage stays, and is_broken says that none of it is believed. */
	if (whole.has_exit_code && whole.child_pid < 2)
		abort();
	if (whole.exit_code < 0 || whole.exit_code > 255)
		abort();
	if (!whole.is_broken && !pieces.is_broken &&
		(whole.has_exit_code != pieces.has_exit_code || whole.child_pid != pieces.child_pid))
		abort();
	return 0;
}
