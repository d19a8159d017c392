/* repcheck adapter for libwget, asked as wget2 asks it. */
#include "repcheck_adapter.h"

#include <string.h>
#include <wget.h>

static wget_robots_t *robots; /* NULL for a file without an octet */

static enum outcome load(struct octets file, struct octets agent, const char **why)
{
	if (holds_nul(agent)) {
		*why = "the library takes C strings, and this agent holds a NUL";
		return UNSUPPORTED;
	}
	if (robots)
		wget_robots_free(&robots);
	robots = wget_robots_parse(file.at, agent.at);
	return ALLOW;
}

static enum outcome ask(struct octets url, const char **why)
{
	if (holds_nul(url)) {
		*why = "the library takes C strings, and this URL holds a NUL";
		return UNSUPPORTED;
	}
	wget_iri_t *iri = wget_iri_parse(url.at, "utf-8");
	if (!iri) {
		*why = "wget_iri_parse returns NULL";
		return REJECT;
	}
	/* The library hands on the paths, and comparing is its caller's: wget2 takes the path of
	 * its parsed URL, which is decoded and without its slash and its query. */
	const char *path = iri->path ? iri->path : "";
	enum outcome outcome = ALLOW;
	for (int i = 0, n = robots ? wget_vector_size(robots->paths) : 0; i < n; i++) {
		wget_string_t *rule = wget_vector_get(robots->paths, i);
		if (rule->len && strncmp(rule->p + 1, path, rule->len - 1) == 0)
			outcome = DISALLOW;
	}
	wget_iri_free(&iri);
	return outcome;
}

int main(void)
{
	int code = serve(&(struct adapter){
		.name = "c-libwget", .package = "libwget0", .version = PACKAGE_VERSION, .lineage = "libwget", .language = "c",
		.load = load, .ask = ask,
	});
	if (robots)
		wget_robots_free(&robots);
	return code;
}
