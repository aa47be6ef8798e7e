/* SPDX-License-Identifier: ISC */
/* What enrolling puts where, and check looks for: the one place that knows. Computes and touches nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile.h"

#define LAYOUT_KEYS_DIR "/etc/ssh/stockade"
#define LAYOUT_KEYS_LINE "AuthorizedKeysFile " LAYOUT_KEYS_DIR "/%u"
#define LAYOUT_SSHD_DIR "/etc/ssh/sshd_config.d"
#define LAYOUT_SSHD_OWN LAYOUT_SSHD_DIR "/50-stockade-%s.conf"     /* of enroll */
#define LAYOUT_SSHD_EARLY LAYOUT_SSHD_DIR "/00-stockade-%s.conf"   /* of check's cures: sshd takes the first value it meets */
#define LAYOUT_SSHD_EARLY_ALL LAYOUT_SSHD_DIR "/00-stockade.conf"
#define LAYOUT_PAM_DIR "/etc/pam.d"
#define LAYOUT_PAM_SSHD LAYOUT_PAM_DIR "/sshd"
#define LAYOUT_PAM_ACCOUNT "account required pam_stockade.so"
#define LAYOUT_PAM_SESSION "session required pam_stockade.so"
/* The services whose jobs the module refuses; up to NULL. */
extern const char *const layout_job_services[];
#define LAYOUT_CRON_DENY "/etc/cron.deny"
#define LAYOUT_AT_DENY "/etc/at.deny"
#define LAYOUT_SLICE "/etc/systemd/system/user-%u.slice.d/50-stockade.conf"
#define LAYOUT_NO_SHELL "/usr/sbin/nologin"

/* The line "Keyword value" that the account's Match block has, by its keyword in any case; NULL for another keyword. */
const char *layout_sshd_line(const char *keyword);
/* The line's value. */
const char *layout_sshd_value(const char *keyword);

/* The account's drop-in for sshd. */
void layout_sshd_text(char *out, size_t size, const char *user, bool has_keys);

/* The lines of the account's slice that [account] asks for; how many. total: of the host's memory. */
#define LAYOUT_SLICE_LINES 3
size_t layout_slice_lines(const struct profile *profile, uint64_t total, char lines[LAYOUT_SLICE_LINES][64]);
