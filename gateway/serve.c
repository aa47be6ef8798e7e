/* SPDX-License-Identifier: ISC */
/*
 * Owns the order of one request; each step is a function elsewhere:
 *   1. prepare()  request, account, and what decision.c makes of them
 *   2. settle()   place, private directory, names and plan
 *   3. hold()     chain with the command held, grade settled, start logged
 *   4. finish()   watch, end logged, place and directory given back
 * A refusal at any of them goes through refuse(), and so to the log.
 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attempt.h"
#include "chain.h"
#include "connection.h"
#include "decision.h"
#include "log.h"
#include "network.h"
#include "outcome.h"
#include "process.h"
#include "record.h"
#include "report.h"
#include "run.h"
#include "place.h"
#include "session.h"
#include "sftprecords.h"
#include "tell.h"
#include "terminal.h"

struct serve {
	const struct serve_input *input;
	struct log log;
	struct decision decision;
	struct connection connection;
	struct session session;
	struct terminal terminal;
	struct relay out, err;
	uint64_t output_max, room; /* bytes; what of it is left */
	struct sftprecords sftp;
	struct chain chain;
	struct network network;
	struct run_result result;
	int signal_fd;
};

#define SAY_MS 10000 /* for a client that does not read */

static void say(const struct serve *serve, const char *sentence)
{
	char shown[1024], line[1200];

	snprintf(line, sizeof(line), "stockade: %s [session %s]\n", text_show(shown, sizeof(shown), sentence), serve->session.id);
	tell(STDERR_FILENO, line, SAY_MS);
}

static int refuse(struct serve *serve)
{
	struct decision *decision = &serve->decision;
	struct record record;
	struct err err;

	report_refuse(&record, decision, serve->session.id, serve->connection.id);
	if (log_send(&serve->log, record.text, &err))
		plan_refuse(&decision->plan, REASON_LOG, "log", err.text);
	if (serve->input->report)
		snprintf(serve->input->report->detail, sizeof(serve->input->report->detail), "%.511s", decision->plan.detail);
	say(serve, decision->plan.sentence);
	return plan_status(&decision->plan);
}

static int refuse_for(struct serve *serve, enum plan_reason reason, const char *stage, const struct err *err)
{
	plan_refuse(&serve->decision.plan, reason, stage, err->text);
	return refuse(serve);
}

/* A run whose gateway was killed, found by its unlocked file: its end is told by whoever finds it. */
static void log_lost(void *data, const char *note)
{
	struct serve *serve = data;
	struct record record;
	struct err ignored;

	record_begin_lost(&record, note);
	log_send(&serve->log, record.text, &ignored);
}

/* 1. Until something is refused, nothing is written but to the log. 0: go on; else the exit status. */
static int prepare(struct serve *serve)
{
	struct connection *connection = &serve->connection;
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
		.dir = serve->input->etc_dir ? serve->input->etc_dir : STOCKADE_ETC, .owner = 0 };
	struct decision_options options = { .load = &load, .client_env = serve->input->environment, .is_selftest = serve->input->is_selftest };
	struct decision *decision = &serve->decision;
	struct err err = { "" };
	int r;

	r = session_new_id(serve->session.id, &err);
	if (r == 0)
		r = request_parse(&decision->request, &serve->input->request, &err);
	if (r == 0 && getuid() == 0)
		r = err_set(&err, EPERM, "root is not confined, and so not served");
	if (r == 0)
		r = account_by_uid(&decision->account, getuid(), &err);
	/* The hook's record is root's; what sshd put into a variable is the second choice. With neither, the key is nobody's. */
	if (r == 0 && connection_find(connection, getuid(), &err) < 0)
		connection_read_auth(serve->input->user_auth, getuid(), connection->auth, sizeof(connection->auth), &err);
	if (r == 0) {
		options.auth = connection->auth;
		options.lost = connection->lost;
		options.has_connection_size = connection->has_size;
		decision_make(decision, &options);
	}
	close(load.root_fd);
	if (r)
		return refuse_for(serve, REASON_REQUEST, "request", &err);
	return decision->plan.reason == REASON_NONE ? 0 : refuse(serve);
}

static int take_place(struct serve *serve, struct err *err)
{
	const struct decision *decision = &serve->decision;
	const struct profile *profile = &decision->profile;
	/* A connection stays where it was opened, whatever the profile says by now. */
	const char *tmp_dir = serve->connection.id[0] ? serve->connection.dir : profile->tmp_dir;
	const struct place_limits limits = {
		.sessions_max = profile->sessions_max,
		.actor_sessions_max = profile->actor_sessions_max,
		.actor = decision->input.actor,
		.queue = profile->queue == PROFILE_NONE ? 0 : profile->queue,
	};
	int r = session_find_base(&serve->session, tmp_dir, decision->facts.runtime_dir, &decision->account, err);

	return r ? r : place_take(&serve->session, &limits, STDOUT_FILENO, serve->signal_fd, log_lost, serve, err);
}

