package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/corpus/corpustest"
	"github.com/repcheck/repcheck/fuzz/internal/generate"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// A fileList is a source of files and errors.
type fileList struct {
	entries []any // corpus.File or error
	at      int
}

func (l *fileList) Next() (corpus.File, error) {
	if l.at == len(l.entries) {
		return corpus.File{}, io.EOF
	}
	l.at++
	switch e := l.entries[l.at-1].(type) {
	case corpus.File:
		return e, nil
	case error:
		return corpus.File{}, e
	}
	panic("neither a file nor an error")
}

// A fileTape is a fileList that can be rewound.
type fileTape struct{ fileList }

func (t *fileTape) Rewind() error { t.at = 0; return nil }

func filesOf(files []corpus.File) *fileList {
	l := &fileList{}
	for _, f := range files {
		l.entries = append(l.entries, f)
	}
	return l
}

func fileNamed(name, body string) corpus.File { return corpus.File{Name: name, Robots: []byte(body)} }

// openFake makes a subject of a function from file, agent and URL to a verdict.
func openFake(t testing.TB, info spec.SubjectInfo, timeout time.Duration, verdict func(robots, agent, url string) spec.Verdict) impl.Subject {
	t.Helper()
	s := impl.InProcess(info, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		if strings.Contains(string(robots), "bad") && info.Name == "picky" {
			return nil, errors.New("refused")
		}
		return func(agent, url string) spec.Answer {
			return spec.Answer{Verdict: verdict(string(robots), agent, url)}
		}, nil
	}, impl.InProcessOptions{Timeout: timeout})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// scanFakes are subjects that differ, crash and hang in known ways.
func scanFakes(t testing.TB) []impl.Subject {
	t.Helper()
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	info := func(name string) spec.SubjectInfo { return spec.SubjectInfo{Name: name, Lineage: "fake"} }
	return []impl.Subject{
		openFake(t, info("yes"), time.Minute, func(string, string, string) spec.Verdict { return spec.Allow }),
		openFake(t, info("root"), time.Minute, func(_, _, url string) spec.Verdict {
			if url == spec.Origin+"/" {
				return spec.Allow
			}
			return spec.Disallow
		}),
		openFake(t, info("picky"), time.Minute, func(_, _, url string) spec.Verdict {
			if strings.Contains(url, "odd") {
				return spec.Unsupported
			}
			return spec.Allow
		}),
		openFake(t, info("clumsy"), time.Minute, func(robots, _, _ string) spec.Verdict {
			if i := strings.Index(robots, "crash"); i >= 0 {
				_ = []byte{}[i]
			}
			return spec.Allow
		}),
		openFake(t, info("hasty"), 100*time.Millisecond, func(robots, _, url string) spec.Verdict {
			if strings.Contains(robots, "hang") && url == spec.Origin+"/hang" {
				<-end
			}
			return spec.Allow
		}),
	}
}

// scanTimeless compares results except for times.
var scanTimeless = cmp.Options{
	cmpopts.IgnoreFields(ScanResult{}, "Started", "Elapsed"),
	cmpopts.IgnoreFields(ScanSubject{}, "Busy", "InLibrary", "Slow", "Slowest"),
	cmpopts.EquateEmpty(),
}

