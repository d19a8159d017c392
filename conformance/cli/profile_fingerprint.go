package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

// fingerprintFlags are the flags of profile for fingerprints.
type fingerprintFlags struct {
	enabled    bool
	corpus     string
	size       int
	seed       uint64
	printQuery int
}

// needed names the flags that require --fingerprint.
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

// writeQueries prints the generated file with that number and its queries.
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

// fingerprint draws the sample, takes the fingerprints and writes the report.
func (e *env) fingerprint(ctx context.Context, f *profileFlags) error {
	sample, err := e.sample(ctx, f.corpus, f.size, f.seed)
	if err != nil {
		return err
	}
	subjects, closeAll, err := e.open(ctx, &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	all, err := e.takeFingerprints(ctx, f, sample, subjects)
	if err != nil {
		return err
	}
	if err := e.writeReport(&f.outputFlags, report{
		result:   all,
		document: func() doc.Document { return reports.Fingerprint(all, f.fullOptions()) },
		special: map[string]func(io.Writer) error{
			"newick": func(w io.Writer) error { return reports.FingerprintNewick(w, all) },
		},
	}); err != nil {
		return err
	}
	return lostError(all.Subjects, func(s *conformance.Fingerprint) (string, string) { return s.Name, s.Lost })
}

func (e *env) takeFingerprints(ctx context.Context, f *profileFlags, sample []conformance.SampleFile, subjects []impl.Subject) (*conformance.Fingerprints, error) {
	p := e.newProgress()
	all := conformance.TakeFingerprints(ctx, sample, subjects, conformance.FingerprintOptions{
		Seed:     f.seed,
		Progress: func(done, total int) { p.tell("%d of %d files", done, total) },
	})
	p.done()
	if ctx.Err() != nil {
		return nil, &exitError{code: exitFailed, err: errors.New("interrupted: not all files were asked about")}
	}
	all.Version, all.Command = version(), os.Args
	all.Source = "seeds"
	if f.corpus != "" {
		all.Source = filepath.Base(f.corpus)
	}
	return all, nil
}
