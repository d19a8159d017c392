package reports

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

var stopCommands = regexp.MustCompile(`(?s)\A::stop-commands::([A-Z0-9]{26})\n(.*)\n::([A-Z0-9]{26})::\n(.*)\z`)

// writeGitHub splits the output of a step into the report and the annotations.
func writeGitHub(t *testing.T, r *conformance.Result, l Locations) (report string, annotations []string) {
	t.Helper()
	var out bytes.Buffer
	if err := GitHub(&out, r, nil, l, Options{}, doc.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	m := stopCommands.FindStringSubmatch(out.String())
	if m == nil || m[1] != m[3] || strings.Contains(m[2], m[1]) {
		t.Fatalf("the report is not between commands that stop and resume commands:\n%s", out.String())
	}
	return m[2], strings.Split(strings.TrimSuffix(m[4], "\n"), "\n")
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	report, got := writeGitHub(t, every(), Locations{})
	var text bytes.Buffer
	if err := Run(every(), nil, Options{}).Text(&text, doc.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text.String(), report); diff != "" {
		t.Errorf("the report is not that of Run (-want +got):\n%s", diff)
	}
	golden(t, "every.github", []byte(strings.Join(got, "\n")+"\n"))
	if report, got := writeGitHub(t, fine(), Locations{}); report == "" || !cmp.Equal(got, []string{""}) {
		t.Errorf("a run without failures has the annotations %q", got)
	}
}

func TestGitHubLimit(t *testing.T) {
	t.Parallel()
	_, ten := writeGitHub(t, failures(10), Locations{})
	if last := ten[len(ten)-1]; len(ten) != 10 || !strings.HasPrefix(last, "::warning file=spec/cases/2.2.2/topic.yaml,line=3,title=temoto%3A topic/case-0 ") {
		t.Errorf("%d annotations, the last is %s: want 10, the last for the case that does not count", len(ten), last)
	}
	_, many := writeGitHub(t, failures(1000), Locations{})
	if last := many[len(many)-1]; len(many) != 10 || last != "::error title=repcheck::991 further problems: see the job summary and the log" {
		t.Errorf("%d annotations, the last is %s: want 10, the last for all others", len(many), last)
	}
}

// TestAnnotation checks that characters which would end a property, a message or
// the command are escaped.
func TestAnnotation(t *testing.T) {
	t.Parallel()
	got := annotation("error", "a,b:c%.txt", 3, "x: y, z\r\n::error::no", "100%\r\n::error::no\x1b[2J")
	want := "::error file=a%2Cb%3Ac%25.txt,line=3,title=x%3A y%2C z␍ %3A%3Aerror%3A%3Ano::100%25␍%0A::error::no⟦U+001B⟧[2J\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("annotation (-want +got):\n%s", diff)
	}
}

func TestFitSummary(t *testing.T) {
	t.Parallel()
	const text = "## Title\n\ntext\n\n### One\n\n```\n# code\n```\n\n### Two\n\nmore text that goes on and on, and on and on, and on and on\n"
	note := "\nThe rest does not fit into 1 MiB; the log has it.\n"
	for _, test := range []struct {
		name string
		room int64
		want string
	}{
		{"all", int64(len(text)) + 1, text},
		{"two of three", int64(len(text)), "## Title\n\ntext\n\n### One\n\n```\n# code\n```\n" + note},
		{"none", 10, note},
		{"full already", -5, note},
	} {
		if diff := cmp.Diff(test.want, string(fitSummary([]byte(text), test.room))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
