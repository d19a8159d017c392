package generate

import (
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// fromGrammar makes a file of a few groups, sometimes damaged. It has the
// features that parsers fail on far more often than real files do; see
// fromNatural for files like those.
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

// asker returns the name that a crawler gives for itself.
func (g *Generator) asker() string {
	return choose(g, askers)(g.agent())
}

// url returns a URL that is not made from a rule, or that has a flaw which Derive
// would have fixed.
func (g *Generator) url() string {
	path := g.path(false)
	if len(g.rules) > 0 && choose(g, urlOfRule) {
		path = g.rules[g.rng.IntN(len(g.rules))]
	}
	return choose(g, urlForms)(path)
}

// group writes a header and its rules, with the lines that real files have
// between.
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

// line writes one record with the white space and comments that occur in real
// files.
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

// spot chooses a range of one to eight bytes of the file.
func (g *Generator) spot(robots []byte) (from, to int) {
	from = g.rng.IntN(len(robots))
	return from, from + 1 + g.rng.IntN(min(8, len(robots)-from))
}
