package fuzz

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// mute supports no query.
func mute([]byte) (func(agent, url string) spec.Answer, error) {
	return func(string, string) spec.Answer { return spec.Answer{Verdict: spec.Unsupported} }, nil
}

// A crash is identified by its code base and its message, without the parts that
// differ from file to file.
func TestRecorderCrash(t *testing.T) {
	t.Parallel()
	panics := func(robots []byte) (func(agent, url string) spec.Answer, error) {
		rules := strings.Count(string(robots), "/")
		return func(_, url string) spec.Answer {
			if strings.Contains(url, "crash") && rules > 1 {
				panic(fmt.Sprintf("%d rules", rules))
			}
			if strings.Contains(url, "fall") {
				panic("fallen")
			}
			return spec.Answer{Verdict: spec.Allow}
		}, nil
	}
	r := recorderOf(t, []impl.Subject{subject(t, "reference", reference.RFC9309()), parserOfLineage(t, "port1", "port", panics), parserOfLineage(t, "port2", "port", panics)})
	robots := "User-agent: BarBot\nDisallow: /a\nDisallow: /b\nDisallow: /c\n"
	tally, found := try(t, r, robots, fooBot("/x/crash"), fooBot("/y"), fooBot("/x/fall"), fooBot("/crash"))
	if len(found) != 2 {
		t.Fatal(found)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 4, Answers: 12, Crashes: 6, Known: 4, New: ids(found)}, tally)
	want := map[string]struct {
		hits    map[string]int
		witness Witness
	}{
		"rules":  {map[string]int{"port1": 2, "port2": 2}, Witness{Robots: []byte("Disallow: /\nDisallow: /\n"), Probe: fooBot("/crash")}},
		"fallen": {map[string]int{"port1": 1, "port2": 1}, Witness{Probe: fooBot("/fall")}},
	}
	for _, f := range found {
		for word, want := range want {
			if !strings.Contains(f.Detail, word) {
				continue
			}
			if diff := cmp.Diff(want.hits, f.Hits); diff != "" || f.Kind != CrashFound || f.Lineage != "port" || f.Expected != spec.Allow {
				t.Errorf("%+v: %s", f, diff)
			}
			if diff := cmp.Diff(want.witness, f.Witness, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if got, want := votes(&f), "allow: reference | crash: port1 port2"; got != want {
				t.Errorf("the votes are %q, want %q", got, want)
			}
		}
	}
	if strings.Contains(found[0].Detail+found[1].Detail, "3 rules") {
		t.Errorf("the number of rules is in %q or %q", found[0].Detail, found[1].Detail)
	}
	// Another file with other numbers shows nothing new.
	tally, found = try(t, r, robots+robots, fooBot("/crash"))
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 3, Crashes: 2, Known: 2}, tally)
	if len(found) != 2 {
		t.Error(found)
	}
}

// The witness of a crash or a refusal shows that one, even if smaller files show
// another.
func TestRecorderKeepsDetail(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{CrashFound, RefusalFound} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			fails := parserOfLineage(t, "fails", "", func(robots []byte) (func(agent, url string) spec.Answer, error) {
				detail := "short of input"
				if strings.Contains(string(robots), "needle") {
					detail = "found the needle"
				}
				if kind == RefusalFound {
					return nil, errors.New(detail)
				}
				panic(detail)
			})
			_, found := try(t, recorderOf(t, []impl.Subject{fails}), hay(1)+"needle and thread\n"+hay(1), fooBot("/"))
			if len(found) != 1 || found[0].Kind != kind || !strings.Contains(found[0].Detail, "found the needle") ||
				!strings.Contains(string(found[0].Witness.Robots), "needle") || found[0].Witness.Lines() != 1 {
				t.Errorf("%+v", found)
			}
		})
	}
}

