package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// checkRewrite checks the flags that change a baseline.
func (f *runFlags) checkRewrite() error {
	flag := "--update-baseline"
	switch {
	case f.update && f.prune:
		return fmt.Errorf("--update-baseline and --prune-baseline exclude each other: --update-baseline also drops what no longer fails")
	case f.reason != "" && !f.update:
		return fmt.Errorf("--reason is for the failures that --update-baseline adds: add --update-baseline, or leave it out")
	case f.prune:
		flag = "--prune-baseline"
	case !f.update:
		return nil
	}
	if len(f.baselines) != 1 || f.baselines[0] == "none" {
		return fmt.Errorf("%s needs one --baseline, the file or folder to write", flag)
	}
	if len(f.transform) > 0 {
		return fmt.Errorf("%s does not go with --transform: a baseline lists failures of unchanged cases, and they count for transformed ones too", flag)
	}
	return nil
}

// baseline returns the known failures: those of --baseline and, for all other
// parsers, the built-in ones for the cases of --spec.
func (f *runFlags) baseline(data *spec.Data) (*conformance.Baseline, error) {
	builtIn, err := conformance.DefaultBaseline()
	if err != nil {
		return nil, err
	}
	given := &conformance.Baseline{}
	for _, path := range f.baselines {
		if path == "none" {
			builtIn = &conformance.Baseline{}
			continue
		}
		if _, err := os.Stat(path); f.update && os.IsNotExist(err) {
			continue // it is about to be written
		}
		b, err := conformance.LoadBaseline(path)
		if err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
		given = given.Merge(b)
	}
	return builtIn.Without(given.Subjects()).Within(data).Merge(given), nil
}

// rewriteBaseline changes the baseline according to the run. A lost parser is an
// error anyway.
func (e *env) rewriteBaseline(f *runFlags, r *conformance.Result) error {
	path := f.baselines[0]
	var update *conformance.BaselineUpdate
	var err error
	if f.prune {
		update, err = conformance.PruneBaseline(path, r)
	} else {
		update, err = conformance.UpdateBaseline(path, f.reason, r)
	}
	if errors.Is(err, conformance.ErrNoReason) {
		for _, entry := range update.Added {
			fmt.Fprintln(e.stdout, entry)
		}
		return fmt.Errorf("%s is unchanged: --update-baseline would add these %d failures and drop %d: say why they fail with --reason",
			path, len(update.Added), len(update.Dropped))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %s\n", path, update)
	return lostInRun(r)
}
