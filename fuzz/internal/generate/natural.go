package generate

import (
	"bytes"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// naturalLines bounds the lines of a natural file.
const naturalLines = 200

// fromNatural makes a file with the features of real files, as often as these
// have them: see corpus.RealRates. Each feature is drawn independently;
// combinations that occur in real files are covered by the seeds.
func (g *Generator) fromNatural() ([]byte, []spec.Probe) {
	g.file.Reset()
	g.lines = 0
	start := choose(g, naturalStarts)
	g.file.WriteString(start.text)
	if start.all {
		return bytes.Clone(g.file.Bytes()), nil
	}
	ends := choose(g, naturalEnds)
	last := choose(g, naturalLastLines)
	odd := choose(g, naturalOctets)
	if choose(g, naturalOrphans) {
		g.naturalRule(ends)
	}
	for range choose(g, naturalGroups).of(g) {
		g.naturalGroup(ends)
	}
	g.fill(naturalBetween, ends)
	if g.lines == 0 {
		g.record("user-agent", choose(g, naturalAgents)(g), ends)
	}
	if odd != "" {
		g.file.WriteString("# " + odd)
		g.endNatural(ends)
	}
	robots := bytes.Clone(g.file.Bytes())
	if len(ends) == 0 {
		robots, _, _ = bytes.Cut(robots, []byte{'\n'})
	} else if last == "open" {
		robots = bytes.TrimRight(robots, "\r\n")
	}
	return robots, nil
}

// naturalGroup writes a group, as far as there is room for its lines.
func (g *Generator) naturalGroup(ends []string) {
	for range choose(g, naturalHeaders).of(g) {
		g.fill(naturalBetween, ends)
		if g.lines < naturalLines {
			g.record("user-agent", choose(g, naturalAgents)(g), ends)
		}
	}
	for range choose(g, naturalRules).of(g) {
		if g.lines < naturalLines {
			g.fill(naturalInside, ends)
			g.naturalRule(ends)
		}
	}
}

// naturalRule writes a rule, sometimes with the path of another one.
func (g *Generator) naturalRule(ends []string) {
	kind, value := choose(g, naturalRuleKinds), ""
	if len(g.rules) > 0 && choose(g, naturalAgain) {
		value = g.rules[g.rng.IntN(len(g.rules))]
	} else {
		value = choose(g, naturalValues)(g)
	}
	g.rules = append(g.rules, value)
	g.record(kind, value, ends)
}

// fill writes the lines between records until the table's draw ends them.
func (g *Generator) fill(t *table[func(*Generator)], ends []string) {
	for g.lines < naturalLines {
		write := choose(g, t)
		if write == nil {
			return
		}
		before := g.file.Len()
		if write(g); g.lines > 0 || g.file.Len() > before { // the beginning of the file has been chosen already
			g.endNatural(ends)
		}
	}
}

func (g *Generator) record(kind, value string, ends []string) {
	if choose(g, naturalLeads) {
		g.file.WriteByte(' ')
	}
	g.file.WriteString(choose(g, naturalKeys[kind])(kind))
	g.file.WriteString(choose(g, naturalColons))
	g.file.WriteString(value)
	g.file.WriteString(choose(g, naturalTrails))
	g.endNatural(ends)
}

// endNatural ends a line with one of the ends, or with LF if there are none.
func (g *Generator) endNatural(ends []string) {
	g.lines++
	switch len(ends) {
	case 0:
		g.file.WriteByte('\n')
	case 1:
		g.file.WriteString(ends[0])
	default:
		g.file.WriteString(ends[g.rng.IntN(len(ends))])
	}
}

// naturalPath returns the path of a rule that begins with first, a slash or a
// star. Its parts are in any order, with letters between them up to the length
// that was drawn.
func (g *Generator) naturalPath(first string) string {
	var space [32]string
	parts := space[:0]
	add := func(part string, n int) {
		if part == first {
			n--
		}
		for range min(n, 16) {
			parts = append(parts, part)
		}
	}
	length := choose(g, naturalLengths).of(g)
	add("/", choose(g, naturalSlashes).of(g))
	add("*", choose(g, naturalStars).of(g))
	for range min(choose(g, naturalEscapes).of(g), 8) {
		parts = append(parts, choose(g, escapedOctets))
	}
	for _, part := range []string{choose(g, naturalPathOctets), choose(g, naturalQuery), choose(g, naturalSpace)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	dollar := choose(g, naturalDollars)
	if dollar == "inside" {
		parts = append(parts, "$")
	}
	g.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	letters := length - len(first)
	for _, p := range parts {
		letters -= len(p)
	}
	if dollar == "end" {
		letters--
	}
	var b strings.Builder
	b.WriteString(first)
	for i, p := range parts {
		take := max(0, letters) / (len(parts) + 1 - i)
		g.letters(&b, take)
		letters -= take
		b.WriteString(p)
	}
	// A path does not end in white space or a dollar sign, except with "end".
	if n := len(parts); letters < 1 && n > 0 && (parts[n-1] == "$" || parts[n-1] == " ") {
		letters = 1
	}
	g.letters(&b, letters)
	if dollar == "end" {
		b.WriteByte('$')
	}
	return b.String()
}

// letters writes n letters, of which the first are often the same, so that the
// paths of a file have common prefixes.
func (g *Generator) letters(b *strings.Builder, n int) {
	const common = "admin-page-index-include-media-archive-"
	for n > 0 {
		from := 0
		if choose(g, naturalOtherWord) {
			from = g.rng.IntN(len(common))
		}
		take := min(n, len(common)-from)
		b.WriteString(common[from : from+take])
		n -= take
	}
}
