package fuzz

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// CampaignOptions are the limits and settings of a campaign. The zero value
// generates inputs until ctx ends.
type CampaignOptions struct {
	// Seed determines the inputs.
	Seed uint64
	// Count is how many inputs to generate, including those of earlier runs of a
	// resumed campaign; 0 means no limit.
	Count uint64
	// Time is how long this run may take, fingerprints included; 0 means no
	// limit.
	//
	// Without a Count, and with several parsers besides the reference, a parser
	// that is busy when an input is generated is skipped for that input:
	// otherwise all would be as slow as the slowest. With a Count every parser is
	// queried about every input, and a campaign that is not resumed sends the
	// same queries each time. Without a Time, a parser that times out on a
	// hundred inputs counts as lost.
	Time time.Duration
	// Jobs is how many inputs are processed at once. 0 means one for each
	// processor and two for each subject that is a process.
	Jobs int
	// Resume continues the campaign in the folder of the store.
	Resume bool
	// Look is how many answers of one subject without a cheap explanation are
	// minimized and explained by search; 0 means 15. Each takes as long as some
	// hundred inputs. Ten of those that turn out to be known count as one. Any
	// more are only counted.
	Look int
	// Experiments is how many queries test each cause of a disagreement; 0 means 8.
	Experiments int
	// Flags go into the findings, by the name of the subject; see SubjectAnswer.
	Flags map[string][]string
	// Progress, unless nil, is called twice a second, and a last time at the end.
	Progress func(CampaignProgress)

	// minimizeCalls is how many queries may be used to minimize one witness; 0
	// means 2000. For large files there are fewer.
	minimizeCalls int
}

// CampaignProgress reports how far a campaign has got.
type CampaignProgress struct {
	// Fingerprints is how many subjects' fingerprints are known; while it is less
	// than the number of subjects, no input is generated.
	Fingerprints int
	// Elapsed is the time since the first input of this run, Answered the number of
	// answers to them.
	Elapsed  time.Duration
	Answered int
	// Next is the number of the input that is generated next, Left the time until
	// no more are generated; 0 if there is no limit.
	Next uint64
	Left time.Duration
	// Tally and Subjects cover all runs, except Tally.New, which covers this one.
	Tally    Tally
	Subjects []CampaignSubject
	// Clusters counts the findings that this campaign encountered, by kind.
	Clusters map[Kind]int
}

// Rate returns the number of answers per second of this run.
func (p *CampaignProgress) Rate() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Answered) / p.Elapsed.Seconds()
}

// A CampaignSubject is what a campaign knows about one subject.
type CampaignSubject struct {
	spec.SubjectInfo
	// Fingerprint is the deviations from RFC 9309 that are known of it. Sample is
	// the hash of the cases that it was searched with; "" if the search was not
	// finished.
	Fingerprint Cause `json:"fingerprint"`
	// Candidates are other changes that may explain its answers; those come first
	// that would predict most of the answers that Fingerprint does not.
	// Contradicted are those that its answers in the sample contradict, and Refuted
	// causes that an experiment refuted; these explain none of its answers.
	Candidates   Cause   `json:"candidates,omitempty"`
	Contradicted Cause   `json:"contradicted,omitempty"`
	Refuted      []Cause `json:"refuted,omitempty"`
	Sample       string  `json:"sample,omitempty"`
	// Inputs counts the inputs that it was queried about.
	Inputs uint64 `json:"inputs"`
	// Tally covers only its answers. Disagreements are not counted.
	Tally Tally `json:"tally"`
	// Slow counts the inputs that took it more than a second.
	Slow int `json:"slow,omitempty"`
	// Lost is why it gets no more queries, or says that it answered nothing; ""
	// if neither is the case. Resting is set if it timed out recently.
	Lost    string `json:"lost,omitempty"`
	Resting bool   `json:"-"`
	// Unfingerprinted is set if its fingerprint was not found in time.
	Unfingerprinted bool `json:"-"`
}

// A CampaignResult is the result of a campaign, including its earlier runs.
type CampaignResult struct {
	CampaignProgress
	// Interrupted is set if ctx ended.
	Interrupted bool
	// Failures are errors in storing findings, at most a few.
	Failures []error
}

// A campaign is the state of a running campaign.
type campaign struct {
	options   CampaignOptions
	store     *Store
	workers   []*worker
	recorder  *recorder
	ends      time.Time     // if it has a time
	skipsBusy bool          // busy subjects are skipped
	freed     chan struct{} // receives when a subject has answered

	mu sync.Mutex // guards the fields below
	// Its Format and Pending are set when it is saved.
	CampaignRecord
	again        []uint64        // the inputs that an earlier run did not finish
	pending      map[uint64]bool // the inputs that are not finished
	started      time.Time
	answered     int
	fingerprints int // how many are known
	failures     []error
}

