/*
 * The loop that the C and C++ adapters share. impl/process/protocol.go describes the protocol.
 * It needs Jansson 2.10 or later.
 *
 * An adapter fills a struct adapter and returns serve(&adapter) from main. The loop calls
 * load for each pair of file and agent (many C parsers keep only the rules of one crawler),
 * and then ask for each URL. The time inside both is the answer's ns. Output of the library
 * to stdout goes to stderr. serve frees its memory before it returns, so that a leak checker
 * shows only leaks of the adapter and its library.
 */
#ifndef REPCHECK_ADAPTER_H
#define REPCHECK_ADAPTER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Octets, followed by a NUL that size does not include. */
struct octets {
	char *at;
	size_t size;
};

enum outcome {
	DISALLOW,
	ALLOW,
	REJECT,      /* the library refuses it, as it documents; *why is its message */
	UNSUPPORTED, /* the library's interface cannot express it; *why is the reason */
	FAILED,      /* any other failure; *why is the reason */
};

struct adapter {
	/* All five are required. lineage is the code base that the library descends from, or
	 * the name of the library if it shares no code. language is "c" or "c++". */
	const char *name, *package, *version, *lineage, *language;
	/* load returns ALLOW if ask can be called, otherwise the answer for every URL. Its file
	 * and agent stay valid until the next load. */
	enum outcome (*load)(struct octets robots, struct octets agent, const char **why);
	enum outcome (*ask)(struct octets url, const char **why);
};

/* Answers requests until stdin ends. Returns the exit code. */
int serve(const struct adapter *adapter);

/* Whether the octets include a NUL, which a C string cannot contain. */
int holds_nul(struct octets octets);

#ifdef __cplusplus
}
#endif

#endif
