package fuzz

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Growth is how the time of one subject grows with the questions of one
// family.
type Growth struct {
	Subject string
	Version string
	Lineage string
	Family  string
	// Points are the questions that were answered, in the order of N, which
	// doubles from one to the next.
	Points []GrowthPoint
	// Exponent is k where the time grows as N to the power of k. It is fitted
	// to the last Fitted of Points; both are 0 where fewer than three of them, or
	// one if a question was stopped, are above the noise.
	Exponent float64
	Fitted   int
	// InLibrary: the times are those inside the library, as the subject tells
	// them. Otherwise they are those of whole answers, less that of a trivial
	// question.
	InLibrary bool
	// Stopped: the question with N = StoppedAt, of StoppedOctets, had no answer
	// in the time allowed.
	Stopped       bool
	StoppedAt     int
	StoppedOctets int
	// Abandoned counts the calls of a parser in this process that did not
	// return long after they were stopped, and may run for ever.
	Abandoned int
	// Ended says why no larger question was asked: one of the constants below,
	// or what the subject answered instead of a verdict.
	Ended string
	// Witness is the smallest question that took longer than 100 ms or was
	// stopped, and otherwise the largest one asked. WitnessN is its n, 0 if
	// nothing was asked.
	Witness  Witness
	WitnessN int
}

// Reasons for Ended.
const (
	EndedLargest = "largest" // the family has no larger question
	EndedSlow    = "slow"    // there are points enough, and the next takes too long
	EndedStopped = "stopped" // a question had no answer in the time allowed
	EndedBudget  = "budget"  // the subject's time for all families was used up
)

// A GrowthPoint is a question and the least time that it took.
type GrowthPoint struct {
	N int `json:"n"`
	// Octets are those of file, agent and URL together.
	Octets int           `json:"octets"`
	Time   time.Duration `json:"ns"`
}

// tolerated is the largest exponent that is no finding. Linear time is 1. A
// factor log n adds 0.1 at these sizes; caches, collectors of garbage and
// just-in-time compilers bend a straight line to between 0.8 and 1.3, as
// measured on parsers that read each octet once. Quadratic time is 2, or 1.7
// where a linear part is still as large. 1.5 lies between.
const tolerated = 1.5

// harmless is the time below which no question is a finding, whatever the
// exponent. A family ends at the largest file that has to be read, so nothing of
// it takes longer; and three points in so short a time lie so close to what a
// busy machine adds that their slope is often its own.
const harmless = 30 * time.Millisecond

// Finding reports whether the time grows faster than it should and is not
// harmless, or ran out. Every family is made so that linear time is enough; see
// Families.
func (g *Growth) Finding() bool {
	return g.Stopped || g.Exponent > tolerated && g.Slowest() >= harmless
}

// Slowest returns the longest time that was measured.
func (g *Growth) Slowest() (longest time.Duration) {
	for _, p := range g.Points {
		longest = max(longest, p.Time)
	}
	return longest
}

// AtLeast returns what the exponent is at the least between the last point and
// the question that was stopped after that time; 0 if there is no such point.
func (g *Growth) AtLeast(stop time.Duration) float64 {
	last := len(g.Points) - 1
	if !g.Stopped || last < 0 || g.Points[last].Time >= stop || g.StoppedAt <= g.Points[last].N {
		return 0
	}
	p := g.Points[last]
	return exponent([]GrowthPoint{p, {N: g.StoppedAt, Time: stop}})
}

// heavyQuestion is the time from which a question is worth showing as a witness: a
// person notices it, and a busy machine seldom makes it of a trivial one.
const heavyQuestion = 100 * time.Millisecond

