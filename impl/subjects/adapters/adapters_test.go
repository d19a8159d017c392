package adapters

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
)

func all(t testing.TB) []*Adapter {
	t.Helper()
	for _, problem := range Problems() {
		t.Error(problem)
	}
	return All()
}

// TestMeta: the meta.yaml files do not contradict each other or their folders.
func TestMeta(t *testing.T) {
	t.Parallel()
	byName := map[string]*Adapter{}
	for _, a := range all(t) {
		byName[a.Name] = a
	}
	for _, a := range all(t) {
		if language, _, _ := strings.Cut(a.Name, "-"); language != a.Language && !(language == "js" && a.Language == "javascript") {
			t.Errorf("%s: the language is %q, and the name begins with another", a.Name, a.Language)
		}
		if a.LeftOut != "" {
			continue
		}
		for _, name := range a.SharesParserWith {
			if other := byName[name]; other != nil && (other.Lineage != a.Lineage || !slices.Contains(other.SharesParserWith, a.Name)) {
				t.Errorf("%s shares its parser with %s: then they have one lineage, and the other says so too", a.Name, name)
			}
		}
		for name := range a.files() {
			if base := path.Base(name); strings.HasPrefix(base, ".") || base == "install.log" {
				t.Errorf("%s brings a file %s, which would be in the way", a.Name, name)
			}
		}
	}
}

const goodMeta = "name: x-y\npackage: y\nlanguage: x\nversion: 1\nlicence: MIT\nhomepage: h\nlineage: y\ndescent: independent\n" +
	"input: text\ndecides: []\nneeds: [sh]\ncommand: [sh]\ndirect: [sh]\n"

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	if _, err := parse([]byte(goodMeta), "x-y"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"name: x-y", "name: x-z", `the name is "x-z": change it to the name of the folder, "x-y"`},
		{"licence: MIT\n", "", "there is no value for licence: add it"},
		{"licence:", "license:", "line 5: field license is unknown: correct or remove it"},
		{"decides: []\n", "", "there is no value for decides: add it, [] if the library leaves no decision to the adapter"},
		{"needs: [sh]", "needs: [sh", "line 10: did not find expected ',' or ']': correct the YAML"},
		{"input: text", "input: bytes", `input is "bytes": write octets or text`},
		{"descent:", "features: [speed]\ndescent:", `feature "speed" is unknown: use line, groups, sitemaps and crawl-delay`},
		{"descent:", "kit: cobol\ndescent:", `there is no kit "cobol": name a folder of impl/subjects/adapters/kit`},
		{"descent:", "left_out: it is gone\ndescent:", "an adapter with left_out has no command and no install: remove them, or left_out"},
	} {
		_, err := parse([]byte(strings.Replace(goodMeta, test.old, test.new, 1)), "x-y")
		if diff := cmp.Diff(test.want, fmt.Sprint(err)); diff != "" {
			t.Errorf("%s: error differs (-want +got):\n%s", test.new, diff)
		}
	}
}

// TestLoadOneBad: a bad meta.yaml disables its own adapter only.
func TestLoadOneBad(t *testing.T) {
	t.Parallel()
	all, problems := Load(fstest.MapFS{
		"x-y/meta.yaml": {Data: []byte(goodMeta)},
		"x-z/meta.yaml": {Data: []byte(strings.Replace(goodMeta, "x-y", "x-z", 1) + "speed: 1\n")},
	}, "impl/subjects/adapters")
	if len(all) != 1 || all[0].Name != "x-y" {
		t.Errorf("loaded %v, want x-y alone", all)
	}
	const want = "[impl/subjects/adapters/x-z/meta.yaml: line 14: field speed is unknown: correct or remove it; x-z is disabled until then]"
	if diff := cmp.Diff(want, fmt.Sprint(problems)); diff != "" {
		t.Errorf("problems differ (-want +got):\n%s", diff)
	}
}

