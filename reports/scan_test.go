package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

func scanned(names ...string) *fuzz.ScanResult {
	r := &fuzz.ScanResult{
		Format: fuzz.ScanFormat, Seed: 1, Agents: 5, URLs: 40, Sample: fuzz.SampleAll,
		Started: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), Elapsed: 83400 * time.Millisecond,
		Files: 79990, Octets: 123024695, Natural: &fuzz.ScanQueries{Queries: 2435967},
	}
	q := r.Natural
	for i, name := range names {
		r.Subjects = append(r.Subjects, fuzz.ScanSubject{
			SubjectInfo: spec.SubjectInfo{Name: name, Version: "v1.0.0", Language: "go"},
			Busy:        3 * time.Second, InLibrary: true,
		})
		q.Answers = append(q.Answers, fuzz.ScanAnswers{
			Verdicts:     map[spec.Verdict]int64{spec.Allow: 924401, spec.Disallow: 1511566},
			VerdictFiles: map[spec.Verdict]int64{spec.Allow: 79349, spec.Disallow: 67709},
		})
		for _, other := range names[i+1:] {
			q.Pairs = append(q.Pairs, fuzz.ScanPair{A: name, B: other, Queries: 2435967, Files: 79990})
		}
	}
	return r
}

func exampleOf(name, agent, url string) fuzz.ScanExample {
	return fuzz.ScanExample{File: name, Hash: "0123456789ab", Octets: 2345,
		Agent: spec.EncodeOctets([]byte(agent)), URL: spec.EncodeOctets([]byte(url))}
}

// differ makes the pair differ in n queries, with an example.
func differ(p *fuzz.ScanPair, n int64, e fuzz.ScanExample, a, b spec.Answer) {
	p.Differing, p.FilesDiffering = n, (n+19)/20
	p.Example = &fuzz.ScanDifference{ScanExample: e, AnswerA: a, AnswerB: b}
}

