/* SPDX-License-Identifier: ISC */
/* Owns the words of the chain; decides nothing, a flag is there because the plan has it. */
#include "argv.h"

#include <stdio.h>
#include <string.h>

static void add_scope(struct strv *argv, const struct plan *plan, const struct plan_input *input)
{
	strv_add(argv, input->profile->tool_systemd_run);
	strv_add_all(argv, (const char *const[]){ "--user", "--scope", "--quiet", "--collect", NULL });
	if (input->facts->has_expand_environment)
		strv_add(argv, "--expand-environment=no");
	strv_addf(argv, "--unit=stockade-%s.scope", input->session);
	strv_addf(argv, "--description=stockade-%s", input->session);
	for (size_t i = 0; i < plan->limits_len; i++)
		if (!plan->limits[i].is_account)
			strv_addf(argv, "--property=%s", plan->limits[i].property);
	/* One process killed for memory is the command's affair, not the whole scope's end. */
	strv_add(argv, "--property=OOMPolicy=continue");
	strv_add(argv, "--");
}

/* The number, or what it would be for where the chain is only read. */
static void add_fd(struct strv *argv, const char *option, int fd, const char *meaning)
{
	strv_add(argv, option);
	if (fd >= 0)
		strv_addf(argv, "%d", fd);
	else
		strv_addf(argv, "{%s}", meaning);
}

static void add_namespaces(struct strv *argv, const struct plan *plan, const struct plan_input *input)
{
	strv_add_all(argv, (const char *const[]){ "--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-net", NULL });
	if (plan->facets & FACET_PIDNS)
		strv_add(argv, "--unshare-pid");
	if (plan->facets & FACET_CGROUPNS)
		strv_add(argv, "--unshare-cgroup");
	if (plan->facets & FACET_USERNS)
		strv_add(argv, "--disable-userns");
	strv_add_all(argv, (const char *const[]){ "--die-with-parent", "--new-session", "--clearenv", "--hostname", NULL });
	strv_add(argv, input->facts->hostname);
}

static void add_environment(struct strv *argv, const struct plan *plan)
{
	for (size_t i = 0; i < plan->env.len; i++) {
		const char *assignment = plan->env.items[i];
		size_t len = strcspn(assignment, "=");

		strv_add(argv, "--setenv");
		strv_addf(argv, "%.*s", (int)len, assignment);
		strv_add(argv, assignment + len + 1);
	}
}

static void add_bind(struct strv *argv, const struct plan_op *op, const struct argv_fds *fds, const char *option,
	const char *fd_option)
{
	if (op->fd >= 0 && fd_option && fds->args >= 0) {
		strv_add(argv, fd_option);
		strv_addf(argv, "%d", op->fd);
	} else {
		strv_add(argv, option);
		strv_add(argv, op->source);
	}
	strv_add(argv, op->dest);
}

static int data_fd(const struct plan_op *op, const struct argv_fds *fds, size_t empties)
{
	switch (op->data) {
	case DATA_PASSWD:
		return fds->passwd;
	case DATA_GROUP:
		return fds->group;
	case DATA_EMPTY:
		return fds->empty ? fds->empty[empties] : -1;
	case DATA_SESSION:
		return fds->marker;
	case DATA_NONE:
		return -1;
	}
	return -1;
}

static const char *data_name(enum plan_data data)
{
	switch (data) {
	case DATA_PASSWD:
		return "passwd";
	case DATA_GROUP:
		return "group";
	case DATA_EMPTY:
		return "nothing";
	case DATA_SESSION:
		return "session";
	case DATA_NONE:
		return "?";
	}
	return "?";
}

static void add_mode(struct strv *argv, unsigned mode)
{
	if (!mode)
		return;
	strv_add(argv, "--perms");
	strv_addf(argv, "%04o", mode);
}

static void add_op(struct strv *argv, const struct plan_op *op, const struct argv_fds *fds, size_t empties)
{
	switch (op->kind) {
	case OP_BIND:
		add_bind(argv, op, fds, "--bind", "--bind-fd");
		return;
	case OP_RO_BIND:
		add_bind(argv, op, fds, "--ro-bind", "--ro-bind-fd");
		return;
	case OP_DEV_BIND:
		add_bind(argv, op, fds, "--dev-bind", NULL);
		return;
	case OP_SYMLINK:
		add_bind(argv, op, fds, "--symlink", NULL);
		return;
	case OP_DIR:
		add_mode(argv, op->mode);
		strv_add(argv, "--dir");
		break;
	case OP_TMPFS:
		strv_add(argv, "--size");
		strv_addf(argv, "%llu", (unsigned long long)op->size);
		add_mode(argv, op->mode);
		strv_add(argv, "--tmpfs");
		break;
	case OP_PROC:
		strv_add(argv, "--proc");
		break;
	case OP_DEV:
		strv_add(argv, "--dev");
		break;
	case OP_DATA:
		add_mode(argv, op->mode);
		add_fd(argv, "--ro-bind-data", data_fd(op, fds, empties), data_name(op->data));
		break;
	case OP_FILE:
		add_mode(argv, op->mode);
		add_fd(argv, "--file", data_fd(op, fds, empties), data_name(op->data));
		break;
	case OP_SEAL:
		strv_add(argv, "--remount-ro");
		break;
	}
	strv_add(argv, op->dest);
}

int argv_render_bwrap(struct strv *argv, const struct plan *plan, const struct plan_input *input, const struct argv_fds *fds,
	struct err *err)
{
	size_t empties = 0;

	add_namespaces(argv, plan, input);
	for (size_t i = 0; i < plan->ops_len; i++) {
		add_op(argv, &plan->ops[i], fds, empties);
		empties += plan->ops[i].data == DATA_EMPTY;
	}
	strv_add(argv, "--chdir");
	strv_add(argv, plan->cwd);
	add_environment(argv, plan);
	add_fd(argv, "--seccomp", fds->seccomp, "filter");
	add_fd(argv, "--json-status-fd", fds->status, "status");
	add_fd(argv, "--block-fd", fds->block, "release");
	add_fd(argv, "--sync-fd", fds->sync, "release's other end");
	return strv_finish(argv, err);
}

int argv_render(struct strv *argv, const struct plan *plan, const struct plan_input *input, const struct argv_fds *fds,
	struct err *err)
{
	if (plan->facets & FACET_LIMITS)
		add_scope(argv, plan, input);
	strv_add(argv, input->profile->tool_env);
	strv_add(argv, "-i");
	strv_add(argv, input->profile->tool_bwrap);
	add_fd(argv, "--args", fds->args, "options");
	strv_add(argv, "--");
	if (plan->has_terminal) {
		strv_add(argv, input->profile->tool_setsid);
		strv_add(argv, "-c");
	}
	strv_add(argv, input->profile->tool_prlimit);
	strv_extend(argv, &plan->rlimits);
	strv_add(argv, "--");
	strv_extend(argv, &plan->command);
	return strv_finish(argv, err);
}
