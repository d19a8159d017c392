package impl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// interpretedPrefix is what the name of every Interpreted begins with.
const interpretedPrefix = ReferenceName + "@"

// IsInterpreted reports whether name has the form of the name of an [Interpreted].
func IsInterpreted(name string) bool { return strings.HasPrefix(name, interpretedPrefix) }

// An Interpreted is the reference under an interpretation that its name contains:
// "reference@google", or "reference@rfc9309+tie=disallow+keys=google" for a named
// interpretation with changed choices. No two are of one lineage, although all are the
// reference, so that their disagreements count.
type Interpreted struct {
	// Name has the changed choices in the order of the points.
	Name string
	// Base is the named interpretation, In is Base with the changes.
	Base string
	In   reference.Interpretation
}

// ParseInterpreted parses the name of an [Interpreted], with the changed choices in any
// order. The error for an unknown interpretation, point or choice names the nearest one
// and all others.
func ParseInterpreted(name string) (Interpreted, error) {
	fail := func(format string, args ...any) (Interpreted, error) {
		return Interpreted{}, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
	}
	parts := strings.Split(strings.TrimPrefix(name, interpretedPrefix), "+")
	r := Interpreted{Base: parts[0]}
	in, err := reference.Named(r.Base)
	if err != nil {
		return fail("no interpretation is named %s", unknown(r.Base, reference.Names()))
	}
	var changes reference.Changes
	for _, part := range parts[1:] {
		id, choice, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(reference.Points(), func(p reference.Point) bool { return p.String() == id })
		if i < 0 {
			return fail("no point is named %s", unknown(id, pointNames()))
		}
		point := reference.Points()[i]
		at := slices.Index(point.Choices(), choice)
		if at < 0 {
			return fail("the point %s has no choice %s", id, unknown(choice, point.Choices()))
		}
		if slices.ContainsFunc(changes, func(c reference.Change) bool { return c.Point == point }) {
			return fail("the point %s has two choices: leave one out", id)
		}
		changes = append(changes, reference.Change{Point: point, Choice: reference.Choice(at)})
	}
	slices.SortFunc(changes, func(a, b reference.Change) int { return cmp.Compare(a.Point, b.Point) })
	r.Name, r.In = interpretedPrefix+r.Base, in
	for _, c := range changes {
		r.Name, r.In = r.Name+"+"+c.String(), c.Of(r.In)
	}
	return r, spec.CheckName(r.Name)
}

// Subject returns it as a subject.
func (r Interpreted) Subject(opts InProcessOptions) Subject {
	return referenceSubject(r.Name, r.Base, r.In, opts)
}

// unknown quotes a name that is not among the known ones, and adds the nearest one and
// all others.
func unknown(name string, known []string) string {
	return fmt.Sprintf("%q%s: choose one of %s", name, spec.DidYouMean(name, known), strings.Join(known, ", "))
}

func pointNames() (names []string) {
	for _, p := range reference.Points() {
		names = append(names, p.String())
	}
	return names
}