// scanEvery returns a scan with every kind of outcome.
func scanEvery() *fuzz.ScanResult {
	r := scanned("reference", "temoto", "grobotstxt", "python-urllib")
	q := r.Natural
	r.Source, r.Sample, r.Limit, r.Interrupted = "robots.jsonl.gz", fuzz.SampleFirst, 100000, true
	r.Unreadable = 1234
	for i := range 5 {
		r.UnreadableFirst = append(r.UnreadableFirst, fmt.Sprintf("robots.jsonl.gz:%d: there is no body: give it as \"body_base64\", \x1b[2J or as text in \"body\"", i+7))
	}
	r.Subjects[1].Lineage, r.Subjects[2].Lineage = "google", "google"
	allow, disallow := spec.Answer{Verdict: spec.Allow}, spec.Answer{Verdict: spec.Disallow, Line: 12, Pattern: "/*"}
	reject := spec.Answer{Verdict: spec.Reject, Detail: "line 7: \x1b[31mno crawl-delay\x1b[0m, " + strings.Repeat("and so on, ", 9) + "\nsecond line"}
	differ(q.Pair(0, 1), 160999, exampleOf("blog.example", "FooBot", "http://foo.test/a?b=c&d=*"), allow, disallow)
	differ(q.Pair(0, 2), 160998, exampleOf("a/b c|`d`\x00.txt", "Foo'Bot\x00", "http://foo.test/\xFF'\\"), allow, reject)
	differ(q.Pair(0, 3), 940001, exampleOf("long.example", "FooBot", "http://foo.test/"+strings.Repeat("long/", 100)+"end"), disallow, allow)
	differ(q.Pair(1, 2), 7, exampleOf("café.example", "FooBot", "http://foo.test/a b"), reject, allow)
	q.Pair(1, 3).Queries, q.Pair(1, 3).Files = 0, 0
	q.Lineages = []fuzz.ScanLineage{
		{Name: "reference", Subjects: []string{"reference"}, Queries: 2400000, Against: 101, Alone: 100, Files: 79000, FilesAgainst: 12},
		{Name: "google", Subjects: []string{"temoto", "grobotstxt"}, Queries: 2399993, Against: 160998, Split: 7, Files: 78999, FilesAgainst: 8000},
		{Name: "python-robotparser", Subjects: []string{"python-urllib"}, Queries: 2400000, Against: 940001, Alone: 900000, Files: 79000, FilesAgainst: 47000},
	}

	q.FilesDiffering, q.FilesDisagreeing, q.CauseFiles = 47100, 47001, 79600
	for i, c := range []fuzz.ScanCause{
		{Point: "tie", Choice: "first", Subjects: []fuzz.ScanCauseSubject{{Name: "temoto", Files: 40000}, {Name: "grobotstxt", Files: 17}}},
		{Lineage: "python-robotparser", Subjects: []fuzz.ScanCauseSubject{{Name: "python-urllib", Files: 12000}}},
	} {
		c.Files, c.Queries = int64(40001/(i+1)), 99999
		c.Example = fuzz.ScanWitness{ScanExample: exampleOf("cause.example", "Googlebot", "http://foo.test/a"),
			Verdicts: map[string]spec.Verdict{"reference": spec.Allow, "temoto": spec.Disallow, "grobotstxt": spec.Disallow, "python-urllib": spec.Allow}}
		q.Causes = append(q.Causes, c)
	}
	for i := range 10 {
		q.Causes = append(q.Causes, fuzz.ScanCause{Point: "point", Choice: fmt.Sprintf("choice-%d", i), Files: 1, Queries: 2, Subjects: []fuzz.ScanCauseSubject{{Name: "temoto", Files: 1}},
			Example: fuzz.ScanWitness{ScanExample: exampleOf("cause.example", "Foo'Bot\x00", "http://foo.test/\xFF"), Verdicts: map[string]spec.Verdict{"temoto": spec.Reject, "reference": spec.Allow}}})
	}

	q.ChoiceFiles = 79000
	for i, c := range []fuzz.ScanChoice{{Point: "precedence", Choice: "first"}, {Point: "tie", Choice: "disallow"}, {Point: "line-ends", Choice: "lf-only"}} {
		q.Choices = append(q.Choices, fuzz.ScanChoice{Point: c.Point, Choice: c.Choice, Files: int64(i%2*2400 + i*30)})
	}
	for i := range 22 {
		q.Choices = append(q.Choices, fuzz.ScanChoice{Point: "point", Choice: fmt.Sprintf("choice-%d", i), Files: 1})
	}

	s, answers := &r.Subjects[1], &q.Answers[1]
	answers.Verdicts = map[spec.Verdict]int64{spec.Allow: 924401, spec.Disallow: 1511566, spec.Reject: 9528, spec.Crash: 1886, spec.Timeout: 1, spec.Unsupported: 31}
	for i := range 7 {
		answers.Findings = append(answers.Findings, fuzz.ScanFinding{Kind: spec.Crash, Files: int64(i + 1), Queries: 1000 * int64(i+1),
			Cause:   fmt.Sprintf("panic: runtime error: slice bounds out of range […] at github.com/temoto/robotstxt.(*Group).Test (robotstxt.go:%d)", 100+i),
			Example: exampleOf(fmt.Sprintf("crash-%d.example", i), "FooBot", "http://foo.test/a"), Detail: "panic"})
	}
	answers.FindingsDropped = true
	s.Slow, s.Slowest = 20, &fuzz.ScanSlow{Example: exampleOf("slow.example", "", ""), Took: 3456 * time.Millisecond}

	s, answers = &r.Subjects[3], &q.Answers[3]
	s.InLibrary, s.Busy = false, 90*time.Second
	answers.Verdicts = map[spec.Verdict]int64{spec.Allow: 1, spec.ProtocolError: 2}
	answers.Findings = []fuzz.ScanFinding{{Kind: spec.ProtocolError, Files: 1, Queries: 2, Cause: "a line that is no answer: \x1b[31m|`x`",
		Example: exampleOf("x.example", "FooBot", "http://foo.test/"+strings.Repeat("x", 70))}}
	for i := range 7 {
		s.Faults = append(s.Faults, fmt.Sprintf("answer %d came twice", i))
	}
	s.Lost, answers.Unasked = "the process ended 3 times in a row: exit status 1", 2435964

	few := scanned("reference", "temoto", "grobotstxt", "python-urllib").Natural
	few.Queries, few.FilesDiffering, few.FilesDisagreeing = 1000, 20, 20
	few.Answers[2].Verdicts = map[spec.Verdict]int64{spec.Allow: 1000}
	r.Stress = few
	return r
}

