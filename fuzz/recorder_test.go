package fuzz

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A reader is a parser in the tests: it reads a file and returns the function
// that answers queries.
type reader func(robots []byte) (func(agent, url string) spec.Answer, error)

// parserOfLineage makes a subject with a code base, which may take some time.
func parserOfLineage(t *testing.T, name, lineage string, read reader) impl.Subject {
	return timedParser(t, spec.SubjectInfo{Name: name, Version: "v1", Lineage: lineage}, time.Minute, read)
}

func timedParser(t *testing.T, info spec.SubjectInfo, timeout time.Duration, read reader) impl.Subject {
	s := impl.InProcess(info, read, impl.InProcessOptions{Timeout: timeout})
	t.Cleanup(func() { s.Close() })
	return s
}

// recorderOf returns a recorder with a new directory, for subjects with those
// known fingerprints.
func recorderOf(t *testing.T, subjects []impl.Subject, fingerprints ...reference.Interpretation) *recorder {
	for len(fingerprints) < len(subjects) {
		fingerprints = append(fingerprints, reference.RFC9309())
	}
	r := newRecorder(newWorkers(subjects, 1), fingerprints, openStore(t, t.TempDir()), CampaignOptions{Seed: 7})
	return r
}

// tryInput queries the subjects about an input and records the answers.
func tryInput(ctx context.Context, r *recorder, in Input) (Tally, error) {
	answers := askAll(ctx, r.workers, in.Robots, in.Probes)
	if answers == nil {
		return Tally{}, nil
	}
	record := r.record(ctx, in, answers)
	return record.total(), record.err()
}

// try queries the subjects about a file and returns the resulting tally and all
// recorded findings.
func try(t *testing.T, r *recorder, robots string, probes ...spec.Probe) (Tally, []Finding) {
	t.Helper()
	tally, err := tryInput(t.Context(), r, Input{Number: 11, Robots: []byte(robots), Probes: probes})
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.store.List()
	if err != nil {
		t.Fatal(err)
	}
	return tally, found
}

// votes returns the votes of a finding as text.
func votes(f *Finding) string {
	var parts []string
	for _, v := range f.Votes() {
		parts = append(parts, string(v.Verdict)+": "+strings.Join(v.Subjects, " "))
	}
	return strings.Join(parts, " | ")
}

// ids returns the IDs of findings.
func ids(found []Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.ID())
	}
	return all
}

// sameTally compares tallies, ignoring the order of New.
func sameTally(t *testing.T, want, got Tally) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Error(diff)
	}
}

// seenAt ignores times and experiments, which have tests of their own.
var seenAt = cmpopts.IgnoreFields(Finding{}, "First", "Last", "Experiments")

func fooBot(path string) spec.Probe { return spec.Probe{Agent: "FooBot", URL: spec.LongURL(path)} }

// Answers that one choice explains are one finding, even if it occurs often.
func TestRecorder(t *testing.T) {
	t.Parallel()
	first := flip(reference.Precedence, reference.PrecedenceFirst)
	r := recorderOf(t, []impl.Subject{
		subject(t, "reference", reference.RFC9309()), subject(t, "first", first),
		parserOfLineage(t, "mute", "", mute),
	}, reference.RFC9309(), first)
	robots := hay(2) + "User-agent: *\nDisallow: /\nAllow: /public\n"
	probes := []spec.Probe{
		fooBot("/"), {Agent: "HayBot", URL: "http://foo.test/public"}, fooBot("/public/1"), fooBot("/public/2"), {Agent: "BarBot", URL: "http://foo.test/public"},
	}
	tally, found := try(t, r, robots, probes...)
	want := []Finding{{
		Kind: Disagreement, Cause: cause(t, "precedence=first"), Lineage: "first",
		Witness:  Witness{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /\n"), Probe: fooBot("/")},
		Expected: spec.Allow,
		Answers: []SubjectAnswer{
			{Subject: "reference", Version: "v1", Answer: spec.Answer{Verdict: spec.Allow, Line: 3, Pattern: "/"}},
			{Subject: "first", Version: "v1", Answer: spec.Answer{Verdict: spec.Disallow, Line: 2, Pattern: "/"}},
			{Subject: "mute", Version: "v1", Answer: spec.Answer{Verdict: spec.Unsupported}},
		},
		Causes: map[string][]Cause{"first": {cause(t, "precedence=first")}},
		Hits:   map[string]int{"first": 3}, Seed: 7, Input: 11,
	}}
	if diff := cmp.Diff(want, found, seenAt); diff != "" {
		t.Error(diff)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 5, Answers: 10, Disagreements: 3, Deviations: 3, Confirmed: 3, Known: 2, New: ids(want)}, tally)

	// If the fingerprint does not predict the answer, it is counted as such, once
	// experiments have refuted the first cause that would explain it.
	tally, found = try(t, r, "User-agent: FooBot\nDisallow: /a\n", fooBot("/b"))
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 2}, tally)
	r.explainer = nothingKnown(3)
	tally, again := try(t, r, robots, fooBot("/public/1"))
	if len(again) != 1 || again[0].ID() != found[0].ID() || again[0].Hits["first"] != 4 || again[0].Beyond["first"] != 1 {
		t.Errorf("%v, and once nothing is known %v", found, again)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 2, Disagreements: 1, Deviations: 1, Confirmed: 1, Known: 1}, tally)
	if refuted := r.explainer.view(1).refuted; len(refuted) == 0 || refuted[0].String() != "allow-lines=unknown" {
		t.Errorf("refuted are %v", refuted)
	}
}

