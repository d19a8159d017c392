package fuzz

import (
	"context"
	"time"

	"github.com/repcheck/repcheck/fuzz/internal/minimize"
	"github.com/repcheck/repcheck/spec"
)

// A Witness is a query that shows something; in a finding it is the smallest one
// that was found.
type Witness = spec.Query

// A slow answer takes longer than slowAnswer and a second for each MiB of the
// witness. Some parsers take a second for a file of a few lines, so a
// minimization of 2,000 calls would take half an hour: it ends after
// maxSlowAnswers of them. A few slow answers of a fast parser on a busy machine
// do not end it.
const (
	slowAnswer     = 250 * time.Millisecond
	maxSlowAnswers = 12
)

// minimized returns the smallest witness it finds for which shows reports true,
// calling it at most calls times; see [minimize.Minimize]. The minimizer is
// limited only by its amount of work; slow subjects end it here.
func minimized(ctx context.Context, w Witness, calls int, shows func(Witness) bool) Witness {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	slow := 0
	return minimize.Minimize(ctx, w, func(w Witness) bool {
		began := time.Now()
		shown := shows(w)
		if time.Since(began) > slowAnswer+time.Duration(w.Octets())*time.Second>>20 {
			slow++
		}
		if slow == maxSlowAnswers {
			stop()
		}
		return shown
	}, calls)
}
