package fuzz

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
)

// A parser that is slow only while the machine is busy is queried again, and is
// not slow. A parser once found slow by itself is not rechecked if the campaign
// has no count.
func TestWorkerRechecks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		s := newScanSleeper(1, func(robots string) time.Duration {
			asked[robots]++
			if robots[0] == 's' || robots[0] == 'b' && asked[robots] == 1 {
				return 1500 * time.Millisecond
			}
			return time.Millisecond
		})
		a := newWorkers([]impl.Subject{s}, 1)[0]
		a.enough = enoughCampaign
		slow := map[string]bool{}
		for _, robots := range []string{"busy1", "busy2", "quick", "busy3", "slow1", "slow2"} {
			slow[robots] = a.ask(t.Context(), []byte(robots), nil).slow
		}
		want := map[string]bool{"busy1": false, "busy2": false, "quick": false, "busy3": false, "slow1": true, "slow2": true}
		if diff := cmp.Diff(want, slow); diff != "" {
			t.Errorf("slow: %s", diff)
		}
		if diff := cmp.Diff(map[string]int{"busy1": 2, "busy2": 2, "quick": 1, "busy3": 2, "slow1": 2, "slow2": 1}, asked); diff != "" {
			t.Errorf("asked: %s", diff)
		}
	})
}

// A campaign generates an input when half of the subjects that are not resting
// are free.
func TestCampaignAwaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var subjects []impl.Subject
		for range 4 {
			subjects = append(subjects, newScanSleeper(1, func(string) time.Duration { return time.Hour }))
		}
		c := &campaign{workers: newWorkers(subjects, 1), freed: make(chan struct{}, 1), skipsBusy: true}
		waits := func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return !c.await(ctx)
		}
		// ask keeps a worker busy until release is called.
		ask := func(w *worker) (release func()) {
			ctx, cancel := context.WithCancel(t.Context())
			go w.Ask(ctx, nil, nil)
			synctest.Wait()
			return func() { cancel(); synctest.Wait() }
		}
		var release func()
		for busy, want := range []bool{false, false, false, true, true} {
			if busy > 0 {
				release = ask(c.workers[busy-1])
			}
			if got := waits(); got != want {
				t.Errorf("%d of 4 are busy: waits %v, want %v", busy, got, want)
			}
		}
		release()
		for i := range 2 {
			c.workers[i].rest(reply{Reply: impl.Reply{Took: time.Hour}})
		}
		if waits() {
			t.Error("one of two that do not rest is free: waits")
		}
		c.skipsBusy = false
		ask(c.workers[3])
		if waits() {
			t.Error("everybody is asked about a counted input: waits")
		}
	})
}

// TestRestEnds: a file that takes an hour does not cost the subject the campaign.
func TestRestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w worker
		w.rest(reply{Reply: impl.Reply{Took: time.Hour}})
		if !w.resting() {
			t.Error("it does not rest")
		}
		time.Sleep(30 * time.Second)
		if w.resting() {
			t.Error("it still rests after 30 s")
		}
	})
}
