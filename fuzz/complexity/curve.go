package complexity

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Curve is how the time of one subject grows with the queries of one family.
type Curve struct {
	Subject string `json:"subject"`
	Version string `json:"version,omitempty"`
	Lineage string `json:"lineage,omitempty"`
	Family  string `json:"family"`
	// Exponent is k where the time grows as N to the power of k. It is fitted
	// to the last Fitted of Timings; both are 0 where fewer than three of them, or
	// one if a query was stopped, are above the noise.
	Exponent float64 `json:"exponent"`
	Fitted   int     `json:"fitted"`
	// InLibrary: the times are those inside the library, as the subject reports
	// them. Otherwise they are those of whole answers, less that of a trivial
	// query.
	InLibrary bool `json:"in_library"`
	// Stopped: the query with N = StoppedAt, of StoppedOctets, had no answer in
	// the time allowed.
	Stopped       bool `json:"stopped,omitempty"`
	StoppedAt     int  `json:"stopped_at,omitempty"`
	StoppedOctets int  `json:"stopped_octets,omitempty"`
	// Abandoned counts the calls of a parser in this process that did not
	// return long after they were stopped, and may run permanently.
	Abandoned int `json:"abandoned,omitempty"`
	// Ended says why no larger query was asked: one of the constants below, or
	// what the subject answered instead of a verdict.
	Ended string `json:"ended"`
	// Timings are the queries that were answered, in the order of N, which
	// doubles from one to the next.
	Timings []Timing `json:"points"`
	// Witness is the smallest query that took longer than 100 ms or was stopped,
	// and otherwise the largest one asked. WitnessN is its n, 0 if nothing was
	// asked.
	Witness  spec.Query `json:"-"`
	WitnessN int        `json:"-"`
}

// Reasons for Ended.
const (
	EndedLargest = "largest" // the family has no larger query
	EndedSlow    = "slow"    // there are timings enough, and the next takes too long
	EndedStopped = "stopped" // a query had no answer in the time allowed
	EndedBudget  = "budget"  // the subject's time for all families was used up
)

// A Timing is the size of a query and the least time that it took.
type Timing struct {
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

// harmless is the time below which no query is a finding, whatever the
// exponent. A family ends at the largest file that has to be read, so nothing in
// it takes longer; and three points in so short a time lie so close to what a
// busy machine adds that their slope is often its own.
const harmless = 30 * time.Millisecond

// Finding reports whether the time grows faster than it should and is not
// harmless, or ran out. Every family is made so that linear time is enough; see
// Families.
func (c *Curve) Finding() bool {
	return c.Stopped || c.Exponent > tolerated && c.Slowest() >= harmless
}

// Slowest returns the longest time that was measured.
func (c *Curve) Slowest() (longest time.Duration) {
	for _, p := range c.Timings {
		longest = max(longest, p.Time)
	}
	return longest
}

// AtLeast returns a lower bound of the exponent between the last timing and the
// query that was stopped after that time; 0 if there is no such timing.
func (c *Curve) AtLeast(stop time.Duration) float64 {
	last := len(c.Timings) - 1
	if !c.Stopped || last < 0 || c.Timings[last].Time >= stop || c.StoppedAt <= c.Timings[last].N {
		return 0
	}
	p := c.Timings[last]
	return exponent([]Timing{p, {N: c.StoppedAt, Time: stop}})
}

// heavyQuery is the time from which a query is worth showing as a witness: a
// person notices it, and a busy machine seldom makes a trivial one so slow.
const heavyQuery = 100 * time.Millisecond

// plainCurve is a Curve without its methods.
type plainCurve Curve

// wireCurve is a Curve as it is written. The witness is written in full if it is
// that of a finding and short; any other is made by its family.
type wireCurve struct {
	Finding bool `json:"finding"`
	*plainCurve
	Witness wireWitness `json:"witness"`
}

// wireWitness is the witness of a Curve as it is written: the file in base64,
// agent and URL in octet notation.
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

// MarshalJSON writes the curve. The witness's file, agent and URL are written
// only if it is a finding and they are short: they can be 500 kB.
func (c Curve) MarshalJSON() ([]byte, error) {
	w := wireCurve{c.Finding(), (*plainCurve)(&c), wireWitness{N: c.WitnessN, Octets: c.Witness.Octets()}}
	if c.Finding() && c.Witness.Octets() <= shortWitness {
		w.Witness.RobotsB64 = new(base64.StdEncoding.EncodeToString(c.Witness.Robots))
		w.Witness.Agent, w.Witness.URL = spec.EncodeInline(c.Witness.Agent), spec.EncodeInline(c.Witness.URL)
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses unknown fields and
// contradictions. A witness that is not written in full is made again.
func (c *Curve) UnmarshalJSON(text []byte) error {
	var read Curve
	w := wireCurve{plainCurve: (*plainCurve)(&read)}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return err
	}
	read.WitnessN = w.Witness.N
	if w.Finding != read.Finding() {
		return errors.New("finding contradicts exponent and stopped")
	}
	witness, err := w.Witness.query(read.Family, w.Finding)
	if err != nil {
		return err
	}
	read.Witness = witness
	*c = read
	return nil
}

// query returns the witness, made by its family if it is not written in full.
func (w *wireWitness) query(family string, finding bool) (q spec.Query, err error) {
	switch {
	case w.RobotsB64 != nil:
		if q, err = spec.DecodeQuery(*w.RobotsB64, w.Agent, w.URL); err != nil {
			return q, err
		}
	case w.N == 0 && !finding: // nothing was asked
	default:
		f, err := FindFamily(family)
		if err != nil {
			return q, err
		}
		if w.N < 1 || w.N > MostN {
			return q, fmt.Errorf("the witness has n %d, want 1 to %d", w.N, MostN)
		}
		q = f.Query(w.N)
	}
	if q.Octets() != w.Octets {
		return q, fmt.Errorf("the witness has %d octets, want %d", q.Octets(), w.Octets)
	}
	return q, nil
}