/*
 * What others need to know of the run: on the first line the words of an end record, for a sweep, empty before the
 * start was logged; then whose connection, which process, the scope, and what stockade who shows.
 */
static int note(struct serve *serve, const char *words, const char *scope, struct err *err)
{
	struct process self = { 0 };
	char text[PLACE_NOTE_MAX + 1], command[256] = "-", name[256];
	int r;
	const char *shown = report_command(&serve->decision, name, sizeof(name));

	process_read(&self, getpid());
	if (shown)
		text_escape(command, sizeof(command), shown, strlen(shown));
	snprintf(text, sizeof(text), "%s\nsession=%s user=%s actor=%s\nconn=%s\npid=%d start=%llu\nscope=%s\nfrom=%s\nkind=%s\nsince=%lld\ncmd=%s\n", words,
		serve->session.id, serve->decision.account.name, serve->decision.input.actor ? serve->decision.input.actor : "-",
		serve->connection.id, self.pid, self.start, scope, serve->decision.request.from,
		request_kind_name(serve->decision.verdict.kind), (long long)time(NULL), command);
	r = place_note(&serve->session, text);
	return r ? err_set(err, -r, "%s: the run's note cannot be written: %s", serve->session.base, strerror(-r)) : 0;
}

/* 2. */
static int settle(struct serve *serve)
{
	struct decision *decision = &serve->decision;
	char why[256];
	struct err err = { "" };
	int r;

	/* From here on a signal is a refusal or an end, and has its record. */
	serve->signal_fd = run_block_signals(&err);
	if (serve->signal_fd < 0)
		return refuse_for(serve, REASON_FENCE, "signals", &err);
	r = take_place(serve, &err);
	if (r == -EBUSY || r == -ECANCELED) {
		plan_refuse(&decision->plan, REASON_BUSY, "place", err.text);
		snprintf(decision->plan.sentence, sizeof(decision->plan.sentence), "%.500s", err.text);
		return refuse(serve);
	}
	if (r)
		return refuse_for(serve, plan_reason_of(r, REASON_SESSION), "place", &err);
	if (session_is_below_floor(&serve->session, &decision->profile.floor, why, sizeof(why))) {
		plan_refuse(&decision->plan, REASON_DISK, "disk", why);
		return refuse(serve);
	}
	if (serve->connection.id[0] && decision->profile.tmp_mode == TMP_SESSION) {
		serve->session.is_connections = true;
		snprintf(serve->session.directory, sizeof(serve->session.directory), "%s", serve->connection.id);
	}
	r = session_make(&serve->session, &err);
	if (r)
		return refuse_for(serve, plan_reason_of(r, REASON_SESSION), "session", &err);
	r = note(serve, "", "-", &err);
	if (r)
		return refuse_for(serve, plan_reason_of(r, REASON_SESSION), "place", &err);
	decision_plan(decision, serve->session.id, serve->session.private_fds, serve->session.dir, serve->signal_fd);
	return decision->plan.reason == REASON_NONE ? 0 : refuse(serve);
}

static void read_limits(struct serve *serve)
{
	struct plan *plan = &serve->decision.plan;
	char values[PLAN_LIMITS_MAX][64];
	const char *found[PLAN_LIMITS_MAX];
	struct scope account = SCOPE_INIT;

	scope_open_account(&account, serve->decision.account.uid);
	for (size_t i = 0; i < plan->limits_len; i++) {
		const struct scope *scope = plan->limits[i].is_account ? &account : &serve->chain.scope;

		found[i] = scope_read(scope, plan->limits[i].file, values[i], sizeof(values[i])) ? NULL : values[i];
	}
	scope_close(&account);
	plan_settle_limits(plan, &serve->decision.profile, found);
}

static int log_start(struct serve *serve, struct err *err)
{
	const struct decision *decision = &serve->decision;
	struct serve_report *report = serve->input->report;
	struct record record;
	char words[512];
	int r;

	report_words(words, sizeof(words), decision, serve->session.id);
	r = note(serve, words, serve->chain.scope.fd >= 0 ? serve->chain.scope.path : "-", err);
	if (r)
		return r;
	if (report) {
		snprintf(report->grade, sizeof(report->grade), "%s", grade_name(decision->plan.grade));
		snprintf(report->lacks, sizeof(report->lacks), "%s", facets_text(decision->plan.lacks, words, sizeof(words)));
	}
	report_start(&record, decision, serve->session.id, serve->connection.id);
	return log_send(&serve->log, record.text, err);
}

