/* SPDX-License-Identifier: ISC */
/* Owns the words of the chain; decides nothing, a flag is there because the plan has it. */
#include "argv.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

static void add_scope_unit(struct strv *argv, const struct plan_input *input, const char *suffix)
{
	strv_add(argv, input->profile->tool_systemd_run);
	strv_add_all(argv, (const char *const[]){ "--user", "--scope", "--quiet", "--collect", NULL });
	if (input->facts->has_expand_environment)
		strv_add(argv, "--expand-environment=no");
	strv_addf(argv, "--unit=stockade-%s%s.scope", input->session, suffix);
	strv_addf(argv, "--description=stockade-%s%s", input->session, suffix);
}

static void add_scope(struct strv *argv, const struct plan *plan, const struct plan_input *input)
{
	add_scope_unit(argv, input, "");
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
		strv_add(argv, meaning);
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
	if (op->data == DATA_EMPTY)
		return fds->empty ? fds->empty[empties] : -1;
	return fds->data[op->data];
}

const char *argv_data_name(enum plan_data data)
{
	static const char *const names[DATA_COUNT] = { "{?}", "{passwd}", "{group}", "{hosts}", "{resolv.conf}", "{nsswitch.conf}", "{nothing}",
		"{session}" };

	return names[data];
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
		add_fd(argv, "--ro-bind-data", data_fd(op, fds, empties), argv_data_name(op->data));
		break;
	case OP_FILE:
		add_mode(argv, op->mode);
		add_fd(argv, "--file", data_fd(op, fds, empties), argv_data_name(op->data));
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
	add_fd(argv, "--seccomp", fds->seccomp, "{filter}");
	add_fd(argv, "--json-status-fd", fds->status, "{status}");
	add_fd(argv, "--block-fd", fds->block, "{release}");
	add_fd(argv, "--sync-fd", fds->sync, "{release's other end}");
	return strv_finish(argv, err);
}

/*
 * slirp4netns's own sandbox wants to be uid 0 of the run's user namespace, which has none. So it gets what it offers by
 * bwrap: programs, the one file it reads, the tap device's node; its own processes only; no capability outside of
 * that namespace. It stays in the host's network: that is what it is for.
 */
static void add_helper_fence(struct strv *argv, const struct plan *plan, const struct plan_input *input, int user_fd)
{
	const struct facts *facts = input->facts;

	strv_add(argv, input->profile->tool_bwrap);
	add_fd(argv, "--userns", user_fd, "{the run's user namespace}");
	strv_add_all(argv, (const char *const[]){ "--unshare-ipc", "--unshare-uts", NULL });
	if (plan->facets & FACET_PIDNS)
		strv_add_all(argv, (const char *const[]){ "--unshare-pid", "--as-pid-1", "--proc", "/proc", NULL });
	else
		strv_add_all(argv, (const char *const[]){ "--ro-bind", "/proc", "/proc", NULL });
	strv_add_all(argv, (const char *const[]){ "--die-with-parent", "--new-session", "--clearenv", "--ro-bind", "/usr", "/usr", NULL });
	for (size_t i = 0; i < facts->mirrors_len; i++)
		strv_add_all(argv, (const char *const[]){ "--symlink", facts->mirrors[i].target, facts->mirrors[i].path, NULL });
	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_USR && facts->sources[i].source.kind == SOURCE_DIR && strcmp(facts->sources[i].given, "/") != 0 &&
			strcmp(facts->sources[i].given, "/usr") != 0)
			strv_add_all(argv, (const char *const[]){ "--ro-bind", facts->sources[i].given, facts->sources[i].given, NULL });
	if (!text_path_is_within(input->profile->tool_slirp4netns, "/usr"))
		strv_add_all(argv, (const char *const[]){ "--ro-bind", input->profile->tool_slirp4netns, input->profile->tool_slirp4netns, NULL });
	if (facts->network.resolv_conf[0])
		strv_add_all(argv, (const char *const[]){ "--ro-bind", facts->network.resolv_conf, "/etc/resolv.conf", NULL });
	strv_add_all(argv, (const char *const[]){ "--dev-bind", "/dev/net/tun", "/dev/net/tun", "--remount-ro", "/", "--chdir", "/",
		"--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_NET_ADMIN", "--", NULL });
}

int argv_render_helper(struct strv *argv, const struct plan *plan, const struct plan_input *input, const struct argv_helper_fds *fds,
	struct err *err)
{
	/*
	 * Not in the run's own scope: only root may move a process there from the session's (cgroups(7), common ancestor).
	 * Limits of its own keep it from being a way around the run's.
	 */
	if (plan->facets & FACET_LIMITS) {
		add_scope_unit(argv, input, "-net");
		strv_add_all(argv, (const char *const[]){ "--property=MemoryMax=134217728", "--property=TasksMax=16", "--", NULL });
	}
	strv_add_all(argv, (const char *const[]){ input->profile->tool_env, "-i", NULL });
	add_helper_fence(argv, plan, input, fds->user);
	strv_add_all(argv, (const char *const[]){ input->profile->tool_slirp4netns, "--configure", "--mtu=65520", "--disable-host-loopback",
		"--enable-seccomp", NULL });
	if (input->profile->dns.len)
		strv_add(argv, "--disable-dns");
	add_fd(argv, "--ready-fd", fds->ready, "{ready}");
	add_fd(argv, "--exit-fd", fds->exit, "{the run's end}");
	strv_add(argv, "--netns-type=path");
	if (fds->net >= 0)
		strv_addf(argv, "/proc/self/fd/%d", fds->net);
	else
		strv_add(argv, "{the run's network namespace}");
	strv_add(argv, "tap0");
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
	add_fd(argv, "--args", fds->args, "{options}");
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
