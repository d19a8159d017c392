package complexity

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

// Slowness of any subject is found in the family that shows it, and in no other.
func TestMeasureFinds(t *testing.T) {
	t.Parallel()
	asked := []string{"rules", "long-line", "comments", "five-stars", "stars"}
	type found struct {
		Finding, Stopped bool
		Exponent         float64 // rounded
	}
	for _, test := range []struct {
		name  string
		steps stepper
		want  map[string]found // for the families that are not linear
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
					defer time.Sleep(time.Minute) // calls that are still running come to an end
					defer subject.Close()
					defer close(released)
					curves, err := measure(t.Context(), subject, Options{Families: families(t, asked...), Budget: time.Hour, processor: unknown})
					if err != nil {
						t.Fatal(err)
					}
					if len(curves) != len(asked) {
						t.Fatalf("%d families were measured, want %d", len(curves), len(asked))
					}
					for i, c := range curves {
						if c.Family != asked[i] || c.Subject != "slow" {
							t.Errorf("curve %d is of %s and %s, want %s", i, c.Subject, c.Family, asked[i])
						}
						got := found{Finding: c.Finding(), Stopped: c.Stopped}
						if !c.Stopped {
							got.Exponent = math.Round(c.Exponent)
						} else if k := max(c.Exponent, c.AtLeast(defaultStop)); k < 3 {
							t.Errorf("%s: exponent is %.2f, want at least 3; %v", c.Family, k, c.Timings)
						}
						want, slow := test.want[c.Family]
						if !slow {
							// One rule against one short URL is too little to measure.
							want.Exponent = got.Exponent
							if got.Exponent > 1 {
								t.Errorf("%s: exponent is %.2f, want at most 1", c.Family, c.Exponent)
							}
						}
						if got != want {
							t.Errorf("%s: %+v, want %+v; %v", c.Family, got, want, c.Timings)
						}
						checkWitness(t, &c)
					}
				})
			})
		}
	}
}

// checkWitness checks that the witness is the query that its doc comment
// describes.
func checkWitness(t *testing.T, c *Curve) {
	t.Helper()
	f, err := FindFamily(c.Family)
	if err != nil {
		t.Fatal(err)
	}
	if want := f.Query(c.WitnessN); want.Compare(c.Witness) != 0 {
		t.Errorf("%s: the witness is not the query of size %d (-want +got):\n%s", c.Family, c.WitnessN, cmp.Diff(want, c.Witness))
	}
	at := slices.IndexFunc(c.Timings, func(p Timing) bool { return p.Time > heavyQuery })
	switch {
	case at >= 0:
		if c.Timings[at].N != c.WitnessN {
			t.Errorf("%s: the witness has n = %d, want %d, the first above %v", c.Family, c.WitnessN, c.Timings[at].N, heavyQuery)
		}
	case c.Stopped && c.WitnessN != c.StoppedAt:
		t.Errorf("%s: the witness has n = %d, want %d, which was stopped", c.Family, c.WitnessN, c.StoppedAt)
	}
}

// A query of two hundred bytes that a process never answers costs twice its time
// limit, as it is repeated once in case the machine was the cause.
func TestMeasureStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := func(w spec.Query, _ func(int) bool) int {
			if strings.Count(string(w.Robots), "*") > 4 {
				return math.MaxInt32
			}
			return 1
		}
		began := time.Now()
		const stop = 3 * time.Second
		curves, err := measure(t.Context(), slowProcess{&slowSubject{steps: hangs}},
			Options{Families: families(t, "stars", "rules"), Stop: stop})
		if err != nil {
			t.Fatal(err)
		}
		c := curves[0]
		if !c.Stopped || c.StoppedAt != 4 || c.WitnessN != 4 || c.Ended != EndedStopped || len(c.Timings) != 2 || c.StoppedOctets != c.Witness.Octets() {
			t.Errorf("stars were not stopped at n = 4 after two points: %+v", c)
		}
		if curves[1].Stopped || curves[1].Ended != EndedLargest {
			t.Errorf("rules ended as %q, want %q", curves[1].Ended, EndedLargest)
		}
		if took := time.Since(began); took < stop || took > stop+stop/10 {
			t.Errorf("all took %v, want little more than %v", took, stop)
		}
	})
}

