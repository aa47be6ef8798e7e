/* SPDX-License-Identifier: ISC */
/* Owns what bwrap's status documents mean; json-c owns how they are written. */
#include "status.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define EXIT_CODE_MAX 255

static bool take_number(struct json_object *document, const char *key, int64_t min, int64_t max, int64_t *number, bool *is_broken)
{
	struct json_object *value;

	if (!json_object_object_get_ex(document, key, &value))
		return false;
	*number = json_object_get_int64(value);
	if (!json_object_is_type(value, json_type_int) || *number < min || *number > max) {
		*is_broken = true;
		return false;
	}
	return true;
}

static void take_document(struct status *status, struct json_object *document)
{
	int64_t number;

	if (!json_object_is_type(document, json_type_object)) {
		status->is_broken = true;
		return;
	}
	if (take_number(document, "child-pid", 2, INT_MAX, &number, &status->is_broken)) {
		status->is_broken |= status->child_pid != 0;
		status->child_pid = (long)number;
	}
	if (take_number(document, "net-namespace", 1, UINT32_MAX, &number, &status->is_broken)) {
		status->is_broken |= status->net_namespace != 0;
		status->net_namespace = (unsigned long)number;
	}
	if (take_number(document, "exit-code", 0, EXIT_CODE_MAX, &number, &status->is_broken)) {
		status->is_broken |= status->has_exit_code || !status->child_pid;
		status->has_exit_code = !status->is_broken;
		status->exit_code = (int)number;
	}
}

/* Takes one document off the front of what is pending; false where none is whole yet. */
static bool take_one(struct status *status)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document;
	enum json_tokener_error error;
	size_t used;

	if (!tokener) {
		status->is_broken = true;
		return false;
	}
	/* Without json-c's comments, which would end where the pieces do. */
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	document = json_tokener_parse_ex(tokener, status->pending, (int)status->len);
	error = json_tokener_get_error(tokener);
	used = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error == json_tokener_continue)
		return false;
	if (error != json_tokener_success) {
		status->is_broken = true;
		return false;
	}
	take_document(status, document);
	json_object_put(document);
	memmove(status->pending, status->pending + used, status->len - used);
	status->len -= used;
	return !status->is_broken;
}

static bool has_only_blanks(const struct status *status)
{
	for (size_t i = 0; i < status->len; i++)
		if (!strchr(" \t\r\n", status->pending[i]) || !status->pending[i])
			return false;
	return true;
}

void status_feed(struct status *status, const char *bytes, size_t len)
{
	if (status->is_broken)
		return;
	if (len > sizeof(status->pending) - status->len || memchr(bytes, '\0', len)) {
		status->is_broken = true;
		return;
	}
	memcpy(status->pending + status->len, bytes, len);
	status->len += len;
	while (!has_only_blanks(status) && take_one(status))
		;
}