/* Spawns the chain and waits until only the release is missing. */
static int start_chain(struct serve *serve, struct err *err)
{
	int r = chain_spawn(&serve->chain, &serve->decision.plan, &serve->decision.input, serve->decision.facts.runtime_dir, err);

	return r ? r : chain_hold(&serve->chain, serve->signal_fd, err);
}

static void end_chain(struct serve *serve)
{
	struct chain old = serve->chain;

	chain_close(&serve->chain);
	chain_init(&serve->chain);
	serve->chain.terminal = old.terminal;
	serve->chain.out = old.out;
	serve->chain.err = old.err;
	serve->chain.lines = old.lines;
}

/* The chain held like before a release; what its tools say is kept from the client. */
static int rehearse(struct serve *serve, char *said, size_t size, struct err *err)
{
	int r, fd = memfd_create("stderr", MFD_CLOEXEC);
	ssize_t len;

	serve->chain.error_fd = fd;
	r = start_chain(serve, err);
	len = fd < 0 ? 0 : pread(fd, said, size - 1, 0);
	if (fd >= 0)
		close(fd);
	said[len > 0 ? len : 0] = '\0';
	said[strcspn(said, "\n")] = '\0';
	return r;
}

/* The failing chain once more, to hear what its tools say. */
static int hear_chain(struct serve *serve, char *said, size_t size)
{
	struct err err = { "" };
	int r = rehearse(serve, said, size, &err);

	end_chain(serve);
	if (r == 0)
		snprintf(said, size, "set-up failed once, and worked when tried again");
	else if (!said[0])
		snprintf(said, size, "%s", err.text);
	return r;
}

/*
 * Set-up failed before the release. Only after bwrap's own exit, and where our own attempt at a facet is
 * forbidden, does the next step of the ladder follow. True: try again.
 */
static bool step_down(struct serve *serve, int r, const struct err *err)
{
	struct decision *decision = &serve->decision;
	bool has_exited = r == -ECHILD && WIFEXITED(serve->chain.wait_status);
	struct attempt attempts[ATTEMPTS_MAX];
	char said[512];

	end_chain(serve);
	if (!has_exited) {
		plan_refuse(&decision->plan, REASON_FENCE, "setup", err->text);
		return false;
	}
	if (!plan_step_down(&decision->plan, &decision->facts, attempts, attempt_all(attempts), err->text)) {
		r = hear_chain(serve, said, sizeof(said));
		plan_look_again(&decision->plan, r == 0, attempts, attempt_all(attempts));
		plan_add_detail(&decision->plan, said);
		return false;
	}
	plan_release(&decision->plan);
	decision_plan(decision, serve->session.id, serve->session.private_fds, serve->session.dir, serve->signal_fd);
	return decision->plan.reason == REASON_NONE;
}

/*
 * Where bwrap is going to fail, it would complain on the client's standard error, before each command of an account that
 * runs here at grade partial. Other hosts pay for no attempt; where the hook tried, its record says what to leave out.
 */
static bool expects_failure(const struct serve *serve)
{
	struct attempt attempts[ATTEMPTS_MAX];

	return !serve->connection.id[0] && serve->decision.facts.is_suspect && plan_expects_failure(&serve->decision.plan, attempts, attempt_all(attempts));
}

static int hold_chain(struct serve *serve)
{
	bool is_rehearsal = expects_failure(serve);
	struct err err = { "" };
	char said[512];

	for (;;) {
		int r = is_rehearsal ? rehearse(serve, said, sizeof(said), &err) : start_chain(serve, &err);

		if (r == 0 && !is_rehearsal)
			return 0;
		if (r == 0)
			end_chain(serve);
		else if (!step_down(serve, r, &err))
			return refuse(serve);
		is_rehearsal = false;
	}
}

/* Finds the scope, and whether it holds. */
static int settle_limits(struct serve *serve)
{
	struct err err = { "" };
	char unit[64];
	int r;

	if (!(serve->decision.plan.facets & FACET_LIMITS))
		return 0;
	snprintf(unit, sizeof(unit), "stockade-%s.scope", serve->session.id);
	r = scope_open(&serve->chain.scope, (pid_t)serve->chain.status.child_pid, unit, &err);
	if (r)
		return refuse_for(serve, REASON_FENCE, "scope", &err);
	read_limits(serve);
	return serve->decision.plan.reason == REASON_NONE ? 0 : refuse(serve);
}

/* The command waits; what it may reach is settled before it goes. */
static int attach_network(struct serve *serve)
{
	const struct decision *decision = &serve->decision;
	struct err err = { "" };
	int r;

	if (!decision->plan.net_rules)
		return 0;
	r = network_open(&serve->network, &serve->chain, &decision->plan, &decision->input, serve->signal_fd, &err);
	if (r == 0)
		return 0;
	return refuse_for(serve, r == -ECHILD ? REASON_FENCE : REASON_NETWORK, "network", &err);
}