// Linear time as long as the limit of a query is not a hang: the family ends
// before a query times out. That also holds if the subject suddenly becomes slow.
func TestMeasureSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(w spec.Query, _ func(int) bool) int {
			if w.Octets() < 30_000 {
				return w.Octets() / 100
			}
			return 6 * w.Octets()
		}
		curves, err := measure(t.Context(), slowProcess{&slowSubject{steps: slow}},
			Options{Families: families(t, "comments", "rules", "near-misses")})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range curves {
			if c.Finding() || c.Fitted != leastFitted || c.Ended != EndedSlow {
				t.Errorf("%s: ended as %q with an exponent of %.2f fitted to %d: %v", c.Family, c.Ended, c.Exponent, c.Fitted, c.Timings)
			}
		}
	})
}

// A parser in this process that never returns is given up: the other families are
// measured as long as the subject can be queried.
func TestMeasureAbandons(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		hangs := func(w spec.Query, _ func(int) bool) int {
			if len(w.Robots) > 300 {
				return math.MaxInt
			}
			return 1
		}
		subject := inMemory(hangs, released)
		names := []string{"five-stars", "rules", "groups", "stars", "agents", "long-line", "comments"}
		curves, err := measure(t.Context(), subject, Options{Families: families(t, names...), Budget: time.Hour, processor: unknown})
		if err == nil || !strings.Contains(err.Error(), "never returned") {
			t.Errorf("error is %v, want one that says that calls never returned", err)
		}
		var got []string
		for _, c := range curves {
			got = append(got, fmt.Sprintf("%s stopped %v abandoned %d", c.Family, c.Stopped, c.Abandoned))
		}
		want := []string{"five-stars stopped false abandoned 0", "rules stopped true abandoned 1",
			"groups stopped true abandoned 1", "stars stopped true abandoned 1", "agents stopped true abandoned 1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("curves differ (-want +got):\n%s", diff)
		}
		close(released)
		synctest.Wait()
		subject.Close()
	})
}

// A parser in this process that is merely slow returns in the end, and is not
// given up.
func TestMeasureSettles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(w spec.Query, _ func(int) bool) int {
			if len(w.Robots) > 3000 {
				return int(5 * time.Second / stepTime)
			}
			return 1
		}
		subject := inMemory(slow, nil)
		defer synctest.Wait()
		defer subject.Close()
		curves, err := measure(t.Context(), subject, Options{Families: families(t, "rules", "long-url", "groups"), processor: unknown})
		if err != nil {
			t.Fatal(err)
		}
		for i, stopped := range []bool{true, false, true} {
			if c := curves[i]; c.Stopped != stopped || c.Abandoned != 0 || !c.Stopped && c.Slowest() > time.Second {
				t.Errorf("%s: stopped %v, abandoned %d, %v", c.Family, c.Stopped, c.Abandoned, c.Timings)
			}
		}
	})
}

// One slow moment of the machine makes no finding.
func TestMeasureNoise(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"long": 300 * time.Millisecond, "out of time": time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				paused := map[int]bool{}
				noisy := func(w spec.Query, _ func(int) bool) int {
					if n := len(w.Robots); n > 250_000 && !paused[n] {
						paused[n] = true
						return int(pause / stepTime)
					}
					return 2 * w.Octets()
				}
				curves, err := measure(t.Context(), slowProcess{&slowSubject{steps: noisy}},
					Options{Families: families(t, "rules")})
				if err != nil {
					t.Fatal(err)
				}
				if c := curves[0]; c.Finding() || c.Fitted != mostFitted || math.Abs(c.Exponent-1) > 0.1 {
					t.Errorf("exponent is %.2f, want 1; stopped: %v; %v", c.Exponent, c.Stopped, c.Timings)
				}
			})
		})
	}
}

