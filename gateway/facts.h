/* SPDX-License-Identifier: ISC */
/* What was seen of the host for one request. Filled by probe.c; const after that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rlimits.h"
#include "source.h"
#include "strv.h"

/* The parts of the fence that a host may lack while the rest stands; design order of the ladder. */
enum facet {
	FACET_PIDNS = 1u << 0,    /* own pid namespace and the fresh /proc that needs it */
	FACET_DEV = 1u << 1,      /* bwrap's own /dev */
	FACET_CGROUPNS = 1u << 2, /* own cgroup namespace */
	FACET_USERNS = 1u << 3,   /* further user namespaces made impossible by the kernel's counter */
	FACET_LIMITS = 1u << 4,   /* the scope's limits, read back */
};
#define FACETS_ALL (FACET_PIDNS | FACET_DEV | FACET_CGROUPNS | FACET_USERNS | FACET_LIMITS)

enum facts_use {
	USE_WORKSPACE,
	USE_ALSO,
	USE_READ,
	USE_TOOLCHAIN,
	USE_HIDE,
	USE_ETC,
	USE_DEVICE,
	USE_USR,    /* /usr itself, and the mirrors of /bin /sbin /lib* that are directories */
	USE_SYS,    /* what sizes a program below /sys */
	USE_SOCKET, /* somebody listens there, below a tree that is shown */
	USE_MASK,   /* what view = host covers; opened only to know that it is there */
};

struct facts_source {
	enum facts_use use;
	char *given;          /* as in the profile, without the ?; owned */
	bool is_optional;
	struct source source; /* fd -1 where absent or refused; owned */
	int error;            /* negative errno of source_open(), 0 */
	char why[256];        /* its sentence */
};

struct facts_mirror {
	const char *path; /* "/bin"; static */
	char target[64];  /* the link's target, "" where it is a directory of its own */
};

#define FACTS_MIRRORS_MAX 8

struct facts_name {
	char *name;       /* of [network] allow; owned */
	char address[16]; /* IPv4, one of its addresses */
};

/* Only for [network] mode = slirp. */
struct facts_network {
	struct facts_name *names; /* owned; a name with several addresses is there several times */
	size_t names_len;
	struct strv own;          /* what is the host's own, ADDRESS/LENGTH, IPv4 */
	char resolv_conf[256];    /* where the host's /etc/resolv.conf leads, "" where there is none */
	char problem[320];        /* what could not be found out, "" */
	bool is_known;            /* it was looked for */
};

struct facts {
	char hostname[65];
	uint64_t memory_total; /* bytes */
	uint64_t swap_total;   /* bytes */
	struct facts_mirror mirrors[FACTS_MIRRORS_MAX]; /* those of /bin /sbin /lib* that are links */
	size_t mirrors_len;
	struct facts_source *sources;
	size_t sources_len;
	uint64_t hard_limits[LIMITS_COUNT]; /* LIMIT_UNLIMITED or the value */
	char tool_problem[512];        /* the first tool that may not be run, and why; "" */
	bool has_expand_environment;   /* systemd-run knows --expand-environment */
	char runtime_dir[64];          /* /run/user/UID where it is the account's and 0700, else "" */
	char limits_problem[256];      /* why no scope can be had; "" */
	char unlimited_why[256];       /* why a scope would not hold its limits; "" */
	char manager_cgroup[256];      /* the user manager's directory below the cgroup2 mount, "" */
	bool has_workspace_point;      /* /workspace is a directory of the host's */
	bool has_locale;               /* the profile's locale is there */
	bool has_term;                 /* the client's TERM has its terminfo */
	struct facts_network network;
	bool is_suspect;               /* looks like a container that keeps some of the fence back; proves nothing */
	unsigned lost;                 /* enum facet, found missing by trying */
	char lost_why[256];            /* what the kernel said */
};

void facts_release(struct facts *facts);
