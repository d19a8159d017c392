package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	all := adapters.All()
	if disabled := len(adapters.Problems()); f.all && adapters.Required() && disabled > 0 {
		return nil, nil, &exitError{code: exitLost, err: fmt.Errorf("adapters disabled by their meta.yaml: %d; %s=1 demands all", disabled, adapters.RequireVariable)}
	}
	names, without := []string{}, map[string]bool{}
	for _, name := range f.impls {
		if left, ok := strings.CutPrefix(name, "!"); ok {
			without[left] = true
		} else {
			names = append(names, name)
		}
	}
	switch {
	case slices.Equal(names, []string{"none"}):
		names = nil
	case len(names) == 0:
		names = subjects.Names()
	}
	known := subjects.Names()
	for _, a := range all {
		if a.LeftOut == "" {
			known = append(known, a.Name)
			if f.all && !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	for _, name := range slices.Concat(names, slices.Collect(maps.Keys(without))) {
		if !slices.Contains(known, name) {
			return nil, nil, unknownParser(name)
		}
	}
	for _, name := range names {
		switch {
		case without[name]:
		case slices.Contains(subjects.Names(), name):
			inProcess = append(inProcess, name)
		default:
			at := slices.IndexFunc(all, func(a *adapters.Adapter) bool { return a.Name == name && a.LeftOut == "" })
			if !slices.Contains(shipped, all[at]) {
				shipped = append(shipped, all[at])
			}
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
	if s.Mend != "" {
		line += ": " + s.Mend
	}
	return line
}
