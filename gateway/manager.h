/* SPDX-License-Identifier: ISC */
/* The account's user manager, user@.service(5); only root starts and stops it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* True where it takes connections. */
bool manager_is_up(uid_t uid);

/* True where the account is logged in: a session has its scope beside the manager. logind's own files also list the manager. */
bool manager_has_logins(uid_t uid);

/* True where it was not running, and is started now: the caller's to stop again. Nested calls find it running. */
bool manager_hold(uid_t uid);
void manager_let_go(uid_t uid, bool is_held);

/* "start" or "stop" of the service, waited for; 0, or -EIO. Without systemd: -ENOENT. */
int manager_systemctl(const char *verb, uid_t uid);
