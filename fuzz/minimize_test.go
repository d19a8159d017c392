package fuzz

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// flip returns RFC 9309 with one choice changed.
func flip(p reference.Point, c reference.Choice) reference.Interpretation {
	in := reference.RFC9309()
	in[p] = c
	return in
}

// hay returns lines that no disagreement of the tests needs.
func hay(n int) string {
	return strings.Repeat("User-agent: HayBot\nUser-agent: StrawBot\nDisallow: /hay # stack\nAllow: /straw/\n\nSitemap: http://foo.test/s.xml\n", n)
}

// The minimization of a witness of a slow parser ends after a few slow answers;
// the time that the machine takes between answers does not matter.
func TestMinimizedSlow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		took func(asked int) time.Duration
		want func(asked int) bool
	}{
		{"slow", func(int) time.Duration { return time.Second }, func(asked int) bool { return asked == maxSlowAnswers }},
		{"fast on a busy machine", func(asked int) time.Duration {
			if asked%10 == 0 {
				return time.Minute
			}
			return slowAnswer
		}, func(asked int) bool { return asked > 20 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := Witness{Robots: []byte(hay(3) + "User-agent: *\nDisallow: /needle\n"), Probe: spec.Probe{Agent: "a", URL: "http://foo.test/needle"}}
				asked := 0
				got := minimized(t.Context(), w, 0, func(smaller Witness) bool {
					asked++
					time.Sleep(tt.took(asked))
					return strings.Contains(string(smaller.Robots), "needle")
				})
				if !tt.want(asked) || got.Octets() >= w.Octets() {
					t.Errorf("%d calls for %d lines, which are %d now", asked, w.Lines(), got.Lines())
				}
			})
		})
	}
}
