package fingerprint

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// maxTimeouts is how many files a subject may time out on before the others are
// left out: a sample has a thousand files, and with a timeout for each, one sick
// subject would take an hour.
const maxTimeouts = 20

// Ask puts every query to the subject, a few files at once, and returns one slice
// of verdicts for each file. jobs bounds how many at once; 0 means as many as keep
// the subject busy. done is called after each file.
//
// The error says why queries were left out, because the subject was lost or timed
// out on too many files, or that it answered none. A query that was left out has
// the verdict Unsupported.
func Ask(ctx context.Context, files []File, subject impl.Subject, jobs int, done func()) ([][]spec.Verdict, error) {
	verdicts := make([][]spec.Verdict, len(files))
	workers := max(subject.Parallel(), 1)
	if jobs > 0 {
		workers = min(workers, jobs)
	}
	var timeouts atomic.Int64
	Parallel(len(files), workers, func(f int) {
		verdicts[f] = slices.Repeat([]spec.Verdict{spec.Unsupported}, len(files[f].Probes))
		if len(files[f].Probes) > 0 && subject.Err() == nil && timeouts.Load() < maxTimeouts {
			for i, a := range subject.Ask(ctx, files[f].Robots, files[f].Probes) {
				verdicts[f][i] = a.Verdict
			}
			if slices.Contains(verdicts[f], spec.Timeout) {
				timeouts.Add(1)
			}
		}
		done()
	})
	queries, answered := 0, false
	for _, of := range verdicts {
		queries += len(of)
		answered = answered || slices.ContainsFunc(of, func(v spec.Verdict) bool { return v.Decided() || v == spec.Reject })
	}
	switch {
	case subject.Err() != nil:
		return verdicts, subject.Err()
	case ctx.Err() == nil && timeouts.Load() >= maxTimeouts:
		return verdicts, fmt.Errorf("it timed out on %d files and was not asked about the others: fix it, or raise --timeout", timeouts.Load())
	case ctx.Err() == nil && queries > 0 && !answered:
		return verdicts, fmt.Errorf("it answered none of %d queries", queries)
	}
	return verdicts, nil
}