const (
	// maxFailures bounds the errors of a result.
	maxFailures = 5

	// maxTimeouts is how many inputs a subject may time out on in a campaign that
	// is limited only by a number of inputs.
	maxTimeouts = 100

	// tellEvery is how often the progress is reported, and counts and state are
	// written.
	tellEvery = 500 * time.Millisecond
)

// Campaign generates inputs, queries all subjects about them and stores findings,
// until the options or ctx end it.
//
// The state of the campaign and the counts of its findings are written twice a
// second, so that a campaign that was killed can be resumed; inputs finished
// since the last write are then repeated and counted. An error without a result
// means that the campaign could not begin; an error with a result, that its state
// could not be written.
func Campaign(ctx context.Context, subjects []impl.Subject, store *Store, o CampaignOptions) (*CampaignResult, error) {
	if len(subjects) == 0 {
		return nil, errors.New("a campaign needs a subject")
	}
	unlock, err := lock(filepath.Join(store.dir, lockFile))
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer limitMemory()()
	c := newCampaign(subjects, store, o)
	if err := c.begin(); err != nil {
		return nil, err
	}
	stop := func() {}
	if o.Progress != nil {
		ticks := every(tellEvery, func() { o.Progress(c.progress()) })
		stop = sync.OnceFunc(func() { ticks(); o.Progress(c.progress()) })
	}
	defer stop()
	fingerprints, err := c.findFingerprints(ctx, subjects)
	if err != nil {
		return nil, err
	}
	o.Seed = c.Seed
	c.recorder = newRecorder(c.workers, fingerprints, store, o)
	for i, s := range c.Subjects {
		c.recorder.explainer.Propose(i, s.Candidates, s.Contradicted)
		c.recorder.explainer.Refute(i, s.Refuted...)
	}
	if err := c.recorder.recall(); err != nil {
		return nil, err
	}
	err = errors.Join(c.run(ctx), store.fold())
	stop()
	return c.result(ctx), err
}

func newCampaign(subjects []impl.Subject, store *Store, o CampaignOptions) *campaign {
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
		for _, s := range subjects {
			if s.Kind() == impl.InOwnProcess {
				o.Jobs += 2
			}
		}
	}
	tested := slices.DeleteFunc(slices.Clone(subjects), func(s impl.Subject) bool { return s.Info().Name == impl.ReferenceName || s.Err() != nil })
	c := &campaign{options: o, store: store, ends: time.Now().Add(o.Time), skipsBusy: o.Count == 0 && len(tested) > 1, freed: make(chan struct{}, 1), pending: map[uint64]bool{}}
	calls := o.Jobs
	if c.skipsBusy {
		calls = 2 // keep a process busy, and let few inputs wait for a slow one
	}
	c.workers = newWorkers(subjects, calls)
	for _, w := range c.workers {
		c.Subjects = append(c.Subjects, CampaignSubject{SubjectInfo: w.Info()})
		switch {
		case o.Count == 0:
			w.enough = enoughCampaign
		case o.Time == 0:
			w.MostTimeouts = maxTimeouts
		}
	}
	return c
}

// progress returns how far the campaign has got.
func (c *campaign) progress() CampaignProgress {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := CampaignProgress{Fingerprints: c.fingerprints, Answered: c.answered, Next: c.Inputs, Tally: c.Tally,
		Subjects: slices.Clone(c.Subjects), Clusters: c.store.kinds()}
	if !c.started.IsZero() {
		p.Elapsed = time.Since(c.started)
		if c.options.Time > 0 {
			p.Left = max(0, time.Until(c.ends))
		}
	}
	for i, w := range c.workers {
		p.Subjects[i].Resting = w.resting()
		if err := w.Err(); err != nil {
			p.Subjects[i].Lost = err.Error()
		}
	}
	return p
}

func (c *campaign) result(ctx context.Context) *CampaignResult {
	r := &CampaignResult{CampaignProgress: c.progress(), Interrupted: ctx.Err() != nil, Failures: c.failures}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if t := s.Tally; s.Lost == "" && s.Inputs > 0 && t.Answers == t.Crashes+t.Timeouts {
			s.Lost = fmt.Sprintf("it answered no query about %d inputs", s.Inputs)
		}
	}
	return r
}
