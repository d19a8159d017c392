package minimize_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/fuzz/internal/generate"
	"github.com/repcheck/repcheck/fuzz/internal/minimize"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// hay returns lines that no disagreement of the tests needs.
func hay(n int) string {
	return strings.Repeat("User-agent: HayBot\nUser-agent: StrawBot\nDisallow: /hay # stack\nAllow: /straw/\n\nSitemap: http://foo.test/s.xml\n", n)
}

// disagreement returns a function that reports whether the reference and the
// reference with one choice changed give a query the same verdicts as q; ok is
// false if they give q the same one.
func disagreement(q spec.Query, p reference.Point, c reference.Choice) (keep func(spec.Query) bool, ok bool) {
	in := reference.RFC9309()
	in[p] = c
	one, other := reference.New(reference.RFC9309()), reference.New(in)
	verdicts := func(q spec.Query) (a, b bool) {
		file := other.Parse(q.Robots)
		return one.Parse(q.Robots).Test(q.Agent, q.URL).Allow, file.Refused() == "" && file.Test(q.Agent, q.URL).Allow
	}
	wantOne, wantOther := verdicts(q)
	return func(q spec.Query) bool {
		a, b := verdicts(q)
		return a == wantOne && b == wantOther
	}, wantOne != wantOther
}

func TestMinimize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		point  reference.Point
		choice reference.Choice
		robots string
		agent  string
		url    string
		want   string
		wantAt string
	}{
		{
			"first match", reference.Precedence, reference.PrecedenceFirst,
			hay(20) + "User-Agent: LoudBot\nCrawl-delay: 10\nDisallow: /catalogue/ # all\nAllow: /catalogue/public/\n" + hay(20),
			"LoudBot", "https://shop.test/catalogue/public/index.html?page=2#top",
			"User-agent: FooBot\nDisallow: /\nAllow: /\n", "FooBot http://foo.test/",
		},
		{
			"lone CR", reference.LineEnds, reference.LineEndsLFOnly,
			hay(3) + "user-agent:  *\r\rDisallow: /private\rAllow: /private/x\r",
			"RepcheckBot", "http://foo.test/private/y",
			"User-agent: *\nDisallow: /\r", "FooBot http://foo.test/",
		},
		{
			"path case", reference.PathCase, reference.PathCaseInsensitive,
			hay(1) + "User-agent: *\nDisallow: /Images/Large\n" + hay(1),
			"Bar", "http://foo.test/images/large/1.png",
			"User-agent: *\nDisallow: /I\n", "FooBot http://foo.test/i",
		},
		{
			"byte order mark", reference.ByteOrderMark, reference.ByteOrderMarkKeep,
			"\uFEFFUSER-AGENT : FooBot\nDISALLOW : /a\n", "FooBot", "http://foo.test/a",
			"\uFEFFUser-agent: FooBot\nDisallow: /\n", "FooBot http://foo.test/",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := spec.Query{Robots: []byte(tt.robots), Probe: spec.Probe{Agent: tt.agent, URL: tt.url}}
			keep, ok := disagreement(in, tt.point, tt.choice)
			if !ok {
				t.Fatal("the verdicts are the same")
			}
			got := minimize.Minimize(t.Context(), in, keep, 0)
			if diff := cmp.Diff(tt.want, string(got.Robots)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.wantAt, got.Agent+" "+got.URL); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(got, minimize.Minimize(t.Context(), in, keep, 0)); diff != "" {
				t.Error("the second result differs:", diff)
			}
			if diff := cmp.Diff(got, minimize.Minimize(t.Context(), got, keep, 0)); diff != "" {
				t.Error("minimized again it shrinks:", diff)
			}
		})
	}
}