// Subjects that do the same are told apart by code base.
func TestRecorderLineages(t *testing.T) {
	t.Parallel()
	first := flip(reference.Precedence, reference.PrecedenceFirst)
	read := impl.ParseReference(reference.New(first))
	r := recorderOf(t, []impl.Subject{
		parserOfLineage(t, "port1", "google", read), subject(t, "reference", reference.RFC9309()), parserOfLineage(t, "port2", "google", read), parserOfLineage(t, "own", "", read),
	}, first, reference.RFC9309(), first, first)
	tally, found := try(t, r, "User-agent: *\nDisallow: /\nAllow: /\n", fooBot("/"), fooBot("/x"))
	hits := map[string]map[string]int{}
	for _, f := range found {
		hits[f.Title()] = f.Hits
		if got, want := votes(&f), "allow: reference | disallow: own port1 port2"; got != want {
			t.Errorf("the votes are %q, want %q", got, want)
		}
	}
	if diff := cmp.Diff(map[string]map[string]int{"port1, port2: precedence=first": {"port1": 2, "port2": 2}, "own: precedence=first": {"own": 2}}, hits); diff != "" {
		t.Error(diff)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 2, Answers: 8, Disagreements: 2, Deviations: 6, Confirmed: 6, Known: 4, New: ids(found)}, tally)
}

// odd gives the reference's answers, except that it disallows any URL with "odd" in
// it if the file has the word, too.
func odd(robots []byte) (func(agent, url string) spec.Answer, error) {
	isOdd := strings.Contains(string(robots), "odd")
	answer, err := impl.ParseReference(reading.Parser(reference.RFC9309()))(robots)
	return func(agent, url string) spec.Answer {
		if isOdd && strings.Contains(url, "odd") {
			return spec.Answer{Verdict: spec.Disallow}
		}
		return answer(agent, url)
	}, err
}

// An answer that nothing explains is minimized and recorded, each witness by
// itself.
func TestRecorderUnexplained(t *testing.T) {
	t.Parallel()
	r := recorderOf(t, []impl.Subject{parserOfLineage(t, "odd", "odd-lineage", odd)})
	r.options.Look = 2
	robots := "# odd\n" + hay(2)
	tally, found := try(t, r, robots, fooBot("/a/odd"), fooBot("/b/odd"), fooBot("/even"))
	want := []Finding{{
		Kind: UnexplainedAnswer, Lineage: "odd-lineage", Detail: "disallow instead of allow", Expected: spec.Allow,
		Witness: Witness{Robots: []byte("odd\n"), Probe: fooBot("/odd")},
		Answers: []SubjectAnswer{{Subject: "odd", Version: "v1", Lineage: "odd-lineage", Answer: spec.Answer{Verdict: spec.Disallow}}},
		Causes:  map[string][]Cause{"odd": nil},
		Hits:    map[string]int{"odd": 2}, Beyond: map[string]int{"odd": 2}, Seed: 7, Input: 11,
	}}
	if diff := cmp.Diff(want, found, seenAt); diff != "" {
		t.Error(diff)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 3, Answers: 3, Deviations: 2, Unexplained: 2, Known: 1, New: ids(want)}, tally)

	// Another witness is another finding; beyond the limit of looks, answers are
	// only counted.
	tally, found = try(t, r, "User-agent: odd\nDisallow: /\n\nodd\n", spec.Probe{Agent: "BarBot", URL: "https://foo.test/odd"})
	if len(found) != 1 {
		t.Errorf("%v", found) // it is minimized to the same
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 1, Deviations: 1, Unexplained: 1, Known: 1}, tally)
	for range 8 { // ten looks at known findings count as one
		tally, _ = try(t, r, robots, fooBot("/a/odd"))
		sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 1, Deviations: 1, Unexplained: 1, Known: 1}, tally)
	}
	tally, found = try(t, r, robots, fooBot("/a/odd"), fooBot("/b/odd"))
	sameTally(t, Tally{Inputs: 1, Queries: 2, Answers: 2, Deviations: 2, Unexplained: 2, Unseen: 2}, tally)
	if len(found) != 1 || found[0].Count() != 11 {
		t.Error(found)
	}
}

