package generate

import (
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// fromGrammar is a file of a few groups, now and then damaged. It holds what
// parsers trip over far more often than real files do; see fromNatural for
// those.
func (g *Generator) fromGrammar() ([]byte, []spec.Probe) {
	g.file.Reset()
	g.file.WriteString(choose(g, starts))
	for range choose(g, groupCounts) {
		g.group()
	}
	robots := g.file.String()
	if choose(g, noLastEnd) {
		robots = strings.TrimRight(robots, "\r\n")
	}
	return choose(g, damages)(g, []byte(robots)), nil
}

func (g *Generator) agent() string { return g.agents[g.rng.IntN(len(g.agents))] }

// asker returns what a crawler calls itself.
func (g *Generator) asker() string {
	return choose(g, askers)(g.agent())
}

// url returns a URL that no rule was turned into, or one that Derive would have
// brought into a better form.
func (g *Generator) url() string {
	path := g.path(false)
	if len(g.rules) > 0 && choose(g, urlOfRule) {
		path = g.rules[g.rng.IntN(len(g.rules))]
	}
	return choose(g, urlForms)(path)
}

// group writes a header and its rules, with what real files put between.
func (g *Generator) group() {
	for range choose(g, headerCounts) {
		g.line(choose(g, agentKeys), choose(g, headerValues)(g))
		if choose(g, headerBetween) {
			choose(g, between)(g)
		}
	}
	for range choose(g, ruleCounts) {
		if choose(g, ruleBetween) {
			choose(g, between)(g)
			continue
		}
		key := choose(g, ruleKeys)
		value := choose(g, ruleValues)(g)
		g.rules = append(g.rules, value)
		g.line(key, value)
	}
	if choose(g, groupBlank) {
		g.end()
	}
}

// line writes one record with the white space and comment that people leave.
func (g *Generator) line(key, value string) {
	g.file.WriteString(choose(g, leads))
	g.file.WriteString(key)
	g.file.WriteString(choose(g, colons))
	g.file.WriteString(value)
	g.file.WriteString(choose(g, trails))
	g.end()
}

func (g *Generator) end() {
	if choose(g, oddEnd) {
		g.file.WriteString(choose(g, oddEnds))
		return
	}
	g.file.WriteString(g.lineEnd)
}

// path returns a path of a few segments; for a rule it may hold wildcards.
func (g *Generator) path(rule bool) string {
	var space [64]byte
	b := space[:0]
	if !rule || !choose(g, noSlash) {
		b = append(b, '/')
	}
	for range choose(g, pieceCounts) {
		if rule && choose(g, ruleStar) {
			b = append(b, '*')
		}
		b = append(b, choose(g, pieces)...)
	}
	if rule && choose(g, ruleDollar) {
		b = append(b, '$')
	}
	return string(b)
}

// spot chooses a stretch of the file of one to eight octets.
func (g *Generator) spot(robots []byte) (from, to int) {
	from = g.rng.IntN(len(robots))
	return from, from + 1 + g.rng.IntN(min(8, len(robots)-from))
}
