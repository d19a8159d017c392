package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
)

// chosen splits the names given to --impl into in-process parsers and shipped
// adapters, and adds those of --all. A name after a "!" is left out; if there are
// only such names, they are left out of all.
func (f *subjectFlags) chosen() (inProcess []string, shipped []*adapters.Adapter, err error) {
	if disabled := len(adapters.Problems()); f.all && adapters.Required() && disabled > 0 {
		return nil, nil, &exitError{code: exitLost, err: fmt.Errorf("adapters disabled by their meta.yaml: %d; %s=1 demands all", disabled, adapters.RequireVariable)}
	}
	var names, without []string
	for _, name := range f.impls {
		name, left := strings.CutPrefix(name, "!")
		canonical, _, err := subjects.Canonical(name)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("--impl: %w", err)
		case left:
			without = append(without, canonical)
		default:
			names = append(names, canonical)
		}
	}
	switch {
	case slices.Equal(names, []string{"none"}):
		names = nil
	case len(names) == 0:
		names = subjects.Names()
	}
	if f.all {
		names = append(names, adapterNames()...)
	}
	for _, name := range slices.Concat(names, without) {
		if _, ok, _ := subjects.Canonical(name); !ok && !slices.Contains(parserNames(), name) {
			return nil, nil, unknownParser(name)
		}
	}
	for _, name := range names {
		_, ok, _ := subjects.Canonical(name)
		switch a := adapters.Find(name); {
		case slices.Contains(without, name):
		case ok:
			inProcess = append(inProcess, name)
		case !slices.Contains(shipped, a):
			shipped = append(shipped, a)
		}
	}
	return inProcess, shipped, nil
}

// shippedStarts returns the starts of the shipped adapters. An adapter that is
// not ready is an error if --impl names it or the environment demands it;
// otherwise it is skipped.
func (f *subjectFlags) shippedStarts(ctx context.Context, chosen []*adapters.Adapter) ([]start, error) {
	if len(chosen) == 0 {
		return nil, nil
	}
	home, err := adapters.FindHome()
	if err != nil {
		return nil, err
	}
	var starts []start
	for _, a := range chosen {
		state := home.State(a)
		if state.Readiness == adapters.Ready {
			starts = append(starts, start{"--impl " + a.Name, a.Info(),
				func() (impl.Subject, error) { return subjects.OpenAdapter(ctx, home, a, f.limits()) }})
			continue
		}
		why := a.Name + ": " + describe(state)
		if slices.Contains(f.impls, a.Name) || adapters.Required() {
			return nil, &exitError{code: exitLost, err: errors.New(why)}
		}
		f.skipped = append(f.skipped, why)
	}
	return starts, nil
}

// describe returns a state in one line, with the fix.
func describe(s adapters.State) string {
	line := string(s.Readiness)
	if s.Why != "" {
		line += ", " + s.Why
	}
	if s.Fix != "" {
		line += ": " + s.Fix
	}
	return line
}
