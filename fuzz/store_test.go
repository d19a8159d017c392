package fuzz

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// finding makes a finding of a crash of the named subject.
func finding(name, robots string, hits int) Finding {
	return Finding{
		Signature: Signature{Classes: []Class{{Verdict: spec.Crash, Subjects: []string{name}, Voices: 1}}},
		Witness:   Witness{Robots: []byte(robots), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/"}},
		Answers:   []SubjectAnswer{{Subject: name, Version: "v1", Answer: spec.Answer{Verdict: spec.Crash, Detail: "panic"}}},
		Causes:    map[string][]Cause{},
		Hits:      hits, First: noon, Last: noon,
	}
}

// disagreement makes a finding of two subjects, explained or not.
func disagreement(name string, causes []Cause, hits int) Finding {
	f := finding(name, "", hits)
	f.Signature.Classes = []Class{
		{Verdict: spec.Allow, Subjects: []string{"reference"}, Voices: 1}, {Verdict: spec.Disallow, Subjects: []string{name}, Voices: 1},
	}
	f.Causes[name] = causes
	return f
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func record(t *testing.T, s *Store, f Finding, wantNew bool) {
	t.Helper()
	if isNew, err := s.Record(f); err != nil || isNew != wantNew {
		t.Fatalf("new: %v, want %v; %v", isNew, wantNew, err)
	}
}

func TestStoreRoundTrip(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "findings")
	f := disagreement("temoto", []Cause{{{"precedence", "first"}}, {{"tie", "first"}, {"nul", "line-end"}}}, 3)
	f.Witness = Witness{Robots: []byte("\uFEFFa \r\n\x00\xFF<&>\n"), Probe: spec.Probe{Agent: "\xFF x", URL: "http://foo.test/\n"}}
	f.Causes["other"] = nil
	f.Seed = 1 << 63
	s := openStore(t, dir)
	record(t, s, f, true)
	got, err := openStore(t, dir).List()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Finding{f}, got); diff != "" {
		t.Error(diff)
	}
	text, _ := os.ReadFile(filepath.Join(dir, f.ID()+".json"))
	if !strings.Contains(string(text), `"robots": "⟦BOM⟧a ␍\n␀⟦FF⟧<&>\n"`) {
		t.Errorf("the file cannot be read:\n%s", text)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Error("files are left behind:", left)
	}
}

func TestStoreMerges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	first := finding("x", "two\nlines\n", 2)
	record(t, a, first, true)
	record(t, b, finding("x", "onelongline\n", 5), false)
	smallest := finding("x", "line\n", 1)
	smallest.Last = noon.Add(time.Hour)
	record(t, a, smallest, false)
	record(t, a, finding("x", "lime\n", 1), false)
	record(t, a, finding("x", "a\nb\n", 1), false) // stays in memory
	if err := a.Hit(first.ID()); err != nil {
		t.Error(err)
	}
	if !a.Seen(first.ID()) || a.Seen("another") || a.Hit("another") == nil {
		t.Error("what was seen is not known")
	}
	got, err := a.Get(first.ID()[:4])
	if err != nil {
		t.Fatal(err)
	}
	if got.Last.Before(smallest.Last) {
		t.Error("last seen", got.Last)
	}
	want := finding("x", "lime\n", 11)
	want.Last = got.Last
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStoreOrder(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	explained := []Cause{{{"tie", "first"}}}
	for _, f := range []Finding{
		disagreement("seldom", explained, 1), disagreement("often", explained, 100), finding("crash", "", 10),
		disagreement("strange", nil, 1), disagreement("stranger", nil, 2), finding("mostly", "", 11),
	} {
		record(t, s, f, true)
	}
	found, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Answers[0].Subject)
	}
	if diff := cmp.Diff(strings.Fields("stranger strange mostly crash often seldom"), got); diff != "" {
		t.Error(diff)
	}
}

func TestStoreGet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	if found, err := openStore(t, filepath.Join(dir, "none")).List(); err != nil || found != nil {
		t.Errorf("a store that is not there has %v, %v", found, err)
	}
	for i := range 20 {
		record(t, s, finding(fmt.Sprint(i), "", 1), true)
	}
	if _, err := s.Get(""); err == nil || !strings.Contains(err.Error(), "several findings") {
		t.Error(err)
	}
	if _, err := s.Get("xyz"); err == nil || !strings.Contains(err.Error(), `no finding in `+dir) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(), "it is a file") {
		t.Error(err)
	}
}

