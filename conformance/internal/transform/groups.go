package transform

import (
	"bytes"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// strangers are names that no crawler has. If one is related to the agent of a query,
// the next may not be.
var strangers = []string{"zzyzx", "qwkbfq", "vjhnpd"}

// stranger returns a name that no reading takes for the agent of a query: neither
// contains the other, with or without the version, nor any word of it.
func stranger(probes []spec.Probe) (name string, ok bool) {
	i := slices.IndexFunc(strangers, func(name string) bool {
		return !slices.ContainsFunc(probes, func(p spec.Probe) bool { return related(p.Agent, name) })
	})
	if i < 0 {
		return "", false
	}
	return strangers[i], true
}

func related(agent, name string) bool {
	agent = strings.ToLower(agent)
	words := strings.FieldsFunc(agent, func(r rune) bool { return r >= 0x80 || !isTokenOctet(byte(r)) })
	return strings.Contains(agent, name) || len(words) == 0 ||
		slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// unrelatedFirst inserts a group at the beginning. It does not apply if the file begins
// with lines outside of groups, because they would become part of the new group.
func unrelatedFirst(in *input) ([]byte, string) {
	name, ok := stranger(in.probes)
	switch {
	case !ok:
		return nil, whyRelated
	case mayBeMarked(in.robots):
		return nil, whyMark
	}
	for i := range in.lines {
		l := &in.lines[i]
		if l.kind == lineRule {
			return nil, whyOrphans
		}
		if l.kind == lineOdd || l.kind == lineAgent && !l.plain {
			return nil, whyOdd
		}
		if l.kind == lineAgent {
			break
		}
	}
	return slices.Concat(in.text("User-agent: "+name, "Disallow: /", ""), in.robots), ""
}

// unrelatedLast appends a group. It does not apply if the file ends with a header
// without rules, because that would become part of the new group's header.
func unrelatedLast(in *input) ([]byte, string) {
	name, ok := stranger(in.probes)
	switch {
	case !ok:
		return nil, whyRelated
	case !in.ended():
		return nil, whyNoEnd
	}
	for i := len(in.lines) - 1; i >= 0; i-- {
		l := &in.lines[i]
		if l.kind == lineAgent {
			return nil, whyNoRule
		}
		if l.kind == lineOdd || l.kind == lineRule && !l.plain {
			return nil, whyOdd
		}
		if l.kind == lineRule {
			break
		}
	}
	return slices.Concat(in.robots, in.text("", "User-agent: "+name, "Disallow: /")), ""
}

// text returns the lines with the line end of the file.
func (in *input) text(lines ...string) []byte {
	return []byte(strings.Join(lines, in.end) + in.end)
}

// permuteGroups needs a line end on every line, and at most one group for *: which of
// several counts is open (AMB-37).
func permuteGroups(in *input) ([]byte, string) {
	groups, why := in.groups()
	switch {
	case why != "":
		return nil, why
	case len(groups) < 2:
		return nil, whyNothing
	case !in.ended():
		return nil, whyNoEnd
	}
	stars := 0
	for _, g := range groups {
		if g.star {
			stars++
		}
	}
	if stars > 1 {
		return nil, whyStars
	}
	lines := slices.Clone(in.lines[:groups[0].from])
	for _, i := range in.permutation(len(groups)) {
		lines = append(lines, in.lines[groups[i].from:groups[i].to]...)
	}
	return joinLines(lines), ""
}

// permutation returns the numbers from 0 to n-1 in another order.
func (in *input) permutation(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	if in.rng != nil {
		order = in.rng.Perm(n)
	}
	if slices.IsSorted(order) && n > 1 {
		order = append(order[1:], order[0])
	}
	return order
}

// permuteRules changes the order of rules, unless a line between them could end a group
// in any reading. A last line without a line end stays last, because a parser may drop
// it.
func permuteRules(in *input) ([]byte, string) {
	var run []int
	permute := func() {
		texts := make([][]byte, len(run))
		for to, from := range in.permutation(len(run)) {
			texts[to] = in.lines[run[from]].text
		}
		for k, i := range run {
			in.lines[i].text = texts[k]
		}
		run = run[:0]
	}
	for i := range in.lines {
		switch l := &in.lines[i]; l.kind {
		case lineRule:
			if l.end != "" {
				run = append(run, i)
			}
		case lineOdd, lineAgent, lineBlank:
			permute()
		}
	}
	permute()
	return joinLines(in.lines), ""
}

// splitGroups repeats the header of a group before every plain rule except the first.
// It leaves groups for * alone: which of several counts is open (AMB-37).
func splitGroups(in *input) ([]byte, string) {
	groups, why := in.groups()
	if why != "" {
		return nil, why
	}
	size := len(in.robots)
	before := map[int][]line{} // what is inserted before a line
	for _, g := range groups {
		if g.star || g.broken {
			continue
		}
		header := make([]line, len(g.headers))
		octets := 0
		for k, i := range g.headers {
			header[k] = in.lines[i]
			octets += len(header[k].text) + len(header[k].end)
		}
		first := true
		for _, i := range g.rules {
			if !in.lines[i].plain {
				continue
			}
			if !first {
				before[i] = header
				if size += octets; size > reference.ParsingLimit {
					return nil, whyLarge
				}
			}
			first = false
		}
	}
	return replaceLines(func(_ *input, i int, l line) []line { return append(slices.Clip(before[i]), l) })(in)
}

// mergeGroups removes the header of a group and the blank lines before it if the
// previous group has the same header. It leaves groups for * alone: which of several
// counts is open (AMB-37).
func mergeGroups(in *input) ([]byte, string) {
	groups, why := in.groups()
	if why != "" {
		return nil, why
	}
	drop := map[int]bool{}
	for k := 1; k < len(groups); k++ {
		a, b := &groups[k-1], &groups[k]
		if a.broken || b.broken || b.star || len(a.headers) != 1 || len(b.headers) != 1 {
			continue
		}
		if !bytes.EqualFold(in.lines[a.headers[0]].value(), in.lines[b.headers[0]].value()) {
			continue
		}
		drop[b.headers[0]] = true
		for i := b.from - 1; in.lines[i].kind == lineBlank; i-- {
			drop[i] = true
		}
	}
	return replaceLines(func(_ *input, i int, l line) []line {
		if drop[i] {
			return nil
		}
		return []line{l}
	})(in)
}
