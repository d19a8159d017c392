#define _GNU_SOURCE
#include "repcheck_adapter.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What was loaded last. */
static struct {
	struct octets robots, agent;
	char *hash; /* of robots, as the harness says */
	enum outcome outcome;
	const char *why;
} last;

static long long spent; /* nanoseconds in the library for the answer in work */

static void *must(void *memory)
{
	if (!memory) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int holds_nul(struct octets octets)
{
	return memchr(octets.at, 0, octets.size) != NULL;
}

static struct octets copy(const char *at, size_t size)
{
	struct octets octets = {must(malloc(size + 1)), size};
	memcpy(octets.at, at, size);
	octets.at[size] = 0;
	return octets;
}

static int same(struct octets a, struct octets b)
{
	return a.at && b.at && a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

static int sextet(char c)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(alphabet, c) : NULL;
	return at ? (int)(at - alphabet) : -1;
}

static struct octets from_base64(const char *text)
{
	struct octets octets = {must(malloc(strlen(text) / 4 * 3 + 4)), 0};
	unsigned bits = 0;
	int held = 0;
	for (; sextet(*text) >= 0; text++) {
		bits = bits << 6 | (unsigned)sextet(*text);
		held += 6;
		if (held >= 8) {
			held -= 8;
			octets.at[octets.size++] = (char)(bits >> held);
		}
	}
	octets.at[octets.size] = 0;
	return octets;
}

/* The octets of a JSON string, which are in base64 or not. */
static struct octets decoded(const json_t *string, int base64)
{
	return base64 ? from_base64(json_string_value(string))
	              : copy(json_string_value(string), json_string_length(string));
}

/* The octets of field key or key_b64; at is NULL if there is neither. */
static struct octets field(const json_t *request, const char *key)
{
	char name[16];
	snprintf(name, sizeof name, "%s_b64", key);
	const json_t *plain = json_object_get(request, key), *base64 = json_object_get(request, name);
	if (plain)
		return decoded(plain, 0);
	return base64 ? decoded(base64, 1) : (struct octets){0};
}

/* What the outcome of one URL, or of all, is in an answer. */
static json_t *said(enum outcome outcome, const char *why)
{
	static const char *const keys[] = {[REJECT] = "reject", [UNSUPPORTED] = "unsupported", [FAILED] = "error"};
	json_t *text = why ? json_string(why) : NULL;
	return json_pack("{so}", keys[outcome], text ? text : json_string("the text is not UTF-8"));
}

/* Makes next the last one, unless they are the same or next is nothing: what load got stays
 * where it is until it gets something else. Returns whether it did. */
static int replace(struct octets *last, struct octets next)
{
	if (!next.at || same(next, *last)) {
		free(next.at);
		return 0;
	}
	free(last->at);
	*last = next;
	return 1;
}

/* Makes the request's file and agent the last ones. Returns NULL, or what there is to answer. */
static json_t *load(const struct adapter *adapter, const json_t *request)
{
	const char *hash = json_string_value(json_object_get(request, "hash"));
	struct octets robots = field(request, "robots");
	struct octets agent = field(request, "agent");
	if (!robots.at && (!hash || !last.hash || strcmp(hash, last.hash) != 0)) {
		free(agent.at);
		return said(FAILED, "unknown hash");
	}
	if (robots.at) {
		free(last.hash);
		last.hash = hash ? must(strdup(hash)) : NULL;
	}
	int is_new = replace(&last.robots, robots);
	is_new |= replace(&last.agent, agent);
	if (is_new) {
		long long start = now();
		last.outcome = adapter->load(last.robots, last.agent, &last.why);
		spent += now() - start;
	}
	return last.outcome == ALLOW ? NULL : said(last.outcome, last.why);
}

/* true, false, or an object that says what there is instead. */
static json_t *one(const struct adapter *adapter, struct octets url)
{
	const char *why = "";
	long long start = now();
	enum outcome outcome = adapter->ask(url, &why);
	spent += now() - start;
	free(url.at);
	return outcome <= ALLOW ? json_boolean(outcome == ALLOW) : said(outcome, why);
}

static json_t *answer(const struct adapter *adapter, const json_t *request)
{
	spent = 0;
	json_t *reply = load(adapter, request);
	struct octets url = reply ? (struct octets){0} : field(request, "url");
	if (url.at) {
		json_t *allow = one(adapter, url);
		reply = json_is_boolean(allow) ? json_pack("{so}", "allow", allow) : allow;
	} else if (!reply) {
		const json_t *urls = json_object_get(request, "urls"), *base64 = json_object_get(request, "urls_b64");
		json_t *allows = json_array();
		for (size_t i = 0; i < json_array_size(urls ? urls : base64); i++)
			json_array_append_new(allows, one(adapter, decoded(json_array_get(urls ? urls : base64, i), !urls)));
		reply = json_pack("{so}", "allows", allows);
	}
	json_object_set(reply, "id", json_object_get(request, "id"));
	json_object_set_new(reply, "ns", json_integer(spent));
	return reply;
}

/* Says on stderr what the adapter lacks. Returns whether it is complete. */
static int complete(const struct adapter *adapter)
{
	const struct {
		const char *name;
		int set;
	} fields[] = {
		{"name", adapter->name != NULL},         {"package", adapter->package != NULL},
		{"version", adapter->version != NULL},   {"lineage", adapter->lineage != NULL},
		{"language", adapter->language != NULL}, {"load", adapter->load != NULL},
		{"ask", adapter->ask != NULL},
	};
	int missing = 0;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!fields[i].set) {
			fprintf(stderr, "repcheck_adapter: struct adapter has no %s: set .%s\n", fields[i].name, fields[i].name);
			missing++;
		}
	return !missing;
}