// A hang is neither minimized nor queried again: every step would take the time
// again.
func TestRecorderHang(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	var asked atomic.Int64
	hangs := timedParser(t, spec.SubjectInfo{Name: "hangs"}, 50*time.Millisecond, func([]byte) (func(agent, url string) spec.Answer, error) {
		return func(string, string) spec.Answer { asked.Add(1); <-stop; return spec.Answer{} }, nil
	})
	r := recorderOf(t, []impl.Subject{subject(t, "reference", reference.RFC9309()), hangs})
	robots := hay(3)
	tally, found := try(t, r, robots, fooBot("/a/b"))
	want := []Finding{{
		Kind: TimeoutFound, Lineage: "hangs", Expected: spec.Allow, Witness: Witness{Robots: []byte(robots), Probe: fooBot("/a/b")},
		Causes: map[string][]Cause{}, Hits: map[string]int{"hangs": 1}, Seed: 7, Input: 11,
	}}
	if diff := cmp.Diff(want, found, seenAt, cmpopts.IgnoreFields(Finding{}, "Answers")); diff != "" {
		t.Error(diff)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 2, Timeouts: 1, New: ids(found)}, tally)
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times: what all say is known from the first", n)
	}
	if got, want := votes(&found[0]), "allow: reference | timeout: hangs"; got != want {
		t.Errorf("the votes are %q, want %q", got, want)
	}
}

// A file that took long is a separate finding, which is not minimized either.
func TestRecorderSlow(t *testing.T) {
	t.Parallel()
	r := recorderOf(t, []impl.Subject{subject(t, "a", reference.RFC9309()), subject(t, "b", reference.RFC9309())})
	robots := hay(2)
	in := Input{Number: 11, Robots: []byte(robots), Probes: []spec.Probe{fooBot("/a/b"), fooBot("/c")}}
	record := r.record(t.Context(), in, askAll(t.Context(), r.workers, in.Robots, in.Probes))
	r.recordSlow(t.Context(), record, 1)
	r.recordSlow(t.Context(), record, 1)
	if err := record.err(); err != nil {
		t.Fatal(err)
	}
	found, err := r.store.List()
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	f := found[0]
	if f.Kind != SlowFound || f.Lineage != "b" || string(f.Witness.Robots) != robots || f.Witness.Probe != in.Probes[0] || f.Hits["b"] != 2 || f.Expected != spec.Allow {
		t.Errorf("%+v", f)
	}
	r.recordSlow(t.Context(), r.record(t.Context(), Input{Robots: in.Robots}, nil), 0) // without a query there is nothing to record
	if found, err := r.store.List(); err != nil || len(found) != 1 {
		t.Error(found, err)
	}
}

// A refusal is a separate finding, unless a choice of the reference makes it
// refuse the file, too.
func TestRecorderRefusal(t *testing.T) {
	t.Parallel()
	refuses := parserOfLineage(t, "strict", "", func(robots []byte) (func(agent, url string) spec.Answer, error) {
		if i := strings.Index(string(robots), "/"); i >= 0 {
			return nil, fmt.Errorf("slash at %d", i)
		}
		return func(string, string) spec.Answer { return spec.Answer{Verdict: spec.Allow} }, nil
	})
	r := recorderOf(t, []impl.Subject{subject(t, "reference", reference.RFC9309()), refuses})
	tally, found := try(t, r, hay(1)+"User-agent: BarBot\nAllow: /bar\n", fooBot("/"), fooBot("/x"))
	want := []Finding{{
		Kind: RefusalFound, Lineage: "strict", Detail: "slash at #", Expected: spec.Allow,
		Witness: Witness{Robots: []byte("Allow:/\n"), Probe: fooBot("/")},
		Answers: []SubjectAnswer{
			{Subject: "reference", Version: "v1", Answer: spec.Answer{Verdict: spec.Allow}},
			{Subject: "strict", Version: "v1", Answer: spec.Answer{Verdict: spec.Reject, Detail: "slash at 6"}},
		},
		Causes: map[string][]Cause{}, Hits: map[string]int{"strict": 2}, Seed: 7, Input: 11,
	}}
	if diff := cmp.Diff(want, found, seenAt); diff != "" {
		t.Error(diff)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 2, Answers: 4, Refusals: 2, Known: 1, New: ids(found)}, tally)

	tally, found = try(t, r, "Disallow: /a\nUser-agent: *\n", fooBot("/"))
	if len(found) != 2 || found[0].Kind != Disagreement || found[0].Cause.String() != "orphan-rules=reject-file" {
		t.Fatal(found)
	}
	if diff := cmp.Diff(map[string]int{"strict": 1}, found[0].Beyond); diff != "" {
		t.Error(diff)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 2, Refusals: 1, New: []string{found[0].ID()}}, tally)
}

