package reference

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Change sets one point to another choice. Most changes are deviations from RFC
// 9309: choices that RFC9309 does not make.
type Change struct {
	Point Point
	// Choice is an index into Point.Choices.
	Choice Choice
}

// ID returns the ID of the choice.
func (c Change) ID() string { return c.Point.Choices()[c.Choice] }

// String returns the IDs of the point and the choice: "precedence=first".
func (c Change) String() string { return c.Point.String() + "=" + c.ID() }

// Of returns the interpretation with the change applied.
func (c Change) Of(in Interpretation) Interpretation {
	in[c.Point] = c.Choice
	return in
}

// MarshalText returns String.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the output of MarshalText. An unknown point or choice is an
// error.
func (c *Change) UnmarshalText(text []byte) error {
	point, choice, ok := strings.Cut(string(text), "=")
	for _, p := range Points() {
		if i := slices.Index(p.Choices(), choice); ok && p.String() == point && i >= 0 {
			*c = Change{p, Choice(i)}
			return nil
		}
	}
	return fmt.Errorf("%q is no choice of the reference: a changed choice is written point=choice", text)
}

// Changes are changes at different points, in the order of the points.
type Changes []Change

// String returns "line-ends=lf-only + nul=line-end".
func (c Changes) String() string {
	all := make([]string, len(c))
	for i, change := range c {
		all[i] = change.String()
	}
	return strings.Join(all, " + ")
}

// With returns RFC9309 with the changes applied.
func With(changes ...Change) Interpretation {
	in := RFC9309()
	for _, c := range changes {
		in[c.Point] = c.Choice
	}
	return in
}

// Deviations returns the choices of in that RFC9309 does not make, in the order of
// the points. With(in.Deviations()...) returns in.
func (in Interpretation) Deviations() Changes {
	var all Changes
	for _, p := range Points() {
		if in[p] != RFC9309()[p] {
			all = append(all, Change{p, in[p]})
		}
	}
	return all
}

// Changes returns every choice that in does not make, in the order of the points
// and their choices.
func (in Interpretation) Changes() Changes {
	var all Changes
	for _, p := range Points() {
		for c := range p.Choices() {
			if Choice(c) != in[p] {
				all = append(all, Change{p, Choice(c)})
			}
		}
	}
	return all
}

// AllDeviations returns every choice that RFC9309 does not make, in the order of
// the points and their choices. The result must not be changed.
func AllDeviations() Changes { return allDeviations() }

var allDeviations = sync.OnceValue(RFC9309().Changes)
