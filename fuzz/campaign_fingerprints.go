package fuzz

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// fingerprintFile keeps the fingerprints that were found, among the findings.
const fingerprintFile = "fingerprints.state"

// sampleInputs is how many inputs a fingerprint is taken from, beside the cases.
const sampleInputs = 256

// fingerprintSample is what subjects are asked for their fingerprint: the small
// cases, which touch every point, and inputs as campaigns make them.
var fingerprintSample = sync.OnceValue(func() []fingerprint.File {
	var files []fingerprint.File
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

// fingerprints returns those of all subjects, found now or by an earlier
// campaign in the same directory.
func (c *campaign) fingerprints(ctx context.Context, subjects []impl.Subject) ([]reference.Interpretation, error) {
	file := filepath.Join(c.store.dir, fingerprintFile)
	known := readFingerprints(file)
	found := make([]reference.Interpretation, len(subjects))
	search := sync.OnceValue(func() *fingerprint.Search { return fingerprint.NewSearch(fingerprintSample()) })
	lanes := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, s := range subjects {
		info := s.Info()
		if in, ok := interpretationOf(known, info); ok {
			found[i] = in
			c.fingerprinted()
			continue
		}
		all.Go(func() {
			if !acquire(ctx, lanes) {
				return
			}
			defer release(lanes)
			found[i] = search().Find(ctx, verdictsOf(ctx, s))
			c.fingerprinted()
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var keep []knownFingerprint
	for i, s := range subjects {
		info := s.Info()
		keep = append(keep, knownFingerprint{info.Name, info.Version, spec.Default().Hash, causeFrom(deviationsOf(found[i])...)})
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

// readFingerprints returns those that can be read: any other is found again.
func readFingerprints(file string) (known []knownFingerprint) {
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &known) != nil {
		return nil
	}
	return known
}

func interpretationOf(known []knownFingerprint, info spec.SubjectInfo) (in reference.Interpretation, ok bool) {
	for _, k := range known {
		if k.Name == info.Name && k.Version == info.Version && k.Version != "" && k.Sample == spec.Default().Hash {
			return with(k.Cause.choices()...), true
		}
	}
	return in, false
}

// verdictsOf puts the sample to a subject.
func verdictsOf(ctx context.Context, s impl.Subject) [][]spec.Verdict {
	files := fingerprintSample()
	verdicts := make([][]spec.Verdict, len(files))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, s.Parallel()) {
		workers.Go(func() {
			for i := range next {
				for _, a := range s.Ask(ctx, files[i].Robots, files[i].Probes) {
					verdicts[i] = append(verdicts[i], a.Verdict)
				}
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	workers.Wait()
	return verdicts
}