// A broken file is told of, with what to do, and hides no other.
func TestStoreBroken(t *testing.T) {
	t.Parallel()
	whole := finding("whole", "", 1)
	tests := []struct {
		name, old, new, want string
	}{
		{"cut short", "\"hits\"", "\"hi", "invalid character"},
		{"empty", "", "", "unexpected end"},
		{"unknown key", `"hits"`, `"hots"`, `unknown field "hots"`},
		{"other subject", `"signature": "crash: x"`, `"signature": "crash: y"`, "do not belong together"},
		{"other file", `"robots": "a\n"`, `"robots": "b\n"`, "not the same file"},
		{"no base64", `"robots_b64": "`, `"robots_b64": "!`, "robots_b64: illegal base64"},
		{"no octets", `"agent": "`, `"agent": "⟦`, "agent: line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := openStore(t, dir)
			f := finding("x", "a\n", 1)
			record(t, s, whole, true)
			record(t, s, f, true)
			file := filepath.Join(dir, f.ID()+".json")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			broken := strings.Replace(string(text), tt.old, tt.new, 1)
			if tt.old == "" {
				broken = ""
			}
			if err := os.WriteFile(file, []byte(broken), 0o666); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir)
			found, err := s.List()
			if err == nil || !strings.HasPrefix(err.Error(), file+" is broken: ") || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "delete the file") {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff([]Finding{whole}, found); diff != "" {
				t.Error(diff)
			}
			if _, err := s.Get(whole.ID()); err != nil {
				t.Error(err)
			}
			if _, err := s.Record(f); err == nil {
				t.Error("a broken file was written over")
			}
		})
	}
}

func TestStoreConcurrently(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared := openStore(t, dir)
	var wg sync.WaitGroup
	for g := range 10 {
		wg.Go(func() {
			s := shared
			if g%2 == 0 {
				var err error
				if s, err = OpenStore(dir); err != nil {
					t.Error(err)
					return
				}
			}
			if err := recordMany(s, g, 40); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	checkMany(t, dir)
}

// recordMany records findings of three signatures, the last of each the
// smallest.
func recordMany(s *Store, g, n int) error {
	for i := range n {
		f := finding(fmt.Sprint("subject", i%3), strings.Repeat("x", 2*n-i)+fmt.Sprint(g), 1)
		if _, err := s.Record(f); err != nil {
			return err
		}
	}
	if err := s.Flush(); err != nil {
		return err
	}
	_, err := s.List()
	return err
}

func checkMany(t *testing.T, dir string) {
	t.Helper()
	found, err := openStore(t, dir).List()
	if err != nil || len(found) != 3 {
		t.Errorf("%d findings, %v", len(found), err)
	}
	for _, f := range found {
		if f.Hits < 1 || f.Witness.Lines() != 1 {
			t.Errorf("finding %+v", f)
		}
	}
}

// Several processes write to one directory, and some are killed doing so.
func TestStoreProcesses(t *testing.T) {
	t.Parallel()
	const variable = "REPCHECK_TEST_STORE"
	if dir := os.Getenv(variable); dir != "" { // one of the processes
		for g := os.Getpid(); ; g++ {
			if err := recordMany(openStore(t, dir), g, 20); err != nil {
				t.Fatal(err)
			}
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for round := range 4 {
		var processes []*exec.Cmd
		for range 2 {
			p := exec.Command(exe, "-test.run=^TestStoreProcesses$")
			p.Env = append(os.Environ(), variable+"="+dir)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			processes = append(processes, p)
		}
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(found) == 3 {
				break
			}
		}
		time.Sleep(time.Duration(20+31*round) * time.Millisecond)
		for _, p := range processes {
			if err := p.Process.Kill(); err != nil {
				t.Error(err)
			}
			if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "killed") && !strings.Contains(err.Error(), "exit status") {
				t.Errorf("the process ended with %v", err)
			}
		}
		checkMany(t, dir)
	}
}

func TestStoreSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".old.json.1.tmp": 2 * time.Hour, ".young.json.1.tmp": time.Minute, "old.tmp": 2 * time.Hour} {
		file := filepath.Join(dir, name)
		then := time.Now().Add(-age)
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	openStore(t, dir)
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{".young.json.1.tmp", "old.tmp"}, left); diff != "" {
		t.Error(diff)
	}
}
