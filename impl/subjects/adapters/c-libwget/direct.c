/* Asks libwget without the adapter: base64 fields of a file, an agent and a URL in, a word out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wget.h>

static const char *word(const char *file, const char *agent, size_t agent_size, const char *url, size_t url_size)
{
	if (strlen(agent) != agent_size || strlen(url) != url_size)
		return "unsupported";
	wget_iri_t *iri = wget_iri_parse(url, "utf-8");
	if (!iri)
		return "reject";
	wget_robots_t *robots = wget_robots_parse(file, agent);
	const char *path = iri->path ? iri->path : "", *found = "allow";
	for (int i = 0; robots && i < wget_vector_size(robots->paths); i++) {
		wget_string_t *rule = wget_vector_get(robots->paths, i);
		if (rule->len && !strncmp(rule->p + 1, path, rule->len - 1))
			found = "disallow";
	}
	if (robots)
		wget_robots_free(&robots);
	wget_iri_free(&iri);
	return found;
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		char *text[3], *rest = line;
		size_t size[3];
		for (int i = 0; i < 3; i++) {
			char *base64 = strsep(&rest, "\t\n");
			text[i] = wget_base64_decode_alloc(base64, strlen(base64), &size[i]);
		}
		puts(word(text[0], text[1], size[1], text[2], size[2]));
		for (int i = 0; i < 3; i++)
			wget_free(text[i]);
	}
	free(line);
	return 0;
}