static void clear(void)
{
	free(last.robots.at);
	free(last.agent.at);
	free(last.hash);
	memset(&last, 0, sizeof last);
}

/* The answer to a request, or the hello; NULL if its texts are not UTF-8. */
static json_t *reply_to(const struct adapter *adapter, const json_t *request)
{
	if (!json_object_get(request, "hello"))
		return answer(adapter, request);
	return json_pack("{si ss ss ss ss ss s[ss] si}", "hello", 1, "name", adapter->name, "package", adapter->package,
	                 "version", adapter->version, "language", adapter->language, "lineage", adapter->lineage,
	                 "features", "time", "hash", "window", 256);
}

/* Answers the request in line. Returns what went wrong, or NULL. */
static const char *respond(const struct adapter *adapter, const char *line, size_t size, FILE *answers)
{
	json_error_t error;
	json_t *request = json_loadb(line, size, JSON_ALLOW_NUL, &error);
	if (!request)
		return "a request is not JSON";
	json_t *reply = reply_to(adapter, request);
	const char *wrong = NULL;
	if (!reply)
		wrong = "a text of the adapter is not UTF-8";
	else if (json_dumpf(reply, answers, JSON_COMPACT) != 0 || fputc('\n', answers) == EOF || fflush(answers) != 0)
		wrong = "an answer cannot be written";
	json_decref(reply);
	json_decref(request);
	return wrong;
}

int serve(const struct adapter *adapter)
{
	if (!complete(adapter))
		return 1;
	FILE *answers = must(fdopen(dup(STDOUT_FILENO), "w"));
	dup2(STDERR_FILENO, STDOUT_FILENO);
	char *line = NULL;
	size_t room = 0;
	const char *wrong = NULL;
	for (ssize_t size; !wrong && (size = getline(&line, &room, stdin)) > 0;)
		wrong = respond(adapter, line, (size_t)size, answers);
	if (wrong)
		fprintf(stderr, "repcheck_adapter: %s\n", wrong);
	free(line);
	clear();
	fclose(answers);
	return wrong != NULL;
}
