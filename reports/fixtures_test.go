package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// specification returns a small specification, so that golden files do not depend
// on the embedded one.
func specification(t *testing.T) *spec.Data {
	t.Helper()
	requirement := func(id, section, text string) string {
		return fmt.Sprintf("  - {id: %s, section: %q, level: MUST, layer: path-match, text: %q}\n", id, section, text)
	}
	d, err := spec.Load(fstest.MapFS{
		"requirements/r.yaml": {Data: []byte("document: RFC 9309\nrequirements:\n" +
			requirement("RFC9309-2.2.2-4", "2.2.2", "Of the rules that match, the one with the most octets is the one that is used.") +
			requirement("RFC9309-2.2.2-18", "2.2.2", "Where no rule matches, the URI is allowed | whatever `else` the file says.") +
			requirement("RFC9309-ABNF-NL", "2.2", "A line ends with CR, LF or CRLF."))},
		"points/p.yaml": {Data: []byte("points: []\n")},
		"cases/2.2.2/topic.yaml": {Data: []byte(`section: "2.2.2"
cases:
  - {id: topic/one, requirements: [RFC9309-2.2.2-4], level: MUST, rationale: It follows., robots: "", expect: [{url: /a, verdict: allow}]}
`)},
	}, "my")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func check(agent, path string, status conformance.Status, want, got spec.Verdict) conformance.Check {
	return conformance.Check{
		Probe: spec.Probe{Agent: agent, URL: spec.LongURL(path)}, Status: status, Want: want, Got: spec.Answer{Verdict: got},
	}
}

func pass(path string) conformance.Check {
	return check("FooBot", path, conformance.Pass, spec.Allow, spec.Allow)
}

func known(path, reason string) conformance.Check {
	c := check("FooBot", path, conformance.Known, spec.Allow, spec.Disallow)
	c.Reason = reason
	return c
}

// repaired is a check that passes although the baseline lists it.
func repaired(path, reason string) conformance.Check {
	c := check("FooBot", path, conformance.Pass, spec.Allow, spec.Allow)
	c.Baseline, c.Reason = spec.Disallow, reason
	return c
}

// leftOpen is a check without an answer, because the subject was lost.
func leftOpen(path string) conformance.Check {
	return check("FooBot", path, conformance.Broken, spec.Allow, spec.ProtocolError)
}

func fail(path string, line int, why string) conformance.Check {
	c := check("FooBot", path, conformance.Fail, spec.Allow, spec.Disallow)
	c.WantLine, c.Why = line, why
	return c
}

func outcome(subject string, checks ...conformance.Check) conformance.Outcome {
	o := conformance.Outcome{Subject: subject, Checks: checks}
	for _, c := range checks {
		o.Status = max(o.Status, c.Status)
	}
	return o
}

func subject(name, version string) conformance.SubjectResult {
	return conformance.SubjectResult{
		SubjectInfo: spec.SubjectInfo{Name: name, Package: "example.org/" + name, Version: version, Language: "go"},
		Queries:     1200, Elapsed: 31 * time.Millisecond,
	}
}

// sameQueries gives all outcomes of a case the queries of the first that failed,
// because a run sends the same queries to all subjects.
func sameQueries(outcomes []conformance.Outcome) {
	failed := max(0, slices.IndexFunc(outcomes, func(o conformance.Outcome) bool { return o.Status >= conformance.Fail }))
	for _, o := range outcomes {
		for k := range o.Checks {
			from, to := &outcomes[failed].Checks[k], &o.Checks[k]
			to.Probe, to.Want, to.WantLine = from.Probe, from.Want, from.WantLine
			if to.Status == conformance.Pass {
				to.Got.Verdict = from.Want
			}
		}
	}
}

// finish fills in the counts as Run does.
func finish(r *conformance.Result) *conformance.Result {
	at := newDigest(r).at
	for i := range r.Subjects {
		r.Subjects[i].Answered = 0
		r.Subjects[i].Checks = map[conformance.Status]int{}
		r.Subjects[i].Levels = map[spec.Level]conformance.Tally{}
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Pos = fmt.Sprintf("spec/cases/%s/%s.yaml:%d", c.Section, strings.Split(c.ID, "/")[0], 10*i+3)
		sameQueries(c.Outcomes)
		for _, o := range c.Outcomes {
			s := &r.Subjects[at[o.Subject]]
			for _, check := range o.Checks {
				s.Checks[check.Status]++
				if v := check.Got.Verdict; v.Decided() || v == spec.Reject {
					s.Answered++
				}
				if check.Status == conformance.Pass || check.Status >= conformance.Known {
					t := s.Levels[c.Level]
					t.Total++
					if check.Status == conformance.Pass {
						t.Pass++
					}
					s.Levels[c.Level] = t
				}
			}
		}
	}
	return r
}

func run(subjects ...conformance.SubjectResult) *conformance.Result {
	return &conformance.Result{
		Format: conformance.ResultFormat, Version: "v0.1.0", Command: []string{"repcheck", "run"},
		Started: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), Elapsed: 310 * time.Millisecond,
		Interpretation: "rfc9309", CaseSet: "1a2b3c4d5e6f", FailOn: spec.Should, Subjects: subjects,
	}
}