// A moody subject gives another answer when it gets one query alone.
type moody struct {
	impl.Subject
	verdict spec.Verdict
	alone   atomic.Int64 // how often it got a query alone
}

func (m *moody) Ask(_ context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	for i := range answers {
		answers[i].Verdict = m.verdict
	}
	if len(probes) == 1 {
		m.alone.Add(1)
		answers[0].Verdict = spec.Allow
	}
	return answers
}

// An answer that a subject does not repeat is not recorded; after three attempts
// the recorder stops trying.
func TestRecorderUnsteady(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, robots string
		verdict      spec.Verdict
		want         Tally // for one of the queries, while it is tried
		after        Tally // afterwards
		tries        int
	}{
		{
			"explained", "User-agent: *\nDisallow: /\nAllow: /\n", spec.Disallow,
			Tally{Deviations: 1, Proposed: 1, Unsteady: 1}, Tally{Deviations: 1, Proposed: 1, Unsteady: 1}, maxAttempts,
		},
		{"a crash", "", spec.Crash, Tally{Crashes: 1, Unsteady: 1}, Tally{Crashes: 1, Unsteady: 1}, maxAttempts},
		{"a refusal", "", spec.Reject, Tally{Refusals: 1, Unsteady: 1}, Tally{Refusals: 1, Unsteady: 1}, maxAttempts},
		// The finding is unknown until its witness is minimized, so only the limit
		// of looks applies.
		{"unexplained", "", spec.Disallow, Tally{Unsteady: 1}, Tally{Deviations: 1, Unexplained: 1, Unseen: 1}, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &moody{Subject: subject(t, "moody", reference.RFC9309()), verdict: tt.verdict}
			r := recorderOf(t, []impl.Subject{m})
			r.options.Look = 5
			for i := range tt.tries + 2 {
				// The second query is recorded as not sent.
				in := Input{Robots: []byte(tt.robots), Probes: []spec.Probe{fooBot("/a"), fooBot("/b")}}
				answers := askAll(t.Context(), r.workers, in.Robots, in.Probes)
				answers[1][0] = spec.Answer{}
				record := r.record(t.Context(), in, answers)
				if err := record.err(); err != nil {
					t.Fatal(err)
				}
				got := record.total()
				want := tt.want
				if i >= tt.tries {
					want = tt.after
				}
				want.Inputs, want.Queries, want.Answers = 1, 2, 1
				sameTally(t, want, got)
			}
			if n := m.alone.Load(); n != int64(tt.tries) {
				t.Errorf("asked alone %d times, want %d", n, tt.tries)
			}
			if found, err := r.store.List(); err != nil || len(found) != 0 {
				t.Errorf("%v is recorded, %v", found, err)
			}
		})
	}
}

func TestRecorderSlowIsNew(t *testing.T) {
	r := recorderOf(t, []impl.Subject{subject(t, "a", reference.RFC9309())})
	in := Input{Robots: []byte(hay(1)), Probes: []spec.Probe{fooBot("/")}}
	record := r.record(t.Context(), in, askAll(t.Context(), r.workers, in.Robots, in.Probes))
	r.recordSlow(t.Context(), record, 0)
	if len(record.total().New) != 1 {
		t.Errorf("of all %v, of the subject %v", record.total().New, record.each[0].New)
	}
}
