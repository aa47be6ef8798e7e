/* SPDX-License-Identifier: ISC */
/*
 * Owns the order of mounts:
 *   1. add_system()     the host's programs, or the whole host with its private trees masked
 *   2. add_kernel()     /proc, /dev, /sys
 *   3. add_etc()        the few entries of /etc, users and groups
 *   4. add_shown()      read-only trees and masks of the profile
 *   5. add_private()    /tmp, /var/tmp, /dev/shm, HOME
 *   6. add_workspace()  what is writable of the host
 *   7. add_seals()      everything around it read-only: last, a later mount point would find no room
 * Nothing is ever mounted below a tree that the account can write: bwrap would make the mount
 * point by a path that the account can bend (CVE-2024-42472's class).
 */
#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"
#include "text.h"
#include "view_sources.h"

#define MIB (1024ull * 1024)

struct view {
	struct plan *plan;
	const struct plan_input *input;
	struct paths_places places;
	struct plan_op spare;
	bool is_out_of_memory;
};

struct plan_op *view_add(struct plan *plan, enum plan_op_kind kind, const char *dest, const char *why)
{
	struct plan_op *ops;
	char *copy;

	/* Grown by doubling: the room is the next power of two. */
	if ((plan->ops_len & (plan->ops_len - 1)) == 0) {
		ops = reallocarray(plan->ops, plan->ops_len ? plan->ops_len * 2 : 1, sizeof(*ops));
		if (!ops)
			return NULL;
		plan->ops = ops;
	}
	copy = strdup(dest);
	if (!copy)
		return NULL;
	plan->ops[plan->ops_len] = (struct plan_op){ .kind = kind, .dest = copy, .fd = -1, .why = why };
	return &plan->ops[plan->ops_len++];
}

/* Never NULL: what cannot be added goes to a spare one, and view_build() reports it once. */
static struct plan_op *add(struct view *view, enum plan_op_kind kind, const char *dest, const char *why)
{
	struct plan_op *op = view_add(view->plan, kind, dest, why);

	if (op)
		return op;
	view->is_out_of_memory = true;
	view->spare = (struct plan_op){ .fd = -1 };
	return &view->spare;
}

static void set_source(struct view *view, struct plan_op *op, const char *source, int fd)
{
	op->source = strdup(source);
	op->fd = fd;
	view->is_out_of_memory |= !op->source;
}

static bool is_mount(enum plan_op_kind kind)
{
	return kind == OP_BIND || kind == OP_RO_BIND || kind == OP_DEV_BIND || kind == OP_TMPFS || kind == OP_PROC || kind == OP_DEV;
}

/* True where the directory is there already: made, or part of a tree that shows it. */
static bool has_directory(const struct view *view, const char *path)
{
	for (size_t i = view->plan->ops_len; i-- > 0;) {
		const struct plan_op *op = &view->plan->ops[i];

		if ((op->kind == OP_DIR || is_mount(op->kind)) && strcmp(op->dest, path) == 0)
			return true;
		if (op->kind == OP_RO_BIND && text_path_is_within(path, op->dest))
			return true;
	}
	return false;
}

/* bwrap would make missing parents 0700; ours are 0755. */
static void add_parents(struct view *view, const char *dest)
{
	char path[4096];

	for (const char *slash = strchr(dest + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(path, sizeof(path), "%.*s", (int)(slash - dest), dest);
		if (!has_directory(view, path))
			add(view, OP_DIR, path, "on the way to a mount")->mode = 0755;
	}
}

static void add_bind(struct view *view, enum plan_op_kind kind, const struct facts_source *item, const char *dest, const char *why)
{
	add_parents(view, dest);
	set_source(view, add(view, kind, dest, why), item->source.path, item->source.fd);
}

static void add_tmpfs(struct view *view, const char *dest, unsigned mode, uint64_t size, const char *why)
{
	struct plan_op *op;

	add_parents(view, dest);
	op = add(view, OP_TMPFS, dest, why);
	op->mode = mode;
	op->size = size;
}

static void add_data(struct view *view, enum plan_op_kind kind, enum plan_data data, const char *dest, const char *why)
{
	struct plan_op *op;

	add_parents(view, dest);
	op = add(view, kind, dest, why);
	op->mode = 0644;
	op->data = data;
}

static bool is_host_view(const struct view *view)
{
	return view->input->profile->root == ROOT_HOST;
}

static void add_masks(struct view *view)
{
	const struct facts *facts = view->input->facts;

	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_MASK && facts->sources[i].source.kind == SOURCE_DIR)
			add_tmpfs(view, facts->sources[i].source.path, 0755, MIB, "a private tree of the host");
}

