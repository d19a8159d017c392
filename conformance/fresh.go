package conformance

import (
	"context"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// mostFresh bounds how many fresh processes of one subject are started. Up to that
// number of failing cases, each gets a process of its own; beyond it, several cases
// share one.
const mostFresh = 20

// askAgain runs every case that the subject failed unexpectedly in a fresh
// process, if the subject is a process, and records changed verdicts. Known
// failures are not run again.
func askAgain(ctx context.Context, r *Result, cases []variant, at int, subject impl.Subject) {
	restarter, ok := subject.(impl.Restarter)
	if !ok || r.Subjects[at].Lost != "" {
		return
	}
	var failed []int
	for i := range r.Cases {
		if r.Cases[i].Outcomes[at].Status >= Fail {
			failed = append(failed, i)
		}
	}
	for n, groups := 0, min(len(failed), mostFresh); n < groups && ctx.Err() == nil; n++ {
		fresh, err := restarter.Fresh(ctx)
		if err != nil {
			return // it started before, so the first answers are kept
		}
		for k := n; k < len(failed) && ctx.Err() == nil; k += groups {
			again(ctx, r.Cases[failed[k]].Outcomes[at].Checks, cases[failed[k]].load(), fresh)
		}
		fresh.Close()
	}
}

// again runs the checks of one case again.
func again(ctx context.Context, checks []Check, c *spec.Case, fresh impl.Subject) {
	probes := make([]spec.Probe, len(checks))
	for i := range checks {
		probes[i] = checks[i].Probe
	}
	answers := fresh.Ask(ctx, c.Robots, probes)
	if ctx.Err() != nil {
		return
	}
	for i := range checks {
		if checks[i].Status >= Fail && answers[i].Verdict != checks[i].Got.Verdict {
			checks[i].Fresh = answers[i].Verdict
		}
	}
}
