package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
)

// fingerprintFlags are those of profile that say how to take fingerprints.
type fingerprintFlags struct {
	enabled    bool
	corpus     string
	size       int
	seed       uint64
	printQuery int
}

// needed names the flags that mean nothing without --fingerprint.
var needed = []string{"corpus", "size", "seed", "print-query"}

func (f *fingerprintFlags) check(changed func(string) bool) error {
	for _, flag := range needed {
		if !f.enabled && changed(flag) {
			return fmt.Errorf("--%s says what a fingerprint is taken from: give --fingerprint too", flag)
		}
	}
	if f.size < 100 || f.size > 1_000_000 {
		return fmt.Errorf("--size %d is not between 100 and 1000000", f.size)
	}
	if changed("print-query") && (f.printQuery < 1 || f.printQuery > f.size) {
		return fmt.Errorf("--print-query %d: give the number of a generated file, from 1 to %d", f.printQuery, f.size)
	}
	return nil
}

// writeQueries prints the generated file of that number with its queries.
func (f *fingerprintFlags) writeQueries(w io.Writer) error {
	g := fuzz.NewGenerator(f.seed)
	for range f.printQuery - 1 {
		g.Next()
	}
	in := g.Next()
	var queries []fuzz.Witness
	for _, p := range in.Probes {
		queries = append(queries, fuzz.Witness{Robots: in.Robots, Probe: p})
	}
	return writeProtocol(w, queries...)
}

// askFingerprints is askProfiles for fingerprints: it draws the sample too.
func (e *env) askFingerprints(ctx context.Context, f *profileFlags, o reports.TextOptions) (render func(io.Writer) error, lost, err error) {
	sample, err := e.sample(ctx, f.corpus, f.size, f.seed)
	if err != nil {
		return nil, nil, err
	}
	subjects, closeAll, err := f.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	e.tellSkipped(f.skipped)
	p := e.newProgress()
	r := conformance.TakeFingerprints(ctx, sample, subjects, conformance.FingerprintOptions{
		Seed:     f.seed,
		Progress: func(done, total int) { p.tell("%d of %d files", done, total) },
	})
	p.done()
	if ctx.Err() != nil {
		return nil, nil, errInterrupted
	}
	r.Version, r.Command, r.Source = version(), os.Args, "seeds"
	if f.corpus != "" {
		r.Source = filepath.Base(f.corpus)
	}
	render = func(w io.Writer) error {
		switch f.format {
		case "json":
			return reports.FingerprintJSON(w, r)
		case "markdown":
			return reports.FingerprintMarkdown(w, r)
		case "newick":
			return reports.FingerprintNewick(w, r)
		}
		return reports.FingerprintText(w, r, o)
	}
	return render, lostError(r.Subjects, func(s *conformance.Fingerprint) (string, string) { return s.Name, s.Lost }), nil
}
