package conformance

import (
	"cmp"
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

// updateVariable is the environment variable that makes [TestBaseline] rewrite
// its baseline. Its value is the reason for the added failures.
const updateVariable = "REPCHECK_UPDATE_BASELINE"

// Test runs every case on the subject as a subtest, for the tests of a parser
// written in Go. A failure of the level FailOn or above (MUST, text and
// SHOULD by default) that the Baseline of the options does not list fails its subtest. A
// case is skipped, with the reason, if it classifies an open point, is not scored
// or not supported, is a known failure, or fails at a level below FailOn. A
// baseline problem or a lost subject fails the test. The last line of the log is
// a summary. Test does not close the subject.
func Test(t *testing.T, subject impl.Subject, o Options) {
	t.Helper()
	o.remedy = byHand
	test(t, subject, o)
}

// TestBaseline is [Test] with the known failures in the file or folder at path.
// An entry that no longer holds fails the test. To write the baseline, run the
// test with the environment variable REPCHECK_UPDATE_BASELINE set to a reason, then
// edit the reasons.
func TestBaseline(t *testing.T, subject impl.Subject, path string, o Options) {
	t.Helper()
	o.remedy = inGoTest(t.Name())
	reason := os.Getenv(updateVariable)
	known, err := LoadBaseline(path)
	switch {
	case err == nil:
		o.Baseline = known
	case !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	case reason == "":
		t.Fatalf("%v: write it with %s='first run' go test", err, updateVariable)
	}
	if reason == "" {
		test(t, subject, o)
		return
	}
	r := run(t.Context(), subject, o)
	update, err := UpdateBaseline(path, reason, r)
	if errors.Is(err, ErrNoReason) {
		t.Fatalf("%s is blank: set it to the reason for the new failures", updateVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s", path, update)
	reportLost(t, r)
}

// byHand is the [remedy] for a baseline that the caller of [Test] created.
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
	command := fmt.Sprintf("run %s='why' go test -run '%s'", updateVariable, strings.Join(parts, "/"))
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
	showInTest(t, run(t.Context(), subject, o))
}

// TestAccess runs every scenario on the crawler as a subtest, for the tests of a
// crawler or fetcher written in Go. It is like [Test] otherwise.
func TestAccess(t *testing.T, crawler impl.Crawler, o AccessOptions) {
	t.Helper()
	o.remedy = byHand
	data := spec.Default().Access()
	showInTest(t, Access(t.Context(), data, data.Scenarios, []impl.Crawler{crawler}, o))
}

// showInTest shows the result of one subject: each case as a subtest.
func showInTest(t *testing.T, r *Result) {
	t.Helper()
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
	case status >= Fail && c.Counts(r.FailOn):
		return caseFailed
	case status >= Fail:
		return caseExcused
	case status == Known:
		return caseKnown
	case c.Point != "":
		return caseClassified
	case status == Skipped:
		return caseUnsupported
	}
	return caseUnscored
}

// summary returns one line about the run of one subject.
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

// details joins the texts of the checks that have the status of the outcome, each
// text once.
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

// describe shows a failed case: its purpose, its file, and the failed checks.
func describe(c *CaseResult) string {
	var b, checks strings.Builder
	deciding := map[int]bool{}
	for i := range c.Outcomes[0].Checks {
		check := &c.Outcomes[0].Checks[i]
		if check.Status < Fail {
			continue
		}
		deciding[check.WantLine] = true
		fmt.Fprintf(&checks, "\nmay %s fetch %s? want %s, got %s", spec.EncodeInline(check.Agent), spec.EncodeInline(check.URL), cmp.Or(string(check.Want), "an answer"),
			strings.TrimSpace(string(check.Got.Verdict)+" "+check.Got.Detail))
		if check.Why != "" {
			fmt.Fprintf(&checks, "\n%s", check.Why)
		}
		if len(check.Causes) > 0 {
			fmt.Fprintf(&checks, "\nexplained by %s", strings.Join(check.Causes, " with "))
		}
	}
	what := append([]string{string(c.Level)}, c.Requirements...)
	if c.Point != "" {
		what = []string{"classifies " + c.Point}
	}
	fmt.Fprintf(&b, "%s (%s)\n%s\n", c.Pos, strings.Join(what, ", "), c.Rationale)
	list(&b, c.Robots, deciding)
	return strings.TrimSuffix(b.String(), "\n") + checks.String()
}

// mostListed is the number of lines of a file that are shown. Deciding lines are
// always shown.
const mostListed = 30

// fileLine matches a line of a file in octet notation. As in RFC 9309, a line
// ends with CR, LF or both.
var fileLine = regexp.MustCompile("[^␍\n]*(?:␍\n?|\n)|[^␍\n]+$")

// list writes a file in octet notation with line numbers, and marks the deciding
// lines.
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