// A pair that no fingerprint contains is searched for once, and known from then
// on.
func TestRecorderLearns(t *testing.T) {
	t.Parallel()
	pair := "separator=two-words keys=google"
	r := recorderOf(t, []impl.Subject{subject(t, "sloppy", interpreting(t, pair))})
	r.options.Look = 1
	robots := hay(1) + "User-agent: *\nDissallow /\n"
	tally, found := try(t, r, robots, fooBot("/a"), fooBot("/b"), fooBot("/c"))
	if len(found) != 1 {
		t.Fatal(found)
	}
	want := Finding{
		Kind: Disagreement, Cause: cause(t, pair), Lineage: "sloppy", Expected: spec.Allow, Witness: Witness{Probe: fooBot("/")},
		Causes: map[string][]Cause{"sloppy": {cause(t, pair)}},
		Hits:   map[string]int{"sloppy": 3}, Beyond: map[string]int{"sloppy": 3}, Seed: 7, Input: 11,
	}
	want.Answers = found[0].Answers
	want.Witness.Robots = found[0].Witness.Robots // it does not matter which misspelling is left
	if diff := cmp.Diff(want, found[0], seenAt); diff != "" {
		t.Error(diff)
	}
	if n := found[0].Witness.Lines(); n != 2 {
		t.Errorf("%d lines are left, want 2", n)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 3, Answers: 3, Deviations: 3, Confirmed: 3, Known: 2, New: ids(found)}, tally)
}

// Every recorded finding shows what it claims, for any generated input.
func TestRecorderGenerated(t *testing.T) {
	t.Parallel()
	fingerprints := []reference.Interpretation{
		reference.RFC9309(),
		interpreting(t, "precedence=first path-case=insensitive blank-line=ends-record"),
		interpreting(t, "separator=two-words keys=google tie=disallow agent-case=sensitive"),
		interpreting(t, "wildcards=literal line-ends=lf-only"),
	}
	var subjects []impl.Subject
	for i, in := range fingerprints {
		subjects = append(subjects, subject(t, fmt.Sprint("subject", i), in))
	}
	r := recorderOf(t, subjects, fingerprints...)
	g := NewGenerator(5)
	var total Tally
	for range 400 {
		tally, err := tryInput(t.Context(), r, g.Next())
		if err != nil {
			t.Fatal(err)
		}
		total.Add(tally)
	}
	found, err := r.store.List()
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for _, f := range found {
		hits += f.Count()
		want := reference.With(f.Cause...)
		verdict := reading.New(f.Witness.Robots).Verdict(want, f.Witness.Probe)
		shown := false
		for i, a := range f.Answers {
			if answer := reading.New(f.Witness.Robots).Verdict(fingerprints[i], f.Witness.Probe); a.Verdict != answer {
				t.Errorf("%s: %s says %s, recorded is %s", f.Title(), a.Subject, answer, a.Verdict)
			}
			shown = shown || f.Hits[a.Subject] > 0 && a.Verdict == verdict
		}
		if f.Kind != Disagreement || f.Expected != Expected(f.Witness) || verdict == f.Expected || !shown {
			t.Errorf("%s: a %s where %s is expected and the cause gives %s, of %s in\n%s", f.Title(), f.Kind, f.Expected, verdict, spec.ProbeID(f.Witness.Probe), spec.EncodeOctets(f.Witness.Robots))
		}
		if n := f.Witness.Lines(); n > 6 {
			t.Errorf("%s: %d lines are left of\n%s", f.Title(), n, spec.EncodeOctets(f.Witness.Robots))
		}
	}
	// A mixture of causes counts for each of them.
	if answers := total.Confirmed + total.Proposed; hits < answers || answers != total.Deviations || total.Known+len(total.New) != answers || len(total.New) != len(found) || total.Explained() != 1 {
		t.Errorf("%d hits of %d findings; %+v", hits, len(found), total)
	}
	if len(found) < 8 || hits == total.Deviations {
		t.Errorf("%d findings, and no mixture of them", len(found))
	}
	t.Logf("%d findings, %d departures", len(found), hits)
}

