package fuzz

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// causesScan scans files with known fingerprints, which takes no search.
func causesScan(t *testing.T, files []corpus.File, subjects []impl.Subject, fingerprints ...Cause) *ScanQueries {
	t.Helper()
	s := newScan(filesOf(files), subjects, ScanOptions{Causes: true, Agents: 1, Jobs: 1, Queries: []QueryKind{NaturalQueries, StressQueries}})
	s.fingerprints = fingerprints
	if err := s.run(t.Context(), func(uint64) bool { return true }); err != nil {
		t.Fatal(err)
	}
	r := s.finish(t.Context())
	if r.Stress.Causes != nil || r.Stress.CauseFiles != 0 {
		t.Errorf("stress queries have causes: %+v", r.Stress.Causes)
	}
	return r.Natural
}

// TestScanCauses checks that a cause is the choice of the parser, counted for each
// file, and that answers that its fingerprint does not explain are counted for its
// lineage.
func TestScanCauses(t *testing.T) {
	t.Parallel()
	first := reference.With(Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst})
	subjects := []impl.Subject{
		subject(t, "rfc9309", reference.RFC9309()), subject(t, "first", first), subject(t, "unknown", first),
	}
	files := []corpus.File{
		fileNamed("agree.test", "User-agent: *\nDisallow: /\n"),
		fileNamed("long.test", "User-agent: *\nDisallow: /\nAllow: /a\nAllow: /b\n"),
		fileNamed("short.test", "User-agent: *\nDisallow: /\nAllow: /a\n"),
	}
	got := causesScan(t, files, subjects, nil, first.Deviations(), nil)
	example := ScanWitness{
		ScanExample: ScanExample{File: "short.test", Hash: files[2].Hash(), Octets: len(files[2].Robots), Agent: "Googlebot", URL: spec.Origin + "/a"},
		Verdicts:    map[string]spec.Verdict{"rfc9309": spec.Allow, "first": spec.Disallow, "unknown": spec.Disallow},
	}
	want := []ScanCause{
		{Point: "precedence", Choice: "first", Files: 2, Queries: 3, Subjects: []ScanCauseSubject{{"first", 2}}, Example: example},
		{Lineage: "unknown", Files: 2, Queries: 3, Subjects: []ScanCauseSubject{{"unknown", 2}}, Example: example},
	}
	if diff := cmp.Diff(want, got.Causes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.CauseFiles != 3 || got.FilesDiffering != 2 || got.FilesDisagreeing != 2 {
		t.Errorf("%d files examined, %d differ, %d disagree, want 3, 2 and 2", got.CauseFiles, got.FilesDiffering, got.FilesDisagreeing)
	}
}

// Parsers of one lineage that differ do not disagree, and have no cause.
func TestScanCausesOneLineage(t *testing.T) {
	t.Parallel()
	say := func(name string, v spec.Verdict) impl.Subject {
		return openFake(t, spec.SubjectInfo{Name: name, Lineage: "fake"}, 0, func(string, string, string) spec.Verdict { return v })
	}
	files := []corpus.File{fileNamed("a", "User-agent: *\nDisallow: /a\n")}
	got := causesScan(t, files, []impl.Subject{say("yes", spec.Allow), say("no", spec.Disallow)}, nil, nil)
	if got.Causes != nil || got.FilesDiffering != 1 || got.FilesDisagreeing != 0 {
		t.Errorf("%d files differ, %d disagree because of %+v, want 1 and 0", got.FilesDiffering, got.FilesDisagreeing, got.Causes)
	}
}

// A parser that gives no verdict has no part in a cause.
func TestScanCausesUnanswered(t *testing.T) {
	t.Parallel()
	say := func(lineage string, v spec.Verdict) impl.Subject {
		return openFake(t, spec.SubjectInfo{Name: lineage, Lineage: lineage}, 0, func(string, string, string) spec.Verdict { return v })
	}
	files := []corpus.File{fileNamed("a", "User-agent: *\nDisallow: /a\n")}
	got := causesScan(t, files, []impl.Subject{say("yes", spec.Allow), say("no", spec.Disallow), say("none", spec.Unsupported)}, nil, nil, nil)
	for _, c := range got.Causes {
		for _, s := range c.Subjects {
			if s.Name == "none" {
				t.Errorf("cause %+v", c)
			}
		}
	}
	if len(got.Causes) == 0 {
		t.Error("no cause")
	}
}

// TestScanWhy: what four choices of a fingerprint give together is not unexplained.
func TestScanWhy(t *testing.T) {
	t.Parallel()
	four := cause(t, "separator=two-words keys=google path-case=insensitive tie=disallow")
	s := &scan{fingerprints: []Cause{four}, result: ScanResult{Subjects: make([]ScanSubject, 1)}}
	keys := s.why(reading.New([]byte("User-agent: *\nDissallow /A\nAllow: /A\n")), 0, fooBot("/a"), spec.Disallow)
	if len(keys) != len(four) {
		t.Errorf("causes %+v, want the four choices", keys)
	}
}

// TestScanFingerprints checks that Scan finds the choices by itself.
func TestScanFingerprints(t *testing.T) {
	t.Parallel()
	first := reference.With(Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst})
	subjects := []impl.Subject{subject(t, "rfc9309", reference.RFC9309()), subject(t, "first", first)}
	files := []corpus.File{fileNamed("a", "User-agent: *\nDisallow: /\nAllow: /a\n")}
	var progress []ScanProgress
	r, err := Scan(t.Context(), filesOf(files), subjects, ScanOptions{Causes: true, Progress: func(p ScanProgress) { progress = append(progress, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Subjects[1].Fingerprint, first.Deviations()) || len(r.Natural.Causes) != 1 || r.Natural.Causes[0].Choice != "first" {
		t.Errorf("fingerprint %v, causes %+v", r.Subjects[1].Fingerprint, r.Natural.Causes)
	}
	if last := progress[len(progress)-1]; last.Fingerprints != 2 || last.Subjects != 2 {
		t.Errorf("%+v", last)
	}
}

// TestScanKinds checks that the kinds are counted apart, and each as without the
// other.
func TestScanKinds(t *testing.T) {
	t.Parallel()
	scanned := func(kinds ...QueryKind) *ScanResult {
		subjects := []impl.Subject{yesMan(t), subject(t, "rfc9309", reference.RFC9309())}
		r, err := Scan(t.Context(), filesOf(scanCorpus(20)), subjects, ScanOptions{Queries: kinds})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	both := scanned(NaturalQueries, StressQueries)
	natural, stress := scanned(), scanned(StressQueries)
	if natural.Stress != nil || stress.Natural != nil {
		t.Error("a kind was asked that was not selected")
	}
	if diff := cmp.Diff(both.Natural, natural.Natural); diff != "" {
		t.Errorf("natural queries with and without the others:\n%s", diff)
	}
	if diff := cmp.Diff(both.Stress, stress.Stress); diff != "" {
		t.Errorf("stress queries with and without the others:\n%s", diff)
	}
	if cmp.Equal(both.Natural.Queries, both.Stress.Queries) {
		t.Error("the kinds are not told apart")
	}
}
