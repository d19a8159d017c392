package fuzz

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// TestCampaignKilled kills a campaign several times at random moments. The next
// one finds the findings and counts that were written, none of them broken, and
// continues.
func TestCampaignKilled(t *testing.T) {
	t.Parallel()
	const variable = "REPCHECK_TEST_CAMPAIGN"
	if dir := os.Getenv(variable); dir != "" { // the process that is killed
		campaignForever(t, dir)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	store := openStore(t, dir)
	rng := rand.New(rand.NewPCG(1, 2))
	var before map[string]int
	inputs := 0
	rounds := 3
	if *longtest.Long {
		rounds = 10
	}
	for round := range rounds {
		p := exec.CommandContext(t.Context(), exe, "-test.run=^TestCampaignKilled$")
		p.Env = append(os.Environ(), variable+"="+dir)
		out, err := p.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		ticks := bufio.NewScanner(out)
		awaitProgress(t, store, ticks, inputs+leastInputs)
		state, findings := readCampaign(t, store)
		for range rng.IntN(3) {
			ticks.Scan()
		}
		for range rng.IntN(1000) { // it writes when it prints a tick
			os.Stat(dir)
		}
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait()
		after, foundAfter := readCampaign(t, store)
		if after.Tally.Inputs < state.Tally.Inputs || after.Inputs < state.Inputs {
			t.Errorf("round %d: %d inputs, and before it was killed there were %d", round, after.Tally.Inputs, state.Tally.Inputs)
		}
		shrunk(t, round, before, findings)
		shrunk(t, round, findings, foundAfter)
		before, inputs = foundAfter, after.Tally.Inputs
	}
	if len(before) < rounds {
		t.Errorf("%d findings of %d inputs are too few to tell", len(before), inputs)
	}
}

// campaignForever prints a line for each progress report. The fingerprints of its
// parsers are found at once, their many deviations give findings, and they mostly
// sleep.
func campaignForever(t *testing.T, dir string) {
	subjects := []impl.Subject{subject(t, impl.ReferenceName, reference.RFC9309())}
	for name, in := range map[string]reference.Interpretation{"koster-1996": reference.Koster1996(), "standard-1994": reference.Standard1994()} {
		answers := impl.ParseReference(reference.New(in))
		subjects = append(subjects, impl.InProcess(spec.SubjectInfo{Name: name, Version: "1"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
			time.Sleep(time.Millisecond)
			return answers(robots)
		}, impl.InProcessOptions{}))
	}
	o := CampaignOptions{Resume: true, Jobs: 1, minimizeCalls: 50, Look: 2, Progress: func(CampaignProgress) { fmt.Println("tick") }}
	if _, err := Campaign(t.Context(), subjects, openStore(t, dir), o); err != nil {
		t.Fatal(err)
	}
}

// leastInputs is how many inputs a campaign finishes before it is killed.
const leastInputs = 10

// awaitProgress waits until that many inputs are recorded.
func awaitProgress(t *testing.T, s *Store, ticks *bufio.Scanner, inputs int) {
	t.Helper()
	for ticks.Scan() {
		if state, err := s.Campaign(); err != nil {
			t.Fatal(err)
		} else if state != nil && state.Tally.Inputs >= inputs {
			return
		}
	}
	t.Fatal("the campaign does not go on")
}

// readCampaign reads the recorded state, and the hits by finding.
func readCampaign(t *testing.T, s *Store) (*CampaignRecord, map[string]int) {
	t.Helper()
	state, err := s.Campaign()
	if err != nil || state == nil {
		t.Fatalf("the state is broken: %v", err)
	}
	found, err := openStore(t, s.dir).List()
	if err != nil {
		t.Fatalf("findings are broken: %v", err)
	}
	hits := map[string]int{}
	for i := range found {
		hits[found[i].ID()] = found[i].Count()
	}
	return state, hits
}

// shrunk reports findings that have disappeared and counts that went down.
func shrunk(t *testing.T, round int, before, after map[string]int) {
	t.Helper()
	for id, hits := range before {
		if after[id] < hits {
			t.Errorf("round %d: finding %s had %d hits, now %d", round, id, hits, after[id])
		}
	}
}

// A folder can be locked again at once after it was unlocked, even if a process is
// being started at that moment.
func TestLockRelease(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var started atomic.Int32
	var starting sync.WaitGroup
	defer starting.Wait()
	starting.Go(func() {
		for started.Load() < 20 {
			exec.CommandContext(t.Context(), exe, "-test.run=^$").Run()
			started.Add(1)
		}
	})
	name := filepath.Join(t.TempDir(), lockFile)
	for n := 0; started.Load() < 20; n++ {
		unlock, err := lock(name)
		if err != nil {
			t.Errorf("lock %d: %v", n, err)
			started.Store(20)
			break
		}
		unlock()
	}
}