// An answer that is not a verdict ends a family and is reported; the points
// before it count.
func TestMeasureCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		crashes := func(w spec.Query) spec.Answer {
			if len(w.Robots) > 20_000 {
				return spec.Answer{Verdict: spec.Crash, Detail: "too deep"}
			}
			return spec.Answer{Verdict: spec.Reject, Detail: "as ever"}
		}
		s := slowProcess{&slowSubject{steps: linear, answer: func(w spec.Query) spec.Answer {
			if w.Octets() == trivialQuery.Octets() {
				return spec.Answer{Verdict: spec.Allow}
			}
			return crashes(w)
		}}}
		curves, err := measure(t.Context(), s, Options{Families: families(t, "comments", "long-line")})
		if err != nil {
			t.Fatal(err)
		}
		c := curves[0]
		if c.Ended != "crash: too deep" || len(c.Timings) != 5 || c.WitnessN != 1024 || c.Stopped {
			t.Errorf("comments ended as %q after %d points with a witness of %d, want a crash after 5, and 1024", c.Ended, len(c.Timings), c.WitnessN)
		}
		if c := curves[1]; c.Finding() {
			t.Errorf("long-line is a finding: %+v", c)
		}
	})
}

// The budget is for all families; those that are skipped say so.
func TestMeasureBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		curves, err := measure(t.Context(), slowProcess{&slowSubject{steps: quadraticLines}},
			Options{Families: families(t, "comments", "rules", "groups", "agents"), Budget: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		last := curves[len(curves)-1]
		if len(curves) != 4 || curves[0].Ended != EndedSlow || last.Ended != EndedBudget || len(last.Timings) > 0 {
			t.Errorf("the families ended as %v, want the last without a point", curves)
		}
		if took := time.Since(began); took > 9*time.Second {
			t.Errorf("all took %v, want 3 s and a few queries", took)
		}
	})
}

// An interrupted run returns everything finished until then.
func TestMeasureInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var told []string
		o := Options{Families: families(t, "five-stars", "rules", "groups"), Progress: func(subject, family string, done, total int) {
			told = append(told, fmt.Sprint(subject, " ", family, " ", done, " ", total))
			if family == "groups" {
				cancel()
			}
		}}
		subjects := []impl.Subject{slowProcess{&slowSubject{steps: linear}}, slowProcess{&slowSubject{steps: linear}}}
		r := Measure(ctx, subjects, o)
		if !r.Interrupted || len(r.Subjects) != 1 || len(r.Subjects[0].Curves) != 2 || r.Subjects[0].Lost != "" {
			t.Errorf("the result is %+v, want one subject with two families", r)
		}
		if diff := cmp.Diff([]string{"slow five-stars 0 3", "slow rules 1 3", "slow groups 2 3"}, told); diff != "" {
			t.Errorf("progress differs (-want +got):\n%s", diff)
		}
	})
}

// A subject that is lost keeps its measurements, and the next one is measured.
func TestMeasureLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := slowProcess{&slowSubject{steps: linear, answer: func(spec.Query) spec.Answer {
			return spec.Answer{Verdict: spec.Crash, Detail: "no such library"}
		}}}
		r := Measure(t.Context(), []impl.Subject{silent, slowProcess{&slowSubject{steps: linear}}},
			Options{Families: families(t, "stars")})
		if r.Interrupted || len(r.Subjects) != 2 || !strings.Contains(r.Subjects[0].Lost, "no such library") || len(r.Subjects[0].Curves) != 0 {
			t.Errorf("the first subject is %+v, want it lost", r.Subjects[0])
		}
		if s := r.Subjects[1]; s.Lost != "" || len(s.Curves) != 1 || s.Curves[0].Lineage != "snail" {
			t.Errorf("the second subject is %+v, want one family", s)
		}
		if diff := cmp.Diff([]FamilyInfo{{"stars", "n stars against a URL of 200 octets"}}, r.Families); diff != "" {
			t.Errorf("families differ (-want +got):\n%s", diff)
		}
	})
}