// Goroutines share a recorder; a finding that two encounter at the same time is
// recorded once.
func TestRecorderConcurrently(t *testing.T) {
	t.Parallel()
	const goroutines, each = 4, 25
	first := flip(reference.Precedence, reference.PrecedenceFirst)
	r := recorderOf(t, []impl.Subject{subject(t, "reference", reference.RFC9309()), subject(t, "first", first), subject(t, "sloppy", interpreting(t, "separator=two-words keys=google"))},
		reference.RFC9309(), first)
	robots := []byte("User-agent: *\nDisallow: /\nAllow: /public\n\nUser-agent: BarBot\nDissallow /\n")
	probes := []spec.Probe{fooBot("/public/1"), {Agent: "BarBot", URL: "http://foo.test/public"}}
	r.explainer.Learn(2, cause(t, "separator=two-words keys=google"))
	var mu sync.Mutex
	var total Tally
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				tally, err := tryInput(t.Context(), r, Input{Robots: robots, Probes: probes})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				total.Add(tally)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	found, err := r.store.List()
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	const n = goroutines * each
	whole := total // how many are met while the causes are tested is random
	whole.Confirmed, whole.Proposed = total.Confirmed+total.Proposed, 0
	sameTally(t, Tally{
		Inputs: n, Queries: 2 * n, Answers: 6 * n, Disagreements: 2 * n, Deviations: 2 * n, Confirmed: 2 * n, Known: 2*n - 2, New: ids(found),
	}, whole)
	for _, f := range found {
		if f.Count() != n {
			t.Errorf("%s: %d hits, want %d", f.Title(), f.Count(), n)
		}
	}
}

// If time runs out, a finding is neither called unsteady nor recorded without its
// answers.
func TestRecorderInterrupted(t *testing.T) {
	t.Parallel()
	first := flip(reference.Precedence, reference.PrecedenceFirst)
	r := recorderOf(t, []impl.Subject{subject(t, "first", first)}, first)
	in := Input{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /\n"), Probes: []spec.Probe{fooBot("/"), fooBot("/x")}}
	ctx, cancel := context.WithCancel(t.Context())
	answers := askAll(ctx, r.workers, in.Robots, in.Probes)
	cancel()
	tally, err := tryInput(ctx, r, in)
	if err != nil {
		t.Error(err)
	}
	sameTally(t, Tally{}, tally)
	record := r.record(ctx, in, answers)
	if tally = record.total(); record.err() != nil {
		t.Error(record.err())
	}
	sameTally(t, Tally{Inputs: 1}, tally)

	// ctx ends while the first answer is minimized.
	ctx, cancel = context.WithCancel(t.Context())
	r.workers = newWorkers([]impl.Subject{&cancelling{Subject: r.workers[0].Subject, cancel: cancel}}, 1)
	record = r.record(ctx, in, answers)
	if tally = record.total(); record.err() != nil {
		t.Error(record.err())
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 1, Deviations: 1, Proposed: 1}, tally)
	if found, err := r.store.List(); err != nil || len(found) != 0 {
		t.Errorf("%v is recorded, %v", found, err)
	}
}

// Time may run out while all other subjects are queried about a new finding; then
// it is left to be found again.
func TestRecorderInterruptedLast(t *testing.T) {
	t.Parallel()
	first := flip(reference.Precedence, reference.PrecedenceFirst)
	ctx, cancel := context.WithCancel(t.Context())
	r := recorderOf(t, []impl.Subject{subject(t, "first", first), &cancelling{Subject: subject(t, "second", first), cancel: cancel}}, first, first)
	in := Input{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /\n"), Probes: []spec.Probe{fooBot("/")}}
	if err := r.record(ctx, in, [][]spec.Answer{{{Verdict: spec.Disallow}, {}}}).err(); err != nil {
		t.Error(err)
	}
	if found, err := r.store.List(); err != nil || len(found) != 0 || ctx.Err() == nil {
		t.Errorf("%v is recorded, %v", found, err)
	}
	if _, found := try(t, r, string(in.Robots), in.Probes...); len(found) != 2 || found[0].Hits["first"]+found[1].Hits["first"] != 2 {
		t.Errorf("%+v", found)
	}
}

// A cancelling subject ends the campaign when it is queried.
type cancelling struct {
	impl.Subject
	cancel func()
}

func (c *cancelling) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	c.cancel()
	return c.Subject.Ask(ctx, robots, probes)
}

