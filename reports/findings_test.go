package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// hostile holds texts that files, parsers and results from others may contain.
// They try to break out of elements, attributes, comments, code and tables.
var hostile = []string{
	`</pre></details><script>evil()</script>`, `" onmouseover="evil()`, `' onfocus='evil()`, `<img src=x onerror=evil()>`, `<b>evil</b>`,
	`{{.Evil}}`, `]]><!-- evil`, `javascript:evil()`, "| evil | ``` `x` [a](javascript:evil()) \\", "&lt;evil&gt; &#60;", "nul\x00 bell\x07 \x1b[31mred\xFF\xFE \u202Eorder",
}

// pointed returns a specification with a point, so that choices can be explained.
func pointed(t testing.TB) *spec.Data {
	t.Helper()
	var interpretations strings.Builder
	for _, name := range spec.Interpretations {
		fmt.Fprintf(&interpretations, "      %s: {choice: longest, because: It says so.}\n", name)
	}
	d, err := spec.Load(fstest.MapFS{
		"requirements/r.yaml": {Data: []byte(`document: RFC 9309
requirements:
  - {id: RFC9309-2.2.2-4, section: "2.2.2", level: MUST, layer: path-match, text: "Of <b>all</b> rules & those that | match, the longest."}
`)},
		"requirements/s.yaml": {Data: []byte(`document: 1994 standard
requirements:
  - {id: S94-9, section: "Method", level: text, layer: path-match, text: "Another document."}
`)},
		"points/p.yaml": {Data: []byte(`points:
  - id: precedence
    stage: decision
    question: Which of several <em>matching</em> rules decides?
    text: It is open.
    ambiguities: [AMB-1]
    requirements: [RFC9309-2.2.2-4, S94-9]
    choices:
      - {id: longest, means: The most specific.}
      - {id: first, means: The first in the file.}
    interpretations:
` + interpretations.String())},
		"cases/2.2.2/topic.yaml": {Data: []byte(pointedCases())},
	}, "my spec")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func pointedCases() string {
	text := "section: \"2.2.2\"\ncases:\n"
	for i := range 5 {
		text += fmt.Sprintf("  - {id: topic/case-%d, point: precedence, rationale: It differs., robots: \"User-agent: *\\nDisallow: /\\nAllow: /%d\\n\", expect: [{url: /%d, choices: {longest: allow, first: disallow}}]}\n", i, i, i)
	}
	return text
}

var foundAt = time.Date(2026, 7, 2, 9, 30, 0, 0, time.UTC)

func found(kind fuzz.Kind, lineage, detail, robots string, answers ...fuzz.SubjectAnswer) fuzz.Finding {
	f := fuzz.Finding{
		Kind: kind, Lineage: lineage, Detail: detail, Expected: spec.Disallow, Answers: answers,
		Witness: fuzz.Witness{Robots: []byte(robots), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/a"}},
		Causes:  map[string][]fuzz.Cause{}, Hits: map[string]int{}, First: foundAt, Last: foundAt.Add(time.Minute), Seed: 7, Input: 123,
	}
	for i, a := range answers {
		if a.Verdict != spec.Disallow && a.Verdict != spec.Unsupported {
			f.Hits[a.Subject] = 1000 * (i + 1)
		}
	}
	return f
}

func says(name, version, lineage string, v spec.Verdict) fuzz.SubjectAnswer {
	return fuzz.SubjectAnswer{Subject: name, Version: version, Lineage: lineage, Answer: spec.Answer{Verdict: v}}
}

// manyDeviations are more changes than a report lists.
var manyDeviations = reference.AllDeviations()

// change reads a change.
func change(text string) (c fuzz.Change) {
	if err := c.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return c
}

// foundEvery returns a finding of every kind, in the order of a store, with
// hostile texts wherever a text comes from outside.
func foundEvery() []fuzz.Finding {
	evil := strings.Join(hostile, "\n")
	reference, first := says("reference", "rfc9309", "", spec.Disallow), change("precedence=first")
	reference.Line = 2

	unexplained := found(fuzz.UnexplainedAnswer, "google", "allow instead of disallow", "User-agent: *\nDisallow: /\n"+evil,
		reference, says("google-c++", "v1", "google", spec.Allow), says("google-go", "v2", "google", spec.Disallow), says("mute", "", "", spec.Unsupported))
	unexplained.Witness.Agent, unexplained.Witness.URL = hostile[0], "http://foo.test/"+hostile[1]+hostile[10]
	unexplained.Causes["google-c++"] = nil
	unexplained.Beyond = map[string]int{"google-c++": 2000}

	crash := found(fuzz.CrashFound, hostile[1], evil, "", reference, says(hostile[0], hostile[2], hostile[1], spec.Crash), says(hostile[10], hostile[3], "", spec.Disallow))
	crash.Answers[1].Detail, crash.Answers[1].Pattern = evil, evil
	crash.Seed = 0

	timeout := found(fuzz.TimeoutFound, "slowpoke", "", strings.Repeat("Disallow: /*\n", 5000), reference, says("slowpoke", "v1", "", spec.Timeout))
	timeout.Witness.URL = "http://foo.test/" + strings.Repeat("a<b>", 20000)
	timeout.Input, timeout.Seed = 0, 0
	slow := found(fuzz.SlowFound, "slowpoke", "3 s <for> one file", strings.Repeat("x", 70000), reference, says("slowpoke", "v2", "", spec.Disallow))
	slow.Hits["slowpoke"] = 1

	one := found(fuzz.Disagreement, "", "", "User-agent: *\nDisallow: /\nAllow: /a\n", reference,
		says("google-c++", "v1", "google", spec.Allow), says("google-go", "v2", "google", spec.Allow), says("temoto", "v1.1.2", "", spec.Allow), says("slyrz", "v0", "", spec.Disallow))
	one.Cause = fuzz.Cause{first}
	one.Causes["temoto"] = []fuzz.Cause{{first}, {change("tie=disallow")}}
	one.Causes["google-c++"], one.Causes["google-go"] = []fuzz.Cause{{first}}, []fuzz.Cause{{first}}
	one.Answers[3].Line = 3
	unknown := found(fuzz.Disagreement, "", "", "User-agent: *\n", reference, says("temoto", "v1.1.2", "", spec.Allow))
	unknown.Cause = fuzz.Cause{change("markup=stripped")}
	all := []fuzz.Finding{unexplained, crash, timeout, slow, one, unknown}
	for i := range mostSets + 3 {
		set := found(fuzz.Disagreement, "", "", "User-agent: *\n", reference, says("temoto", "v1.1.2", "", spec.Allow))
		set.Cause = fuzz.Cause{first, manyDeviations[i]}
		all = append(all, set)
	}
	refusal := found(fuzz.RefusalFound, "temoto", evil, "User-agent: *\n", reference, says("temoto", "v1.1.2", "", spec.Reject))
	refusal.Answers[1].Detail = "line 1: " + evil
	return append(all, refusal)
}

// stateSources returns a run and a scan that do not quite match.
func stateSources(t testing.TB) FindingsSources {
	scan := scanned("reference", "temoto", "only <scanned>")
	scan.Natural.Choices = []fuzz.ScanChoice{{Point: "precedence", Choice: "first", Files: 812}}
	scan.Natural.ChoiceFiles = 79985
	scan.Subjects[1].Version = "v9"
	scan.Natural.Answers[1].Verdicts[spec.Crash], scan.Natural.Answers[1].Verdicts[spec.Timeout], scan.Subjects[1].Slow = 1886, 3, 20
	scan.Subjects[2].Lost = hostile[0]
	differ(scan.Natural.Pair(0, 1), 160999, exampleOf("blog.example", "FooBot", "/"), spec.Answer{}, spec.Answer{})
	result := every()
	result.Subjects[0].Name = "reference"
	return FindingsSources{
		Dir: ".state/it's here", Data: pointed(t), Root: "..", Version: "1.2.3", Scan: scan, Run: result,
		Campaign: &fuzz.CampaignRecord{Seed: 7, Inputs: 1234567, Tally: fuzz.Tally{Answers: 7654321, Deviations: 54321}, Subjects: make([]fuzz.CampaignSubject, 6)},
	}
}

var findingReports = []struct {
	name   string
	report func(testing.TB) *FindingsReport
}{
	{"every", func(t testing.TB) *FindingsReport {
		return NewFindingsReport(foundEvery(), FindingsSources{Dir: "fz", Data: pointed(t)})
	}},
	{"state", func(t testing.TB) *FindingsReport { return NewFindingsReport(foundEvery()[5:7], stateSources(t)) }},
	{"nothing", func(t testing.TB) *FindingsReport { return NewFindingsReport(nil, FindingsSources{Data: pointed(t)}) }},
}

func TestFindings(t *testing.T) {
	t.Parallel()
	for _, test := range findingReports {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.report(t)
			goldenDocument(t, "findings-"+test.name, false, func(Options) doc.Document { return Findings(r, Options{}) })
		})
	}
}

