package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/repcheck/repcheck/spec"
)

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

// hit counts an answer for a finding.
func hit(t *testing.T, s *Store, f Finding, subject string, beyond, wantKnown bool) {
	t.Helper()
	if known := s.Hit(&f, subject, beyond); known != wantKnown {
		t.Fatalf("known: %v, want %v", known, wantKnown)
	}
}

// listed returns what another process would find in the directory.
func listed(t *testing.T, dir string) []Finding {
	t.Helper()
	found, err := openStore(t, dir).List()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestStoreRoundTrip(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "findings")
	s := openStore(t, dir)
	want := oneOfEach(t)
	for i := range want {
		f := &want[i]
		f.Witness.Robots = []byte("\uFEFFa \r\n\x00\xFF<&>\n")
		f.Seed = 1 << 63
		record(t, s, *f, true)
	}
	slices.SortFunc(want, compareFindings)
	if diff := cmp.Diff(want, listed(t, dir)); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(filepath.Join(dir, want[0].ID()+".json"))
	if err != nil || !strings.Contains(string(text), `"robots": "⟦BOM⟧a ␍\n␀⟦FF⟧<&>\n"`) {
		t.Errorf("the file cannot be read: %v\n%s", err, text)
	}
	if left, _ := os.ReadDir(dir); len(left) != len(want) {
		t.Error("files are left behind:", left)
	}
}

// A finding is known once it is recorded, and has all hits, including earlier
// ones.
func TestStoreHits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	f := finding("x", "a\n", 0)
	f.Hits, f.First, f.Last = nil, time.Time{}, time.Time{}
	before := time.Now()
	hit(t, s, f, "x", false, false)
	hit(t, s, f, "x", true, false)
	hit(t, s, f, "y", true, false)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if found := listed(t, dir); len(found) != 0 || len(s.kinds()) != 0 {
		t.Errorf("what is not recorded is there: %v, %v", found, s.kinds())
	}
	record(t, s, f, true)
	hit(t, s, f, "y", false, true)
	other := finding("other", "", 1)
	hit(t, s, other, "other", false, false)
	if diff := cmp.Diff(map[Kind]int{CrashFound: 1}, s.kinds()); diff != "" {
		t.Error(diff)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	found := listed(t, dir)
	if len(found) != 1 {
		t.Fatal(found)
	}
	got := found[0]
	if got.First.Before(before) || got.Last.Before(got.First) || got.Last.After(time.Now()) {
		t.Errorf("first seen %v, last %v", got.First, got.Last)
	}
	want := f
	want.Hits, want.Beyond = map[string]int{"x": 2, "y": 2}, map[string]int{"x": 1, "y": 1}
	want.First, want.Last = got.First, got.Last
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	// A later process continues the counts, and has nothing to record.
	later := openStore(t, dir)
	hit(t, later, f, "x", false, true)
	hit(t, later, f, "x", false, true)
	if err := later.Flush(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"x": 4, "y": 2}, listed(t, dir)[0].Hits); diff != "" {
		t.Error(diff)
	}
}

// If the file of a finding is deleted, it is not written again from counts alone.
func TestStoreDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	f := finding("x", "a\n", 1)
	record(t, s, f, true)
	if err := os.Remove(filepath.Join(dir, f.ID()+".json")); err != nil {
		t.Fatal(err)
	}
	hit(t, s, f, "x", false, true)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if found := listed(t, dir); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	hit(t, openStore(t, dir), f, "x", false, false)
}

func TestStoreOrder(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	strange := finding("strange", "", 1)
	strange.Kind = UnexplainedAnswer
	hang, refusal, slow := finding("hang", "", 1), finding("refusal", "", 100), finding("slow", "", 1)
	hang.Kind, refusal.Kind, slow.Kind = TimeoutFound, RefusalFound, SlowFound
	for _, f := range []Finding{
		refusal, disagreement(t, "tie=disallow", map[string]int{"often": 100}), disagreement(t, "precedence=first", map[string]int{"both1": 2, "both2": 1}),
		disagreement(t, "path-case=insensitive", map[string]int{"seldom": 99}), slow, finding("crash", "", 10), hang, strange, finding("mostly", "", 11),
	} {
		record(t, s, f, true)
	}
	found, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Lineages()[0])
	}
	if diff := cmp.Diff(strings.Fields("strange mostly crash hang slow often seldom both1 refusal"), got); diff != "" {
		t.Error(diff)
	}
	want := map[Kind]int{UnexplainedAnswer: 1, CrashFound: 2, TimeoutFound: 1, SlowFound: 1, Disagreement: 3, RefusalFound: 1}
	if diff := cmp.Diff(want, s.kinds()); diff != "" {
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
	want := finding("7", "", 1)
	if got, err := s.Get(want.ID()[:11]); err != nil || got.ID() != want.ID() {
		t.Errorf("%v, %v", got, err)
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

// A broken file is reported, with instructions, and hides no other.
func TestStoreBroken(t *testing.T) {
	t.Parallel()
	whole := finding("whole", "", 1)
	tests := []struct {
		name, old, new, want string
	}{
		{"cut short", "\"hits\"", "\"hi", "invalid character"},
		{"empty", "", "", "unexpected end"},
		{"unknown key", `"hits"`, `"hots"`, `unknown field "hots"`},
		{"other kind", `"kind": "crash"`, `"kind": "fall"`, `"fall" is no kind of finding`},
		{"other lineage", `"lineage": "x"`, `"lineage": "y"`, "id and title do not belong to the rest"},
		{"other title", `"title": "x crashes`, `"title": "x falls`, "id and title do not belong to the rest"},
		{"other ID", `"id": "`, `"id": "0`, "id and title do not belong to the rest"},
		{"no verdict", `"verdict": "crash",
      "detail"`, `"verdict": "crush", "detail"`, `"crush" is no verdict`},
		{"no choice", `"kind"`, `"cause": ["precedence=last"], "kind"`, "point=choice"},
		{"other file", `"robots": "a\n"`, `"robots": "b\n"`, "not the same file"},
		{"no base64", `"robots_b64": "`, `"robots_b64": "!`, "robots_b64: illegal base64"},
		{"no hits", `"x": 1`, `"x": 0`, "x has 0 hits"},
		{"more beyond than hits", `"hits"`, `"beyond": {"x": 2}, "hits"`, "x has 1 hits, 2 of them beyond"},
		{"beyond without hits", `"hits"`, `"beyond": {"y": 1}, "hits"`, "y has 0 hits, 1 of them beyond"},
		{"no octets of the agent", `"agent": "`, `"agent": "⟦`, "agent: line 1"},
		{"no octets of the URL", `"url": "`, `"url": "⟦`, "url: line 1"},
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
			if broken == string(text) {
				t.Fatalf("there is no %s in\n%s", tt.old, text)
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
			hit(t, s, f, "x", false, true)
			if err := s.Flush(); err == nil {
				t.Error("the hit for a broken file was written")
			}
			if _, err := s.Record(f); err == nil {
				t.Error("a broken file was written over")
			}
			if now, err := os.ReadFile(file); err != nil || string(now) != broken {
				t.Errorf("a broken file was changed: %v", err)
			}
		})
	}
}

// A file with a name other than its own is broken, too.
func TestStoreRenamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	f := finding("x", "a\n", 1)
	record(t, s, f, true)
	other := filepath.Join(dir, "0123456789ab.json")
	if err := os.Rename(filepath.Join(dir, f.ID()+".json"), other); err != nil {
		t.Fatal(err)
	}
	if found, err := s.List(); len(found) != 0 || err == nil || !strings.Contains(err.Error(), other+" is broken: the file of finding "+f.ID()+" has another name") {
		t.Errorf("%v, %v", found, err)
	}
}

func TestStoreSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".repcheck-OLD": 2 * time.Hour, ".repcheck-YOUNG": time.Minute, "repcheck-old": 2 * time.Hour} {
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
	if diff := cmp.Diff([]string{".repcheck-YOUNG", "repcheck-old"}, left); diff != "" {
		t.Error(diff)
	}
}

func TestStoreBrokenHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	whole, f := finding("whole", "", 1), finding("x", "a\n", 1)
	record(t, s, whole, true)
	os.WriteFile(filepath.Join(dir, f.ID()+".json"), []byte("{"), 0o666)
	s.Hit(&f, "x", false)
	found, err := s.List()
	if err == nil || len(found) != 1 {
		t.Errorf("%d findings, want the whole one; %v", len(found), err)
	}
	if _, err := s.Get(whole.ID()); err != nil {
		t.Error(err)
	}
}

func TestStoreFailedWriteKeepsWitness(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := openStore(t, dir)
	os.WriteFile(dir, nil, 0o666) // a file where the directory should be
	small, large := finding("x", "a\n", 1), finding("x", "a\nb\n", 1)
	if _, err := s.Record(small); err == nil {
		t.Fatal("kept in a file")
	}
	os.Remove(dir)
	if _, err := s.Record(large); err != nil {
		t.Fatal(err)
	}
	found, err := s.List()
	if err != nil || len(found) != 1 || string(found[0].Witness.Robots) != "a\n" {
		t.Errorf("%q is kept, %v", found[0].Witness.Robots, err)
	}
	if small.Hits["x"] != 1 {
		t.Error("the caller's map was changed:", small.Hits)
	}
}

func TestStoreFailedWriteLeavesCallersMap(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := openStore(t, dir)
	os.WriteFile(dir, nil, 0o666)
	f := finding("x", "a\n", 1)
	s.Record(f)
	s.Hit(&f, "x", false)
	if f.Hits["x"] != 1 {
		t.Error("the caller's map was changed:", f.Hits)
	}
}

// A mixture is counted under its parts and deleted if experiments confirmed every
// one of them.
func TestStoreFold(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	part := func(flips string, confirmed bool) Finding {
		f := disagreement(t, flips, map[string]int{"a": 10})
		if confirmed {
			f.Experiments = []Experiment{{Rivals: []string{}, Predicted: spec.Allow, Got: spec.Allow}}
		}
		record(t, s, f, true)
		return f
	}
	one, other := part("precedence=first", true), part("path-case=insensitive", true)
	untested := part("tie=disallow", false)
	both := part("path-case=insensitive precedence=first", false)
	open := part("path-case=insensitive tie=disallow", false)
	missing := part("path-case=insensitive keys=google", false)
	if err := s.fold(); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, f := range listed(t, s.dir) {
		got[f.ID()] = f.Count()
	}
	want := map[string]int{one.ID(): 20, other.ID(): 20, untested.ID(): 10, open.ID(): 10, missing.ID(): 10}
	if diff := cmp.Diff(want, got); diff != "" || got[both.ID()] != 0 {
		t.Error(diff)
	}
}

// Counts of a finding that turned out to be another one are dropped, for one
// subject and only while it is not recorded.
func TestStoreUnhit(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	f := disagreement(t, "precedence=first", nil)
	hit(t, s, f, "a", true, false)
	hit(t, s, f, "b", true, false)
	s.unhit(f.ID(), "a")
	if s.knows(&f) {
		t.Error("it is known before it is recorded")
	}
	record(t, s, f, true)
	s.unhit(f.ID(), "b")
	if found := listed(t, s.dir); len(found) != 1 || found[0].Hits["a"] != 0 || found[0].Hits["b"] != 1 || !s.knows(&f) {
		t.Errorf("%+v", found)
	}
}
