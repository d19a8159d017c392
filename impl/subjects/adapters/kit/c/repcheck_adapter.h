/*
 * The loop that the C and C++ adapters share; the protocol is in impl/process/protocol.go.
 * It needs Jansson 2.10 or later.
 *
 * An adapter fills a struct adapter and returns serve(&adapter) from main. The loop calls
 * load for each pair of file and agent (many C parsers keep the rules of one crawler alone),
 * then ask for each URL. The time inside both is the answer's ns. What the library writes to
 * stdout goes to stderr. serve frees its memory before it returns, so that a leak checker
 * shows only leaks of the adapter and its library.
 */
#ifndef REPCHECK_ADAPTER_H
#define REPCHECK_ADAPTER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	/* All five are required. lineage is the code base that the library descends from: the
	 * name of the library, if it shares its code with no other. language is "c" or "c++". */
	const char *name, *package, *version, *lineage, *language;
	/* load returns ALLOW if ask can be called, else what to answer for each URL. Its file and
	 * agent stay valid until the next load. */
	enum outcome (*load)(struct octets robots, struct octets agent, const char **why);
	enum outcome (*ask)(struct octets url, const char **why);
};

/* Answers requests until stdin ends. Returns the exit code. */
int serve(const struct adapter *adapter);

/* Whether there is a NUL among the octets, which no C string can hold. */
int holds_nul(struct octets octets);

#ifdef __cplusplus
}
#endif

#endif
