package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance/internal/transform"
	"github.com/repcheck/repcheck/spec"
)

// A Transform is a change to a file, or to the crawler names in queries, that
// must not change any verdict.
type Transform = transform.Transform

// Transforms returns the transforms with these names, each once; "all" means
// every transform that holds under the interpretation. An unknown name is an
// error, and so is a transform that does not hold.
func Transforms(names []string, interpretation string) ([]*Transform, error) {
	return transform.Find(names, interpretation)
}

// TransformNames returns the names of all transforms.
func TransformNames() []string { return transform.Names() }

// A variant is a case to run, unchanged or transformed.
type variant struct {
	*spec.Case
	transform *Transform // nil: unchanged
}

// load returns the case to run. Transformed cases are made each time, because a
// few hundred files of 500 KiB would take too much memory.
func (v variant) load() *spec.Case {
	if v.transform == nil {
		return v.Case
	}
	c, _ := v.transform.Case(v.Case)
	return &c
}

func (v variant) transformID() string {
	if v.transform == nil {
		return ""
	}
	return v.transform.ID
}

// variants returns the cases or, if there are transforms, each case of the run with
// each transform that applies to it.
func (o *Options) variants(cases []spec.Case) []variant {
	var all []variant
	for i := range cases {
		c := &cases[i]
		if len(o.Transforms) == 0 {
			all = append(all, variant{Case: c})
			continue
		}
		if !o.Asks(c) {
			continue
		}
		for _, t := range o.Transforms {
			if _, why := t.Case(c); why == "" {
				all = append(all, variant{Case: c, transform: t})
			}
		}
	}
	return all
}

// noteTransforms adds a note about the transformed cases to the result.
func noteTransforms(r *Result, cases []spec.Case, transforms []*Transform) {
	if len(transforms) == 0 {
		return
	}
	what := fmt.Sprintf("%d transforms", len(transforms))
	if len(transforms) == 1 {
		what = transforms[0].ID
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s of %d cases: %d transformed cases replace them, %d are left out because the transform does not apply",
		what, len(cases), len(r.Cases), len(cases)*len(transforms)-len(r.Cases)))
}

// Original returns the ID of the case without the ID of a transform.
func (c *CaseResult) Original() string {
	if c.Transform == "" {
		return c.ID
	}
	return strings.TrimSuffix(c.ID, "+"+c.Transform)
}

// transformedName returns the name in a transformed case of an expectation of the
// original case, "" if there is none. They have the same place, because a transform
// may change agents.
func transformedName(out *Outcome, original *spec.Case, name string) string {
	if original == nil {
		return ""
	}
	i := slices.IndexFunc(original.Expect, func(e spec.Expectation) bool { return e.ID() == name })
	if i < 0 || i >= len(out.Checks) {
		return ""
	}
	return spec.ProbeID(out.Checks[i].Probe)
}