func judging(id, section string, level spec.Level, requirements ...string) conformance.CaseResult {
	return conformance.CaseResult{ID: id, Section: section, Level: level, Requirements: requirements,
		Rationale: "The rule with the most octets decides, whatever its place in the group."}
}

// fine is a run in which nothing is wrong.
func fine() *conformance.Result {
	r := run(subject("temoto", "v1.1.2"))
	c := judging("precedence/longest-wins", "2.2.2", spec.Must, "RFC9309-2.2.2-4", "RFC9309-2.2.2-18")
	c.Outcomes = []conformance.Outcome{outcome("temoto", pass("/a"), pass("/b"))}
	r.Cases = append(r.Cases, c)
	return finish(r)
}

// every is a run with every kind of outcome.
func every() *conformance.Result {
	adapter := subject("python-urllib", "3.13.2")
	adapter.Library = 9 * time.Millisecond
	adapter.Faults = []string{"a line on stdout that is no answer: \"\x1b[31mhello\x1b[0m\"", "answer 7 came twice"}
	adapter.Lost = "the process ended 3 times in a row: exit status 1; its stderr ends:\nTraceback:\n\tFile \"a.py\", line 1\x1b[0m\nKeyError: 'x'"
	r := run(subject("temoto", "v1.1.2"), adapter, subject("samclarke", "v0.0.0-20171127213916-2817654b7988"))

	longest := judging("precedence/longest-wins", "2.2.2", spec.Must, "RFC9309-2.2.2-4", "RFC9309-2.2.2-18")
	longest.Robots = "User-agent: FooBot\nDisallow: /\nAllow: /a\n"
	crash := check("FooBot", "/c", conformance.Fail, spec.Disallow, spec.Crash)
	crash.Got.Detail = "runtime error: index out of range [3] with length 3\ngoroutine 1 [running]:\n\tmain.go:12 +0x1d" + strings.Repeat("\nframe", 9)
	crash.WantLine, crash.Why = 2, "line 2 decides: disallow /"
	first := fail("/a/b", 3, "line 3 decides: allow /a, more specific than line 2 (2 octets against 1)")
	first.Causes = []string{"precedence=first", "path-case=insensitive or path-case=unknown"}
	old := known("/a/b", "the first rule that matches wins, as in 1996")
	old.Causes = []string{"precedence=first"}
	fixed := repaired("/a/b", "the first rule that matches wins, as in 1996")
	fixed.WantLine, fixed.Why = 3, "line 3 decides: allow /a, more specific than line 2 (2 octets against 1)"
	changed := crash
	changed.Baseline, changed.Reason = spec.Allow, "the last rule wins"
	longest.Outcomes = []conformance.Outcome{
		outcome("temoto", first, pass("/b"), changed),
		outcome("python-urllib", old, pass("/b"), pass("/c")),
		outcome("samclarke", fixed, pass("/b"), pass("/c")),
	}

	ends := judging("lines/odd-octets", "2.2", spec.Must, "RFC9309-ABNF-NL")
	ends.Rationale = "A lone CR ends a line too."
	ends.Robots = spec.EncodeOctets([]byte("\xEF\xBB\xBFUser-agent: FooBot\rDisallow: /\r\n\r\nAllow: /\xFF\x00\u2028|`x`  \n```\n# 中文 ]]> <&\n"))
	odd := check("Foo\x00Bot\xFF ", "/a\xFF b\n|`c`", conformance.Fail, spec.Allow, spec.Reject)
	odd.Got.Detail = "invalid \x1b[2J UTF-8 ]]> | `x` \uFFFE"
	odd.WantLine, odd.Why = 4, "line 4 decides: allow /\xFF\x00\u2028|`x`"
	unsupported := check("FooBot", "/x", conformance.Skipped, spec.Allow, spec.Unsupported)
	unsupported.Got.Detail = "no room for an empty agent"
	ends.Outcomes = []conformance.Outcome{
		outcome("temoto", odd),
		outcome("python-urllib", check("FooBot", "/x", conformance.Pass, spec.Allow, spec.Allow)),
		outcome("samclarke", unsupported),
	}

	may := judging("limits/half-a-megabyte", "2.5", spec.May, "RFC9309-2.5-2")
	may.Rationale = "A parser may stop after 500 kibibytes, and one that does not is no worse for it, so that this tells what it does and asks for nothing."
	may.Robots = strings.Repeat("# padding\n", 100) + "User-agent: *\n" + strings.Repeat("x", 3000) + "…"
	may.Outcomes = []conformance.Outcome{
		outcome("temoto", pass("/a")),
		outcome("python-urllib", pass("/a")),
		outcome("samclarke", fail("/"+strings.Repeat("long/", 100), 102, "line 102 decides: allow /"+strings.Repeat("x", 3000))),
	}

	unscored := judging("google/shortened-url", "2.2.2", spec.Should, "RFC9309-2.2.2-21")
	notScored := check("FooBot", "/a", conformance.NotScored, "", spec.Allow)
	unscored.Outcomes = []conformance.Outcome{outcome("temoto", notScored), outcome("python-urllib", notScored), outcome("samclarke", notScored)}

	lost := judging("agents/case", "2.2.1", spec.Should, "RFC9309-2.2.1-3")
	gone := check("FooBot", "/a", conformance.Broken, spec.Allow, spec.ProtocolError)
	gone.Got.Detail = "the process ended 3 times in a row: exit status 1"
	lost.Outcomes = []conformance.Outcome{outcome("temoto", pass("/a")), outcome("python-urllib", gone), outcome("samclarke", pass("/a"))}

	classified := func(choices ...string) conformance.Check {
		c := check("FooBot", "/a", conformance.Classified, "", spec.Allow)
		c.Choices = choices
		return c
	}
	unjudged := gone
	unjudged.Want = ""
	open := conformance.CaseResult{ID: "open-groups/blank-line", Section: "2.1", Point: "blank-line", Rationale: "The grammar lets a blank line stand anywhere.",
		Outcomes: []conformance.Outcome{
			outcome("temoto", classified("end-group", "keep")), outcome("python-urllib", unjudged), outcome("samclarke", classified()),
		}}

	empty := judging("example/empty-file", "2.1", spec.Must, "RFC9309-2.1-1")
	empty.Rationale = "A file without groups forbids nothing."
	empty.Outcomes = []conformance.Outcome{
		outcome("temoto", pass("/")), outcome("python-urllib", pass("/")),
		outcome("samclarke", fail("/", 0, "no group names the crawler and there is no group for *")),
	}
	passed := judging("paths/prefix", "2.2.2", spec.Must, "RFC9309-2.2.2-9")
	passed.Outcomes = []conformance.Outcome{outcome("temoto", pass("/")), outcome("python-urllib", pass("/")), outcome("samclarke", pass("/"))}
	passed.Outcomes[0].Checks[0].Got.Slow = true

	r.Cases = []conformance.CaseResult{longest, ends, may, unscored, lost, open, empty, passed}
	r.Baseline = []conformance.BaselineProblem{
		{Kind: "stale", Pos: "conformance/baselines/samclarke.yaml:12", Subject: "samclarke", Case: "precedence/longest-wins", Expectation: "FooBot /a/b",
			Message: `precedence/longest-wins, "FooBot /a/b" passes now: run again with --baseline conformance/baselines/samclarke.yaml --prune-baseline to drop the entry`},
		{Kind: "stale", Pos: "conformance/baselines/temoto.yaml:9", Subject: "temoto", Case: "precedence/longest-wins", Expectation: "FooBot /c",
			Message: `precedence/longest-wins, "FooBot /c": the answer is crash now, the baseline knows allow`},
		{Kind: "expired", Pos: "conformance/baselines/temoto.yaml:4", Subject: "temoto",
			Message: "the entry expired on 2026-06-30 (fixed upstream): fix the parser and delete the entry, or set a later day"},
	}
	r.Subjects[0].Explained, r.Subjects[1].Explained = 1, 1
	r.Subjects[0].Causes = []conformance.Cause{{Choice: "path-case=insensitive", Or: []string{"path-case=unknown"}, Failures: 1}, {Choice: "precedence=first", Failures: 1}}
	r.Subjects[1].Causes = []conformance.Cause{{Choice: "precedence=first", Failures: 1, Known: 1}}
	r.Notes = []string{"conformance/baselines/slyrz.yaml knows slyrz v0.0.0-2014*, not v0.0.0-20150806122829-7ebb2b6fc59f: its entries are not applied"}
	return finish(r)
}

// crowd is a run of twenty subjects, some with long names, and many failures.
func crowd() *conformance.Result {
	r := run()
	for i := range 20 {
		name := fmt.Sprintf("subject-%d", i+1)
		if i%5 == 4 {
			name = fmt.Sprintf("rust-crate-with-a-name-that-goes-on-%d", i+1)
		}
		r.Subjects = append(r.Subjects, subject(name, ""))
	}
	for k := range 12 {
		c := judging(fmt.Sprintf("precedence/case-%d", k+1), "2.2.2", spec.Must, fmt.Sprintf("RFC9309-2.2.2-%d", 12-k))
		c.Robots = "User-agent: FooBot\nDisallow: /\nAllow: /a\n"
		for i := range r.Subjects {
			verdict := pass("/a")
			switch {
			case i == 2:
				verdict = fail("/a", 3, "line 3 decides: allow /a")
			case (i+k)%7 == 0:
				verdict = known("/a", "first rule wins")
			}
			c.Outcomes = append(c.Outcomes, outcome(r.Subjects[i].Name, verdict, pass("/b")))
		}
		r.Cases = append(r.Cases, c)
	}
	return finish(r)
}
