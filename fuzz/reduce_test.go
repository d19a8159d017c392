package fuzz

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// flip returns RFC 9309 with one other choice.
func flip(p reference.Point, c reference.Choice) reference.Interpretation {
	in := reference.RFC9309
	in[p] = c
	return in
}

// hay is what no disagreement of the tests needs.
func hay(n int) string {
	return strings.Repeat("User-agent: HayBot\nUser-agent: StrawBot\nDisallow: /hay # stack\nAllow: /straw/\n\nSitemap: http://foo.test/s.xml\n", n)
}

func TestReduce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		other  reference.Interpretation
		robots string
		agent  string
		url    string
		want   string
		wantAt string
	}{
		{
			"first match", flip(reference.Precedence, reference.PrecedenceFirst),
			hay(20) + "User-Agent: LoudBot\nCrawl-delay: 10\nDisallow: /catalogue/ # all\nAllow: /catalogue/public/\n" + hay(20),
			"LoudBot", "https://shop.test/catalogue/public/index.html?page=2#top",
			"User-agent: FooBot\nDisallow: /\nAllow: /\n", "FooBot http://foo.test/",
		},
		{
			"lone CR", flip(reference.LineEnds, reference.LineEndsLFOnly),
			hay(3) + "user-agent:  *\r\rDisallow: /private\rAllow: /private/x\r",
			"RepcheckBot", "http://foo.test/private/y",
			"User-agent: *\nDisallow: /\r", "FooBot http://foo.test/",
		},
		{
			"path case", flip(reference.PathCase, reference.PathCaseInsensitive),
			hay(1) + "User-agent: *\nDisallow: /Images/Large\n" + hay(1),
			"Bar", "http://foo.test/images/large/1.png",
			"User-agent: *\nDisallow: /I\n", "FooBot http://foo.test/i",
		},
		{
			"byte order mark", flip(reference.ByteOrderMark, reference.ByteOrderMarkKeep),
			"\uFEFFUSER-AGENT : FooBot\nDISALLOW : /a\n", "FooBot", "http://foo.test/a",
			"\uFEFFUser-agent: FooBot\nDisallow: /\n", "FooBot http://foo.test/",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := NewDiffer([]impl.Subject{subject(t, "reference", reference.RFC9309), subject(t, "other", tt.other)})
			in := Witness{Robots: []byte(tt.robots), Probe: spec.Probe{Agent: tt.agent, URL: tt.url}}
			r := d.Reduce(t.Context(), in, ReduceOptions{})
			if diff := cmp.Diff(tt.want, string(r.Witness.Robots)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.wantAt, r.Witness.Agent+" "+r.Witness.URL); diff != "" {
				t.Error(diff)
			}
			if r.Signature.None() || r.Answers == nil {
				t.Errorf("signature %q, answers %v", r.Signature, r.Answers)
			}
			if diff := cmp.Diff(r, d.Reduce(t.Context(), in, ReduceOptions{})); diff != "" {
				t.Error("once more it comes out otherwise", diff)
			}
			if diff := cmp.Diff(r.Witness, d.Reduce(t.Context(), r.Witness, ReduceOptions{}).Witness); diff != "" {
				t.Error("reduced again it shrinks", diff)
			}
		})
	}
}

