package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// fingerprintFile keeps the fingerprints that were found, among the findings.
const fingerprintFile = "fingerprints.state"

// sampleInputs is how many inputs a fingerprint is taken from, beside the cases.
const sampleInputs = 256

// fingerprintSample holds the queries for fingerprints: the small cases, which touch
// every point, and inputs as campaigns make them.
var fingerprintSample = sync.OnceValue(func() (files []fingerprint.File) {
	for _, s := range seeds().small {
		files = append(files, fingerprint.File{Robots: s.robots, Probes: s.probes})
	}
	g := NewGenerator(1)
	for range sampleInputs {
		in := g.Next()
		files = append(files, fingerprint.File{Robots: in.Robots, Probes: in.Probes})
	}
	return files
})

// A known fingerprint is that of one version of a subject, on the sample of one
// version of the cases.
type knownFingerprint struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Sample  string `json:"sample"`
	Cause   Cause  `json:"deviations"`
}

// fingerprintTime is how long a search for one fingerprint may take; of a campaign
// with a time, all searches take half of it at most.
const fingerprintTime = 2 * time.Minute

// fingerprints returns those of all subjects, found now or by an earlier
// campaign in the same directory. A subject that is lost, or was not asked in
// time, is taken to have that of the reference, and a search that is not finished
// gives what it has. The next campaign searches again.
func (c *campaign) fingerprints(ctx context.Context, subjects []impl.Subject) ([]reference.Interpretation, error) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if c.options.Time > 0 {
		bounded, cancel = context.WithDeadline(ctx, c.ends.Add(-c.options.Time/2))
	}
	defer cancel()
	file := filepath.Join(c.store.dir, fingerprintFile)
	known, err := readFingerprints(file)
	if err != nil {
		return nil, err
	}
	found := make([]reference.Interpretation, len(subjects))
	complete := make([]bool, len(subjects))
	sample := sync.OnceValue(func() *fingerprint.Sample { return fingerprint.NewSample(fingerprintSample()) })
	lanes := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, s := range subjects {
		found[i] = reference.RFC9309
		if in, ok := interpretationOf(known, s.Info()); ok {
			found[i], complete[i] = in, true
			c.fingerprinted()
			continue
		}
		all.Go(func() {
			defer c.fingerprinted()
			if !acquire(bounded, lanes) {
				return
			}
			defer release(lanes)
			searching, cancel := context.WithTimeout(bounded, fingerprintTime)
			defer cancel()
			verdicts, err := fingerprint.Ask(searching, fingerprintSample(), s, 0, func() {})
			if s.Err() != nil || searching.Err() != nil {
				return
			}
			found[i] = sample().Find(searching, sample().Outcomes(verdicts))
			complete[i] = searching.Err() == nil && err == nil
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var keep []knownFingerprint
	for i, s := range subjects {
		info := s.Info()
		if complete[i] {
			keep = append(keep, knownFingerprint{info.Name, info.Version, spec.Default().Hash, found[i].Deviations()})
		}
		c.subjects[i].Unfingerprinted = !complete[i]
	}
	text, err := json.MarshalIndent(keep, "", "  ")
	if err == nil {
		_, err = replace(file, append(text, '\n'))
	}
	return found, err
}

func (c *campaign) fingerprinted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found++
}

// readFingerprints returns those that can be read: any other is found again. The
// error says that the file is none that a campaign wrote.
func readFingerprints(file string) (known []knownFingerprint, err error) {
	text, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || json.Unmarshal(text, &known) != nil {
		return nil, err
	}
	return known, nil
}

func interpretationOf(known []knownFingerprint, info spec.SubjectInfo) (in reference.Interpretation, ok bool) {
	for _, k := range known {
		if k.Name == info.Name && k.Version == info.Version && k.Version != "" && k.Sample == spec.Default().Hash {
			return reference.With(k.Cause...), true
		}
	}
	return in, false
}