static void add_system(struct view *view)
{
	const struct facts *facts = view->input->facts;

	for (size_t i = 0; i < facts->sources_len; i++) {
		const struct facts_source *item = &facts->sources[i];

		if (item->use == USE_USR && item->source.kind == SOURCE_DIR)
			add_bind(view, OP_RO_BIND, item, item->given, is_host_view(view) ? "the whole host" : "the host's programs");
	}
	if (is_host_view(view)) {
		add_masks(view);
		return;
	}
	for (size_t i = 0; i < facts->mirrors_len; i++)
		set_source(view, add(view, OP_SYMLINK, facts->mirrors[i].path, "as on the host"), facts->mirrors[i].target, -1);
}

/* /dev by hand, where the kernel refuses bwrap's own. Without ptys: the host's would be other sessions' too. */
static void add_dev_by_hand(struct view *view)
{
	static const char *const nodes[] = { "null", "zero", "full", "random", "urandom", "tty" };
	static const char *const links[][2] = { { "fd", "/proc/self/fd" }, { "stdin", "/proc/self/fd/0" },
		{ "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" } };
	char path[32];

	add_tmpfs(view, "/dev", 0755, MIB, "made by hand");
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		snprintf(path, sizeof(path), "/dev/%s", nodes[i]);
		set_source(view, add(view, OP_DEV_BIND, path, "a device every program expects"), path, -1);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(path, sizeof(path), "/dev/%s", links[i][0]);
		set_source(view, add(view, OP_SYMLINK, path, "a link every program expects"), links[i][1], -1);
	}
}

static void add_sys(struct view *view)
{
	const struct profile *profile = view->input->profile;
	const struct facts *facts = view->input->facts;

	if (is_host_view(view) && profile->sys != SYS_HOST)
		add_tmpfs(view, "/sys", 0755, MIB, "narrowed");
	if (profile->sys == SYS_NONE)
		return;
	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_SYS && facts->sources[i].source.kind == SOURCE_DIR)
			add_bind(view, OP_RO_BIND, &facts->sources[i], facts->sources[i].given, "what sizes a program");
	if (view->plan->cgroup && view->plan->cgroup[0]) {
		add_parents(view, "/sys/fs/cgroup");
		set_source(view, add(view, OP_RO_BIND, "/sys/fs/cgroup", "the run's own scope as the root"), view->plan->cgroup, -1);
	}
}

static void add_kernel(struct view *view)
{
	const struct facts *facts = view->input->facts;

	if (view->plan->facets & FACET_PIDNS)
		add(view, OP_PROC, "/proc", "its own processes only");
	else
		set_source(view, add(view, OP_RO_BIND, "/proc", "the host's: no fresh one can be mounted here"), "/proc", -1);
	if (view->plan->facets & FACET_DEV)
		add(view, OP_DEV, "/dev", "bwrap's own");
	else
		add_dev_by_hand(view);
	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_DEVICE && facts->sources[i].source.kind == SOURCE_DEVICE)
			add_bind(view, OP_DEV_BIND, &facts->sources[i], facts->sources[i].given, "[view] devices");
	add_sys(view);
}

/* Name service of the private network: what follows from it, not what the host has. */
static const char *const network_files[DATA_COUNT] = { [DATA_HOSTS] = "/etc/hosts", [DATA_RESOLV] = "/etc/resolv.conf",
	[DATA_NSSWITCH] = "/etc/nsswitch.conf" };

static bool is_network_file(const struct view *view, const char *path)
{
	for (size_t i = 0; i < DATA_COUNT; i++)
		if (view->plan->net_rules && network_files[i] && strcmp(network_files[i], path) == 0)
			return true;
	return false;
}

/* In the whole host they lie over the host's own; /etc/resolv.conf often leads into the masked /run, and is made there. */
static void add_network_files(struct view *view)
{
	const struct facts *facts = view->input->facts;
	const char *resolv = facts->network.resolv_conf;
	bool is_masked = false;

	if (!view->plan->net_rules)
		return;
	for (size_t i = 0; i < facts->sources_len; i++)
		is_masked |= facts->sources[i].use == USE_MASK && text_path_is_within(resolv, facts->sources[i].source.path);
	if (!is_host_view(view)) {
		for (size_t i = 0; i < DATA_COUNT; i++)
			if (network_files[i])
				add_data(view, OP_FILE, (enum plan_data)i, network_files[i], "of the private network");
		return;
	}
	add_data(view, OP_DATA, DATA_HOSTS, network_files[DATA_HOSTS], "of the private network");
	if (resolv[0])
		add_data(view, is_masked ? OP_FILE : OP_DATA, DATA_RESOLV, resolv, "of the private network");
}

