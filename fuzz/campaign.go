package fuzz

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// CampaignOptions say how long a campaign is and what it begins with. The zero
// value makes inputs until ctx ends.
type CampaignOptions struct {
	// Seed selects the inputs.
	Seed uint64
	// Count is how many inputs to make, those of earlier runs of a resumed
	// campaign included; 0 means no bound.
	Count uint64
	// Time is how long this run may take, fingerprints included; 0 means no bound.
	//
	// Without a Count, and with several parsers beside the reference, a parser that
	// is busy when an input is made is not asked about it: otherwise all would be as
	// slow as the slowest. With a Count every parser is asked about every input, and
	// a campaign that is not resumed asks the same each time; without a Time, a
	// parser that times out on a hundred inputs counts as lost.
	Time time.Duration
	// Jobs is how many inputs are in hand at once. 0 means one for each
	// processor and two for each subject that is a process.
	Jobs int
	// Resume goes on where the campaign in the store's directory ended.
	Resume bool
	// Look, MinimizeCalls and Flags are for the Recorder.
	Look          int
	MinimizeCalls int
	Flags         map[string][]string
	// Progress is told twice a second how far the campaign is, and once more at
	// its end; nil means nobody is.
	Progress func(CampaignProgress)
}

// CampaignProgress tells how far a campaign is.
type CampaignProgress struct {
	// Fingerprints of so many subjects are known; while that is fewer than there
	// are subjects, no input is made.
	Fingerprints int
	// Elapsed is the time since the first input of this run, Answered the
	// answers that it was given.
	Elapsed  time.Duration
	Answered int
	// Next is the number of the input that is made next, Left how long there
	// will be more; 0 if that is not bounded.
	Next uint64
	Left time.Duration
	// Tally and Subjects are of all runs, but for New, which is of this one.
	Tally    Tally
	Subjects []CampaignSubject
	// Clusters counts the findings that this campaign met, by kind.
	Clusters map[Kind]int
}

// Rate is how many answers were given in a second of this run.
func (p *CampaignProgress) Rate() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Answered) / p.Elapsed.Seconds()
}

// A CampaignSubject is what a campaign knows of one subject.
type CampaignSubject struct {
	spec.SubjectInfo
	// Fingerprint is what it is known to do otherwise than RFC 9309.
	Fingerprint Cause `json:"fingerprint"`
	// Inputs counts those it was asked about.
	Inputs uint64 `json:"inputs"`
	// Tally is of its answers alone. Disagreements are not counted.
	Tally Tally `json:"tally"`
	// Slow counts the inputs that took it more than a second.
	Slow int `json:"slow,omitempty"`
	// Lost is why it can answer no more, or that it answered nothing; "" if it can.
	// Resting says that it timed out lately.
	Lost    string `json:"lost,omitempty"`
	Resting bool   `json:"-"`
	// Unfingerprinted: its fingerprint was not found in time.
	Unfingerprinted bool `json:"-"`
}

// A CampaignResult is what came of a campaign, this run and those before.
type CampaignResult struct {
	CampaignProgress
	// Interrupted: ctx ended.
	Interrupted bool
	// Failures are errors in keeping findings, at most a few.
	Failures []error
}

// A campaign is under way.
type campaign struct {
	options  CampaignOptions
	recorder *Recorder
	store    *Store
	askers   []*asker
	schedule *schedule
	keeper   *keeper
	freed    chan struct{} // told that a subject has answered
	choosy   bool          // busy subjects are left out
	ends     time.Time     // of a campaign with a time

	mu       sync.Mutex // guards what follows
	started  time.Time
	answered int
	found    int // fingerprints
	tally    Tally
	subjects []CampaignSubject
	failures []error
}

// maxFailures bounds the errors of a result.
const maxFailures = 5

