package conformance

import (
	"context"
	"slices"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// mostFresh bounds how many fresh processes of one subject are started if its answers
// depend on earlier queries. Up to that number of failing cases, each gets a process
// of its own; beyond it, several cases share one.
const mostFresh = 20

// askAgain runs every case that the subject failed unexpectedly in a fresh
// process, if the subject is a process, and records changed verdicts. Known
// failures are not run again.
//
// Starting a process may take longer than all cases. So one process gets all of the
// cases first, the last one first, and only if an answer changes are they kept apart.
func askAgain(ctx context.Context, r *Result, cases []variant, at int, subject impl.Subject) {
	restarter, ok := subject.(impl.Restarter)
	if !ok || r.Subjects[at].Lost != "" {
		return
	}
	var failed []int
	for i, c := range slices.Backward(r.Cases) {
		if c.Outcomes[at].Status >= Fail {
			failed = append(failed, i)
		}
	}
	for _, groups := range []int{1, mostFresh} {
		changed := false
		for n := 0; n < min(groups, len(failed)) && ctx.Err() == nil; n++ {
			fresh, err := restarter.Fresh(ctx)
			if err != nil {
				return // it started before, so the first answers are kept
			}
			for k := n; k < len(failed) && ctx.Err() == nil; k += groups {
				if again(ctx, r.Cases[failed[k]].Outcomes[at].Checks, cases[failed[k]].load(), fresh) {
					changed = true
				}
			}
			fresh.Close()
		}
		if !changed || len(failed) == 1 {
			return
		}
	}
}

// again runs the checks of one case again and reports whether a verdict changed.
func again(ctx context.Context, checks []Check, c *spec.Case, fresh impl.Subject) (changed bool) {
	probes := make([]spec.Probe, len(checks))
	for i := range checks {
		probes[i] = checks[i].Probe
	}
	answers := fresh.Ask(ctx, c.Robots, probes)
	if ctx.Err() != nil {
		return false
	}
	for i := range checks {
		checks[i].Fresh = ""
		if checks[i].Status >= Fail && answers[i].Verdict != checks[i].Got.Verdict {
			checks[i].Fresh = answers[i].Verdict
			changed = true
		}
	}
	return changed
}