static void add_etc(struct view *view)
{
	const struct facts *facts = view->input->facts;
	enum plan_op_kind names = is_host_view(view) ? OP_DATA : OP_FILE;

	if (!is_host_view(view)) {
		add_parents(view, "/etc/passwd");
		for (size_t i = 0; i < facts->sources_len; i++)
			if (facts->sources[i].use == USE_ETC && facts->sources[i].source.fd >= 0 && !is_network_file(view, facts->sources[i].given))
				add_bind(view, OP_RO_BIND, &facts->sources[i], facts->sources[i].given, "[view] etc");
	}
	add_network_files(view);
	if (view->input->profile->passwd == PASSWD_HOST)
		return;
	add_data(view, names, DATA_PASSWD, "/etc/passwd", "root, nobody and the account");
	add_data(view, names, DATA_GROUP, "/etc/group", "root, nogroup and the account's");
}

/* Where a tree of the profile is shown: at its own place; below a linked parent only where that is not there already. */
static const char *shown_at(const struct view *view, const struct facts_source *item)
{
	return is_host_view(view) ? item->source.path : item->given;
}

static void add_hide(struct view *view, const struct facts_source *item)
{
	const char *path = item->source.path;

	if (item->source.kind == SOURCE_DIR && has_directory(view, path)) {
		struct plan_op *op = add(view, OP_TMPFS, path, "[view] hide");

		op->mode = 0755;
		op->size = MIB;
	} else if (item->source.kind != SOURCE_ABSENT && has_directory(view, path)) {
		add_data(view, OP_DATA, DATA_EMPTY, path, "[view] hide");
	}
}

/* Covered wherever a tree shows it. */
static void add_socket_mask(struct view *view, const struct facts_source *socket)
{
	const struct facts *facts = view->input->facts;
	const char *path = socket->source.path;

	if (is_host_view(view))
		add_data(view, OP_DATA, DATA_EMPTY, path, "a socket of the host");
	for (size_t i = 0; i < facts->sources_len && !is_host_view(view); i++) {
		const struct facts_source *item = &facts->sources[i];
		char dest[4096];

		if ((item->use != USE_USR && item->use != USE_READ && item->use != USE_TOOLCHAIN) || !text_path_is_within(path, item->source.path))
			continue;
		snprintf(dest, sizeof(dest), "%s%s", shown_at(view, item), path + strlen(item->source.path));
		add_data(view, OP_DATA, DATA_EMPTY, dest, "a socket of the host");
	}
}

static void add_shown(struct view *view)
{
	const struct facts *facts = view->input->facts;

	for (size_t i = 0; i < facts->sources_len; i++) {
		const struct facts_source *item = &facts->sources[i];

		if ((item->use == USE_READ || item->use == USE_TOOLCHAIN) && item->source.fd >= 0)
			add_bind(view, OP_RO_BIND, item, shown_at(view, item), item->use == USE_READ ? "[view] read" : "[view] toolchains");
	}
	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_HIDE)
			add_hide(view, &facts->sources[i]);
	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_SOCKET && facts->sources[i].source.fd >= 0)
			add_socket_mask(view, &facts->sources[i]);
}

static void add_private_bind(struct view *view, enum plan_private private, const char *name, const char *dest, const char *why)
{
	char source[4096];
	struct plan_op *op;

	snprintf(source, sizeof(source), "%s/%s", view->input->private_dir, name);
	add_parents(view, dest);
	op = add(view, OP_BIND, dest, why);
	set_source(view, op, source, view->input->private_fds[private]);
	op->private = private;
}

static void add_private(struct view *view)
{
	const struct profile *profile = view->input->profile;
	uint64_t size = profile_bytes(&profile->tmp_size, view->input->facts->memory_total);

	if (size == UINT64_MAX)
		size = view->input->facts->memory_total / 4;
	add_tmpfs(view, "/dev/shm", 01777, size, "private shared memory");
	if (profile->backing == BACKING_MEMORY && !view->input->has_connection_size) {
		add_tmpfs(view, "/tmp", 01777, size, "[tmp] backing = memory");
		add_tmpfs(view, "/var/tmp", 01777, size, "[tmp] backing = memory");
	} else {
		add_private_bind(view, PRIVATE_TMP, "tmp", "/tmp", "private");
		add_private_bind(view, PRIVATE_VAR_TMP, "var-tmp", "/var/tmp", "private");
	}
	if (profile->home == HOME_SESSION)
		add_private_bind(view, PRIVATE_HOME, "home", view->plan->home, "[workspace] home = session");
}

static const struct facts_source *workspace_source(const struct facts *facts)
{
	for (size_t i = 0; i < facts->sources_len; i++)
		if (facts->sources[i].use == USE_WORKSPACE)
			return &facts->sources[i];
	return NULL;
}

/* Where commands start: the workspace's own path, or /workspace where that is taken or not wanted. */
static const char *workspace_at(const struct view *view)
{
	const struct profile *profile = view->input->profile;
	const struct facts_source *item = workspace_source(view->input->facts);

	if (!item || profile->mount == MOUNT_FIXED || profile->access == ACCESS_NONE || !paths_can_mirror(item->given, &view->places))
		return "/workspace";
	return shown_at(view, item);
}

