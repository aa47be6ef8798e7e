/* SPDX-License-Identifier: ISC */
/* Owns the texts that a confined account consists of outside its profile; reads and writes no file. */
#include "layout.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const layout_job_services[] = { "cron", "crond", "atd", NULL };

static const char *const sshd_lines[] = {
	"ForceCommand exec " STOCKADE_GATEWAY,
	"DisableForwarding yes",
	"AllowTcpForwarding no",
	"AllowStreamLocalForwarding no",
	"AllowAgentForwarding no",
	"X11Forwarding no",
	"PermitTunnel no",
	"GatewayPorts no",
	"PermitUserRC no",
	"PasswordAuthentication no",
	"ExposeAuthInfo yes",
	"ClientAliveInterval 30",
	"ClientAliveCountMax 3",
};

const char *layout_sshd_line(const char *keyword)
{
	size_t len = strlen(keyword);

	for (size_t i = 0; i < sizeof(sshd_lines) / sizeof(sshd_lines[0]); i++)
		if (strncasecmp(sshd_lines[i], keyword, len) == 0 && sshd_lines[i][len] == ' ')
			return sshd_lines[i];
	return NULL;
}

const char *layout_sshd_value(const char *keyword)
{
	const char *line = layout_sshd_line(keyword);

	return line ? line + strlen(keyword) + 1 : NULL;
}

void layout_sshd_text(char *out, size_t size, const char *user, bool has_keys)
{
	size_t len = (size_t)snprintf(out, size, "# Written by stockade enroll; stockade unenroll removes it.\nMatch User %s\n", user);

	for (size_t i = 0; i < sizeof(sshd_lines) / sizeof(sshd_lines[0]) && len < size; i++) {
		len += (size_t)snprintf(out + len, size - len, "    %s\n", sshd_lines[i]);
		if (i == 0 && has_keys && len < size)
			len += (size_t)snprintf(out + len, size - len, "    %s\n", LAYOUT_KEYS_LINE);
	}
}

size_t layout_slice_lines(const struct profile *profile, uint64_t total, char lines[LAYOUT_SLICE_LINES][64])
{
	/* systemd rounds down to whole pages, and shows it so. */
	uint64_t memory = profile_bytes(&profile->account_memory_max, total);
	size_t len = 0;

	if (memory != UINT64_MAX)
		snprintf(lines[len++], 64, "MemoryMax=%llu", (unsigned long long)memory & ~4095ull);
	if (profile->account_tasks_max != PROFILE_NONE)
		snprintf(lines[len++], 64, "TasksMax=%llu", (unsigned long long)profile->account_tasks_max);
	if (profile->account_cpu_percent != PROFILE_NONE)
		snprintf(lines[len++], 64, "CPUQuota=%llu%%", (unsigned long long)profile->account_cpu_percent);
	return len;
}