func TestFindingsJSON(t *testing.T) {
	t.Parallel()
	for _, test := range findingReports {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			want := test.report(t)
			if err := WriteJSON(&out, want); err != nil {
				t.Fatal(err)
			}
			visible(t, out.String())
			var got FindingsReport
			d := json.NewDecoder(&out)
			d.DisallowUnknownFields()
			if err := d.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, &got); diff != "" {
				t.Errorf("it differs after a round trip (-want +got):\n%s", diff)
			}
		})
	}
}

// The elements and attributes that the page may contain: any other comes from a
// text that was not escaped.
var (
	pageElements = strings.Fields("html head meta title style body h1 h2 p div table thead tbody tr th td details summary ul li a b i span code pre")
	pageAttrs    = strings.Fields("lang charset name content id class href")
	pageLinks    = []string{"#kind-", "#sets", "https://www.rfc-editor.org/rfc/rfc9309#section-", "https://www.robotstxt.org/", "https://datatracker.ietf.org/doc/html/", "../my%20spec/", "my%20spec/"}
)

// The page is well-formed, so that an XML parser sees what a browser does: no
// text has become markup, and each text is unchanged.
func TestFindingsHTML(t *testing.T) {
	t.Parallel()
	for _, test := range findingReports {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := Findings(test.report(t), Options{}).HTML(&out); err != nil {
				t.Fatal(err)
			}
			golden(t, "findings-"+test.name+".html", out.Bytes())
			visible(t, out.String())
			text := pageText(t, out.Bytes())
			for _, evil := range hostile {
				if test.name == "every" && !strings.Contains(text, doc.Printable(evil)) {
					t.Errorf("the page does not show %q", evil)
				}
			}
		})
	}
}

