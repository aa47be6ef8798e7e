/* SPDX-License-Identifier: ISC */
/* Owns the exit status. bwrap's 128+n may also be a command's own exit: it is passed on either way. */
#include "outcome.h"

#include <signal.h>

const char *outcome_by_name(enum outcome_by by)
{
	switch (by) {
	case BY_PAYLOAD:
		return "payload";
	case BY_TIMEOUT:
		return "timeout";
	case BY_IDLE:
		return "idle";
	case BY_OUTPUT:
		return "output";
	case BY_DISK:
		return "disk";
	case BY_DISCONNECT:
		return "disconnect";
	case BY_OOM:
		return "oom";
	case BY_ADMIN:
		return "admin";
	case BY_GATEWAY:
		return "gateway";
	case BY_LOST:
		return "lost";
	}
	return "?";
}

void outcome_decide(struct outcome *outcome, const struct outcome_input *input)
{
	int code = input->exit_code;

	*outcome = (struct outcome){ .by = input->by, .exit = EXIT_FAILED };
	/* No last document: the fence itself ended, by a signal to its monitor or a failure. */
	if (!input->has_exit_code && input->by == BY_PAYLOAD) {
		outcome->by = BY_GATEWAY;
		return;
	}
	if (!input->has_exit_code)
		code = 128 + SIGKILL;
	if (code > 128 && code < 128 + 65)
		outcome->signal = code - 128;
	outcome->exit = code;
	if (input->by == BY_TIMEOUT || input->by == BY_IDLE || input->by == BY_OUTPUT || input->by == BY_DISK)
		outcome->exit = EXIT_ENDED;
	if (input->by == BY_PAYLOAD && outcome->signal == SIGKILL && input->oom_kills > 0)
		outcome->by = BY_OOM;
}
