/*
 * The loop that the C adapters share; the protocol is in impl/process/protocol.go.
 *
 * An adapter fills a struct adapter and returns serve(&adapter) from main. The loop calls
 * load for each pair of file and agent (many C parsers keep the rules of one crawler alone),
 * then ask for each URL. The time inside both is the answer's ns. What the library writes to
 * stdout goes to stderr.
 */
#ifndef REPCHECK_ADAPTER_H
#define REPCHECK_ADAPTER_H

#include <stddef.h>

/* Octets with a NUL behind them that does not count. */
struct octets {
	char *at;
	size_t size;
};

enum outcome {
	DISALLOW,
	ALLOW,
	REJECT,      /* the library refuses it as it documents; *why is its text */
	UNSUPPORTED, /* the library's interface has no room for it; *why says which */
	FAILED,      /* anything else; *why */
};

struct adapter {
	const char *name, *package, *version, *lineage;
	/* load returns ALLOW if URLs may be asked, else what to answer for each of them. */
	enum outcome (*load)(struct octets robots, struct octets agent, const char **why);
	enum outcome (*ask)(struct octets url, const char **why);
};

/* Answers requests until stdin ends. Returns the exit code. */
int serve(const struct adapter *adapter);

/* Whether there is a NUL among the octets, which no C string can hold. */
int holds_nul(struct octets octets);

#endif