// Campaign makes inputs, puts them to all subjects and keeps in the store what
// it learns, until the options or ctx end it.
//
// What it made and counted is written beside the findings twice a second, so
// that a campaign that was killed goes on with Resume; what was counted since
// then is counted again. An error means that the campaign could not begin, or
// that its state could not be kept; with a result it was begun.
func Campaign(ctx context.Context, subjects []impl.Subject, store *Store, o CampaignOptions) (*CampaignResult, error) {
	if len(subjects) == 0 {
		return nil, errors.New("a campaign needs a subject")
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
		for _, s := range subjects {
			if isProcess(s) {
				o.Jobs += 2
			}
		}
	}
	unlock, err := lock(filepath.Join(store.dir, lockFile))
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer limitMemory()()
	c := &campaign{options: o, store: store, keeper: &keeper{dir: store.dir}, freed: make(chan struct{}, 1),
		choosy: o.Count == 0 && underTest(subjects) > 1, ends: time.Now().Add(o.Time)}
	c.askers = newAskers(subjects, c.slots())
	for _, a := range c.askers {
		switch {
		case o.Count == 0:
			a.enough = enoughSoon
		case o.Time == 0:
			a.mostTimeouts = maxTimeouts
		}
	}
	differ := NewDiffer(subjects)
	for _, info := range differ.Subjects() {
		c.subjects = append(c.subjects, CampaignSubject{SubjectInfo: info})
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	stop := c.tell()
	defer stop()
	fingerprints, err := c.fingerprints(ctx, subjects)
	if err != nil {
		return nil, err
	}
	c.recorder = &Recorder{Differ: differ, Explainer: NewExplainer(fingerprints), Store: store, MinimizeCalls: o.MinimizeCalls, Seed: o.Seed, Look: o.Look, Flags: o.Flags}
	for i := range c.subjects {
		c.subjects[i].Fingerprint = c.recorder.Explainer.Known(i)
	}
	err = c.run(ctx)
	stop()
	return c.result(ctx), err
}

// maxTimeouts is how many inputs a subject may time out on in a campaign that only
// a number of inputs bounds.
const maxTimeouts = 100

// underTest counts the subjects that are not lost, without the reference.
func underTest(subjects []impl.Subject) (n int) {
	for _, s := range subjects {
		if s.Info().Name != impl.ReferenceName && s.Err() == nil {
			n++
		}
	}
	return n
}

// slots is how many inputs a process is asked about at once. Where it may be
// left out, a few keep it busy, and none waits long for a slow one.
func (c *campaign) slots() int {
	if c.choosy {
		return 2
	}
	return c.options.Jobs
}

// begin makes the schedule, or continues the stored one.
func (c *campaign) begin() error {
	old, err := c.keeper.read()
	switch {
	case err != nil:
		return err
	case old != nil && !c.options.Resume:
		return fmt.Errorf("%s holds a campaign of %d inputs: continue it with --resume, or begin another in a new folder with --dir", c.store.dir, old.Next)
	case old != nil && old.Seed != c.options.Seed && c.options.Seed != 0:
		return fmt.Errorf("the campaign in %s has seed %d: leave out --seed %d, or begin another in a new folder with --dir", c.store.dir, old.Seed, c.options.Seed)
	case old == nil:
		if c.options.Seed == 0 {
			c.options.Seed = 1
		}
		c.schedule = newSchedule(c.options.Seed, c.options.Count)
		return nil
	}
	c.options.Seed = old.Seed
	c.schedule = old.schedule(c.options.Count)
	c.tally = old.Tally
	for i := range c.subjects {
		for _, s := range old.Subjects {
			if s.Name == c.subjects[i].Name && s.Version == c.subjects[i].Version {
				c.subjects[i].Inputs, c.subjects[i].Tally, c.subjects[i].Slow = s.Inputs, s.Tally, s.Slow
			}
		}
	}
	return nil
}

// progress is how far the campaign is.
func (c *campaign) progress() CampaignProgress {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := CampaignProgress{Fingerprints: c.found, Answered: c.answered, Next: c.schedule.upTo(), Tally: c.tally,
		Subjects: append([]CampaignSubject{}, c.subjects...), Clusters: c.store.kinds()}
	if !c.started.IsZero() {
		p.Elapsed = time.Since(c.started)
		if c.options.Time > 0 {
			p.Left = max(0, time.Until(c.ends))
		}
	}
	for i, a := range c.askers {
		p.Subjects[i].Resting = a.resting()
		if err := a.err(); err != nil {
			p.Subjects[i].Lost = err.Error()
		}
	}
	return p
}

// tellEvery is how often the progress is told and the state is kept.
const tellEvery = 500 * time.Millisecond

// tell tells the progress until stop is called, which may be called twice.
func (c *campaign) tell() (stop func()) {
	if c.options.Progress == nil {
		return func() {}
	}
	end := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.options.Progress(c.progress())
			case <-end:
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(end); ended.Wait(); c.options.Progress(c.progress()) })
}

func (c *campaign) result(ctx context.Context) *CampaignResult {
	r := &CampaignResult{CampaignProgress: c.progress(), Interrupted: ctx.Err() != nil, Failures: c.failures}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if t := s.Tally; s.Lost == "" && s.Inputs > 0 && t.Answers == t.Crashes+t.Hangs {
			s.Lost = fmt.Sprintf("it answered no query about %d inputs", s.Inputs)
		}
	}
	return r
}
