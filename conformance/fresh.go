package conformance

import (
	"context"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// mostFresh is how many fresh processes of one subject are started at most. A
// process has its own for each failing case where there are no more than that;
// of more failing cases, several share one.
const mostFresh = 20

// askAgain puts every case that the subject failed unexpectedly to a fresh
// process of it, if it lives in one, and notes where the verdict changes. What a
// baseline explains has been seen before and needs no second look.
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
			return // it started before; the first answers stand
		}
		for k := n; k < len(failed) && ctx.Err() == nil; k += groups {
			again(ctx, r.Cases[failed[k]].Outcomes[at].Checks, cases[failed[k]].load(), fresh)
		}
		fresh.Close()
	}
}

// again asks for the checks of one case once more.
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
