package fuzz

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl"
)

// A campaign is killed ten times at any moment. What was there a second before
// is there after it, counts included, nothing is broken, and it goes on.
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
	k := &keeper{dir: dir}
	rng := rand.New(rand.NewPCG(1, 2))
	var before map[string]int
	inputs := -1
	for round := range 10 {
		p := exec.CommandContext(t.Context(), exe, "-test.run=^TestCampaignKilled$")
		p.Env = append(os.Environ(), variable+"="+dir)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		awaitProgress(t, k, inputs)
		time.Sleep(time.Duration(rng.IntN(700)) * time.Millisecond)
		// What holds now is a second old when the process is killed.
		state, findings := readCampaign(t, k)
		time.Sleep(1100 * time.Millisecond)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait()
		after, foundAfter := readCampaign(t, k)
		if after.Tally.Inputs < state.Tally.Inputs || after.Next < state.Next {
			t.Errorf("round %d: %d inputs, and a second before it were %d", round, after.Tally.Inputs, state.Tally.Inputs)
		}
		shrunk(t, round, before, findings)
		shrunk(t, round, findings, foundAfter)
		before, inputs = foundAfter, after.Tally.Inputs
	}
	if inputs < 100 || len(before) < 10 {
		t.Errorf("%d inputs and %d findings are too few to tell", inputs, len(before))
	}
}

func campaignForever(t *testing.T, dir string) {
	subjects, err := impl.Open([]string{"reference", "slyrz", "temoto"}, "rfc9309", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Campaign(t.Context(), subjects, openStore(t, dir), CampaignOptions{Resume: true, Reduce: ReduceOptions{Asks: 50}, Look: 2}); err != nil {
		t.Fatal(err)
	}
}

// awaitProgress waits until more inputs are made than were.
func awaitProgress(t *testing.T, k *keeper, inputs int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if s, err := k.read(); err != nil {
			t.Fatal(err)
		} else if s != nil && s.Tally.Inputs > inputs {
			return
		}
	}
	t.Fatal("the campaign does not go on")
}

// readCampaign reads what is kept now: the state, and the hits by finding.
func readCampaign(t *testing.T, k *keeper) (*campaignState, map[string]int) {
	t.Helper()
	state, err := k.read()
	if err != nil || state == nil {
		t.Fatalf("the state is broken: %v", err)
	}
	found, err := openStore(t, k.dir).List()
	if err != nil {
		t.Fatalf("findings are broken: %v", err)
	}
	hits := map[string]int{}
	for i := range found {
		hits[found[i].ID()] = found[i].Count()
	}
	return state, hits
}

// shrunk complains of findings that are gone and of counts that went down.
func shrunk(t *testing.T, round int, before, after map[string]int) {
	t.Helper()
	for id, hits := range before {
		if after[id] < hits {
			t.Errorf("round %d: finding %s had %d hits, now %d", round, id, hits, after[id])
		}
	}
}