static int add_workspace(struct view *view, struct err *err)
{
	const struct profile *profile = view->input->profile;
	const struct facts *facts = view->input->facts;
	enum plan_op_kind kind = profile->access == ACCESS_WRITE ? OP_BIND : OP_RO_BIND;

	if (profile->access == ACCESS_NONE) {
		add_private_bind(view, PRIVATE_WORK, "work", view->plan->cwd, "[workspace] access = none");
		return 0;
	}
	for (size_t i = 0; i < facts->sources_len; i++) {
		const struct facts_source *item = &facts->sources[i];

		if (item->use == USE_WORKSPACE)
			add_bind(view, kind, item, view->plan->cwd, "[workspace] path");
		if (item->use != USE_ALSO || item->source.kind == SOURCE_ABSENT)
			continue;
		if (!paths_can_mirror(item->given, &view->places))
			return err_set(err, EINVAL, "%s: its place inside is private, and [workspace] also is shown at its own place only", item->given);
		add_bind(view, kind, item, shown_at(view, item), "[workspace] also");
	}
	return 0;
}

/* True where another mount went on top: a seal by this path would reach that one. */
static bool is_mounted_over(const struct view *view, size_t index, size_t len)
{
	for (size_t i = index + 1; i < len; i++)
		if (is_mount(view->plan->ops[i].kind) && strcmp(view->plan->ops[i].dest, view->plan->ops[index].dest) == 0)
			return true;
	return false;
}

static void add_seals(struct view *view)
{
	size_t len = view->plan->ops_len;

	add_data(view, OP_FILE, DATA_SESSION, "/run/stockade", "the session's name; read last of all: set-up is then known to be done");
	for (size_t i = 0; i < len; i++) {
		/* view->plan->ops moves when it grows: no pointer into it is kept. */
		bool is_scratch = view->plan->ops[i].mode == 01777;
		char dest[4096];

		if (view->plan->ops[i].kind != OP_TMPFS && view->plan->ops[i].kind != OP_DEV)
			continue;
		if (is_scratch || is_mounted_over(view, i, len))
			continue;
		snprintf(dest, sizeof(dest), "%s", view->plan->ops[i].dest);
		add(view, OP_SEAL, dest, "read-only from here on");
	}
	add(view, OP_SEAL, "/", "read-only from here on");
}

static int add_names(struct view *view)
{
	const struct account *account = view->input->account;
	struct plan *plan = view->plan;
	bool is_common_group = account->gid == 0 || account->gid == 65534;

	if (asprintf(&plan->texts[DATA_PASSWD], "root:x:0:0:root:/root:/usr/sbin/nologin\n"
				    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n%s:x:%u:%u:%s:%s:%s\n",
		     account->name, account->uid, account->gid, account->gecos, plan->home, view->input->profile->login_shell) < 0)
		plan->texts[DATA_PASSWD] = NULL;
	if (is_common_group)
		plan->texts[DATA_GROUP] = strdup("root:x:0:\nnogroup:x:65534:\n");
	else if (asprintf(&plan->texts[DATA_GROUP], "root:x:0:\nnogroup:x:65534:\n%s:x:%u:\n", account->group, account->gid) < 0)
		plan->texts[DATA_GROUP] = NULL;
	return plan->texts[DATA_PASSWD] && plan->texts[DATA_GROUP] ? 0 : -ENOMEM;
}

int view_build(struct plan *plan, const struct plan_input *input, struct err *err)
{
	char inside_home[300];
	struct view view = { .plan = plan, .input = input };
	int r;

	snprintf(inside_home, sizeof(inside_home), "/home/%s", input->account->name);
	view.places = (struct paths_places){ input->account->home, inside_home, input->profile->tmp_dir };
	r = view_check_sources(input, &view.places, err);
	if (r)
		return r;
	plan->cwd = strdup(workspace_at(&view));
	plan->home = strdup(input->profile->home == HOME_WORKSPACE ? (plan->cwd ? plan->cwd : "") : inside_home);
	/* In the whole host, read-only, no directory can be made. */
	if (plan->cwd && is_host_view(&view) && strcmp(plan->cwd, "/workspace") == 0 && !input->facts->has_workspace_point)
		return err_set(err, EINVAL, "/workspace: with [view] root = host it has to be a directory of the host, and is not");
	if (!plan->cwd || !plan->home || add_names(&view))
		return err_set(err, ENOMEM, "out of memory");
	add_system(&view);
	add_kernel(&view);
	add_etc(&view);
	add_shown(&view);
	add_private(&view);
	r = add_workspace(&view, err);
	if (r)
		return r;
	add_seals(&view);
	return view.is_out_of_memory ? err_set(err, ENOMEM, "out of memory") : 0;
}
