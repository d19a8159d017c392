package conformance_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
)

// updateVariable is the environment variable that the documentation of TestBaseline
// names.
const updateVariable = "REPCHECK_UPDATE_BASELINE"

// TestForGoParsers uses the package as the tests of a Go parser do. The reference
// passes without a baseline, temoto with one that is written first.
func TestForGoParsers(t *testing.T) {
	subjects, err := subjects.Open([]string{"reference", "temoto"}, "rfc9309", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		defer s.Close()
	}
	t.Run("reference", func(t *testing.T) { conformance.Test(t, subjects[0], conformance.Options{}) })

	path := filepath.Join(t.TempDir(), "known.yaml")
	t.Run("write", func(t *testing.T) {
		t.Setenv(updateVariable, "first run")
		conformance.TestBaseline(t, subjects[1], path, conformance.Options{})
	})
	t.Run("temoto", func(t *testing.T) { conformance.TestBaseline(t, subjects[1], path, conformance.Options{}) })
	if b, err := conformance.LoadBaseline(path); err != nil || len(b.Subjects()) != 1 {
		t.Errorf("the baseline: %v, %v", b, err)
	}
	if text := read(t, path); strings.Contains(text, "versions:") {
		t.Error("a new baseline is bound to a version")
	}
}

const (
	innerMode = "REPCHECK_INNER_MODE"
	// innerCase fails in every mode but fine, with both of its expectations.
	innerCase = "precedence/longer-allow-wins"
)

// TestInner is the test of a Go parser whose output [TestGoOutput] reads. The
// mode selects how it fails.
func TestInner(t *testing.T) {
	mode := os.Getenv(innerMode)
	if mode == "" {
		t.Skip("run by TestGoOutput")
	}
	parser := reference.New(reference.RFC9309())
	wrong := map[string]bool{}
	if mode != "fine" {
		wrong[string(spec.Default().Case(innerCase).Robots)] = true
	}
	o := conformance.Options{}
	if mode == "large" {
		wrong = map[string]bool{string(spec.Default().Case("groups/many-agents").Robots): true}
	}
	if mode == "must" {
		o.FailOn = spec.Must
		for _, c := range spec.Default().Cases {
			if c.Level == spec.Should {
				wrong[string(c.Robots)] = true
			}
		}
	}
	subject := impl.InProcess(spec.SubjectInfo{Name: "inner", Version: "1.0"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		file := parser.Parse(robots)
		return func(agent, url string) spec.Answer {
			switch {
			case mode == "unsupported" || mode == "one-unsupported" && wrong[string(robots)]:
				return spec.Answer{Verdict: spec.Unsupported, Detail: "no such call"}
			}
			return spec.Allowed(file.Test(agent, url).Allow != wrong[string(robots)])
		}, nil
	}, impl.InProcessOptions{})
	defer subject.Close()
	path := os.Getenv("REPCHECK_INNER_BASELINE")
	if path == "" {
		conformance.Test(t, subject, o)
		return
	}
	if os.Getenv("REPCHECK_INNER_OPTION") != "" {
		b, err := conformance.LoadBaseline(path)
		if err != nil {
			t.Fatal(err)
		}
		conformance.Test(t, subject, conformance.Options{Baseline: b})
		return
	}
	conformance.TestBaseline(t, subject, path, conformance.Options{})
}

