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
// subject does.
type Cause []Flip

// String returns "line-ends=lf-only + nul=line-end".
func (c Cause) String() string {
	flips := make([]string, len(c))
	for i, f := range c {
		flips[i] = f.String()
	}
	return strings.Join(flips, " + ")
}

// maxPairs is how many pairs of flips are looked for: where one pair explains
// an answer, its first half often does so with a dozen others.
const maxPairs = 5

// Explain returns why somebody may give that verdict: the smallest sets of
// choices that make the reference give it. These are all single flips that do,
// in the order of the points; or, if there are none, the first few pairs.
//
// The result is empty but not nil if the reference gives the verdict by itself,
// and nil if no set of up to two flips makes it do so: then somebody has a bug,
// or a point is missing. No choice explains a verdict of the harness.
//
// To find nothing takes some 5,000 readings of the file: reduce it first.
func Explain(w Witness, verdict spec.Verdict) []Cause {
	if referenceVerdict(reference.RFC9309, w) == verdict {
		return []Cause{}
	}
	if !verdict.Decided() && verdict != spec.Reject {
		return nil
	}
	singles := flippedParsers()
	var causes []Cause
	for _, s := range singles {
		if verdictOf(s.parser, w) == verdict {
			causes = append(causes, Cause{s.flip()})
		}
	}
	if causes != nil {
		return causes
	}
	for i, a := range singles {
		for _, b := range singles[i+1:] {
			if a.point == b.point {
				continue
			}
			in := a.parser.Interpretation()
			in[b.point] = b.choice
			if referenceVerdict(in, w) == verdict {
				if causes = append(causes, Cause{a.flip(), b.flip()}); len(causes) == maxPairs {
					return causes
				}
			}
		}
	}
	return causes
}

// A flipped is the reference with one choice flipped.
type flipped struct {
	point  reference.Point
	choice reference.Choice
	parser *reference.Parser
}

func (f *flipped) flip() Flip {
	return Flip{Point: f.point.String(), Choice: f.point.Choices()[f.choice]}
}

// flippedParsers returns the reference with every single flip.
var flippedParsers = sync.OnceValue(func() []flipped {
	var all []flipped
	for _, p := range reference.Points() {
		for c := range p.Choices() {
			choice := reference.Choice(c)
			if choice == reference.RFC9309[p] {
				continue
			}
			in := reference.RFC9309
			in[p] = choice
			all = append(all, flipped{point: p, choice: choice, parser: reference.New(in)})
		}
	}
	return all
})

func referenceVerdict(in reference.Interpretation, w Witness) spec.Verdict {
	return verdictOf(reference.New(in), w)
}

func verdictOf(parser *reference.Parser, w Witness) spec.Verdict {
	file := parser.Parse(w.Robots)
	switch {
	case file.Refused() != "":
		return spec.Reject
	case file.Test(w.Agent, w.URL).Allow:
		return spec.Allow
	}
	return spec.Disallow
}