// TestInstall simulates an installation, including the effects of a package manager.
func TestInstall(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		if Required() {
			t.Fatalf("no sh, installing is not tested, and %s=1 demands it", RequireVariable)
		}
		t.Skip("no sh, installing is not tested")
	}
	home := Home(t.TempDir())
	a := &Adapter{Name: "python-urllib", Needs: []string{"sh"}, Env: map[string]string{"WHERE": "{shared}"},
		Install: [][]string{{"sh", "-c", `echo once >> "$WHERE/installed"; test -f adapter.py; echo done`}}}
	check := func(want Readiness) {
		t.Helper()
		if got := home.State(a); got.Readiness != want {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	check(NotInstalled)
	for range 2 { // the second installation does nothing
		if err := home.Install(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		check(Ready)
	}
	if times, _ := os.ReadFile(filepath.Join(home.shared(), "installed")); string(times) != "once\n" {
		t.Errorf("installed %q, want once", times)
	}
	a.Install = append(a.Install, []string{"sh", "-c", "echo no network; exit 3"})
	check(Outdated)
	err := home.Install(t.Context(), a)
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.HasSuffix(err.Error(), "  no network") {
		t.Errorf("error is %v", err)
	}
	check(NotInstalled)
	if why := home.State(a).Why; !strings.Contains(why, "install.log") {
		t.Errorf("why is %q, want where the log is", why)
	}
	a.Install = [][]string{{"sh", "-c", "sleep 60"}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := home.Install(ctx, a); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	check(NotInstalled)
	a.Needs = []string{"no-such-program-here"}
	check(MissingRuntime)
	if err := home.Install(t.Context(), a); err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("error is %v", err)
	}
}

// eachReady runs a subtest for each adapter, skipping those that are not ready
// unless RequireVariable demands them.
func eachReady(t *testing.T, f func(t *testing.T, home Home, a *Adapter)) {
	home, err := FindHome()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all(t) {
		if a.LeftOut != "" {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			needReady(t, home, a)
			f(t, home, a)
		})
	}
}

// needReady skips the test if the adapter is not ready, unless RequireVariable
// demands it.
func needReady(t *testing.T, home Home, a *Adapter) {
	t.Helper()
	s := home.State(a)
	switch {
	case s.Readiness == Ready:
	case Required():
		t.Fatalf("%s, %s: %s", s.Readiness, s.Why, s.Fix)
	default:
		t.Skipf("%s, %s: %s", s.Readiness, s.Why, s.Fix)
	}
}

// A question is one query of a case.
type question struct {
	name   string // of its case
	robots []byte
	probe  spec.Probe
}

// questions returns n queries spread over all cases except cases with large files,
// which take long and show nothing that small files do not.
func questions(n int) []question {
	var every []question
	for _, c := range spec.Default().Cases {
		if len(c.Robots) > 64<<10 {
			continue
		}
		for _, e := range c.Expect {
			every = append(every, question{c.ID, c.Robots, e.Probe})
		}
	}
	picked := make([]question, n)
	for i := range picked {
		picked[i] = every[i*len(every)/n]
	}
	return picked
}

// TestFaithful sends 200 queries to each library twice: through its adapter, and
// through a program in the same language that shares no code with the adapter.
func TestFaithful(t *testing.T) {
	t.Parallel()
	eachReady(t, func(t *testing.T, home Home, a *Adapter) {
		options := home.Options(a)
		options.Timeout = 10 * time.Second
		client, err := process.Start(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		checkHello(t, a, client.Info())
		var asked []question
		var through []spec.Verdict
		for _, q := range questions(200) {
			got := client.Ask(t.Context(), q.robots, []spec.Probe{q.probe})[0]
			if got.Verdict == spec.Timeout {
				continue // the direct call would take too long as well
			}
			if got.Verdict == spec.ProtocolError {
				t.Fatalf("%s: %s", q.name, got.Detail)
			}
			asked, through = append(asked, q), append(through, got.Verdict)
		}
		if len(asked) < 190 {
			t.Errorf("only %d of 200 queries were answered in time", len(asked))
		}
		direct := askDirectly(t, home, a, asked)
		for i, q := range asked {
			if through[i] != direct[i] {
				t.Errorf("%s, %s: %s through the adapter, %s directly", q.name, spec.ProbeID(q.probe), through[i], direct[i])
			}
		}
	})
}

// checkHello compares the hello of the adapter with its meta.yaml.
func checkHello(t *testing.T, a *Adapter, info spec.SubjectInfo) {
	t.Helper()
	if !spec.NewSelection([]string{a.Version}).Match(info.Version) {
		t.Errorf("the version is %s, meta.yaml pins %s", info.Version, a.Version)
	}
	if want := a.Info(); want.Name != info.Name || info.Lineage != "" && want.Lineage != info.Lineage || info.Language != "" && want.Language != info.Language {
		t.Errorf("the hello and meta.yaml differ:\n%s", cmp.Diff(want, info))
	}
	if slices.Contains(a.Features, "line") != slices.Contains(info.Features, "line") {
		t.Errorf("the hello has the features %v, meta.yaml %v: they must agree about line", info.Features, a.Features)
	}
}

// askDirectly sends the queries to the direct program of the adapter.
func askDirectly(t *testing.T, home Home, a *Adapter, questions []question) []spec.Verdict {
	t.Helper()
	var in bytes.Buffer
	encode := base64.StdEncoding.EncodeToString
	for _, q := range questions {
		fmt.Fprintf(&in, "%s\t%s\t%s\n", encode(q.robots), encode([]byte(q.probe.Agent)), encode([]byte(q.probe.URL)))
	}
	var stderr bytes.Buffer
	cmd := home.Direct(a)
	cmd.Stdin, cmd.Stderr = &in, &stderr
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	var verdicts []spec.Verdict
	for _, word := range strings.Fields(string(out)) {
		if word == "error" {
			word = string(spec.Crash)
		}
		verdicts = append(verdicts, spec.Verdict(word))
	}
	if len(verdicts) != len(questions) {
		t.Fatalf("%d answers to %d questions\n%s", len(verdicts), len(questions), stderr.String())
	}
	return verdicts
}