// inner runs TestInner and returns its output without times, and whether it
// passed.
func inner(t *testing.T, mode string, env ...string) (string, bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInner$", "-test.v")
	cmd.Env = append(os.Environ(), append(env, innerMode+"="+mode)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return regexp.MustCompile(` \(\d+\.\d+s\)`).ReplaceAllString(string(out), ""), err == nil
}

// TestGoOutput checks the output of go test -v for a parser.
func TestGoOutput(t *testing.T) {
	t.Parallel()
	t.Run("fine", func(t *testing.T) {
		t.Parallel()
		out, ok := inner(t, "fine")
		if !ok {
			t.Fatal(out)
		}
		summary := regexp.MustCompile(`inner 1\.0: (\d+) of (\d+) queries answered; (\d+) cases: (\d+) passed, (\d+) on open points, (\d+) not scored\n`).FindStringSubmatch(out)
		if summary == nil || summary[1] != summary[2] {
			t.Fatalf("no summary, or not all answered: %q", summary)
		}
		// Only cases that judge nothing are skipped.
		data := spec.Default()
		for i := range data.Cases {
			c := &data.Cases[i]
			_, scored := c.Expect[0].Want("rfc9309")
			for _, e := range c.Expect {
				_, s := e.Want("rfc9309")
				scored = scored || s
			}
			want := "--- PASS: TestInner/" + c.ID + "\n"
			if c.Classifies() || !scored {
				want = "--- SKIP: TestInner/" + c.ID + "\n"
			}
			if !strings.Contains(out, want) {
				t.Errorf("%s: not %q", c.ID, want)
			}
		}
		for _, want := range []string{"classifies escape-passes: FooBot /A fits ", ": not scored\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q", want)
			}
		}
	})
	t.Run("wrong", func(t *testing.T) {
		t.Parallel()
		out, ok := inner(t, "wrong")
		_, rest, _ := strings.Cut(out, "=== RUN   TestInner/"+innerCase+"\n")
		rest, _, _ = strings.Cut(rest, "=== ")
		rest = regexp.MustCompile(`(?m)^ *(test\.go:\d+: )?`).ReplaceAllString(rest, "")
		// The file with line numbers is shown once for both expectations.
		want := `spec/cases/2.2.2/precedence.yaml:5 (MUST, RFC9309-2.2.2-1, RFC9309-2.2.2-4, RFC9309-2.2.2-5)
Below /a both rules match and the allow rule has more octets, elsewhere the disallow rule is the only match.
1  User-agent: FooBot
>   2  Disallow: /
>   3  Allow: /a
may FooBot fetch http://foo.test/a/b? want allow, got disallow
line 3 decides: allow /a, more specific than line 2 (2 octets against 1)
may FooBot fetch http://foo.test/c? want disallow, got allow
line 2 decides: disallow /
`
		if diff := cmp.Diff(want, rest); diff != "" || ok {
			t.Errorf("passed: %t\n%s", ok, diff)
		}
		if !strings.Contains(out, " passed, 1 failed, ") {
			t.Errorf("no summary of one failure: %s", out[strings.LastIndex(out, "test_test.go"):])
		}
	})
	t.Run("large", func(t *testing.T) {
		t.Parallel()
		out, _ := inner(t, "large")
		var numbers []string
		for _, line := range regexp.MustCompile(`(?m)^ *(>? +\d+)  \S`).FindAllStringSubmatch(out, -1) {
			numbers = append(numbers, strings.ReplaceAll(line[1], " ", ""))
		}
		var want []string
		for n := range 30 {
			want = append(want, strconv.Itoa(n+1))
		}
		// The deciding line is always shown.
		if diff := cmp.Diff(append(want, ">103"), numbers); diff != "" || !strings.Contains(out, "      … 72 more lines\n") {
			t.Errorf("%s%s", diff, out[:min(len(out), 200)])
		}
	})
	t.Run("must", func(t *testing.T) {
		t.Parallel()
		out, ok := inner(t, "must")
		if ok || !strings.Contains(out, ": failed below the level that counts: SHOULD is below MUST\n") {
			t.Errorf("failures of SHOULD are not skipped: %s", out[:min(len(out), 2000)])
		}
		if !regexp.MustCompile(`\d+ failed, \d+ failed below the level that counts, `).MatchString(out) {
			t.Error("the summary does not count them")
		}
	})
	t.Run("unsupported", func(t *testing.T) {
		t.Parallel()
		out, ok := inner(t, "unsupported")
		if ok || !regexp.MustCompile(`inner was lost: it answered none of \d+ queries \(\d+ unsupported\): no such call\n`).MatchString(out) {
			t.Errorf("passed: %t; %s", ok, out[:min(len(out), 2000)])
		}
		out, ok = inner(t, "one-unsupported")
		if !ok || !strings.Contains(out, ": unsupported: no such call\n") {
			t.Errorf("passed: %t; %s", ok, out[:min(len(out), 2000)])
		}
		if strings.Count(out, "no such call") != 1 {
			t.Error("the reason is printed for each expectation")
		}
	})
}

// TestGoBaseline checks the output of go test -v for a parser with a baseline.
func TestGoBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "known.yaml")
	expect := func(mode string, want string, pass bool, env ...string) {
		t.Helper()
		out, ok := inner(t, mode, append(env, "REPCHECK_INNER_BASELINE="+path)...)
		if ok != pass || !strings.Contains(out, want) {
			t.Errorf("%s: passed: %t, want %t and %q:\n%s", mode, ok, pass, want, out[:min(len(out), 2000)])
		}
	}
	expect("wrong", "known.yaml: no such file or directory: write it with "+updateVariable+"='first run' go test\n", false)
	expect("wrong", updateVariable+" is blank: set it to the reason for the new failures\n", false, updateVariable+"= ")
	expect("wrong", "known.yaml: 2 known failures added, 0 dropped\n", true, updateVariable+"=first run")
	expect("wrong", ": known failure: first run\n", true)
	expect("wrong", " passed, 1 known failure, ", true)
	// Known failures are not shown next to an unexpected one.
	all := read(t, path)
	write(t, path, strings.Replace(all, "        FooBot /a/b: disallow\n", "", 1))
	out, _ := inner(t, "wrong", "REPCHECK_INNER_BASELINE="+path)
	if !strings.Contains(out, "may FooBot fetch http://foo.test/a/b?") || strings.Contains(out, "may FooBot fetch http://foo.test/c?") {
		t.Error("not the unexpected failure alone is shown")
	}
	write(t, path, all)
	// The message for a fixed failure names the command for Go tests, and that
	// command fixes the baseline.
	expect("fine", `known.yaml:9: inner: precedence/longer-allow-wins, "FooBot /a/b" passes now: run `+updateVariable+`='why' go test -run '^TestInner$' to drop the entry`+"\n", false)
	expect("fine", `known.yaml:9: inner: precedence/longer-allow-wins, "FooBot /a/b" passes now: delete this line`+"\n", false, "REPCHECK_INNER_OPTION=1")
	expect("unsupported", "inner was lost: its entries are unchanged\n", false, updateVariable+"=why")
	expect("wrong", ": known failure: first run\n", true)
	expect("fine", "known.yaml: 0 known failures added, 2 dropped\n", true, updateVariable+"=why")
	expect("fine", " queries answered; ", true)
	write(t, path, "- a\n")
	expect("fine", "known.yaml: not a baseline: line 1: want a mapping with the keys subject, versions, interpretation, known\n", false)
	expect("fine", "known.yaml: not a baseline: ", false, updateVariable+"=why")
}
