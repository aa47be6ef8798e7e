/* SPDX-License-Identifier: ISC */
/* The account's user manager, user@.service(5); only root starts and stops it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* True where it takes connections. */
bool manager_is_up(uid_t uid);

/* "start" or "stop" of the service, waited for; 0, or -EIO. Without systemd: -ENOENT. */
int manager_systemctl(const char *verb, uid_t uid);
