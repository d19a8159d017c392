package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

// reportFindings renders a folder of findings, with the results of a scan and a
// run if they are given.
func (e *env) reportFindings(f *reportFlags, dir string) error {
	if f.top < 0 || f.top > 0 && f.format == "json" {
		return errors.New("--top takes a number from 1, and goes with --format text, markdown or html")
	}
	sources, err := f.sources(dir)
	if err != nil {
		return err
	}
	if sources.Data, err = e.data(); err != nil {
		return err
	}
	store, err := fuzz.OpenStore(dir)
	if err != nil {
		return err
	}
	campaign, err := store.Campaign()
	if err != nil {
		// The findings are complete without it.
		fmt.Fprintf(e.stderr, "the report has no data about the campaign: %v\n", err)
	}
	sources.Campaign = campaign
	findings, listErr := store.List()
	if len(findings) == 0 && campaign == nil {
		return errors.Join(fmt.Errorf("there are no findings in %s: make some with repcheck fuzz --time 60s --dir %s", dir, dir), listErr)
	}
	r := reports.NewFindingsReport(findings, *sources)
	err = e.writeReport(&f.outputFlags, report{result: r, document: func() doc.Document {
		if f.top > 0 {
			return reports.State(r, campaign, f.top)
		}
		return reports.Findings(r, f.options())
	}})
	return errors.Join(err, listErr)
}

// sources reads the files that the flags name.
func (f *reportFlags) sources(dir string) (*reports.FindingsSources, error) {
	s := &reports.FindingsSources{Dir: named(dir), Version: version(), Root: rootSeenFrom(f.path)}
	var err error
	if f.scan != "" {
		if s.Scan, err = readResult(f.scan, "scan", unmarshalScan); err != nil {
			return nil, fmt.Errorf("--scan %w", err)
		}
	}
	if f.run != "" {
		if s.Run, err = readResult(f.run, "run", conformance.ReadResult); err != nil {
			return nil, fmt.Errorf("--run %w", err)
		}
	}
	return s, nil
}

// named returns a folder of findings as it appears in commands, "" for the
// default folder.
func named(dir string) string {
	if filepath.Clean(dir) == defaultDir {
		return ""
	}
	return dir
}

// rootSeenFrom returns the path from the folder of a report to the working
// directory, which is assumed to be the root of the repository.
func rootSeenFrom(output string) string {
	from, err := filepath.Abs(filepath.Dir(output))
	if err != nil {
		return ""
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	root, err := filepath.Rel(from, here)
	if err != nil || root == "." {
		return ""
	}
	return filepath.ToSlash(root)
}
