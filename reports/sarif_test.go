package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // for its schema
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

func writeSARIF(t *testing.T, r *conformance.Result, l Locations) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := SARIF(&out, r, l); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sarifSchema is the official schema of SARIF 2.1.0, which the module go-sarif
// contains as an unexported constant.
var sarifSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	literal := file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit)
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", value); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// A sarifRun is the part of a log that the tests read.
type sarifRun struct {
	Tool struct {
		Driver struct {
			Rules []struct{ ID string }
		}
	}
	Invocations []struct {
		Notifications []struct{ Message sarifText } `json:"toolExecutionNotifications"`
	}
	Results []struct {
		RuleID, Level string
		RuleIndex     int
		Message       sarifText
		Fingerprints  map[string]string `json:"partialFingerprints"`
	}
}

type sarifText struct{ Text string }

// readSARIF validates a log against the official schema and returns its run.
func readSARIF(t *testing.T, text []byte) sarifRun {
	t.Helper()
	schema, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	var log struct{ Runs []sarifRun }
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0]
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			text := writeSARIF(t, result.result(), Locations{})
			visible(t, string(text))
			run := readSARIF(t, text)
			if result.full {
				var indented bytes.Buffer
				if err := json.Indent(&indented, text, "", "  "); err != nil {
					t.Fatal(err)
				}
				golden(t, result.name+".sarif", indented.Bytes())
			}
			seen := map[string]bool{}
			for _, found := range run.Results {
				print := found.Fingerprints["primaryLocationLineHash"]
				if print == "" || seen[print] {
					t.Errorf("fingerprint %q of %q is missing or not unique", print, found.Message.Text)
				}
				seen[print] = true
				if rule := run.Tool.Driver.Rules[found.RuleIndex]; rule.ID != found.RuleID {
					t.Errorf("rule %s has the index of %s", found.RuleID, rule.ID)
				}
			}
		})
	}
}

// failures returns a result in which one parser fails n cases, the first of them
// at a level that does not count.
func failures(n int) *conformance.Result {
	r := run(subject("temoto", "v1.1.2"))
	for i := range n {
		c := conformance.CaseResult{
			ID: fmt.Sprintf("topic/case-%d", i), Section: "2.2.2", Level: spec.Must, Requirements: []string{"RFC9309-2.2.2-4"},
			Outcomes: []conformance.Outcome{outcome("temoto", fail("/"+strings.Repeat("é", 300), 2, "it follows"))},
		}
		if i == 0 {
			c.Level = spec.May
		}
		r.Cases = append(r.Cases, c)
	}
	return finish(r)
}

// TestSARIFLimits writes more results than a code host accepts.
func TestSARIFLimits(t *testing.T) {
	t.Parallel()
	text := writeSARIF(t, failures(26_000), Locations{})
	if len(text) > 10_000_000 {
		t.Errorf("the log has %d bytes, hosts take 10 MB", len(text))
	}
	run := readSARIF(t, text)
	if len(run.Results) != sarifResults {
		t.Errorf("%d results, want %d", len(run.Results), sarifResults)
	}
	if level := run.Results[0].Level; level != "error" {
		t.Errorf("the first result is a %s, want an error", level)
	}
	want := "21,000 results left out: code hosts show 5,000 of a run"
	if got := run.Invocations[0].Notifications[0].Message.Text; got != want {
		t.Errorf("the notification says %q, want %q", got, want)
	}
}

// TestSARIFFingerprint checks that a failure keeps its fingerprint when the
// parser, its answer and the file of the case change.
func TestSARIFFingerprint(t *testing.T) {
	t.Parallel()
	before, after := failures(2), failures(2)
	after.Subjects[0].Version = "v2"
	after.Cases[1].Pos = "spec/cases/other.yaml:99"
	after.Cases[1].Outcomes[0].Checks[0].Got.Verdict = spec.Crash
	prints := func(r *conformance.Result) (all []string) {
		for _, found := range readSARIF(t, writeSARIF(t, r, Locations{})).Results {
			all = append(all, found.Fingerprints["primaryLocationLineHash"])
		}
		return all
	}
	if diff := cmp.Diff(prints(before), prints(after)); diff != "" {
		t.Errorf("the fingerprints changed (-before +after):\n%s", diff)
	}
}

func TestLocations(t *testing.T) {
	t.Parallel()
	f := newDigest(failures(2)).subjects[0].unexpected[1]
	changed := *f.c
	changed.ID, changed.Transform = "topic/case-1+line-ends-crlf", "line-ends-crlf"
	transformed := f
	transformed.c = &changed
	for _, test := range []struct {
		name      string
		locations Locations
		failure   failure
		want      string
	}{
		{"case file", Locations{}, f, "spec/cases/2.2.2/topic.yaml:13"},
		{"robots root", Locations{"testdata/robots/"}, f, "testdata/robots/topic/case-1.txt:2"},
		{"transformed", Locations{"robots"}, transformed, "robots/topic/case-1.txt:1"},
	} {
		file, line := test.locations.of(&test.failure)
		if got := fmt.Sprintf("%s:%d", file, line); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestFileURI(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"spec/cases/2.2/a b#.yaml": "spec/cases/2.2/a%20b%23.yaml",
		"a:b":                      "./a:b",
		"/tmp/é.yaml":              "file:///tmp/%C3%A9.yaml",
	} {
		if got := fileURI(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