// A finding that cannot be stored is an error, and the others are stored.
func TestRecorderCannotKeep(t *testing.T) {
	t.Parallel()
	in := interpreting(t, "precedence=first path-case=insensitive")
	r := recorderOf(t, []impl.Subject{subject(t, "both", in)}, in)
	broken := Finding{Kind: Disagreement, Cause: cause(t, "precedence=first"), Lineage: "both"}
	file := filepath.Join(r.store.dir, broken.ID()+".json")
	if err := os.WriteFile(file, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	robots := "User-agent: *\nDisallow: /\nAllow: /public\n\nUser-agent: BarBot\nDisallow: /A\n"
	tally, err := tryInput(t.Context(), r, Input{Robots: []byte(robots), Probes: []spec.Probe{fooBot("/public"), {Agent: "BarBot", URL: "http://foo.test/a"}}})
	if err != nil {
		t.Error(err)
	}
	if err := r.store.Flush(); err == nil || !strings.Contains(err.Error(), file+" is broken") {
		t.Error(err)
	}
	kept := Finding{Kind: Disagreement, Cause: cause(t, "path-case=insensitive"), Lineage: "both"}
	sameTally(t, Tally{Inputs: 1, Queries: 2, Answers: 2, Deviations: 2, Confirmed: 1, Proposed: 1, Known: 1, New: []string{kept.ID()}}, tally)
	if f, err := openStore(t, r.store.dir).Get(kept.ID()); err != nil || f.Cause.String() != kept.Cause.String() {
		t.Error(f, err)
	}
}

func TestTallyAdd(t *testing.T) {
	t.Parallel()
	a := Tally{
		Inputs: 1, Queries: 2, Answers: 3, Disagreements: 4, Deviations: 20, Confirmed: 6, Proposed: 9, Refuted: 2, Unexplained: 3, Unseen: 8,
		Crashes: 10, Timeouts: 11, Refusals: 12, Unsteady: 13, Known: 14, New: []string{"a"},
	}
	sum := a
	sum.Add(a)
	want := Tally{
		Inputs: 2, Queries: 4, Answers: 6, Disagreements: 8, Deviations: 40, Confirmed: 12, Proposed: 18, Refuted: 4, Unexplained: 6, Unseen: 16,
		Crashes: 20, Timeouts: 22, Refusals: 24, Unsteady: 26, Known: 28, New: []string{"a", "a"},
	}
	sameTally(t, want, sum)
	if got := sum.Explained(); got != 0.75 {
		t.Errorf("explained are %v, want 0.75", got)
	}
	if got := new(Tally).Explained(); got != 1 {
		t.Errorf("of nothing, %v is explained, want 1", got)
	}
}

func TestRecorderInterruptedIsSteady(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := recorderOf(t, []impl.Subject{&cancelling{Subject: parserOfLineage(t, "odd", "", odd), cancel: cancel}})
	in := Input{Robots: []byte("odd\n"), Probes: []spec.Probe{fooBot("/odd")}}
	tally := r.record(ctx, in, [][]spec.Answer{{{Verdict: spec.Disallow}}}).total()
	if tally.Unsteady != 0 {
		t.Errorf("%+v", tally)
	}
}

// Another goroutine learns the pair while this one has found no explanation.
func TestRecorderLearnedMeanwhile(t *testing.T) {
	pair := "separator=two-words keys=google"
	r := recorderOf(t, []impl.Subject{subject(t, "sloppy", interpreting(t, pair))})
	in := Input{Robots: []byte("User-agent: *\nDissallow /\n"), Probes: []spec.Probe{fooBot("/")}}
	record := &inputRecord{Input: in, reading: reading.New(in.Robots), each: make([]Tally, 1)}
	tally := &record.each[0]
	o := &observation{inputRecord: record, tally: tally, probe: in.Probes[0], answer: spec.Answer{Verdict: spec.Disallow}, expected: spec.Allow}
	f, _ := r.explain(o)
	r.explainer.Learn(0, cause(t, pair))
	r.lookInto(t.Context(), o, f)
	if tally.Unsteady != 0 || tally.Deviations != 1 || tally.Confirmed != 1 {
		t.Errorf("%+v", tally)
	}
}
