package fuzz

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// families returns those named.
func families(t *testing.T, names ...string) []Family {
	t.Helper()
	var all []Family
	for _, name := range names {
		f, err := FindFamily(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *f)
	}
	return all
}

// What is slow is found in the family that shows it, and nowhere else, whatever
// the subject is.
func TestMeasureGrowthFinds(t *testing.T) {
	t.Parallel()
	asked := []string{"rules", "long-line", "comments", "five-stars", "stars"}
	type found struct {
		Finding, Stopped bool
		Exponent         float64 // rounded
	}
	for _, test := range []struct {
		name  string
		steps stepper
		want  map[string]found // of what is not linear
	}{
		{"linear", linear, map[string]found{}},
		{"quadratic", quadraticLines, map[string]found{
			"rules":    {Finding: true, Exponent: 2},
			"comments": {Finding: true, Exponent: 2},
		}},
		{"exponential", backtracking, map[string]found{
			"five-stars": {Finding: true, Stopped: true},
			"stars":      {Finding: true, Stopped: true},
		}},
	} {
		for name, subject := range map[string]func(<-chan struct{}) impl.Subject{
			"process":    func(<-chan struct{}) impl.Subject { return slowProcess{&slowSubject{steps: test.steps}} },
			"command":    func(<-chan struct{}) impl.Subject { return &slowSubject{steps: test.steps} },
			"in-process": func(released <-chan struct{}) impl.Subject { return inMemory(test.steps, released) },
		} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					released := make(chan struct{})
					subject := subject(released)
					defer time.Sleep(time.Minute) // what goes on comes to its end
					defer subject.Close()
					defer close(released)
					growths, err := MeasureGrowth(t.Context(), subject, GrowthOptions{Families: families(t, asked...), Budget: time.Hour, processor: unknown})
					if err != nil {
						t.Fatal(err)
					}
					if len(growths) != len(asked) {
						t.Fatalf("%d families were measured, want %d", len(growths), len(asked))
					}
					for i, g := range growths {
						if g.Family != asked[i] || g.Subject != "slow" {
							t.Errorf("growth %d is of %s and %s, want %s", i, g.Subject, g.Family, asked[i])
						}
						got := found{Finding: g.Finding(), Stopped: g.Stopped}
						if !g.Stopped {
							got.Exponent = math.Round(g.Exponent)
						} else if k := max(g.Exponent, g.AtLeast(growthStop)); k < 3 {
							t.Errorf("%s: exponent is %.2f, want at least 3; %v", g.Family, k, g.Points)
						}
						want, slow := test.want[g.Family]
						if !slow {
							// One rule against one short URL is too little to measure.
							want.Exponent = got.Exponent
							if got.Exponent > 1 {
								t.Errorf("%s: exponent is %.2f, want at most 1", g.Family, g.Exponent)
							}
						}
						if got != want {
							t.Errorf("%s: %+v, want %+v; %v", g.Family, got, want, g.Points)
						}
						checkWitness(t, &g)
					}
				})
			})
		}
	}
}

// checkWitness holds the witness to what it is said to be.
func checkWitness(t *testing.T, g *Growth) {
	t.Helper()
	f, err := FindFamily(g.Family)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Question(g.WitnessN), g.Witness); diff != "" {
		t.Errorf("%s: the witness is not the question of size %d (-want +got):\n%s", g.Family, g.WitnessN, diff)
	}
	at := slices.IndexFunc(g.Points, func(p GrowthPoint) bool { return p.Time > heavyQuestion })
	switch {
	case at >= 0:
		if g.Points[at].N != g.WitnessN {
			t.Errorf("%s: the witness has n = %d, want %d, the first above %v", g.Family, g.WitnessN, g.Points[at].N, heavyQuestion)
		}
	case g.Stopped && g.WitnessN != g.StoppedAt:
		t.Errorf("%s: the witness has n = %d, want %d, which was stopped", g.Family, g.WitnessN, g.StoppedAt)
	}
}

