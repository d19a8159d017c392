package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", name, diff)
	}
}

var results = []struct {
	name   string
	result func() *conformance.Result
	// full marks a result that is compared with a golden file in every style. The
	// others only check properties of every text.
	full bool
}{
	{"fine", fine, true},
	{"every", every, true},
	{"crowd", crowd, false},
	{"nothing", func() *conformance.Result { return run() }, false},
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			goldenStyles(t, result.name, result.full, Options{}, func(o Options) doc.Document { return Run(result.result(), nil, o) })
		})
	}
	// With the texts of the requirements.
	d := specification(t)
	for _, style := range []struct {
		name string
		o    Options
		text doc.TextOptions
	}{{"-texts", Options{Verbose: true}, doc.TextOptions{}}, {"-wide", Options{}, doc.TextOptions{Width: 160}}} {
		var out bytes.Buffer
		if err := Run(every(), d, style.o).Text(&out, style.text); err != nil {
			t.Fatal(err)
		}
		golden(t, "every"+style.name+".txt", out.Bytes())
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			want := result.result()
			if err := JSON(&out, want); err != nil {
				t.Fatal(err)
			}
			got, err := conformance.ReadResult(out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			// JSON cannot contain bytes that are not UTF-8.
			text := cmp.Transformer("text", func(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\xFF", "\uFFFD"), "?") })
			text = cmp.FilterValues(func(a, b string) bool { return a != b && (!utf8.ValidString(a) || !utf8.ValidString(b)) }, text)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), text); diff != "" {
				t.Errorf("the result differs after a round trip (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := result.result()
			if err := JUnit(&out, r); err != nil {
				t.Fatal(err)
			}
			if result.full {
				golden(t, result.name+".xml", out.Bytes())
			}
			visible(t, out.String())
			var got junitSuites
			if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			suites := len(r.Subjects)
			if len(r.Baseline) > 0 {
				suites++
			}
			if len(got.Suites) != suites {
				t.Errorf("%d suites, want %d", len(got.Suites), suites)
			}
			for _, s := range got.Suites {
				counted := junitCounts{Tests: len(s.Cases)}
				for _, c := range s.Cases {
					for _, n := range []struct {
						is *junitText
						in *int
					}{{c.Failure, &counted.Failures}, {c.Error, &counted.Errors}, {c.Skipped, &counted.Skipped}} {
						if n.is != nil {
							*n.in++
						}
					}
				}
				if diff := cmp.Diff(counted, s.junitCounts); diff != "" {
					t.Errorf("%s: the counts are wrong (-want +got):\n%s", s.Name, diff)
				}
			}
		})
	}
}

type brokenWriter struct{}

var errFull = errors.New("no space left")

func (brokenWriter) Write([]byte) (int, error) { return 0, errFull }

// TestWriteError checks that every renderer returns the error of its writer.
func TestWriteError(t *testing.T) {
	t.Parallel()
	for name, render := range map[string]func(io.Writer, *conformance.Result) error{
		"json":  JSON,
		"jsonl": JSONL,
		"csv":   CSV,
		"ctrf":  CTRF,
		"sarif": func(w io.Writer, r *conformance.Result) error { return SARIF(w, r, Locations{}) },
		"github": func(w io.Writer, r *conformance.Result) error {
			return GitHub(w, r, nil, Locations{}, Options{}, doc.TextOptions{})
		},
		"summary": func(w io.Writer, r *conformance.Result) error { return GitHubSummary(w, r, nil, 0) },
		"junit":   JUnit,
	} {
		if err := render(brokenWriter{}, every()); !errors.Is(err, errFull) {
			t.Errorf("%s: error is %v, want %v", name, err, errFull)
		}
	}
}
