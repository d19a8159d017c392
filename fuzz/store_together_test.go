package fuzz

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStoreConcurrently(t *testing.T) {
	t.Parallel()
	const goroutines, each = 10, 40
	for _, name := range []string{"one store", "several stores"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			shared := openStore(t, dir)
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					s := shared
					if name == "several stores" && g%2 == 0 {
						var err error
						if s, err = OpenStore(dir); err != nil {
							t.Error(err)
							return
						}
					}
					if err := recordMany(s, g, each); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			checkMany(t, dir)
			if name == "several stores" {
				return // if two count at the same time, the counts of one may be lost
			}
			type kept struct {
				robots string
				hits   int
			}
			want, got := map[string]kept{}, map[string]kept{}
			for i := range each {
				name := fmt.Sprint("subject", i%3)
				want[name] = kept{strings.Repeat("x", 2*each-i) + "0", want[name].hits + goroutines}
			}
			for _, f := range listed(t, dir) {
				got[f.Lineage] = kept{string(f.Witness.Robots), f.Count()}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(kept{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// If many goroutines record one finding, it is new for one, and all count.
func TestStoreRecordsOnce(t *testing.T) {
	t.Parallel()
	const hits, goroutines = 100, 8
	dir := t.TempDir()
	s := openStore(t, dir)
	var recorded atomic.Int64
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range hits {
				f := finding("x", "a\n", 0)
				f.Hits = nil
				if s.Hit(&f, fmt.Sprint("subject", g%2), g%2 == 0) {
					continue
				}
				switch isNew, err := s.Record(f); {
				case err != nil:
					t.Error(err)
				case isNew:
					recorded.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	found := listed(t, dir)
	if len(found) != 1 || recorded.Load() != 1 {
		t.Fatalf("%d findings, %d times new", len(found), recorded.Load())
	}
	const each = hits * goroutines / 2
	if diff := cmp.Diff(map[string]int{"subject0": each, "subject1": each}, found[0].Hits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"subject0": each}, found[0].Beyond); diff != "" {
		t.Error(diff)
	}
}

// recordMany hits three findings, and records them; the last record of each is
// the smallest.
func recordMany(s *Store, g, n int) error {
	for i := range n {
		f := finding(fmt.Sprint("subject", i%3), strings.Repeat("x", 2*n-i)+fmt.Sprint(g), 0)
		f.Hits = nil
		s.Hit(&f, f.Lineage, i%2 == 0)
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
		if f.Count() < 1 || f.Beyond[f.Lineage] > f.Hits[f.Lineage] || f.Witness.Lines() != 1 {
			t.Errorf("finding %+v", f)
		}
	}
}

// Several processes write to one directory, and some are killed meanwhile.
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
		for ; ; time.Sleep(10 * time.Millisecond) {
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

// A finding that another process deletes is recorded again when it is next
// encountered.
func TestStoreDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	campaign, prune := openStore(t, dir), openStore(t, dir)
	f := finding("x", "a\n", 1)
	record(t, campaign, f, true)
	if err := prune.Delete(f.ID()); err != nil {
		t.Fatal(err)
	}
	hit(t, campaign, f, "x", false, true)
	if err := campaign.Flush(); err != nil || len(listed(t, dir)) != 0 {
		t.Error(listed(t, dir), err)
	}
	hit(t, campaign, f, "x", false, false)
	record(t, campaign, f, true)
	if n := len(listed(t, dir)); n != 1 {
		t.Errorf("%d findings, want 1", n)
	}
}

func TestStoreMerges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	first := finding("x", "two\nlines\n", 2)
	record(t, a, first, true)
	record(t, b, finding("x", "onelongline\n", 5), false)
	smallest := finding("x", "lime\n", 1)
	smallest.Last = noon.Add(time.Hour)
	record(t, a, smallest, false)
	record(t, a, finding("x", "line\n", 1), false)
	record(t, b, finding("x", "a\nb\n", 1), false)
	want := finding("x", "lime\n", 10)
	want.Last = smallest.Last
	if diff := cmp.Diff([]Finding{want}, listed(t, dir)); diff != "" {
		t.Error(diff)
	}

	hit(t, a, first, "x", false, true)
	hit(t, a, first, "y", true, true)
	hit(t, b, first, "y", false, true)
	hit(t, b, first, "y", true, true)
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := b.Get(first.ID()[:4])
	if err != nil {
		t.Fatal(err)
	}
	if !got.Last.After(smallest.Last) || got.First != noon {
		t.Errorf("first seen %v, last %v", got.First, got.Last)
	}
	want.Hits, want.Beyond, want.Last = map[string]int{"x": 11, "y": 3}, map[string]int{"y": 2}, got.Last
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
