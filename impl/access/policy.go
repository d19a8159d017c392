package access

import (
	"fmt"
	"slices"
	"strings"
)

//go:generate go run github.com/repcheck/repcheck/spec/internal/gen access ../../spec points_gen.go

type point struct {
	id      string
	choices []string
	// choice returns the field of the policy.
	choice func(*Policy) *uint8
}

type namedPolicy struct {
	name   string
	policy Policy
}

// Names returns the names of the named policies, rfc9309 first. They are those of
// package reference.
func Names() []string {
	names := make([]string, len(named))
	for i, n := range named {
		names[i] = n.name
	}
	return names
}

// Named returns the policy with the given name. The error for an unknown name lists
// the known names.
func Named(name string) (Policy, error) {
	for _, n := range named {
		if n.name == name {
			return n.policy, nil
		}
	}
	return Policy{}, fmt.Errorf("no policy is named %q: there are %s", name, strings.Join(Names(), ", "))
}

// Choices returns every choice of every point as point=choice, in the order of
// spec/points/access.yaml.
func Choices() []string {
	var all []string
	for _, q := range points {
		for _, choice := range q.choices {
			all = append(all, q.id+"="+choice)
		}
	}
	return all
}

// Set makes one choice, written point=choice: "redirect-limit=more". An unknown
// point or choice is an error, and p remains unchanged.
func (p *Policy) Set(choice string) error {
	id, name, _ := strings.Cut(choice, "=")
	for _, q := range points {
		if q.id != id {
			continue
		}
		i := slices.Index(q.choices, name)
		if i < 0 {
			return fmt.Errorf("%q is no choice of %s: there are %s", name, id, strings.Join(q.choices, ", "))
		}
		*q.choice(p) = uint8(i)
		return nil
	}
	return fmt.Errorf("%q is no choice of a policy: it is written point=choice", choice)
}

// Deviations returns the choices of p that RFC 9309 does not make, as point=choice.
// Set applied to each of them turns the zero value into p.
func (p Policy) Deviations() []string {
	var all []string
	for _, q := range points {
		if choice := *q.choice(&p); choice != 0 {
			all = append(all, q.id+"="+choiceName(q.id, choice))
		}
	}
	return all
}

// choiceName returns the ID of a choice. A number that is no choice is printed as
// such.
func choiceName(id string, choice uint8) string {
	i := slices.IndexFunc(points, func(q point) bool { return q.id == id })
	if int(choice) >= len(points[i].choices) {
		return fmt.Sprintf("%s(%d)", id, choice)
	}
	return points[i].choices[choice]
}