func TestScan(t *testing.T) {
	t.Parallel()
	files := []corpus.File{
		fileNamed("empty", ""), // one query: Stranger for /
		fileNamed("b", "User-agent: *\nDisallow: /a"),
		fileNamed("a", "User-agent: *\nDisallow: /a"), // the same body again
		fileNamed("bad", "bad: line\n"),
		fileNamed("long-crash", "# crash later\n"),
		fileNamed("crash", "# crash\n"),
		fileNamed("hang", "Disallow: /hang"),
		fileNamed("odd", "Disallow: /odd"),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, jobs := range []int{0, 1, 8} {
		t.Run(fmt.Sprint("jobs=", jobs), func(t *testing.T) {
			rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			source := filesOf(files)
			source.entries = slices.Insert(source.entries, 2, any(&corpus.LineError{Path: "x.jsonl", Line: 7, Err: errors.New("no body")}))
			got, err := Scan(t.Context(), source, scanFakes(t), ScanOptions{Jobs: jobs, Agents: 1, URLs: 2, Queries: []QueryKind{StressQueries}, Source: "x.jsonl"})
			if err != nil {
				t.Fatal(err)
			}
			info := func(name string) spec.SubjectInfo { return spec.SubjectInfo{Name: name, Lineage: "fake"} }
			counts := func(pairs ...any) map[spec.Verdict]int64 {
				m := map[spec.Verdict]int64{}
				for i := 0; i < len(pairs); i += 2 {
					m[pairs[i].(spec.Verdict)] = int64(pairs[i+1].(int))
				}
				return m
			}
			example := func(name, body, url string) ScanExample {
				return ScanExample{File: name, Hash: fileNamed("", body).Hash(), Octets: len(body), Agent: generate.Stranger, URL: spec.Origin + url}
			}
			difference := func(e ScanExample, a, b spec.Verdict) *ScanDifference {
				d := &ScanDifference{ScanExample: e, AnswerA: spec.Answer{Verdict: a}, AnswerB: spec.Answer{Verdict: b}}
				for _, answer := range []*spec.Answer{&d.AnswerA, &d.AnswerB} {
					if answer.Verdict == spec.Reject {
						answer.Detail = "refused"
					}
				}
				return d
			}
			var (
				rule     = example("odd", "Disallow: /odd", "/odd")
				rejected = example("bad", "bad: line\n", "/")
				crash    = "panic: runtime error: index out of range […] with length # at github.com/repcheck/repcheck/fuzz.scanFakes.func"
			)
			// 12 queries: empty 1, b and a 2 each, bad, long-crash and crash 1
			// each, hang and odd 2 each; "/" 8 times and another 4 times.
			want := &ScanResult{
				Format: 2, Source: "x.jsonl", Agents: 1, URLs: 2, Sample: SampleAll,
				Files: 8, Octets: 0 + 2*26 + 10 + 14 + 8 + 15 + 14,
				Unreadable: 1, UnreadableFirst: []string{"x.jsonl:7: no body"},
				Subjects: []ScanSubject{
					{SubjectInfo: info("yes")}, {SubjectInfo: info("root")}, {SubjectInfo: info("picky")}, {SubjectInfo: info("clumsy")}, {SubjectInfo: info("hasty")},
				},
				Stress: &ScanQueries{Queries: 12, FilesDiffering: 5, Answers: []ScanAnswers{
					{Verdicts: counts(spec.Allow, 12), VerdictFiles: counts(spec.Allow, 8)},
					{Verdicts: counts(spec.Allow, 8, spec.Disallow, 4), VerdictFiles: counts(spec.Allow, 8, spec.Disallow, 4)},
					{Verdicts: counts(spec.Allow, 10, spec.Reject, 1, spec.Unsupported, 1), VerdictFiles: counts(spec.Allow, 7, spec.Reject, 1, spec.Unsupported, 1)},
					{Verdicts: counts(spec.Allow, 10, spec.Crash, 2), VerdictFiles: counts(spec.Allow, 6, spec.Crash, 2),
						Findings: []ScanFinding{{Kind: spec.Crash, Cause: crash, Files: 2, Queries: 2, Example: example("crash", "# crash\n", "/"),
							Detail: "panic: runtime error: index out of range [2] with length 0 at github.com/repcheck/repcheck/fuzz.scanFakes.func"}}},
					{Verdicts: counts(spec.Allow, 11, spec.Timeout, 1), VerdictFiles: counts(spec.Allow, 8, spec.Timeout, 1),
						Findings: []ScanFinding{{Kind: spec.Timeout, Cause: "no answer within 100ms", Files: 1, Queries: 1, Example: example("hang", "Disallow: /hang", "/hang"), Detail: "no answer within 100ms"}}},
				},
					Lineages: []ScanLineage{{Name: "fake", Subjects: []string{"yes", "root", "picky", "clumsy", "hasty"}, Split: 5}},
					Pairs: []ScanPair{
						{A: "yes", B: "root", Queries: 12, Differing: 4, Files: 8, FilesDiffering: 4, Example: difference(rule, spec.Allow, spec.Disallow)},
						{A: "yes", B: "picky", Queries: 11, Differing: 1, Files: 8, FilesDiffering: 1, Example: difference(rejected, spec.Allow, spec.Reject)},
						{A: "yes", B: "clumsy", Queries: 10, Files: 6},
						{A: "yes", B: "hasty", Queries: 11, Files: 8},
						{A: "root", B: "picky", Queries: 11, Differing: 4, Files: 8, FilesDiffering: 4, Example: difference(rejected, spec.Allow, spec.Reject)},
						{A: "root", B: "clumsy", Queries: 10, Differing: 4, Files: 6, FilesDiffering: 4, Example: difference(rule, spec.Disallow, spec.Allow)},
						{A: "root", B: "hasty", Queries: 11, Differing: 3, Files: 8, FilesDiffering: 3, Example: difference(rule, spec.Disallow, spec.Allow)},
						{A: "picky", B: "clumsy", Queries: 9, Differing: 1, Files: 6, FilesDiffering: 1, Example: difference(rejected, spec.Reject, spec.Allow)},
						{A: "picky", B: "hasty", Queries: 10, Differing: 1, Files: 8, FilesDiffering: 1, Example: difference(rejected, spec.Reject, spec.Allow)},
						{A: "clumsy", B: "hasty", Queries: 9, Files: 6},
					}},
			}
			// The line of the panic changes with every edit of this file and with
			// the compiler.
			place := cmp.Transformer("place", func(f ScanFinding) ScanFinding {
				cut := func(s string) string {
					if i := strings.Index(s, "scanFakes.func"); i >= 0 {
						s = s[:i+len("scanFakes.func")]
					}
					return s
				}
				f.Cause, f.Detail = cut(f.Cause), cut(f.Detail)
				return f
			})
			place = cmp.FilterValues(func(a, b ScanFinding) bool { return strings.Contains(a.Cause+b.Cause, "scanFakes.func") }, place)
			if diff := cmp.Diff(want, got, scanTimeless, place); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for i, s := range got.Subjects {
				if s.Busy <= 0 || !s.InLibrary {
					t.Errorf("%s: busy %v, in the library %v", s.Name, s.Busy, s.InLibrary)
				}
				for k := range got.Subjects {
					if i != k && !strings.Contains(got.Stress.Pair(i, k).A+got.Stress.Pair(i, k).B, s.Name) {
						t.Errorf("pair %d, %d is %+v", i, k, got.Stress.Pair(i, k))
					}
				}
			}
		})
	}
}

// scanCorpus returns many small files.
func scanCorpus(n int) []corpus.File {
	g := NewGenerator(5)
	files := corpus.Seeds()
	for i := range n {
		files = append(files, corpus.File{Name: fmt.Sprint("generated-", i), Robots: g.Next().Robots})
	}
	return files
}

// The result of real parsers is the same for any order and number of jobs.
func TestScanDeterministic(t *testing.T) {
	t.Parallel()
	subjects, err := subjects.Open([]string{"reference", "grobotstxt", "samclarke", "slyrz", "temoto"}, spec.Interpretations[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		defer s.Close()
	}
	files := scanCorpus(150)
	var first *ScanResult
	for _, o := range []ScanOptions{{Jobs: 1}, {Jobs: 8}, {}} {
		o.Seed, o.Agents, o.URLs, o.Queries = 3, 3, 16, []QueryKind{NaturalQueries, StressQueries}
		got, err := Scan(t.Context(), filesOf(files), subjects, o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got, scanTimeless); diff != "" {
			t.Errorf("%+v:\n%s", o, diff)
		}
		slices.Reverse(files)
	}
	differing := int64(0)
	for _, p := range first.Natural.Pairs {
		differing += p.Differing
	}
	if first.Files != int64(len(files)) || differing == 0 {
		t.Errorf("%d files, %d differing answers", first.Files, differing)
	}
	other, err := Scan(t.Context(), filesOf(files), subjects, ScanOptions{Seed: 4, Agents: 3, URLs: 16})
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(first.Natural.Pairs, other.Natural.Pairs) {
		t.Error("another seed asks the same questions")
	}
}

// scannedNames returns the bodies that a scan uses, sorted.
func scannedNames(t *testing.T, source corpus.Source, o ScanOptions) (names []string, result *ScanResult) {
	t.Helper()
	asked := make(chan string, 10_000)
	s := impl.InProcess(spec.SubjectInfo{Name: "notes"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		asked <- string(robots)
		return func(string, string) spec.Answer { return spec.Answer{Verdict: spec.Allow} }, nil
	}, impl.InProcessOptions{})
	defer s.Close()
	result, err := Scan(t.Context(), source, []impl.Subject{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	close(asked)
	for name := range asked {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, result
}

func TestScanLimit(t *testing.T) {
	t.Parallel()
	var all []corpus.File
	for i := range 1000 {
		all = append(all, fileNamed("x", fmt.Sprintf("# %03d", i/2))) // each body twice
	}
	names, r := scannedNames(t, &fileTape{*filesOf(all)}, ScanOptions{Limit: 301})
	if len(names) != 301 || r.Files != 301 || r.Sample != SampleHash {
		t.Errorf("%d files asked, %d counted, sample %q", len(names), r.Files, r.Sample)
	}
	// In a fair sample each tenth has about a tenth: 30, give or take 3 standard
	// deviations of a hypergeometric distribution.
	for i := range 10 {
		n := 0
		for _, name := range names {
			if name[2] == '0'+byte(i/2) && (name[3] >= '5') == (i%2 == 1) {
				n++
			}
		}
		if n < 15 || n > 45 {
			t.Errorf("tenth %d of the files has %d of the sample", i, n)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	again, _ := scannedNames(t, &fileTape{*filesOf(all)}, ScanOptions{Limit: 301, Jobs: 1})
	if diff := cmp.Diff(names, again); diff != "" {
		t.Errorf("another order gives another sample: %s", diff)
	}
	other, _ := scannedNames(t, &fileTape{*filesOf(all)}, ScanOptions{Limit: 301, Seed: 1})
	if cmp.Equal(names, other) {
		t.Error("another seed gives the same sample")
	}

	first, r := scannedNames(t, filesOf(all), ScanOptions{Limit: 5})
	var want []string
	for _, f := range all[:5] {
		want = append(want, string(f.Robots))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, first); diff != "" || r.Sample != SampleFirst {
		t.Errorf("sample %q: %s", r.Sample, diff)
	}

	bad := &fileTape{*filesOf(all[:3])}
	bad.entries = append([]any{&corpus.LineError{Path: "x", Err: errors.New("bad")}}, bad.entries...)
	few, r := scannedNames(t, bad, ScanOptions{Limit: 9})
	if len(few) != 3 || r.Sample != SampleAll || r.Limit != 9 || r.Unreadable != 1 {
		t.Errorf("%d files, sample %q, limit %d, %d unreadable", len(few), r.Sample, r.Limit, r.Unreadable)
	}
	none, r := scannedNames(t, &fileTape{}, ScanOptions{Limit: 9})
	if len(none) != 0 || r.Files != 0 || r.Sample != SampleAll {
		t.Errorf("%d files, sample %q", len(none), r.Sample)
	}
}

// Every corpus reader except that of standard input supports everything that a
// scan uses.
func TestScanReader(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&lines, "{\"host\":\"h%d\",\"body\":\"# %d\"}\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "c.jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: SampleHash, "-": SampleFirst} {
		r, err := corpus.Open(name, &lines)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var _ measured = r
		names, result := scannedNames(t, r, ScanOptions{Limit: 7})
		if len(names) != 7 || result.Sample != want {
			t.Errorf("%s: %d files, sample %q", name, len(names), result.Sample)
		}
	}
}

func TestScanSourceFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, limit := range []int{0, 5} {
		source := &fileTape{*filesOf(scanCorpus(3))}
		source.entries = append(source.entries, broken)
		r, err := Scan(t.Context(), source, nil, ScanOptions{Limit: limit})
		if !errors.Is(err, broken) {
			t.Errorf("limit %d: error %v", limit, err)
		}
		if r == nil || r.Interrupted || limit == 0 && r.Files == 0 {
			t.Errorf("limit %d: result %+v", limit, r)
		}
	}
}

func TestScanReal(t *testing.T) {
	t.Parallel()
	longtest.Skip(t, "the other tests scan small collections")
	path := corpustest.Real(t)
	source, err := corpus.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	subjects, err := subjects.Open([]string{impl.ReferenceName, "temoto"}, spec.Interpretations[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		defer s.Close()
	}
	r, err := Scan(context.WithoutCancel(t.Context()), source, subjects, ScanOptions{Limit: 300})
	if err != nil {
		t.Fatal(err)
	}
	if r.Files != 300 || r.Sample != SampleHash || r.Natural.Queries < 300 {
		t.Errorf("%d files, %d queries, sample %q", r.Files, r.Natural.Queries, r.Sample)
	}
	for i, s := range r.Subjects {
		for _, f := range r.Natural.Answers[i].Findings {
			t.Errorf("%s: %s of %s (%s): %s", s.Name, f.Kind, f.Example.File, f.Example.Hash, f.Detail)
		}
	}
}

// A subject that answers nothing in a whole scan is lost.
func TestScanAnswersNothing(t *testing.T) {
	t.Parallel()
	silent := func(name string, v spec.Verdict) impl.Subject {
		return openFake(t, spec.SubjectInfo{Name: name}, time.Minute, func(string, string, string) spec.Verdict { return v })
	}
	subjects := []impl.Subject{silent("allows", spec.Allow), silent("rejects", spec.Reject), silent("crashes", spec.Crash), silent("unable", spec.Unsupported)}
	files := filesOf([]corpus.File{fileNamed("a", "User-agent: *\nDisallow: /a\n")})
	r, err := Scan(t.Context(), files, subjects, ScanOptions{Agents: 1, URLs: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range r.Subjects {
		got[s.Name] = s.Lost
	}
	want := map[string]string{"allows": "", "rejects": "", "crashes": "it answered none of 1 queries", "unable": "it answered none of 1 queries"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}
