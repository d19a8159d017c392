package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Checkup is the result of one check of an adapter.
type Checkup struct {
	// Name is short and permanent: "flush".
	Name string
	// About says what a correct adapter does.
	About string
	// Problem says what this adapter does instead and what to change; empty if it
	// is correct, or was not checked.
	Problem string
	// Hint shows the fix in the language of the adapter, if that is known.
	Hint string
	// Skipped says why it was not checked; empty if it was.
	Skipped string
}

const (
	// patience is the time limit for the answer to a small request. A check that
	// exceeded a limit is repeated in a fresh process, where every limit is
	// moreTime times longer: a busy machine must not make an adapter fail.
	patience = 3 * time.Second
	moreTime = 10
	// bigPatience is the time limit for a file of bigFile bytes.
	bigPatience = 10 * time.Second
	// floodPatience is the time limit for one of many requests, and floodTime
	// how long they are sent if the adapter is slow.
	floodPatience = 5 * time.Second
	floodTime     = 30 * time.Second
	// trialTime is the time limit for all requests of a check together. It is
	// never extended.
	trialTime = 2 * time.Minute
	// mostSilent is how many checks may end without an answer in time: each of
	// them takes moreTime times patience or longer, and so would the next.
	mostSilent = 2
	// bigFile is the size of the largest file: it exceeds the limit that RFC 9309
	// section 2.5 lets a parser set.
	bigFile = 1 << 20
	// burstSize is how many requests are sent as fast as the window allows.
	burstSize = 10_000
)

// Examine checks an adapter for the mistakes that adapters make, each in a fresh
// process, and returns the results in order. tell, if not nil, gets each result
// as soon as it is known. When ctx ends, Examine returns at once, without the
// check that is running.
//
// A check that fails because it exceeded a time limit is repeated once with
// longer limits, and only the second result counts. Even with a hostile adapter,
// a check takes a few minutes at most and keeps one line of its output at a time.
func Examine(ctx context.Context, opts Options, tell func(Checkup)) []Checkup {
	e := examination{opts: opts.withDefaults(), failed: map[string]bool{}}
	var all []Checkup
	for _, c := range checks() {
		result := e.check(ctx, c)
		if ctx.Err() != nil {
			break
		}
		all = append(all, result)
		if tell != nil {
			tell(result)
		}
	}
	return all
}

// An examination holds the results of the checks so far.
type examination struct {
	opts     Options
	language string
	failed   map[string]bool // checks that failed, or were skipped because of one that failed
	silent   int             // checks that exceeded a limit twice
}

func (e *examination) check(ctx context.Context, c check) Checkup {
	result := Checkup{Name: c.name, About: c.about}
	for _, need := range c.needs {
		if e.failed[need] {
			e.failed[c.name] = true
			result.Skipped = "fix " + need + " first"
			return result
		}
	}
	if e.silent == mostSilent {
		e.failed[c.name] = true
		result.Skipped = fmt.Sprintf("the adapter ran out of time in %d checks; fix them first", e.silent)
		return result
	}
	late, err := e.try(ctx, c, &result, 1)
	if late {
		if late, err = e.try(ctx, c, &result, moreTime); late {
			e.silent++
		}
	}
	var skip skipped
	switch {
	case errors.As(err, &skip):
		result.Skipped = string(skip)
	case err != nil:
		e.failed[c.name] = true
		result.Problem = "the adapter " + err.Error()
		result.Hint = hint(e.language, c.name)
	}
	return result
}

// try runs a check in a fresh process and reports whether it exceeded a time
// limit.
func (e *examination) try(ctx context.Context, c check, result *Checkup, slack time.Duration) (late bool, err error) {
	t, err := startTrial(ctx, e.opts, slack)
	if err != nil {
		return errors.Is(err, errNoHello), err
	}
	defer t.close()
	e.language = cmp.Or(e.language, t.ch.hello.Language)
	if c.feature != "" && !slices.Contains(t.ch.hello.Features, c.feature) {
		return false, skipped(fmt.Sprintf("the hello does not have the feature %q", c.feature))
	}
	if c.run != nil {
		err = c.run(t)
	} else {
		err = t.sendAll(c)
	}
	result.About = cmp.Or(t.about, c.about)
	return t.late && err != nil, err
}

// skipped is the reason why a check does not apply.
type skipped string

func (s skipped) Error() string { return string(s) }
