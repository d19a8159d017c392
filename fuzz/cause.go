package fuzz

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Flip is a choice other than that of RFC 9309 at one interpretation point.
type Flip struct{ Point, Choice string }

// String returns "precedence=first".
func (f Flip) String() string { return f.Point + "=" + f.Choice }

// MarshalText returns String.
func (f Flip) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote. A point or choice that the
// reference does not have is an error.
func (f *Flip) UnmarshalText(text []byte) error {
	point, choice, ok := strings.Cut(string(text), "=")
	for _, p := range reference.Points() {
		if ok && p.String() == point && slices.Contains(p.Choices(), choice) {
			f.Point, f.Choice = point, choice
			return nil
		}
	}
	return fmt.Errorf("%q is no choice of the reference: a cause is written point=choice", text)
}

// A Cause is a set of flips that together make the reference answer as a
// subject does, in the order of the points.
type Cause []Flip

// MaxFlips is how many flips a cause has at most. What takes more says little
// of why anybody answers as they do.
const MaxFlips = 3

// String returns "line-ends=lf-only + nul=line-end".
func (c Cause) String() string {
	flips := make([]string, len(c))
	for i, f := range c {
		flips[i] = f.String()
	}
	return strings.Join(flips, " + ")
}

// A choice is a Flip as the reference takes it.
type choice struct {
	point  reference.Point
	choice reference.Choice
}

func (c choice) flip() Flip {
	return Flip{Point: c.point.String(), Choice: c.point.Choices()[c.choice]}
}

func causeFrom(choices ...choice) Cause {
	c := make(Cause, len(choices))
	for i, f := range choices {
		c[i] = f.flip()
	}
	return c
}

// allChoices are all choices other than those of RFC 9309.
var allChoices = sync.OnceValue(func() []choice {
	var all []choice
	for _, p := range reference.Points() {
		for c := range p.Choices() {
			if c := reference.Choice(c); c != reference.RFC9309[p] {
				all = append(all, choice{p, c})
			}
		}
	}
	return all
})

// blanket reports whether the choice turns most of the verdicts there are to turn:
// names are compared as if the crawler, or most groups, had none. It would explain
// anything, and so it explains only whom it is known of.
func (c choice) blanket() bool {
	return c.point == reference.AgentCase && (c.choice == reference.AgentCaseFileLowered || c.choice == reference.AgentCaseCrawlerLowered)
}

// refuses reports whether the choice can make the reference refuse a file.
func (c choice) refuses() bool {
	switch c.point {
	case reference.SizeLimit:
		return c.choice == reference.SizeLimitReject
	case reference.ControlOctets:
		return c.choice == reference.ControlOctetsRejectFile
	case reference.OrphanRules:
		return c.choice == reference.OrphanRulesRejectFile
	}
	return false
}

// deviationsOf are the choices of an interpretation that RFC 9309 does not make.
func deviationsOf(in reference.Interpretation) []choice {
	var all []choice
	for _, p := range reference.Points() {
		if in[p] != reference.RFC9309[p] {
			all = append(all, choice{p, in[p]})
		}
	}
	return all
}

// with returns RFC 9309 with the choices flipped.
func with(choices ...choice) reference.Interpretation {
	in := reference.RFC9309
	for _, c := range choices {
		in[c.point] = c.choice
	}
	return in
}

// parsers keeps the reference under every interpretation that was needed, but
// for those with three choices flipped: the pairs alone are 7,000, and 20 MB.
var parsers sync.Map // reference.Interpretation to *reference.Parser

func parserOf(in reference.Interpretation) *reference.Parser {
	if p, ok := parsers.Load(in); ok {
		return p.(*reference.Parser)
	}
	p, _ := parsers.LoadOrStore(in, reference.New(in))
	return p.(*reference.Parser)
}

// A reading is one file as the reference reads it under many interpretations,
// each at most once. It is for one goroutine.
type reading struct {
	robots []byte
	left   int // octets that once may read
	files  map[reference.Interpretation]*reference.File
}

func newReading(robots []byte) *reading {
	return &reading{robots: robots, left: maxOnce, files: map[reference.Interpretation]*reference.File{}}
}

func (r *reading) verdict(in reference.Interpretation, p spec.Probe) spec.Verdict {
	file := r.files[in]
	if file == nil {
		file = parserOf(in).Parse(r.robots)
		r.files[in] = file
	}
	return verdictOf(file, p)
}

// gives reports whether the choices make the reference give the verdict. It spares
// the readings of a file that a parser refuses and none of the choices does, of
// which a campaign meets thousands.
func (r *reading) gives(verdict spec.Verdict, p spec.Probe, choices ...choice) bool {
	return (verdict != spec.Reject || slices.ContainsFunc(choices, choice.refuses)) && r.verdict(with(choices...), p) == verdict
}

// maxOnce bounds the octets that are read for interpretations that are used once;
// it takes a second or two.
const maxOnce = 200 << 20

// once is verdict for one of thousands of interpretations, under which the file
// is not worth keeping. It is "" when enough was read.
func (r *reading) once(parser *reference.Parser, p spec.Probe) spec.Verdict {
	if r.left -= len(r.robots) + len(p.URL); r.left < 0 {
		return ""
	}
	return verdictOf(parser.Parse(r.robots), p)
}

func verdictOf(file *reference.File, p spec.Probe) spec.Verdict {
	switch {
	case file.Refused() != "":
		return spec.Reject
	case file.Test(p.Agent, p.URL).Allow:
		return spec.Allow
	}
	return spec.Disallow
}

// Expected returns the reference's verdict under RFC 9309.
func Expected(w Witness) spec.Verdict {
	return newReading(w.Robots).verdict(reference.RFC9309, w.Probe)
}