// scanCrowd returns a scan of twenty subjects, some with long names.
func scanCrowd() *fuzz.ScanResult {
	var names []string
	for i := range 20 {
		name := fmt.Sprintf("subject-%d", i+1)
		if i%5 == 4 {
			name = fmt.Sprintf("rust-crate-with-a-name-that-goes-on-%d", i+1)
		}
		names = append(names, name)
	}
	r := scanned(names...)
	for i := range r.Natural.Pairs {
		if i%7 > 0 {
			differ(&r.Natural.Pairs[i], int64(i*i*40+1), exampleOf(fmt.Sprintf("host-%d.example", i), "FooBot", "http://foo.test/a"),
				spec.Answer{Verdict: spec.Allow}, spec.Answer{Verdict: spec.Disallow, Line: i})
		}
	}
	return r
}

var scans = []struct {
	name   string
	result func() *fuzz.ScanResult
}{
	{"every", scanEvery},
	{"crowd", scanCrowd},
	{"alike", func() *fuzz.ScanResult { r := scanned("reference", "temoto"); r.Sample = fuzz.SampleHash; return r }},
	{"one", func() *fuzz.ScanResult { return scanned("reference") }},
	{"nothing", func() *fuzz.ScanResult { return &fuzz.ScanResult{} }},
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, result := range scans {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			goldenDocument(t, "scan-"+result.name, result.name == "every", func(o Options) doc.Document { return Scan(result.result(), o) })
		})
	}
}

func TestScanJSON(t *testing.T) {
	t.Parallel()
	for _, result := range scans {
		var out bytes.Buffer
		want := result.result()
		if err := WriteJSON(&out, want); err != nil {
			t.Fatal(err)
		}
		var got fuzz.ScanResult
		d := json.NewDecoder(&out)
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("%s differs after a round trip (-want +got):\n%s", result.name, diff)
		}
	}
}

// A shell turns the quoted word back into the original bytes.
func TestShellWord(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	for _, word := range []string{"FooBot", "", "a b", "http://x.test/?a=b&c=$d*", "it's", `back\slash`, "back\\' \xFF\n\x1b!`x`", "café", "ツ's"} {
		quoted := shellWord(word)
		if doc.Printable(quoted) != quoted || strings.Contains(quoted, "\n") {
			t.Errorf("%q is quoted as %q, which cannot be seen", word, quoted)
		}
		out, err := exec.Command(bash, "-c", "printf %s "+quoted).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is quoted as %s and becomes %q, %v", word, quoted, out, err)
		}
	}
}

// A shell prints the original bytes of the word.
func TestPrintfWord(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	for _, octets := range []string{"", "User-agent: *\nDisallow: /\n", "a%b%%\\n'\"$x`y`!", "\x00\xFF\x007é\r\n", "-n"} {
		word := printfWord([]byte(octets))
		visible(t, word)
		out, err := exec.Command(sh, "-c", "printf "+word).Output()
		if err != nil || string(out) != octets {
			t.Errorf("%q is written %s and becomes %q, %v", octets, word, out, err)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		part, of int64
		want     string
	}{{0, 0, "–"}, {0, 9, "0"}, {1, 20001, "<0.01"}, {1, 20000, "0.01"}, {1, 3, "33.33"}, {9, 9, "100.00"}} {
		if got := percent(test.part, test.of); got != test.want {
			t.Errorf("percent(%d, %d) = %s, want %s", test.part, test.of, got, test.want)
		}
	}
}