// Of a file that has to be large, few lines remain, and one of them is a comment.
func TestMinimizeLarge(t *testing.T) {
	t.Parallel()
	for _, choice := range []reference.Choice{reference.SizeLimitNone, reference.SizeLimitKeepCutLine} {
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
		q := spec.Query{Robots: []byte(robots.String()), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/b/c"}}
		keep, ok := disagreement(q, reference.SizeLimit, choice)
		if !ok {
			t.Fatalf("choice %d: the verdicts are the same", choice)
		}
		if got := minimize.Minimize(t.Context(), q, keep, 0); got.Lines() > 6 || !keep(got) {
			t.Errorf("choice %d: %d lines remain", choice, got.Lines())
		}
	}
}

// If a generated file shows a choice, a few lines of it show the choice too.
func TestMinimizeGenerated(t *testing.T) {
	t.Parallel()
	// Blank lines, empty groups and several groups need more lines than three.
	const most = 6
	n := 0
	for _, p := range reference.Points() {
		for c := range p.Choices() {
			c := reference.Choice(c)
			if n++; c == reference.RFC9309()[p] || n%4 != 0 {
				continue // to save time
			}
			g := generate.New(uint64(n))
			for range 300 {
				in := g.Next()
				q := spec.Query{Robots: in.Robots, Probe: in.Probes[0]}
				keep, ok := disagreement(q, p, c)
				if !ok {
					continue
				}
				got := minimize.Minimize(t.Context(), q, keep, 0)
				name := p.String() + "=" + p.Choices()[c]
				switch {
				case !keep(got):
					t.Errorf("%s does not show any more in\n%s", name, spec.EncodeOctets(got.Robots))
				case !fits(got, q):
					t.Errorf("%s: %d lines, %d octets grew to %d, %d", name, q.Lines(), q.Octets(), got.Lines(), got.Octets())
				case got.Lines() > most:
					t.Errorf("%s: %d lines are left of %s in\n%s", name, got.Lines(), spec.ProbeID(got.Probe), spec.EncodeOctets(got.Robots))
				}
				break
			}
		}
	}
}

func fits(q, r spec.Query) bool { return q.Octets() <= r.Octets() && q.Lines() <= r.Lines() }

// The result is the last query that keep accepted, and the number of calls is
// bounded.
func TestMinimizeCalls(t *testing.T) {
	t.Parallel()
	q := spec.Query{Robots: []byte(hay(3) + "User-agent: *\nDisallow: /needle\n" + hay(3)), Probe: spec.Probe{Agent: "a", URL: "http://foo.test/needle/x"}}
	calls := 0
	var last spec.Query
	keep := func(smaller spec.Query) bool {
		calls++
		if !fits(smaller, q) {
			t.Errorf("%d lines, %d octets grew to %d, %d", q.Lines(), q.Octets(), smaller.Lines(), smaller.Octets())
		}
		if !strings.Contains(string(smaller.Robots), "needle") || !strings.HasSuffix(smaller.URL, "/x") {
			return false
		}
		last = smaller
		return true
	}
	got := minimize.Minimize(t.Context(), q, keep, 0)
	want := spec.Query{Robots: []byte("Disallow: needle\n"), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/x"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(last, got); diff != "" || calls > minimize.DefaultCalls {
		t.Errorf("after %d calls the result is not the last query kept: %s", calls, diff)
	}
	for _, most := range []int{1, 2, 10} {
		calls = 0
		if minimize.Minimize(t.Context(), q, keep, most); calls != most {
			t.Errorf("%d calls, want %d", calls, most)
		}
	}
	calls = 0
	never := minimize.Minimize(t.Context(), q, func(spec.Query) bool { calls++; return false }, 0)
	if diff := cmp.Diff(q, never); diff != "" || calls == 0 {
		t.Errorf("what is never kept was minimized after %d calls: %s", calls, diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls = 0
	if got := minimize.Minimize(ctx, q, keep, 0); calls != 0 || got.Compare(q) != 0 {
		t.Errorf("interrupted, it was minimized to %v after %d calls", got, calls)
	}
}

// For a large file, the limit on bytes is reached before that on calls.
func TestMinimizeBytes(t *testing.T) {
	t.Parallel()
	q := spec.Query{Robots: bytes.Repeat([]byte("User-agent: a\nDisallow: /b\n"), 20_000), Probe: spec.Probe{Agent: "a", URL: "http://foo.test/b"}}
	calls := 0
	got := minimize.Minimize(t.Context(), q, func(spec.Query) bool { calls++; return false }, 0)
	if calls == 0 || calls > 300 || got.Compare(q) != 0 {
		t.Errorf("%d calls, want 1 to 300", calls)
	}
}

// keep is called once for a query, never for one larger than the input, not even
// because of the names that every example has. Pairs of lines are tried only in
// small files.
func TestMinimizeTriesOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, robots string
		most         int // calls
		keep         func(spec.Query) bool
	}{
		{"short names", "User-agent: a\nDisallow: /b\n", 200, func(q spec.Query) bool { return strings.Contains(string(q.Robots), "gent: ") }},
		{"nothing smaller is kept", "User-agent: a\n" + strings.Repeat("Allow: /b\nDisallow: /c\n", 20), 700, func(spec.Query) bool { return false }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := spec.Query{Robots: []byte(tt.robots), Probe: spec.Probe{Agent: "a", URL: "http://a/"}}
			tried := map[string]int{}
			calls := 0
			minimize.Minimize(t.Context(), q, func(smaller spec.Query) bool {
				calls++
				tried[fmt.Sprintf("%q", smaller)]++
				if !fits(smaller, q) {
					t.Errorf("%q is larger", smaller)
				}
				return tt.keep(smaller)
			}, 0)
			for query, n := range tried {
				if n > 1 {
					t.Errorf("tried %d times: %s", n, query)
				}
			}
			if calls > tt.most {
				t.Errorf("%d calls, want %d at most", calls, tt.most)
			}
		})
	}
}

// BenchmarkMinimize minimizes files of growing size in which all but one line can
// be dropped: the time per byte must not grow.
func BenchmarkMinimize(b *testing.B) {
	for _, n := range []int{500, 1000, 2000, 4000} {
		robots := []byte("User-agent: *\nDisallow: /needle\n")
		for i := range n {
			robots = fmt.Appendf(robots, "Disallow: /hay/%d\n", i)
		}
		q := spec.Query{Robots: robots, Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/needle"}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(robots)))
			for b.Loop() {
				minimize.Minimize(b.Context(), q, func(q spec.Query) bool { return bytes.Contains(q.Robots, []byte("/needle")) }, 0)
			}
		})
	}
}
