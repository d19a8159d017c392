package fingerprint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// maxTimeouts is how many files a subject may time out on before the other files
// are skipped: a sample has a thousand files, and with a timeout for each, one
// broken subject would take an hour.
const maxTimeouts = 20

// Ask sends the subject every query, a few files at once, and returns one slice
// of verdicts for each file. jobs limits how many at once; 0 means as many as
// keep the subject busy. done is called after each file.
//
// The error says why queries were skipped (the subject was lost or timed out on
// too many files) or that it answered none. A skipped query has the verdict
// Unsupported.
func Ask(ctx context.Context, files []File, subject impl.Subject, jobs int, done func()) ([][]spec.Verdict, error) {
	t := impl.Throttles([]impl.Subject{subject}, jobs)[0]
	t.MostTimeouts = maxTimeouts
	verdicts := make([][]spec.Verdict, len(files))
	var first atomic.Pointer[string] // the detail of one answer
	impl.Each(len(files), t.Limit(), func(f int) {
		verdicts[f] = slices.Repeat([]spec.Verdict{spec.Unsupported}, len(files[f].Probes))
		if len(files[f].Probes) > 0 {
			for i, a := range t.Ask(ctx, files[f].Robots, files[f].Probes).Answers {
				if a.Verdict != "" {
					verdicts[f][i] = a.Verdict
					first.CompareAndSwap(nil, &a.Detail)
				}
			}
		}
		done()
	})
	queries, answered := 0, false
	for _, of := range verdicts {
		queries += len(of)
		answered = answered || slices.ContainsFunc(of, spec.Verdict.Answered)
	}
	if ctx.Err() == nil && queries > 0 && !answered && t.Err() == nil {
		detail, _, _ := strings.Cut(strings.TrimSpace(*cmp.Or(first.Load(), new(string))), "\n")
		return verdicts, fmt.Errorf("it answered none of %d queries%s", queries, strings.TrimSuffix(": "+spec.EncodeOctets([]byte(detail)), ": "))
	}
	return verdicts, t.Err()
}