// pageText parses the page and returns its text.
func pageText(t *testing.T, page []byte) string {
	t.Helper()
	var text strings.Builder
	ids := map[string]bool{}
	d := xml.NewDecoder(bytes.NewReader(page))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return text.String()
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.Comment, xml.ProcInst:
			t.Errorf("the page has %q", token)
		case xml.StartElement:
			if !slices.Contains(pageElements, token.Name.Local) {
				t.Errorf("the page has an element %q", token.Name.Local)
			}
			for _, a := range token.Attr {
				if !slices.Contains(pageAttrs, a.Name.Local) {
					t.Errorf("%q has an attribute %q", token.Name.Local, a.Name.Local)
				}
				if a.Name.Local == "id" && ids[a.Value] {
					t.Errorf("%q is the id of two elements", a.Value)
				}
				ids[a.Value] = ids[a.Value] || a.Name.Local == "id"
				if a.Name.Local == "href" && !slices.ContainsFunc(pageLinks, func(begin string) bool { return strings.HasPrefix(a.Value, begin) }) {
					t.Errorf("the page leads to %q", a.Value)
				}
			}
		}
	}
}

// The page of a long campaign with many parsers stays readable.
func TestFindingsHTMLSize(t *testing.T) {
	t.Parallel()
	var findings []fuzz.Finding
	for i := range 1200 {
		var answers []fuzz.SubjectAnswer
		for k := range 30 {
			a := says(fmt.Sprintf("parser-%d", k), "v1.0.0", "", []spec.Verdict{spec.Allow, spec.Disallow}[k%2])
			a.Line = k
			answers = append(answers, a)
		}
		f := found(fuzz.Disagreement, "", "", strings.Repeat("Disallow: /\n", 40), answers...)
		f.Cause = fuzz.Cause{change("precedence=first")}
		if i >= 200 {
			f.Cause = append(f.Cause, manyDeviations[i%len(manyDeviations)], manyDeviations[i/len(manyDeviations)])
		}
		findings = append(findings, f)
	}
	var out bytes.Buffer
	if err := Findings(NewFindingsReport(findings, FindingsSources{Data: pointed(t)}), Options{}).HTML(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 2<<20 {
		t.Errorf("the page has %d octets", out.Len())
	}
	if got := strings.Count(out.String(), "<details id="); got != 200 {
		t.Errorf("%d findings are shown in full, want 200", got)
	}
	if want := "… and 900 more"; !strings.Contains(out.String(), want) {
		t.Errorf("the page does not say %q", want)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	s := stateSources(t)
	s.Campaign.Subjects[0].Name = "slyrz" // answers the witness differently, but has the choice in its fingerprint
	s.Campaign.Subjects[0].Fingerprint = fuzz.Cause{change("precedence=first")}
	s.Campaign.Subjects[1].Name = "temoto" // answers the witness this way, but makes another choice
	s.Campaign.Subjects[1].Fingerprint = fuzz.Cause{change("tie=disallow")}
	r := NewFindingsReport(foundEvery(), s)
	goldenDocument(t, "state", false, func(Options) doc.Document { return State(r, s.Campaign, 20) })
}

// The short page is short for any input.
func TestStateSize(t *testing.T) {
	t.Parallel()
	var findings []fuzz.Finding
	for _, c := range reference.AllDeviations()[:100] {
		f := found(fuzz.Disagreement, "", "", strings.Repeat("Disallow: /"+strings.Repeat(hostile[0], 20)+"\n", 40), says("reference", "rfc9309", "", spec.Disallow), says("temoto", "v1", "", spec.Allow))
		f.Causes["temoto"], f.Cause = []fuzz.Cause{{c}}, fuzz.Cause{c}
		findings = append(findings, f, found(fuzz.CrashFound, hostile[0], strings.Repeat(hostile[1], 1000), "", says("temoto", "v1", "", spec.Crash)))
	}
	sources := stateSources(t)
	sources.Data = spec.Default()
	var out bytes.Buffer
	if err := State(NewFindingsReport(findings, sources), nil, 100).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() < mostState/2 || out.Len() > mostState+100 {
		t.Errorf("the page has %d bytes, want about %d", out.Len(), mostState)
	}
	if want := "behaviours more."; !strings.Contains(out.String(), want) {
		t.Errorf("the page does not say %q", want)
	}
}

// The committed page links to files of this repository.
func TestCommittedLinks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("parsers.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\((\.\.?/[^)#]*)`).FindAllSubmatch(page, -1)
	if len(links) == 0 {
		t.Error("the page has no links to points")
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.FromSlash(string(link[1]))); err != nil {
			t.Errorf("write the page with -o reports/parsers.md, which its links are relative to: %v", err)
		}
	}
}
