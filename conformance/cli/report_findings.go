package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec/file"
)

// reportFindings renders a folder of findings, with the results of a scan and a
// run if they are given.
func (e *env) reportFindings(f *reportFlags, dir string) error {
	if err := oneOf("format", f.format, documentFormats...); err != nil {
		return err
	}
	if f.top < 0 || f.top > 0 && f.format == "json" {
		return errors.New("--top takes a number from 1, and goes with --format text, markdown or html")
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
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
	to := destination{format: f.format, path: f.output, color: color, verbose: f.verbose}
	err = e.writeDocument(to, r, func(reports.Options) doc.Document {
		if f.top > 0 {
			return reports.State(r, campaign, f.top)
		}
		return reports.Findings(r, reports.Options{Verbose: f.verbose})
	})
	return errors.Join(err, listErr)
}

// sources reads the files that the flags name.
func (f *reportFlags) sources(dir string) (*reports.FindingsSources, error) {
	s := &reports.FindingsSources{Dir: named(dir), Version: version(), Root: rootSeenFrom(f.output)}
	if f.scan != "" {
		octets, kind, err := readResult(f.scan)
		if err != nil {
			return nil, err
		}
		s.Scan = &fuzz.ScanResult{}
		if kind.Pairs == nil {
			return nil, fmt.Errorf("--scan %s: not a result of repcheck scan --format json", f.scan)
		}
		if err := json.Unmarshal(octets, s.Scan); err != nil {
			return nil, fmt.Errorf("--scan %s: not a result of repcheck scan --format json: %w", f.scan, err)
		}
	}
	if f.run != "" {
		octets, kind, err := readResult(f.run)
		if err != nil {
			return nil, err
		}
		if kind.Cases == nil {
			return nil, fmt.Errorf("--run %s: not a result of repcheck run --format json", f.run)
		}
		if s.Run, err = conformance.ReadResult(octets); err != nil {
			return nil, fmt.Errorf("--run %s: %w", f.run, err)
		}
	}
	return s, nil
}

// A resultKind detects the kind of a result by its fields.
type resultKind struct {
	Pairs    json.RawMessage `json:"pairs"`
	Families json.RawMessage `json:"families"`
	Cases    json.RawMessage `json:"cases"`
}

// maxResult bounds the size of a result file. It is far above the size of a
// result with all parsers.
const maxResult = 1 << 30

func readResult(path string) (octets []byte, kind resultKind, err error) {
	if octets, err = file.Read(path, maxResult, "pass a file that repcheck wrote with -o"); err != nil {
		return nil, kind, err
	}
	if err := json.Unmarshal(octets, &kind); err != nil {
		return nil, kind, fmt.Errorf("%s: not a result in JSON: %w", path, err)
	}
	return octets, kind, nil
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
