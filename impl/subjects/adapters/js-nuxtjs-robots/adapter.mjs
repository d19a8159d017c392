// repcheck adapter for the util module of @nuxtjs/robots.
import { matchPathToRule, normalizeGroup, parseRobotsTxt } from '@nuxtjs/robots/util';
import { pathAndQuery, serve, version } from './repcheck-adapter.mjs';

// What getPathRobotConfig does with the groups, which cannot be called outside of a Nuxt server.
function indexable(groups, agent, path) {
  const who = agent.toLowerCase();
  const named = groups.filter((group) => group.userAgent.some((name) => name && who.includes(name.toLowerCase())));
  const general = groups.filter((group) => group.userAgent.includes('*'));
  for (const group of [...named, ...general]) {
    if (!group._indexable) return false;
    const rule = matchPathToRule(path, group._rules);
    if (rule) return rule.allow;
  }
  return true;
}

serve({
  name: 'js-nuxtjs-robots', package: '@nuxtjs/robots', version: version('@nuxtjs/robots'),
  lineage: 'nuxtjs-robots',
  parse: (octets) => parseRobotsTxt(octets.toString('utf8')).groups.map(normalizeGroup),
  ask: (groups, agent, url) => indexable(groups, agent, pathAndQuery(url)),
});