// wireGrowth is a Growth as it is written. The witness is written in full if it
// is that of a finding and short; any other is had from its family.
type wireGrowth struct {
	Subject       string        `json:"subject"`
	Version       string        `json:"version,omitempty"`
	Lineage       string        `json:"lineage,omitempty"`
	Family        string        `json:"family"`
	Finding       bool          `json:"finding"`
	Exponent      float64       `json:"exponent"`
	Fitted        int           `json:"fitted"`
	InLibrary     bool          `json:"in_library"`
	Stopped       bool          `json:"stopped,omitempty"`
	StoppedAt     int           `json:"stopped_at,omitempty"`
	StoppedOctets int           `json:"stopped_octets,omitempty"`
	Abandoned     int           `json:"abandoned,omitempty"`
	Ended         string        `json:"ended"`
	Points        []GrowthPoint `json:"points"`
	Witness       wireWitness   `json:"witness"`
}

// wireWitness is the witness of a Growth as it is written: agent and URL in
// octet notation.
type wireWitness struct {
	N         int     `json:"n"`
	Octets    int     `json:"octets"`
	RobotsB64 *string `json:"robots_b64,omitempty"`
	Agent     string  `json:"agent,omitempty"`
	URL       string  `json:"url,omitempty"`
}

// shortWitness is up to how many octets a witness is written in full: what a
// person may want to copy.
const shortWitness = 1024

// MarshalJSON writes the growth. The witness's file, agent and URL are written
// only if it is a finding and they are short: they can be 500 kB.
func (g Growth) MarshalJSON() ([]byte, error) {
	w := wireGrowth{
		Subject: g.Subject, Version: g.Version, Lineage: g.Lineage, Family: g.Family, Finding: g.Finding(),
		Exponent: g.Exponent, Fitted: g.Fitted, InLibrary: g.InLibrary, Stopped: g.Stopped, StoppedAt: g.StoppedAt,
		StoppedOctets: g.StoppedOctets, Abandoned: g.Abandoned, Ended: g.Ended, Points: g.Points,
		Witness: wireWitness{N: g.WitnessN, Octets: g.Witness.Octets()},
	}
	if g.Finding() && g.Witness.Octets() <= shortWitness {
		w.Witness.RobotsB64 = new(base64.StdEncoding.EncodeToString(g.Witness.Robots))
		w.Witness.Agent, w.Witness.URL = spec.EncodeInline(g.Witness.Agent), spec.EncodeInline(g.Witness.URL)
	}
	return encodeJSON(w, "")
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses what contradicts
// itself. A witness that is not written in full is made anew.
func (g *Growth) UnmarshalJSON(text []byte) error {
	var w wireGrowth
	if err := decodeJSON(text, &w); err != nil {
		return err
	}
	*g = Growth{
		Subject: w.Subject, Version: w.Version, Lineage: w.Lineage, Family: w.Family, Points: w.Points,
		Exponent: w.Exponent, Fitted: w.Fitted, InLibrary: w.InLibrary, Stopped: w.Stopped, StoppedAt: w.StoppedAt,
		StoppedOctets: w.StoppedOctets, Abandoned: w.Abandoned, Ended: w.Ended, WitnessN: w.Witness.N,
	}
	switch {
	case w.Finding != g.Finding():
		return errors.New("finding contradicts exponent and stopped")
	case w.Witness.RobotsB64 != nil:
		witness, err := decodeWitness(*w.Witness.RobotsB64, w.Witness.Agent, w.Witness.URL)
		if err != nil {
			return err
		}
		g.Witness = witness
	case w.Witness.N == 0 && !w.Finding:
	default:
		f, err := FindFamily(w.Family)
		if err != nil {
			return err
		}
		if w.Witness.N < 1 || w.Witness.N > MostN {
			return fmt.Errorf("the witness has n %d, want 1 to %d", w.Witness.N, MostN)
		}
		g.Witness = f.Question(w.Witness.N)
	}
	if g.Witness.Octets() != w.Witness.Octets {
		return fmt.Errorf("the witness has %d octets, want %d", g.Witness.Octets(), w.Witness.Octets)
	}
	return nil
}
