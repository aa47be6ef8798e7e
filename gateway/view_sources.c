/* SPDX-License-Identifier: ISC */
/* Owns which of the trees and files that a profile names may be shown, and which be written. */
#include "view_sources.h"

#include <errno.h>
#include <string.h>

#include "text.h"

struct check {
	const struct plan_input *input;
	const struct paths_places *places;
};

static int check_tree(const struct check *check, const struct facts_source *item, struct err *err)
{
	const struct account *account = check->input->account;
	int r = paths_check_writable(item->given, check->places, err);

	if (r == 0)
		r = paths_check_writable(item->source.path, check->places, err);
	if (r)
		return r;
	if (item->source.kind == SOURCE_ABSENT)
		return item->is_optional ? 0 : err_set(err, EINVAL, "%s: does not exist", item->given);
	if (item->source.kind != SOURCE_DIR)
		return err_set(err, EINVAL, "%s: is not a directory", item->given);
	if (item->source.uid == account->uid)
		return 0;
	for (size_t i = 0; i < account->groups.len; i++)
		if (account->gids[i] == item->source.gid)
			return 0;
	return err_set(err, EINVAL, "%s: belongs neither to user %s nor to a group of that user", item->given, account->name);
}

static int check_shown(const struct check *check, const struct facts_source *item, struct err *err)
{
	bool is_device = item->use == USE_DEVICE;
	int r = 0;

	if (item->source.kind == SOURCE_ABSENT)
		return item->is_optional ? 0 : err_set(err, EINVAL, "%s: does not exist, write ?%s if it may be missing", item->given, item->given);
	if (item->use == USE_HIDE)
		return paths_check_hidden(item->source.path, err);
	if (item->use == USE_READ || item->use == USE_TOOLCHAIN) {
		r = paths_check_shown(item->given, check->places, err);
		if (r == 0)
			r = paths_check_shown(item->source.path, check->places, err);
	}
	if (r)
		return r;
	if (item->source.kind == SOURCE_SOCKET)
		return err_set(err, EINVAL, "%s: is a socket, and none of the host's is shown", item->given);
	if (text_path_is_within(item->source.path, "/run"))
		return err_set(err, EINVAL, "%s: leads to %s, and nothing below /run is shown", item->given, item->source.path);
	if (is_device && item->source.kind != SOURCE_DEVICE)
		return err_set(err, EINVAL, "%s: is not a device node", item->given);
	/* A device's own mode may let a group in; the directories on the way may not. */
	if (item->source.loose[0] && !(is_device && item->source.uid == 0 && strcmp(item->source.loose, item->source.path) == 0))
		return err_set(err, EINVAL, "%s: %s is not root's, or others can write it, so it could be replaced", item->given,
			       item->source.loose);
	return 0;
}

static bool is_writable_tree(enum facts_use use)
{
	return use == USE_WORKSPACE || use == USE_ALSO;
}

/* Writable trees lie beside each other, and beside what is shown or hidden. */
static int check_overlaps(const struct check *check, size_t index, struct err *err)
{
	const struct facts *facts = check->input->facts;
	const struct facts_source *item = &facts->sources[index];

	for (size_t i = 0; i < facts->sources_len; i++) {
		const struct facts_source *other = &facts->sources[i];

		if (i == index || (is_writable_tree(other->use) && i < index))
			continue;
		if (!is_writable_tree(other->use) && other->use != USE_READ && other->use != USE_TOOLCHAIN && other->use != USE_HIDE)
			continue;
		if (paths_overlap(item->source.path, other->source.path) || paths_overlap(item->given, other->given))
			return err_set(err, EINVAL, "%s: is inside or above the writable tree %s", other->given, item->given);
	}
	return 0;
}

/* FILE:LINE: [section] key, of the setting that names the source. */
static void name_setting(const struct check *check, enum facts_use use, struct err *err)
{
	static const char *const keys[][2] = { [USE_WORKSPACE] = { "workspace", "path" }, [USE_ALSO] = { "workspace", "also" },
		[USE_READ] = { "view", "read" }, [USE_TOOLCHAIN] = { "view", "toolchains" }, [USE_HIDE] = { "view", "hide" },
		[USE_ETC] = { "view", "etc" }, [USE_DEVICE] = { "view", "devices" }, [USE_USR] = { NULL, NULL } };
	const struct keyword *keyword = keys[use][0] ? profile_keyword(keys[use][0], keys[use][1]) : NULL;
	const struct profile_origin *origin;

	if (!keyword)
		return;
	origin = &check->input->profile->origins[keyword - profile_keywords];
	if (origin->file)
		err_prefix(err, "%s:%u: [%s] %s", origin->file, origin->line, keyword->section, keyword->key);
	else
		err_prefix(err, "[%s] %s", keyword->section, keyword->key);
}

static int check_source(const struct check *check, size_t index, struct err *err)
{
	const struct facts_source *item = &check->input->facts->sources[index];
	int r = 0;

	if (item->error)
		return err_set(err, EINVAL, "%s: %s", item->given, item->why);
	if (!is_writable_tree(item->use))
		return check_shown(check, item, err);
	if (check->input->profile->access != ACCESS_NONE)
		r = check_tree(check, item, err);
	return r ? r : check_overlaps(check, index, err);
}

int view_check_sources(const struct plan_input *input, const struct paths_places *places, struct err *err)
{
	const struct check check = { input, places };
	const struct facts *facts = input->facts;

	for (size_t i = 0; i < facts->sources_len; i++) {
		int r;

		if (facts->sources[i].use == USE_SYS || facts->sources[i].use == USE_MASK || facts->sources[i].use == USE_SOCKET)
			continue;
		r = check_source(&check, i, err);
		if (r) {
			name_setting(&check, facts->sources[i].use, err);
			return r;
		}
	}
	return 0;
}