/* What of the command's streams does not go straight through: a terminal, sftp-server's log, bounded output. */
static int open_streams(struct serve *serve, struct err *err)
{
	const struct plan *plan = &serve->decision.plan;
	int r;

	serve->output_max = profile_bytes(&serve->decision.profile.output_max, serve->decision.facts.memory_total);
	serve->room = serve->output_max;
	if (plan->has_terminal) {
		serve->chain.terminal = &serve->terminal;
		return terminal_open(&serve->terminal, err);
	}
	if (plan->has_sftp_log) {
		serve->chain.lines = &serve->sftp.lines;
		return sftprecords_open(&serve->sftp, &serve->log, serve->session.id, err);
	}
	if (!plan->has_output_max)
		return 0;
	serve->chain.out = &serve->out;
	serve->chain.err = &serve->err;
	r = relay_open(&serve->out, STDOUT_FILENO, &serve->room, err);
	return r ? r : relay_open(&serve->err, STDERR_FILENO, &serve->room, err);
}

/* 3. */
static int hold(struct serve *serve)
{
	struct err err = { "" };
	int r = open_streams(serve, &err);

	if (r)
		return refuse_for(serve, REASON_FENCE, "terminal", &err);
	/* Where the scope will be, as the path below /sys/fs/cgroup. */
	r = note(serve, "", text_has_prefix(serve->decision.plan.cgroup, "/sys/fs/cgroup/") ? serve->decision.plan.cgroup + strlen("/sys/fs/cgroup") : "-", &err);
	if (r)
		return refuse_for(serve, plan_reason_of(r, REASON_SESSION), "place", &err);
	r = hold_chain(serve);
	if (r == 0)
		r = settle_limits(serve);
	if (r == 0)
		r = attach_network(serve);
	if (r)
		return r;
	r = log_start(serve, &err);
	if (r)
		return refuse_for(serve, plan_reason_of(r, REASON_LOG), "log", &err);
	r = chain_release(&serve->chain, &err);
	return r ? refuse_for(serve, REASON_FENCE, "release", &err) : 0;
}

static void close_streams(struct serve *serve)
{
	relay_close(&serve->out);
	relay_close(&serve->err);
	sftprecords_close(&serve->sftp);
}

/* 4. */
static int finish(struct serve *serve)
{
	const struct run_bounds bounds = {
		.timeout = serve->decision.profile.timeout,
		.idle = serve->decision.profile.idle,
		.output_max = serve->output_max,
		.grace = serve->decision.profile.grace == PROFILE_NONE ? 10 : serve->decision.profile.grace,
		.floor = &serve->decision.profile.floor,
		.helper_fd = serve->network.helper_fd,
	};
	struct report_run run;
	struct outcome outcome;
	struct record record;
	struct err ignored;
	char sentence[256];

	run_watch(&serve->chain, serve->signal_fd, &serve->session, &bounds, &serve->result);
	outcome_decide(&outcome, &serve->result.end);
	if (serve->chain.terminal)
		terminal_close(serve->chain.terminal);
	close_streams(serve);
	run = (struct report_run){
		.seconds = serve->result.seconds,
		.cpu_seconds = serve->result.cpu_seconds,
		.peak = serve->result.peak,
		.oom_kills = serve->result.oom_kills,
		.oom_hits = serve->result.oom_hits,
		.pids_max = serve->result.pids_max,
		.net_refused = network_count_refused(&serve->network, &serve->decision.input),
		.is_network_lost = serve->result.is_network_lost,
	};
	report_end(&record, &serve->decision, serve->session.id, &outcome, &run);
	log_send(&serve->log, record.text, &ignored);
	if (report_sentence(sentence, sizeof(sentence), &serve->decision, &outcome, &run, serve->result.why))
		say(serve, sentence);
	return outcome.exit;
}

int serve(const struct serve_input *input)
{
	/* Not on the stack, where each page of its buffers would be touched. */
	static struct serve serve = { .log = LOG_INIT, .terminal = TERMINAL_INIT, .out = RELAY_INIT, .err = RELAY_INIT, .sftp = SFTPRECORDS_INIT,
		.network = NETWORK_INIT, .signal_fd = -1 };
	struct err err = { "" };
	int status;

	serve.input = input;
	session_init(&serve.session);
	chain_init(&serve.chain);
	/* The backstop for a client whose absence nothing else shows. */
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Early, as guard.h has it; where it cannot be had, guard_watch() tries again. */
	guard_start(&serve.chain.guard, &err);
	status = prepare(&serve);
	if (status == 0)
		status = settle(&serve);
	if (status == 0)
		status = hold(&serve);
	if (status == 0)
		status = finish(&serve);
	chain_close(&serve.chain);
	network_close(&serve.network);
	terminal_close(&serve.terminal);
	close_streams(&serve);
	session_close(&serve.session, &err);
	log_close(&serve.log);
	return status;
}