// A question of two hundred octets that a process never answers costs the time of
// two, once more as it may have been the machine.
func TestMeasureGrowthStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := func(w Witness, _ func(int) bool) int {
			if strings.Count(string(w.Robots), "*") > 4 {
				return math.MaxInt32
			}
			return 1
		}
		began := time.Now()
		const stop = 3 * time.Second
		growths, err := MeasureGrowth(t.Context(), slowProcess{&slowSubject{steps: hangs}},
			GrowthOptions{Families: families(t, "stars", "rules"), Stop: stop})
		if err != nil {
			t.Fatal(err)
		}
		g := growths[0]
		if !g.Stopped || g.StoppedAt != 4 || g.WitnessN != 4 || g.Ended != EndedStopped || len(g.Points) != 2 || g.StoppedOctets != g.Witness.Octets() {
			t.Errorf("stars were not stopped at n = 4 after two points: %+v", g)
		}
		if growths[1].Stopped || growths[1].Ended != EndedLargest {
			t.Errorf("rules ended as %q, want %q", growths[1].Ended, EndedLargest)
		}
		if took := time.Since(began); took < stop || took > stop+stop/10 {
			t.Errorf("all took %v, want little more than %v", took, stop)
		}
	})
}

// Linear time that is as long as that of a question is no hang: the family ends
// before it runs out. That holds where it becomes slow all of a sudden too.
func TestMeasureGrowthSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(w Witness, _ func(int) bool) int {
			if w.Octets() < 30_000 {
				return w.Octets() / 100
			}
			return 6 * w.Octets()
		}
		growths, err := MeasureGrowth(t.Context(), slowProcess{&slowSubject{steps: slow}},
			GrowthOptions{Families: families(t, "comments", "rules", "near-misses")})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range growths {
			if g.Finding() || g.Fitted != leastFitted || g.Ended != EndedSlow {
				t.Errorf("%s: ended as %q with an exponent of %.2f fitted to %d: %v", g.Family, g.Ended, g.Exponent, g.Fitted, g.Points)
			}
		}
	})
}

// A parser in this process that never returns is given up: the other families are
// measured as long as the subject can be asked.
func TestMeasureGrowthAbandons(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		hangs := func(w Witness, _ func(int) bool) int {
			if len(w.Robots) > 300 {
				return math.MaxInt
			}
			return 1
		}
		subject := inMemory(hangs, released)
		names := []string{"five-stars", "rules", "groups", "stars", "agents", "long-line", "comments"}
		growths, err := MeasureGrowth(t.Context(), subject, GrowthOptions{Families: families(t, names...), Budget: time.Hour, processor: unknown})
		if err == nil || !strings.Contains(err.Error(), "never returned") {
			t.Errorf("error is %v, want one that says that calls never returned", err)
		}
		var got []string
		for _, g := range growths {
			got = append(got, fmt.Sprintf("%s stopped %v abandoned %d", g.Family, g.Stopped, g.Abandoned))
		}
		want := []string{"five-stars stopped false abandoned 0", "rules stopped true abandoned 1",
			"groups stopped true abandoned 1", "stars stopped true abandoned 1", "agents stopped true abandoned 1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("growths differ (-want +got):\n%s", diff)
		}
		close(released)
		synctest.Wait()
		subject.Close()
	})
}

// A parser in this process that is merely slow returns in the end, and is not
// given up.
func TestMeasureGrowthSettles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(w Witness, _ func(int) bool) int {
			if len(w.Robots) > 3000 {
				return int(5 * time.Second / stepTime)
			}
			return 1
		}
		subject := inMemory(slow, nil)
		defer synctest.Wait()
		defer subject.Close()
		growths, err := MeasureGrowth(t.Context(), subject, GrowthOptions{Families: families(t, "rules", "long-url", "groups"), processor: unknown})
		if err != nil {
			t.Fatal(err)
		}
		for i, stopped := range []bool{true, false, true} {
			if g := growths[i]; g.Stopped != stopped || g.Abandoned != 0 || !g.Stopped && g.Slowest() > time.Second {
				t.Errorf("%s: stopped %v, abandoned %d, %v", g.Family, g.Stopped, g.Abandoned, g.Points)
			}
		}
	})
}

// One slow moment of the machine makes no finding.
func TestMeasureGrowthNoise(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"long": 300 * time.Millisecond, "out of time": time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				paused := map[int]bool{}
				noisy := func(w Witness, _ func(int) bool) int {
					if n := len(w.Robots); n > 250_000 && !paused[n] {
						paused[n] = true
						return int(pause / stepTime)
					}
					return 2 * w.Octets()
				}
				growths, err := MeasureGrowth(t.Context(), slowProcess{&slowSubject{steps: noisy}},
					GrowthOptions{Families: families(t, "rules")})
				if err != nil {
					t.Fatal(err)
				}
				if g := growths[0]; g.Finding() || g.Fitted != mostFitted || math.Abs(g.Exponent-1) > 0.1 {
					t.Errorf("exponent is %.2f, want 1; stopped: %v; %v", g.Exponent, g.Stopped, g.Points)
				}
			})
		})
	}
}

