package fuzz

import (
	"cmp"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
)

// MaxRecent is how many measured inputs a Coverage remembers one by one. A
// campaign measures one of 32, so that they stand for the last 32,768.
const MaxRecent = 1024

// recent is one measured input: its number and, as bits, the points it touched.
type recent struct {
	Number uint64 `json:"number"`
	Points uint64 `json:"points"`
}

// Every point has a bit.
var _ [64 - points]struct{}

// remember adds inputs and keeps those with the highest numbers.
func (c *Coverage) remember(inputs ...recent) {
	c.recent = append(c.recent, inputs...)
	slices.SortFunc(c.recent, func(a, b recent) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Points, b.Points))
	})
	if over := len(c.recent) - MaxRecent; over > 0 {
		c.recent = slices.Delete(c.recent, 0, over)
	}
}

// RecentCoverage says which interpretation points the last inputs touched.
type RecentCoverage struct {
	// Inputs is how many inputs were measured, First and Last are the lowest and
	// the highest of their numbers.
	Inputs int    `json:"inputs"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	// Points are all points, those that the fewest inputs touched first.
	Points []RecentPoint `json:"points"`
}

// RecentPoint is how many of the last inputs touched a point.
type RecentPoint struct {
	Point  string `json:"point"`
	Inputs int    `json:"inputs"`
}

// Last reports on the n measured inputs with the highest numbers, up to
// MaxRecent of them; on fewer if fewer have been measured.
func (c *Coverage) Last(n int) RecentCoverage {
	inputs := c.recent[max(0, len(c.recent)-max(0, n)):]
	r := RecentCoverage{Inputs: len(inputs)}
	if len(inputs) > 0 {
		r.First, r.Last = inputs[0].Number, inputs[len(inputs)-1].Number
	}
	for i, p := range reference.Points() {
		touched := 0
		for _, in := range inputs {
			touched += int(in.Points >> i & 1)
		}
		r.Points = append(r.Points, RecentPoint{p.String(), touched})
	}
	slices.SortStableFunc(r.Points, func(a, b RecentPoint) int { return cmp.Compare(a.Inputs, b.Inputs) })
	return r
}
