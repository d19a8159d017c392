package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/adapters"
)

// limits is what the process of an adapter may take.
func (f *subjectFlags) limits() impl.ProcessOptions {
	return impl.ProcessOptions{Timeout: f.timeout, Memory: f.memory << 20}
}

// chosen sorts the names given to --impl: those of this process, and the
// adapters that come along, with those that --all adds.
func (f *subjectFlags) chosen() (inProcess []string, shipped []*adapters.Adapter, err error) {
	all, err := adapters.All()
	if err != nil {
		return nil, nil, err
	}
	names := f.impls
	if slices.Equal(names, []string{"none"}) {
		names = nil
	}
	for _, name := range names {
		a, err := adapters.Find(name)
		switch {
		case err != nil:
			return nil, nil, err
		case a != nil:
			shipped = append(shipped, a)
		case slices.Contains(impl.Names(), name):
			inProcess = append(inProcess, name)
		default:
			return nil, nil, unknownParser(name)
		}
	}
	if f.all {
		for _, a := range all {
			if a.LeftOut == "" && !slices.Contains(shipped, a) {
				shipped = append(shipped, a)
			}
		}
	}
	return inProcess, shipped, nil
}

// openShipped starts adapters that come along. One that is not ready is an error
// where it is named by --impl or demanded by the environment, and otherwise
// skipped. On an error the subjects returned have to be closed all the same.
func (f *subjectFlags) openShipped(ctx context.Context, chosen []*adapters.Adapter) ([]impl.Subject, error) {
	if len(chosen) == 0 {
		return nil, nil
	}
	home, err := adapters.FindHome()
	if err != nil {
		return nil, err
	}
	var ready []*adapters.Adapter
	for _, a := range chosen {
		state := home.State(a)
		if state.Readiness == adapters.Ready {
			ready = append(ready, a)
			continue
		}
		why := a.Name + ": " + describe(state)
		if slices.Contains(f.impls, a.Name) || adapters.Required() {
			return nil, &exitError{code: exitLost, err: errors.New(why)}
		}
		f.skipped = append(f.skipped, why)
	}
	// Starting is waiting: for interpreters to load, for machines to warm up.
	started := make([]impl.Subject, len(ready))
	failed := make([]error, len(ready))
	turn := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, a := range ready {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			s, err := impl.OpenAdapter(ctx, home, a, f.limits())
			if err != nil {
				failed[i] = fmt.Errorf("%s: %w", a.Name, err)
				return
			}
			started[i] = s
		})
	}
	wg.Wait()
	started = slices.DeleteFunc(started, func(s impl.Subject) bool { return s == nil })
	if err := errors.Join(failed...); err != nil {
		return started, &exitError{code: exitLost, err: err}
	}
	return started, nil
}

// tellSkipped says which parsers are not asked, where the report has no place
// for it.
func (e *env) tellSkipped(skipped []string) {
	for _, why := range skipped {
		fmt.Fprintf(e.stderr, "skipped %s\n", why)
	}
}

// describe is a state in one line, with the mend.
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
