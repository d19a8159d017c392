package fuzz

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// sampleInputs is how many inputs are used for a fingerprint, besides the cases.
const sampleInputs = 256

// smallCase is the length of the longest case that is used, in bytes.
const smallCase = 4 << 10

// fingerprintFiles are the files with the queries that fingerprint subjects: the
// small cases, which touch every point, and inputs as campaigns generate them.
var fingerprintFiles = sync.OnceValue(func() []fingerprint.File {
	var files []fingerprint.File
	for _, f := range fingerprint.CaseFiles(spec.Default().Cases) {
		if len(f.Robots) <= smallCase {
			files = append(files, f)
		}
	}
	g := NewGenerator(1)
	for range sampleInputs {
		in := g.Next()
		files = append(files, fingerprint.File{Source: fingerprint.Generated, Robots: in.Robots, Probes: in.Probes})
	}
	return files
})

// fingerprintSample is shared by all campaigns, as it remembers the answers of the
// reference under each interpretation that a search has tried.
var fingerprintSample = sync.OnceValue(func() *fingerprint.Sample { return fingerprint.NewSample(fingerprintFiles()) })

// fingerprintTime is how long a search for one fingerprint may take; in a
// campaign with a time limit, all searches together take at most half of it.
const fingerprintTime = 2 * time.Minute

// mostContradicted bounds the contradicted changes that answers are said to
// resemble: the others would predict hardly any.
const mostContradicted = 10

// findFingerprints returns the fingerprints of all subjects, found now or by an
// earlier run of the campaign. A subject that is lost, or did not answer in time,
// gets the fingerprint of the reference, and a search that is not finished gives
// the best one so far. The next run searches again.
func (c *campaign) findFingerprints(ctx context.Context, subjects []impl.Subject) ([]reference.Interpretation, error) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if c.options.Time > 0 {
		bounded, cancel = context.WithDeadline(ctx, c.ends.Add(-c.options.Time/2))
	}
	defer cancel()
	found := make([]reference.Interpretation, len(subjects))
	impl.Each(len(subjects), runtime.GOMAXPROCS(0), func(i int) {
		known := c.Subjects[i]
		if known.Version == "" || known.Sample != spec.Default().Hash {
			known.Sample = ""
			if known.Unfingerprinted = !searchFingerprint(bounded, subjects[i], &known); !known.Unfingerprinted {
				known.Sample = spec.Default().Hash
			}
		}
		found[i] = reference.With(known.Fingerprint...)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.Subjects[i] = known
		c.fingerprints++
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return found, c.save()
}

// searchFingerprint finds the fingerprint of a subject, with what its answers
// refute, and reports whether the search was finished.
func searchFingerprint(ctx context.Context, subject impl.Subject, known *CampaignSubject) (finished bool) {
	ctx, cancel := context.WithTimeout(ctx, fingerprintTime)
	defer cancel()
	known.Fingerprint, known.Candidates, known.Contradicted, known.Refuted = nil, nil, nil, nil
	verdicts, err := fingerprint.Ask(ctx, fingerprintFiles(), subject, 0, func() {})
	if subject.Err() != nil || ctx.Err() != nil {
		return false
	}
	sample := fingerprintSample()
	answers := sample.Outcomes(verdicts)
	found := sample.Find(ctx, answers)
	known.Fingerprint = found.In.Deviations()
	if ctx.Err() != nil || err != nil {
		return false
	}
	candidates, contradicted := sample.View(found.In, answers).Candidates()
	refuted := func(c Change) bool { return slices.Contains(found.Refuted, c) }
	candidates = slices.DeleteFunc(candidates, refuted)
	contradicted = slices.Concat(found.Refuted, slices.DeleteFunc(contradicted, refuted))
	known.Candidates, known.Contradicted = candidates, contradicted[:min(len(contradicted), mostContradicted)]
	return true
}