// What is no verdict ends a family and is told; the points before it count.
func TestMeasureGrowthCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		crashes := func(w Witness) spec.Answer {
			if len(w.Robots) > 20_000 {
				return spec.Answer{Verdict: spec.Crash, Detail: "too deep"}
			}
			return spec.Answer{Verdict: spec.Reject, Detail: "as ever"}
		}
		s := slowProcess{&slowSubject{steps: linear, answer: func(w Witness) spec.Answer {
			if w.Octets() == trivialQuestion.Octets() {
				return spec.Answer{Verdict: spec.Allow}
			}
			return crashes(w)
		}}}
		growths, err := MeasureGrowth(t.Context(), s, GrowthOptions{Families: families(t, "comments", "long-line")})
		if err != nil {
			t.Fatal(err)
		}
		g := growths[0]
		if g.Ended != "crash: too deep" || len(g.Points) != 5 || g.WitnessN != 1024 || g.Stopped {
			t.Errorf("comments ended as %q after %d points with a witness of %d, want a crash after 5, and 1024", g.Ended, len(g.Points), g.WitnessN)
		}
		if g := growths[1]; g.Finding() {
			t.Errorf("long-line is a finding: %+v", g)
		}
	})
}

// The budget is for all families; what is not asked says so.
func TestMeasureGrowthBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		growths, err := MeasureGrowth(t.Context(), slowProcess{&slowSubject{steps: quadraticLines}},
			GrowthOptions{Families: families(t, "comments", "rules", "groups", "agents"), Budget: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		last := growths[len(growths)-1]
		if len(growths) != 4 || growths[0].Ended != EndedSlow || last.Ended != EndedBudget || len(last.Points) > 0 {
			t.Errorf("the families ended as %v, want the last without a point", growths)
		}
		if took := time.Since(began); took > 9*time.Second {
			t.Errorf("all took %v, want 3 s and a few questions", took)
		}
	})
}

// Whoever interrupts gets what is finished.
func TestMeasureGrowthInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var told []string
		o := GrowthOptions{Families: families(t, "five-stars", "rules", "groups"), Progress: func(subject, family string, done, total int) {
			told = append(told, fmt.Sprint(subject, " ", family, " ", done, " ", total))
			if family == "groups" {
				cancel()
			}
		}}
		subjects := []impl.Subject{slowProcess{&slowSubject{steps: linear}}, slowProcess{&slowSubject{steps: linear}}}
		r := MeasureAll(ctx, subjects, o)
		if !r.Interrupted || len(r.Subjects) != 1 || len(r.Subjects[0].Growths) != 2 || r.Subjects[0].Lost != "" {
			t.Errorf("the result is %+v, want one subject with two families", r)
		}
		if diff := cmp.Diff([]string{"slow five-stars 0 3", "slow rules 1 3", "slow groups 2 3"}, told); diff != "" {
			t.Errorf("progress differs (-want +got):\n%s", diff)
		}
	})
}

// A subject that is lost keeps what was measured, and the next is asked.
func TestMeasureAllLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := slowProcess{&slowSubject{steps: linear, answer: func(Witness) spec.Answer {
			return spec.Answer{Verdict: spec.Crash, Detail: "no such library"}
		}}}
		r := MeasureAll(t.Context(), []impl.Subject{silent, slowProcess{&slowSubject{steps: linear}}},
			GrowthOptions{Families: families(t, "stars")})
		if r.Interrupted || len(r.Subjects) != 2 || !strings.Contains(r.Subjects[0].Lost, "no such library") || len(r.Subjects[0].Growths) != 0 {
			t.Errorf("the first subject is %+v, want it lost", r.Subjects[0])
		}
		if s := r.Subjects[1]; s.Lost != "" || len(s.Growths) != 1 || s.Growths[0].Lineage != "snail" {
			t.Errorf("the second subject is %+v, want one family", s)
		}
		if diff := cmp.Diff([]GrowthFamily{{"stars", "n stars against a URL of 200 octets"}}, r.Families); diff != "" {
			t.Errorf("families differ (-want +got):\n%s", diff)
		}
	})
}
