/* SPDX-License-Identifier: ISC */
/*
 * The table of every keyword: section, key, type, place, default, what is accepted, and
 * one line of help.  A new keyword is one row here, one test, and one entry in stockade.ini(5).
 */
#include <stddef.h>

#include "profile.h"

#define AT(field) offsetof(struct profile, field)
#define PATHS_ACCEPTED "absolute paths, a leading ? marks one as optional"
#define SIZE_ACCEPTED "64M, 2G, 25%, or - for none"
#define TIME_ACCEPTED "30s, 10m, 2h, or none"
#define COUNT_ACCEPTED "a number, or - for none"

const struct keyword profile_keywords[] = {
	{ "profile", "inherits", KEYWORD_TEXT, PLACE_PROFILE, AT(inherits), "", "a profile's name, or @name",
		"another profile whose settings stand below this one's" },
	{ "profile", "enabled", KEYWORD_CHOICE, PLACE_ANY, AT(enabled), "yes", "no yes",
		"no: every request is refused with message" },
	{ "profile", "min_grade", KEYWORD_CHOICE, PLACE_NOT_ACTOR, AT(min_grade), "full", "full partial",
		"the lowest grade at which a command runs" },
	{ "profile", "message", KEYWORD_TEXT, PLACE_ANY, AT(message), "", "one line", "shown to a refused user" },

	{ "workspace", "path", KEYWORD_PATH, PLACE_ANY, AT(workspace), "", "an absolute path",
		"the directory that commands work in" },
	{ "workspace", "access", KEYWORD_CHOICE, PLACE_ANY, AT(access), "write", "write read none",
		"how the workspace is shown" },
	{ "workspace", "mount", KEYWORD_CHOICE, PLACE_ANY, AT(mount), "identity", "identity /workspace",
		"where the workspace is shown" },
	{ "workspace", "also", KEYWORD_PATHS, PLACE_ANY, AT(also), "", PATHS_ACCEPTED,
		"further trees with the same access" },
	{ "workspace", "umask", KEYWORD_MODE, PLACE_ANY, AT(umask), "-", "an octal mode, or - as inherited",
		"file mode creation mask" },
	{ "workspace", "home", KEYWORD_CHOICE, PLACE_ANY, AT(home), "session", "session workspace", "what HOME is" },

	{ "view", "root", KEYWORD_CHOICE, PLACE_ANY, AT(root), "minimal", "minimal host", "what of the host is shown" },
	{ "view", "read", KEYWORD_PATHS, PLACE_ANY, AT(read), "", PATHS_ACCEPTED, "host paths shown read-only" },
	{ "view", "hide", KEYWORD_PATHS, PLACE_ANY, AT(hide), "", PATHS_ACCEPTED, "paths masked in either view" },
	{ "view", "toolchains", KEYWORD_PATHS, PLACE_ANY, AT(toolchains), "?/opt/toolchains", PATHS_ACCEPTED,
		"trees of tools shown read-only" },
	{ "view", "etc", KEYWORD_WORDS, PLACE_ANY, AT(etc), "alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime",
		"names below /etc, +name to add, +java +tex +perl +python +fonts +ssl +r", "entries of /etc shown" },
	{ "view", "passwd", KEYWORD_CHOICE, PLACE_ANY, AT(passwd), "synthetic", "synthetic host",
		"what /etc/passwd and /etc/group hold" },
	{ "view", "sys", KEYWORD_CHOICE, PLACE_ANY, AT(sys), "sized", "sized none host", "what of /sys is shown" },
	{ "view", "devices", KEYWORD_WORDS, PLACE_ANY, AT(devices), "", "names below /dev", "device nodes shown" },

	{ "tmp", "mode", KEYWORD_CHOICE, PLACE_ANY, AT(tmp_mode), "session", "session command",
		"how long /tmp lasts" },
	{ "tmp", "backing", KEYWORD_CHOICE, PLACE_ANY, AT(backing), "disk", "disk memory", "what /tmp is made of" },
	{ "tmp", "size", KEYWORD_SIZE, PLACE_ANY, AT(tmp_size), "-", SIZE_ACCEPTED, "size of /tmp" },
	{ "tmp", "floor", KEYWORD_SIZE, PLACE_ANY, AT(floor), "5%", SIZE_ACCEPTED,
		"free part of the disk below which nothing runs" },
	{ "tmp", "dir", KEYWORD_PATH, PLACE_NOT_ACTOR, AT(tmp_dir), "/var/lib/stockade/tmp", "an absolute path",
		"where the private directories are" },

	{ "command", "shell", KEYWORD_TEXT, PLACE_ANY, AT(shell), "/bin/sh", "an absolute path, or none",
		"the shell inside that runs the client's text" },
	{ "command", "interactive", KEYWORD_CHOICE, PLACE_ANY, AT(interactive), "auto", "auto no yes",
		"whether a login without a command gets a shell" },
	{ "command", "login_shell", KEYWORD_TEXT, PLACE_ANY, AT(login_shell), "/bin/bash", "an absolute path",
		"the shell of a login without a command" },
	{ "command", "sftp", KEYWORD_CHOICE, PLACE_ANY, AT(sftp), "yes", "no read yes", "the sftp subsystem" },

	{ "env", "pass", KEYWORD_VARIABLES, PLACE_ANY, AT(env_pass), "",
		"variable names, globs with a literal prefix of 2 or more; not those that steer the chain's helpers",
		"client variables that may enter" },
	{ "env", "set", KEYWORD_VARIABLES, PLACE_ANY, AT(env_set), "",
		"NAME=value words; not names that steer the chain's helpers", "variables set for the command" },
	{ "env", "locale", KEYWORD_TEXT, PLACE_ANY, AT(locale), "C.UTF-8", "a locale's name", "LANG and LC_ALL" },
	{ "env", "path", KEYWORD_TEXT, PLACE_ANY, AT(path), "/usr/local/bin:/usr/bin:/bin",
		"absolute directories joined by :", "PATH" },

	{ "cgroup", "enforce", KEYWORD_CHOICE, PLACE_ANY, AT(enforce), "required", "required best-effort",
		"what happens where no limits can be had" },
	{ "cgroup", "memory_max", KEYWORD_SIZE, PLACE_ANY, AT(memory_max), "50%", SIZE_ACCEPTED, "memory of the whole run" },
	{ "cgroup", "memory_high", KEYWORD_SIZE, PLACE_ANY, AT(memory_high), "-", SIZE_ACCEPTED,
		"memory above which the run is slowed" },
	{ "cgroup", "swap_max", KEYWORD_SIZE, PLACE_ANY, AT(swap_max), "0", SIZE_ACCEPTED, "swap of the whole run" },
	{ "cgroup", "tasks_max", KEYWORD_COUNT, PLACE_ANY, AT(tasks_max), "1024", COUNT_ACCEPTED,
		"processes and threads of the whole run" },
	{ "cgroup", "cpus", KEYWORD_CPUS, PLACE_ANY, AT(cpu_percent), "-", "a number of cpus such as 2.5, or - for none",
		"cpu time of the whole run" },
	{ "cgroup", "cpu_weight", KEYWORD_COUNT, PLACE_ANY, AT(cpu_weight), "-", "1 to 10000, or - for none",
		"share of the cpus under contention" },
	{ "cgroup", "io_weight", KEYWORD_COUNT, PLACE_ANY, AT(io_weight), "-", "1 to 10000, or - for none",
		"share of the disks under contention" },

	{ "account", "sessions_max", KEYWORD_COUNT, PLACE_NOT_ACTOR, AT(sessions_max), "64", COUNT_ACCEPTED,
		"running commands of the account at once" },
	{ "account", "actor_sessions_max", KEYWORD_COUNT, PLACE_NOT_ACTOR, AT(actor_sessions_max), "8", COUNT_ACCEPTED,
		"running commands of one actor at once" },
	{ "account", "queue", KEYWORD_DURATION, PLACE_NOT_ACTOR, AT(queue), "0", TIME_ACCEPTED,
		"how long a command waits for a place" },
	{ "account", "actor", KEYWORD_CHOICE, PLACE_NOT_ACTOR, AT(actor), "required", "required optional",
		"whether a key without a name may run" },
	{ "account", "memory_max", KEYWORD_SIZE, PLACE_NOT_ACTOR, AT(account_memory_max), "-", SIZE_ACCEPTED,
		"memory of all runs of the account" },
	{ "account", "tasks_max", KEYWORD_COUNT, PLACE_NOT_ACTOR, AT(account_tasks_max), "-", COUNT_ACCEPTED,
		"processes and threads of all runs of the account" },
	{ "account", "cpus", KEYWORD_CPUS, PLACE_NOT_ACTOR, AT(account_cpu_percent), "-",
		"a number of cpus such as 2.5, or - for none", "cpu time of all runs of the account" },

	{ "time", "timeout", KEYWORD_DURATION, PLACE_ANY, AT(timeout), "12h", TIME_ACCEPTED, "wall clock of a run" },
	{ "time", "idle", KEYWORD_DURATION, PLACE_ANY, AT(idle), "none", TIME_ACCEPTED,
		"time without input and output after which an interactive run ends" },
	{ "time", "grace", KEYWORD_DURATION, PLACE_ANY, AT(grace), "10s", TIME_ACCEPTED,
		"time between the polite signal and KILL" },

	{ "network", "mode", KEYWORD_CHOICE, PLACE_ANY, AT(network), "none", "none slirp", "the network a run has" },
	{ "network", "allow", KEYWORD_WORDS, PLACE_ANY, AT(network_allow), "", "host:port, CIDR, CIDR:port, *:port; IPv4",
		"where a run may connect to" },
	{ "network", "dns", KEYWORD_WORDS, PLACE_ANY, AT(dns), "", "IPv4 addresses", "name servers instead of the host's" },

	{ "seccomp", "allow", KEYWORD_WORDS, PLACE_ANY, AT(seccomp_allow), "", "ptrace userns 32bit keyring io_uring perf",
		"groups of system calls allowed again" },
	{ "seccomp", "deny", KEYWORD_WORDS, PLACE_ANY, AT(seccomp_deny), "", "names of system calls",
		"further system calls denied" },

	{ "output", "max", KEYWORD_SIZE, PLACE_ANY, AT(output_max), "-", SIZE_ACCEPTED, "bytes a run may print" },

	{ "log", "command", KEYWORD_CHOICE, PLACE_NOT_ACTOR, AT(log_command), "full", "full name none",
		"how much of a command is logged" },

	{ "tools", "bwrap", KEYWORD_TOOL, PLACE_SITE, AT(tool_bwrap), "/usr/bin/bwrap", "an absolute path", "bubblewrap" },
	{ "tools", "systemd_run", KEYWORD_TOOL, PLACE_SITE, AT(tool_systemd_run), "/usr/bin/systemd-run", "an absolute path",
		"systemd-run" },
	{ "tools", "prlimit", KEYWORD_TOOL, PLACE_SITE, AT(tool_prlimit), "/usr/bin/prlimit", "an absolute path", "prlimit" },
	{ "tools", "env", KEYWORD_TOOL, PLACE_SITE, AT(tool_env), "/usr/bin/env", "an absolute path", "env" },
	{ "tools", "setsid", KEYWORD_TOOL, PLACE_SITE, AT(tool_setsid), "/usr/bin/setsid", "an absolute path", "setsid" },
	{ "tools", "sftp_server", KEYWORD_TOOL, PLACE_SITE, AT(tool_sftp_server), "/usr/lib/openssh/sftp-server",
		"an absolute path", "the sftp server" },
	{ "tools", "slirp4netns", KEYWORD_TOOL, PLACE_SITE, AT(tool_slirp4netns), "/usr/bin/slirp4netns", "an absolute path",
		"slirp4netns" },
	{ "tools", "nft", KEYWORD_TOOL, PLACE_SITE, AT(tool_nft), "/usr/sbin/nft", "an absolute path", "nft" },
};

const size_t profile_keywords_count = sizeof(profile_keywords) / sizeof(profile_keywords[0]);

_Static_assert(sizeof(profile_keywords) / sizeof(profile_keywords[0]) <= PROFILE_KEYWORDS_MAX, "room for the origins");
