package fuzz

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// Coverage counts which interpretation points inputs touch. An input touches a
// point if the reference, with one choice flipped at that point, gives another
// verdict to one of the input's probes or refuses the file: then a parser that
// takes the other choice is told from one that does not.
//
// The zero value has seen no input. It must not be copied once it has, and is not
// safe for concurrent use.
type Coverage struct {
	inputs  uint64
	touched [points]uint64
	shown   [points][maxChoices]uint64
	last    [points]uint64
	// used counts the inputs made with each production, and credit those of
	// them that touched each point.
	used   [maxProductions]uint64
	credit [maxProductions][points]uint64
	// recent are the inputs with the highest numbers, up to MaxRecent, by number.
	recent []recent
}

// maxChoices is the most choices a point has.
const maxChoices = 8

// PointCoverage is what a Coverage knows of one point.
type PointCoverage struct {
	Point string `json:"point"`
	// Inputs is how many inputs touched it.
	Inputs uint64 `json:"inputs"`
	// Flips says how many of them each choice showed in.
	Flips []FlipCoverage `json:"flips"`
	// Last is the number of the input that touched it last.
	Last uint64 `json:"last"`
}

// FlipCoverage is how many inputs told a choice from that of RFC 9309.
type FlipCoverage struct {
	Choice string `json:"choice"`
	Inputs uint64 `json:"inputs"`
}

// Add measures one input. It takes some hundred readings of the file.
func (c *Coverage) Add(in Input) {
	c.inputs++
	in.Made.each(func(r production) { c.used[r]++ })
	last := recent{Number: in.Number}
	for p, shown := range touches(in.Robots, in.Probes, nil) {
		if shown == 0 {
			continue
		}
		last.Points |= 1 << p
		c.touched[p]++
		c.last[p] = max(c.last[p], in.Number)
		for choice := range c.shown[p] {
			c.shown[p][choice] += uint64(shown >> choice & 1)
		}
		in.Made.each(func(r production) { c.credit[r][p]++ })
	}
	c.remember(last)
}

// Merge adds what d has seen; the order of merging does not matter.
func (c *Coverage) Merge(d *Coverage) {
	c.inputs += d.inputs
	for p := range c.touched {
		c.touched[p] += d.touched[p]
		c.last[p] = max(c.last[p], d.last[p])
		for choice := range c.shown[p] {
			c.shown[p][choice] += d.shown[p][choice]
		}
	}
	for r := range c.used {
		c.used[r] += d.used[r]
		for p := range c.credit[r] {
			c.credit[r][p] += d.credit[r][p]
		}
	}
	c.remember(d.recent...)
}

// Inputs returns how many inputs have been measured.
func (c *Coverage) Inputs() uint64 { return c.inputs }

// Equal reports whether both have seen the same.
func (c *Coverage) Equal(d *Coverage) bool {
	return c.inputs == d.inputs && c.touched == d.touched && c.shown == d.shown && c.last == d.last &&
		c.used == d.used && c.credit == d.credit && slices.Equal(c.recent, d.recent)
}

// Points returns what is known of every point, in their order.
func (c *Coverage) Points() []PointCoverage {
	all := make([]PointCoverage, points)
	for i, p := range reference.Points() {
		all[i] = PointCoverage{Point: p.String(), Inputs: c.touched[i], Last: c.last[i]}
		for choice, name := range p.Choices() {
			if reference.Choice(choice) != reference.RFC9309[p] {
				all[i].Flips = append(all[i].Flips, FlipCoverage{name, c.shown[i][choice]})
			}
		}
	}
	return all
}

// coverageJSON is the stored form. Credit is by production, a number for each
// of the points in their order.
type coverageJSON struct {
	Inputs uint64              `json:"inputs"`
	Points []PointCoverage     `json:"points"`
	Used   map[string]uint64   `json:"used"`
	Credit map[string][]uint64 `json:"credit"`
	Recent []recent            `json:"recent"`
}

// MarshalJSON writes all of c.
func (c *Coverage) MarshalJSON() ([]byte, error) {
	out := coverageJSON{Inputs: c.inputs, Points: c.Points(), Used: map[string]uint64{}, Credit: map[string][]uint64{}, Recent: c.recent}
	for r, name := range grammar.names {
		if c.used[r] > 0 {
			out.Used[name] = c.used[r]
			out.Credit[name] = c.credit[r][:]
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. A point, choice or production that
// this version does not have is an error, and so is a missing point: counts of
// another grammar would lead the generator astray.
func (c *Coverage) UnmarshalJSON(data []byte) error {
	var in coverageJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	read := Coverage{inputs: in.Inputs}
	read.remember(in.Recent...)
	if len(in.Points) != points {
		return fmt.Errorf("coverage: %d points, this version has %d", len(in.Points), points)
	}
	for i, p := range reference.Points() {
		from := in.Points[i]
		if from.Point != p.String() {
			return fmt.Errorf("coverage: point %d is %q, in this version %q", i, from.Point, p)
		}
		read.touched[i], read.last[i] = from.Inputs, from.Last
		for _, f := range from.Flips {
			choice := slices.Index(p.Choices(), f.Choice)
			if choice < 0 {
				return fmt.Errorf("coverage: point %q has no choice %q", p, f.Choice)
			}
			read.shown[i][choice] = f.Inputs
		}
	}
	for name, n := range in.Used {
		r := slices.Index(grammar.names, name)
		if r < 0 || len(in.Credit[name]) != points {
			return fmt.Errorf("coverage: this generator has no %q with %d points", name, len(in.Credit[name]))
		}
		read.used[r] = n
		copy(read.credit[r][:], in.Credit[name])
	}
	*c = read
	return nil
}

// touches returns for each point the choices that show, as bits by their
// numbers: those with which the reference refuses the file or gives another
// verdict to a probe. It looks at the points of only, nil for all.
func touches(robots []byte, probes []spec.Probe, only []reference.Point) (shown [points]uint8) {
	shows := reading.Shows(robots, probes)
	for _, c := range reference.AllDeviations() {
		if (only == nil || slices.Contains(only, c.Point)) && shows(c) {
			shown[c.Point] |= 1 << c.Choice
		}
	}
	return shown
}
