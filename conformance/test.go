package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// UpdateVariable is the environment variable that makes [TestBaseline] rewrite
// its baseline. Its value is the reason for the failures that are added.
const UpdateVariable = "REPCHECK_UPDATE_BASELINE"

// Test runs every case on the subject as a subtest, for the tests of a parser
// written in Go. A failure of the level FailOn or above (MUST and SHOULD by
// default) that the Baseline of the options does not list fails its subtest. A
// case that judges nothing is skipped with the reason: one that classifies an
// open point, is not scored or is not supported, a known failure, and a failure
// below FailOn. A baseline problem and a lost subject fail the test. The last
// line of the log sums up. Test does not close the subject.
func Test(t *testing.T, subject impl.Subject, o Options) {
	t.Helper()
	o.remedy = byHand
	test(t, subject, o)
}

// TestBaseline is [Test] with the known failures in the file or folder at path.
// An entry that no longer holds fails the test. To write the baseline, run the
// test with [UpdateVariable] set to a reason, then edit the reasons.
func TestBaseline(t *testing.T, subject impl.Subject, path string, o Options) {
	t.Helper()
	o.remedy = inGoTest(t.Name())
	reason := os.Getenv(UpdateVariable)
	known, err := LoadBaseline(path)
	switch {
	case err == nil:
		o.Baseline = known
	case !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	case reason == "":
		t.Fatalf("%v: write it with %s='first run' go test", err, UpdateVariable)
	}
	if reason == "" {
		test(t, subject, o)
		return
	}
	r := run(t.Context(), subject, o)
	update, err := UpdateBaseline(path, reason, r)
	if errors.Is(err, ErrNoReason) {
		t.Fatalf("%s is blank: set it to the reason for the new failures", UpdateVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s", path, update)
	reportLost(t, r)
}

// byHand is the [remedy] for a baseline that the caller of [Test] made.
func byHand(_ string, drop bool) string {
	if drop {
		return "delete this line"
	}
	return "correct this line"
}

// inGoTest returns the [remedy] for [TestBaseline] in the test of that name.
func inGoTest(name string) remedy {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	command := fmt.Sprintf("run %s='why' go test -run '%s'", UpdateVariable, strings.Join(parts, "/"))
	return func(_ string, drop bool) string {
		if drop {
			return command + " to drop the entry"
		}
		return command + " to change the entry"
	}
}

func run(ctx context.Context, subject impl.Subject, o Options) *Result {
	data := spec.Default()
	return Run(ctx, data, data.Cases, []impl.Subject{subject}, o)
}

func test(t *testing.T, subject impl.Subject, o Options) {
	t.Helper()
	r := run(t.Context(), subject, o)
	for i := range r.Cases {
		c := &r.Cases[i]
		t.Run(c.ID, func(t *testing.T) { testCase(t, c, r) })
	}
	for _, p := range r.Baseline {
		t.Error(p)
	}
	reportLost(t, r)
	t.Log(summary(r))
}

func reportLost(t *testing.T, r *Result) {
	t.Helper()
	if s := &r.Subjects[0]; s.Lost != "" {
		t.Errorf("%s was lost: %s", s.Name, s.Lost)
	}
}

func testCase(t *testing.T, c *CaseResult, r *Result) {
	out := &c.Outcomes[0]
	switch kind := caseKind(c, r); kind {
	case casePassed:
	case caseFailed:
		t.Error(describe(c))
	case caseExcused:
		t.Skipf("%s: %s is below %s\n%s", kind, c.Level, r.FailOn, describe(c))
	case caseClassified:
		t.Skipf("classifies %s: %s", c.Point, details(out, func(check *Check) string {
			choices := strings.Join(check.Choices, " or ")
			if choices == "" {
				choices = "no choice"
			}
			return fmt.Sprintf("%s fits %s", spec.ProbeID(check.Probe), choices)
		}))
	case caseKnown:
		t.Skipf("%s: %s", kind, details(out, func(check *Check) string { return check.Reason }))
	case caseUnsupported:
		t.Skipf("%s: %s", kind, details(out, func(check *Check) string { return check.Got.Detail }))
	default:
		t.Skip(kind)
	}
}

// The kinds of cases that [summary] counts.
const (
	casePassed      = "passed"
	caseFailed      = "failed"
	caseExcused     = "failed below the level that counts"
	caseKnown       = "known failure"
	caseUnsupported = "unsupported"
	caseClassified  = "on open points"
	caseUnscored    = "not scored"
)

var caseKinds = []string{casePassed, caseFailed, caseExcused, caseKnown, caseUnsupported, caseClassified, caseUnscored}

func caseKind(c *CaseResult, r *Result) string {
	switch status := c.Outcomes[0].Status; {
	case status == Pass:
		return casePassed
	case c.Point != "":
		return caseClassified
	case status >= Fail && c.Level.Weight() >= r.FailOn.Weight():
		return caseFailed
	case status >= Fail:
		return caseExcused
	case status == Known:
		return caseKnown
	case status == Skipped:
		return caseUnsupported
	}
	return caseUnscored
}

// summary says in one line what the run of one subject found.
func summary(r *Result) string {
	s := &r.Subjects[0]
	counts := map[string]int{}
	for i := range r.Cases {
		counts[caseKind(&r.Cases[i], r)]++
	}
	var parts []string
	for _, kind := range caseKinds {
		if counts[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
		}
	}
	return fmt.Sprintf("%s: %d of %d queries answered; %d cases: %s", strings.TrimSpace(s.Name+" "+s.Version),
		s.Answered, s.Queries, len(r.Cases), strings.Join(parts, ", "))
}

// details joins what is said of the checks that have the status of the
// outcome, each text once.
func details(out *Outcome, text func(*Check) string) string {
	var all []string
	seen := map[string]bool{"": true}
	for i := range out.Checks {
		if check := &out.Checks[i]; check.Status == out.Status && !seen[text(check)] {
			seen[text(check)] = true
			all = append(all, text(check))
		}
	}
	return strings.Join(all, "; ")
}

// describe shows a failed case: what it is about, its file, and the checks that
// failed.
func describe(c *CaseResult) string {
	var b, checks strings.Builder
	deciding := map[int]bool{}
	for i := range c.Outcomes[0].Checks {
		check := &c.Outcomes[0].Checks[i]
		if check.Status < Fail {
			continue
		}
		deciding[check.WantLine] = true
		fmt.Fprintf(&checks, "\nmay %s fetch %s? want %s, got %s", spec.EncodeInline(check.Agent), spec.EncodeInline(check.URL), check.Want,
			strings.TrimSpace(string(check.Got.Verdict)+" "+check.Got.Detail))
		if check.Why != "" {
			fmt.Fprintf(&checks, "\n%s", check.Why)
		}
	}
	fmt.Fprintf(&b, "%s (%s, %s)\n%s\n", c.Pos, c.Level, strings.Join(c.Requirements, ", "), c.Rationale)
	list(&b, c.Robots, deciding)
	return strings.TrimSuffix(b.String(), "\n") + checks.String()
}

// mostListed is how many lines of a file are shown. Deciding lines are shown
// wherever they are.
const mostListed = 30

// fileLine is a line as RFC 9309 counts them, which CR, LF or both end, in octet
// notation.
var fileLine = regexp.MustCompile("[^␍\n]*(?:␍\n?|\n)|[^␍\n]+$")

// list writes a file in octet notation with line numbers, and marks the lines
// that decide.
func list(b *strings.Builder, robots string, deciding map[int]bool) {
	left := 0
	for i, line := range fileLine.FindAllString(robots, -1) {
		mark := " "
		if deciding[i+1] {
			mark = ">"
		} else if i >= mostListed {
			left++
			continue
		}
		fmt.Fprintf(b, "%s%4d  %s\n", mark, i+1, strings.TrimSuffix(line, "\n"))
	}
	if left > 0 {
		fmt.Fprintf(b, "      … %d more lines\n", left)
	}
}
