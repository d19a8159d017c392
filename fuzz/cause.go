package fuzz

import (
	"fmt"
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A Change is a changed choice, in findings always one that differs from RFC
// 9309.
type Change = reference.Change

// A Cause is a set of changes that together make the reference give the same
// answer as a subject.
type Cause = reference.Changes

// MaxDeviations is the largest number of changes in a cause. A larger set says little
// about why a subject gives an answer.
const MaxDeviations = 3

// blanket reports whether the choice changes most of the verdicts that can
// change: names are compared as if the crawler, or most groups, had none. It
// would explain any answer, so it is used only for subjects that are known to
// make it.
func blanket(c Change) bool {
	return c.Point == reference.AgentCase && (c.Choice == reference.AgentCaseFileLowered || c.Choice == reference.AgentCaseCrawlerLowered)
}

// candidates are the choices that may explain an answer of a subject that is not
// known to make them.
var candidates = sync.OnceValue(func() []Change {
	return slices.DeleteFunc(slices.Clone(reference.AllDeviations()), blanket)
})

// Expected returns the reference's verdict under RFC 9309.
func Expected(w Witness) spec.Verdict {
	return reading.New(w.Robots).Verdict(reference.RFC9309(), w.Probe)
}

// Explain returns why a subject may give that verdict: the smallest sets of
// choices that make the reference give it. known are choices that the subject is
// known to make, such as the deviations of its fingerprint: sets of those come
// before others of their size. A set of three is found only if two of its members
// change what the reference reads in the file and the query.
//
// The result is empty but not nil if the reference gives the verdict without a
// change, and nil if no set of up to MaxDeviations makes it do so: then the subject or
// the reference has a bug, or a point is missing. No choice explains a verdict of
// the harness.
//
// A search without a result reads the file some 15,000 times, and tens of
// thousands of times more if many choices show: minimize the file first. For a
// large file fewer sets are tried, some hundreds for one of 500 KiB.
func Explain(w Witness, verdict spec.Verdict, known Cause) []Cause {
	return newExplanation(w).explain(verdict, modelView{own: known, others: candidates()})
}

// An explanation is a search for the causes of answers to one query. All searches
// that use it share one limit on the bytes they read.
type explanation struct {
	*reading.Reading
	Witness
	left int // bytes it may still read for interpretations that are used once
}

func newExplanation(w Witness) *explanation {
	return &explanation{Reading: reading.New(w.Robots), Witness: w, left: maxOnce}
}

// maxOnce takes a second or two to read.
const maxOnce = 200 << 20

// file reads the file under one of thousands of interpretations, for which
// caching is not worthwhile. It returns nil if the limit is reached.
func (x *explanation) file(parser *reference.Parser) *reference.File {
	if x.left -= len(x.Robots) + len(x.URL); x.left < 0 {
		return nil
	}
	return parser.Parse(x.Robots)
}

// explain is like Explain, for the verdict of a subject of which that is known.
func (x *explanation) explain(verdict spec.Verdict, known modelView) []Cause {
	if x.Verdict(reference.RFC9309(), x.Probe) == verdict {
		return []Cause{}
	}
	if !verdict.Decided() && verdict != spec.Reject {
		return nil
	}
	own := ordered(known.own...)
	if len(x.Robots) > reference.ParsingLimit {
		// For such a large file few sets are tried, and the points about size
		// matter.
		for _, c := range known.others {
			if c.Point == reference.SizeLimit && !slices.Contains(own, c) {
				own = append(own, c)
			}
		}
	}
	all := slices.Clone(own)
	for _, c := range known.others {
		if !slices.Contains(own, c) {
			all = append(all, c)
		}
	}
	find := []func() []Cause{
		func() []Cause { return x.singles(verdict, all) },
		func() []Cause { return x.pairs(verdict, all, len(own)) },
		func() []Cause { return x.triples(verdict, own, all) },
	}
	for _, found := range find {
		if causes := slices.DeleteFunc(found(), known.refutes); len(causes) > 0 {
			return causes
		}
	}
	return nil
}

// maxSets is how many sets of several choices are returned: if one explains an
// answer, its first half often does so with a dozen others.
const maxSets = 5

func (x *explanation) singles(verdict spec.Verdict, from []Change) []Cause {
	var causes []Cause
	for _, c := range from {
		if x.Gives(verdict, x.Probe, c) {
			causes = append(causes, Cause{c})
		}
	}
	return causes
}

// pairs tries pairs of the first n choices before the others.
func (x *explanation) pairs(verdict spec.Verdict, from []Change, n int) []Cause {
	var causes []Cause
	try := func(a, b Change) (enough bool) {
		if a.Point != b.Point && x.gives(verdict, reading.Parser(reference.With(a, b))) {
			causes = append(causes, ordered(a, b))
		}
		return len(causes) == maxSets
	}
	for i, a := range from[:n] {
		for _, b := range from[i+1 : n] {
			if try(a, b) {
				return causes
			}
		}
	}
	for i, a := range from {
		for _, b := range from[max(i+1, n):] {
			if try(a, b) {
				return causes
			}
		}
	}
	return causes
}

// gives reports whether the reference gives the verdict under an interpretation
// that is used once.
func (x *explanation) gives(verdict spec.Verdict, parser *reference.Parser) bool {
	file := x.file(parser)
	return file != nil && reading.Verdict(file, x.Probe) == verdict
}

// maxTriples bounds the sets of three that are tried. For a file of a few lines
// there are some ten thousand.
const maxTriples = 100_000

// sameSight is how many pairs with the same effect are tried with a third choice:
// the string that describes the effect is incomplete, and a part that it omits
// may matter together with the third choice.
const sameSight = maxSets

// triples looks for pairs, those of own before others, with which the reference
// reads the file differently than with only one of the two or none of them, and
// for a third choice that, with such a pair, gives the verdict.
func (x *explanation) triples(verdict spec.Verdict, own, all []Change) []Cause {
	plain, single := x.sight(), make([]string, len(all))
	for i, c := range all {
		single[i] = x.sight(c)
	}
	shown := map[string]int{}
	var pairs []Cause
	for i, a := range all {
		for j, b := range all[:i] {
			if a.Point == b.Point {
				continue
			}
			seen := x.sight(a, b)
			if seen == "" {
				return nil
			}
			if seen != plain && seen != single[i] && seen != single[j] && shown[seen] < sameSight {
				shown[seen]++
				pairs = append(pairs, Cause{b, a})
			}
		}
	}
	known := func(pair Cause) (n int) {
		for _, c := range pair {
			if slices.Contains(own, c) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(pairs, func(a, b Cause) int { return known(b) - known(a) })
	var causes []Cause
	tried := 0
	for _, pair := range pairs {
		for _, c := range all {
			if c.Point == pair[0].Point || c.Point == pair[1].Point {
				continue
			}
			if x.gives(verdict, reference.New(reference.With(pair[0], pair[1], c))) {
				cause := ordered(pair[0], pair[1], c)
				if !slices.ContainsFunc(causes, func(c Cause) bool { return slices.Equal(c, cause) }) {
					causes = append(causes, cause)
				}
			}
			if tried++; len(causes) == maxSets || tried == maxTriples {
				return causes
			}
		}
	}
	return causes
}

// sight describes, for comparison, what the reference reads on its way to a
// verdict with those choices changed; "" if the limit is reached.
func (x *explanation) sight(changes ...Change) string {
	file := x.file(reading.Parser(reference.With(changes...)))
	if file == nil {
		return ""
	}
	t := file.Rules(x.Agent).Explain(x.URL)
	var b []byte
	b = fmt.Appendln(b, t.Refused != "", t.Source, t.HeaderLines, t.Decision.Reason, t.Decision.Allow, t.Path)
	for _, c := range t.Considered {
		b = fmt.Appendln(b, c.Rule.Line(), c.Rule.Allow(), c.Rule.Compared(), c.Matches, c.Octets)
	}
	return string(b)
}

// ordered returns changes in the order of the points.
func ordered(changes ...Change) Cause { return reference.With(changes...).Deviations() }