// Of a file that has to be large few lines remain, and one is a comment.
func TestReduceLarge(t *testing.T) {
	t.Parallel()
	for _, choice := range []reference.Choice{reference.SizeLimitNone, reference.SizeLimitKeepCutLine} {
		d := NewDiffer([]impl.Subject{
			subject(t, "reference", reference.RFC9309), subject(t, "other", flip(reference.SizeLimit, choice)),
		})
		var robots strings.Builder
		robots.WriteString("User-agent: FooBot\n")
		if choice == reference.SizeLimitNone {
			robots.WriteString("Allow: /b\n")
		}
		for i := 0; robots.Len() < reference.ParsingLimit-400; i++ {
			fmt.Fprintf(&robots, "Disallow: /a/%d\n", i)
		}
		robots.WriteString(strings.Repeat("\n", reference.ParsingLimit-robots.Len()-len("Disallow: /b")))
		robots.WriteString("Disallow: /b/c\n" + hay(3))
		w := Witness{Robots: []byte(robots.String()), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/b/c"}}
		got := d.Reduce(t.Context(), w, ReduceOptions{})
		if lines := got.Witness.Lines(); lines > 6 || got.Signature.None() {
			t.Errorf("choice %d: %d lines remain, parting %s", choice, lines, got.Signature)
		}
	}
}

// Whatever a generated file shows of a choice, a few lines show it too.
func TestReduceGenerated(t *testing.T) {
	t.Parallel()
	// Blank lines, empty groups and several groups need more lines than three.
	const most = 6
	for i, f := range reference.AllDeviations() {
		if i%4 != 0 {
			continue // for time; the others show in the fuzz target
		}
		d := NewDiffer([]impl.Subject{
			subject(t, "reference", reference.RFC9309), subject(t, f.String(), reference.With(f)),
		})
		g := NewGenerator(uint64(i))
		for range 300 {
			w := Witness{}
			in := g.Next()
			w.Robots, w.Probe = in.Robots, in.Probes[0]
			r := d.Reduce(t.Context(), w, ReduceOptions{})
			if r.Signature.None() {
				continue
			}
			signature, _ := d.SignatureOf(t.Context(), r.Witness)
			switch {
			case signature.String() != r.Signature.String():
				t.Errorf("%s: reduced to %q of\n%s", r.Signature, signature, spec.EncodeOctets(r.Witness.Robots))
			case !r.Witness.fits(w):
				t.Errorf("%s: %d lines, %d octets grew to %d, %d", r.Signature, w.Lines(), w.Octets(), r.Witness.Lines(), r.Witness.Octets())
			case r.Witness.Lines() > most:
				t.Errorf("%s: %d lines are left of %s in\n%s", r.Signature, r.Witness.Lines(), spec.ProbeID(r.Witness.Probe), spec.EncodeOctets(r.Witness.Robots))
			}
			break
		}
	}
}

func TestReduceIsBounded(t *testing.T) {
	t.Parallel()
	d := NewDiffer([]impl.Subject{subject(t, "reference", reference.RFC9309), subject(t, "other", flip(reference.Tie, reference.TieDisallow))})
	w := Witness{Robots: []byte(hay(5) + "User-agent: *\nDisallow: /a\nAllow: /a\n"), Probe: spec.Probe{Agent: "a", URL: "http://foo.test/a"}}
	for _, asks := range []int{2, 10, 50} {
		if r := d.Reduce(t.Context(), w, ReduceOptions{Asks: asks}); r.Asks > asks || r.Signature.None() {
			t.Errorf("%d questions for %d, signature %q", r.Asks, asks, r.Signature)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := Reduction{Witness: w, Asks: 1}
	if diff := cmp.Diff(want, d.Reduce(ctx, w, ReduceOptions{})); diff != "" {
		t.Error("interrupted:", diff)
	}

	w.Robots = []byte("User-agent: *\nDisallow: /a\n")
	if r := d.Reduce(t.Context(), w, ReduceOptions{}); !r.Signature.None() || r.Asks != 1 || r.Witness.Compare(w) != 0 {
		t.Errorf("no disagreement was reduced to %+v", r)
	}
}

// The reduction of a witness of a slow parser ends after a few slow answers; the
// time that the machine takes off between answers does not matter.
func TestReduceSlow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		took func(asked int) time.Duration
		want func(asks int) bool
	}{
		{"slow", func(int) time.Duration { return time.Second }, func(asks int) bool { return asks == maxSlowAnswers }},
		{"fast on a busy machine", func(asked int) time.Duration {
			if asked%10 == 0 {
				return time.Minute
			}
			return slowAnswer
		}, func(asks int) bool { return asks > 20 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := Witness{Robots: []byte(hay(3) + "User-agent: *\nDisallow: /needle\n"), Probe: spec.Probe{Agent: "a", URL: "http://foo.test/needle"}}
				asked := 0
				got, asks := reduce(t.Context(), w, ReduceOptions{}, func(smaller Witness) bool {
					asked++
					time.Sleep(tt.took(asked))
					return strings.Contains(string(smaller.Robots), "needle")
				})
				if !tt.want(asks) || asks != asked || !got.fits(w) {
					t.Errorf("%d questions for %d lines, which are %d now", asks, w.Lines(), got.Lines())
				}
			})
		})
	}
}

