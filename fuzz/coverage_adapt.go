package fuzz

import (
	"cmp"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
)

// oneIn is the part of the measured inputs that should touch a point, one in so
// many. Less is starved. Points that only large files touch are content with
// less, since one such file costs as much as a thousand others.
func oneIn(p reference.Point) uint64 {
	switch p {
	case reference.SizeLimit:
		return 4096
	case reference.LineLimit:
		return 256
	}
	return 50
}

// adaptAfter is the fewest measured inputs from which anything is learnt.
const adaptAfter = 32

// adaptTo is how many productions are raised for a starved point.
const adaptTo = 4

// Adapt returns the weights for the next inputs, from what c has seen of all
// that went before. Productions whose inputs touch a starved point more often
// than others do are raised by a step, as is the point itself, for which inputs
// are then made from seeds that touch it. What no starved point needs any more
// goes down by a step. It changes neither w nor c.
func (w Weights) Adapt(c *Coverage) Weights {
	if c.inputs < adaptAfter {
		return w
	}
	var raise [maxProductions]bool
	for _, p := range reference.Points() {
		if !c.starved(p) {
			w.Points[p] = lower(w.Points[p])
			continue
		}
		w.Points[p] = raised(w.Points[p])
		for _, r := range c.leading(p) {
			raise[r] = true
		}
	}
	for r := range w.Productions {
		if raise[r] {
			w.Productions[r] = raised(w.Productions[r])
		} else {
			w.Productions[r] = lower(w.Productions[r])
		}
	}
	return w
}

func raised(n uint8) uint8 { return min(n+1, maxRaise) }

func lower(n uint8) uint8 { return max(n, 1) - 1 }

// starved reports whether fewer inputs touched p than should.
func (c *Coverage) starved(p reference.Point) bool { return c.touched[p]*oneIn(p) < c.inputs }

// leading returns the productions whose inputs touched p most often, of those
// with which it was touched twice as often as on the whole. A production that
// was used only a few times counts for less.
func (c *Coverage) leading(p reference.Point) []production {
	const doubt = 8
	var found []production
	rate := func(r production) float64 { return float64(c.credit[r][p]) / float64(c.used[r]+doubt) }
	whole := float64(c.touched[p]) / float64(c.inputs)
	for i := range grammar.names {
		if r := production(i); c.credit[r][p] > 0 && r != targeted && rate(r) > 2*whole {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b production) int { return cmp.Compare(rate(b), rate(a)) })
	return found[:min(len(found), adaptTo)]
}