// Explain returns why somebody may give that verdict: the smallest sets of
// choices that make the reference give it. known are choices that this somebody
// is known to make, such as the deviations of its fingerprint: sets of those go
// before others of their size. A set of three is found only if two of its members
// show in what the reference sees of the file and the question.
//
// The result is empty but not nil if the reference gives the verdict by itself,
// and nil if no set of up to MaxFlips makes it do so: then somebody has a bug,
// the reference has, or a point is missing. No choice explains a verdict of the
// harness.
//
// To find nothing takes some 15,000 readings of the file and, where many choices
// show, tens of thousands more: reduce it first. Of a large file fewer are tried,
// some hundreds of one of 500 KiB.
func Explain(w Witness, verdict spec.Verdict, known Cause) []Cause {
	return newReading(w.Robots).explain(w.Probe, verdict, known)
}

// explain is Explain for one of several answers about a file: together they read
// no more of it than one does.
func (r *reading) explain(p spec.Probe, verdict spec.Verdict, known Cause) []Cause {
	if r.verdict(reference.RFC9309, p) == verdict {
		return []Cause{}
	}
	if !verdict.Decided() && verdict != spec.Reject {
		return nil
	}
	own, all := known.choices(), allChoices()
	if len(r.robots) > reference.ParsingLimit {
		// Of a file so large few sets are tried, and those with its size matter.
		for _, c := range all {
			if c.point == reference.SizeLimit && !slices.Contains(own, c) {
				own = append(own, c)
			}
		}
	}
	others := slices.DeleteFunc(slices.Clone(all), func(c choice) bool { return c.blanket() || slices.Contains(own, c) })
	all = append(slices.Clone(own), others...)
	if causes := r.singles(p, verdict, all); causes != nil {
		return causes
	}
	if causes := r.pairs(p, verdict, all, len(own)); causes != nil {
		return causes
	}
	return r.triples(p, verdict, own, all)
}

// choices are the flips as the reference takes them.
func (c Cause) choices() []choice {
	var all []choice
	for _, known := range allChoices() {
		if slices.Contains(c, known.flip()) {
			all = append(all, known)
		}
	}
	return all
}

// maxSets is how many sets of several flips are looked for: where one explains
// an answer, its first half often does so with a dozen others.
const maxSets = 5

func (r *reading) singles(p spec.Probe, verdict spec.Verdict, from []choice) []Cause {
	var causes []Cause
	for _, c := range from {
		if r.gives(verdict, p, c) {
			causes = append(causes, causeFrom(c))
		}
	}
	return causes
}

// pairs tries those of the first n choices before the others.
func (r *reading) pairs(p spec.Probe, verdict spec.Verdict, from []choice, n int) []Cause {
	var causes []Cause
	try := func(a, b choice) (enough bool) {
		if a.point != b.point && r.once(parserOf(with(a, b)), p) == verdict {
			causes = append(causes, causeFrom(ordered(a, b)...))
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

// maxTriples bounds the sets of three that are tried. Of a file of a few lines
// they are some ten thousand.
const maxTriples = 100_000

// sameSight is how many pairs that show the same are tried with a third choice: what
// is seen is not all there is, and what is not seen may matter beside it.
const sameSight = maxSets

// triples looks for pairs, those of own before others, that make the reference see something else in the file
// than it does under neither or either of both, and for a third choice that,
// with such a pair, gives the verdict.
func (r *reading) triples(p spec.Probe, verdict spec.Verdict, own, all []choice) []Cause {
	plain, single := r.sight(p), make([]string, len(all))
	for i, c := range all {
		single[i] = r.sight(p, c)
	}
	shown := map[string]int{}
	var pairs [][2]choice
	for i, a := range all {
		for j, b := range all[:i] {
			if a.point == b.point {
				continue
			}
			seen := r.sight(p, a, b)
			if seen == "" {
				return nil
			}
			if seen != plain && seen != single[i] && seen != single[j] && shown[seen] < sameSight {
				shown[seen]++
				pairs = append(pairs, [2]choice{b, a})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]choice) int { return ownOf(own, b) - ownOf(own, a) })
	var causes []Cause
	tried := 0
	for _, pair := range pairs {
		for _, c := range all {
			if c.point == pair[0].point || c.point == pair[1].point {
				continue
			}
			if r.once(reference.New(with(pair[0], pair[1], c)), p) == verdict {
				cause := causeFrom(ordered(pair[0], pair[1], c)...)
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

// ownOf counts the choices of a pair that are of own.
func ownOf(own []choice, pair [2]choice) (n int) {
	for _, c := range pair {
		if slices.Contains(own, c) {
			n++
		}
	}
	return n
}

// sight is what the reference sees with those choices flipped on its way to a
// verdict, for comparison; "" when enough was read.
func (r *reading) sight(p spec.Probe, choices ...choice) string {
	if r.left -= len(r.robots) + len(p.URL); r.left < 0 {
		return ""
	}
	t := parserOf(with(choices...)).Parse(r.robots).Rules(p.Agent).Explain(p.URL)
	var b []byte
	b = fmt.Appendln(b, t.Refused != "", t.Source, t.HeaderLines, t.Decision.Reason, t.Decision.Allow, t.Path)
	for _, c := range t.Considered {
		b = fmt.Appendln(b, c.Rule.Line(), c.Rule.Allow(), c.Rule.Compared(), c.Matches, c.Octets)
	}
	return string(b)
}

func ordered(choices ...choice) []choice {
	slices.SortFunc(choices, func(a, b choice) int { return int(a.point) - int(b.point) })
	return choices
}