// Whatever is to hold of a witness holds of the last that was asked about with
// success, and that is the result.
func TestReduceHolds(t *testing.T) {
	t.Parallel()
	w := Witness{Robots: []byte(hay(3) + "User-agent: *\nDisallow: /needle\n" + hay(3)), Probe: spec.Probe{Agent: "a", URL: "http://foo.test/needle/x"}}
	asked := 0
	var last Witness
	holds := func(smaller Witness) bool {
		asked++
		if !smaller.fits(w) {
			t.Errorf("%d lines, %d octets grew to %d, %d", w.Lines(), w.Octets(), smaller.Lines(), smaller.Octets())
		}
		if !strings.Contains(string(smaller.Robots), "needle") || !strings.HasSuffix(smaller.URL, "/x") {
			return false
		}
		last = smaller
		return true
	}
	got, asks := reduce(t.Context(), w, ReduceOptions{}, holds)
	want := Witness{Robots: []byte("Disallow: needle\n"), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/x"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(last, got); diff != "" || asks != asked || asks > defaultAsks {
		t.Errorf("%d questions are told of, %d were asked: %s", asks, asked, diff)
	}
	for _, most := range []int{1, 2, 10} {
		asked = 0
		if _, asks := reduce(t.Context(), w, ReduceOptions{Asks: most}, holds); asks != most || asked != most {
			t.Errorf("of %d questions %d were asked, %d told of", most, asked, asks)
		}
	}
	never, asks := reduce(t.Context(), w, ReduceOptions{}, func(Witness) bool { return false })
	if diff := cmp.Diff(w, never); diff != "" || asks == 0 {
		t.Errorf("what holds of nothing smaller was reduced after %d questions: %s", asks, diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, asks := reduce(ctx, w, ReduceOptions{}, holds); asks != 0 || got.Compare(w) != 0 {
		t.Errorf("interrupted, it was reduced to %v after %d questions", got, asks)
	}
}

// No witness is asked about twice, none is larger than the one that is reduced, not
// even by the names that every example has, and pairs of lines are tried in small
// files only.
func TestReduceAsksOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, robots string
		most         int // questions
		holds        func(Witness) bool
	}{
		{"short names", "User-agent: a\nDisallow: /b\n", 200, func(w Witness) bool { return strings.Contains(string(w.Robots), "gent: ") }},
		{"nothing smaller holds", "User-agent: a\n" + strings.Repeat("Allow: /b\nDisallow: /c\n", 20), 700, func(Witness) bool { return false }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := Witness{Robots: []byte(tt.robots), Probe: spec.Probe{Agent: "a", URL: "http://a/"}}
			asked := map[string]int{}
			_, asks := reduce(t.Context(), w, ReduceOptions{}, func(smaller Witness) bool {
				asked[fmt.Sprintf("%q", smaller)]++
				if !smaller.fits(w) {
					t.Errorf("%q is larger", smaller)
				}
				return tt.holds(smaller)
			})
			for witness, n := range asked {
				if n > 1 {
					t.Errorf("asked %d times: %s", n, witness)
				}
			}
			if asks > tt.most {
				t.Errorf("%d questions, want %d at most", asks, tt.most)
			}
		})
	}
}

// A witness of a timeout costs the timeout at every step.
func TestReduceLeavesTimeouts(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	d := NewDiffer([]impl.Subject{answering(t, "hangs", func(string, string) spec.Answer { <-stop; return spec.Answer{} })})
	w := Witness{Robots: []byte(hay(1)), Probe: spec.Probe{Agent: "a", URL: "/"}}
	r := d.Reduce(t.Context(), w, ReduceOptions{})
	if r.Signature.String() != "timeout: hangs" || r.Asks != 1 || r.Witness.Compare(w) != 0 {
		t.Errorf("reduced to %+v", r)
	}
}

func TestReduceOneAsk(t *testing.T) {
	d := NewDiffer([]impl.Subject{subject(t, "reference", reference.RFC9309), subject(t, "other", flip(reference.Tie, reference.TieDisallow))})
	w := Witness{Robots: []byte(hay(5) + "User-agent: *\nDisallow: /a\nAllow: /a\n"), Probe: fooBot("/a")}
	if r := d.Reduce(t.Context(), w, ReduceOptions{Asks: 1}); r.Asks > 1 {
		t.Errorf("%d questions for 1", r.Asks)
	}
}
