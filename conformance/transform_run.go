package conformance

import (
	"fmt"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance/internal/transform"
	"github.com/repcheck/repcheck/spec"
)

// A Transform is a change to a file, or to the names of the crawlers asked for,
// that must not change any verdict.
type Transform = transform.Transform

// Transforms returns the transforms with these names, each once; "all" means
// every transform that holds under the interpretation. An unknown name is an
// error, and so is a transform that does not hold.
func Transforms(names []string, interpretation string) ([]*Transform, error) {
	return transform.Find(names, interpretation)
}

// TransformNames returns the names of all transforms.
func TransformNames() []string { return transform.Names() }

// A variant is a case as a run puts it: as it stands or transformed.
type variant struct {
	*spec.Case
	transform *Transform // nil: as it stands
}

// load returns the case as it is put. A transformed one is made every time: kept
// in memory, a few hundred files of 500 KiB would be too much.
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

// variants returns the cases or, if there are transforms, for each case that is
// asked those transforms of it that say something of it.
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

// noteTransforms says in the result what was run in place of the cases.
func noteTransforms(r *Result, cases []spec.Case, transforms []*Transform) {
	if len(transforms) == 0 {
		return
	}
	what := fmt.Sprintf("%d transforms", len(transforms))
	if len(transforms) == 1 {
		what = transforms[0].ID
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s of %d cases: %d transformed cases stand in for them, %d are left out as the transform says nothing of the case",
		what, len(cases), len(r.Cases), len(cases)*len(transforms)-len(r.Cases)))
}

// Original returns the ID of the case, without that of a transform behind it.
func (c *CaseResult) Original() string {
	if c.Transform == "" {
		return c.ID
	}
	return strings.TrimSuffix(c.ID, "+"+c.Transform)
}

// markTransformed turns the failures of transformed cases into known ones where
// the baseline lists them for the case itself.
func (b *Baseline) markTransformed(r *Result, data *spec.Data, now time.Time) {
	if b == nil {
		return
	}
	byOriginal := map[string][]*CaseResult{}
	for i := range r.Cases {
		c := &r.Cases[i]
		byOriginal[c.Original()] = append(byOriginal[c.Original()], c)
	}
	for at := range r.Subjects {
		b.each(&r.Subjects[at], r.Interpretation, func(_ *baselineFile, item *baselineItem) {
			if item.expired(now) {
				return
			}
			for id := range item.Cases {
				for _, c := range byOriginal[id] {
					matchTransformed(&c.Outcomes[at], data.Case(id), item)
				}
			}
		})
	}
}

// matchTransformed marks the checks that fail as those of the case are known to.
// The checks are in the order of the case's expectations, whose crawlers may
// have been spelled in another way.
func matchTransformed(out *Outcome, original *spec.Case, item *baselineItem) {
	if original == nil {
		return
	}
	for i := range min(len(out.Checks), len(original.Expect)) {
		check := &out.Checks[i]
		if check.Status == Fail && item.Cases[original.ID][original.Expect[i].ID()] == check.Got.Verdict {
			check.Status, check.Reason = Known, item.Reason
		}
	}
	out.merge()
}
