package fuzz

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// interpreting returns RFC 9309 with the changes, which are separated by blanks.
func interpreting(t *testing.T, flips string) reference.Interpretation {
	t.Helper()
	return reference.With(cause(t, flips)...)
}

func TestExplainerWhy(t *testing.T) {
	t.Parallel()
	const (
		first    = "User-agent: *\nDisallow: /\nAllow: /a\n"
		typo     = "User-agent: *\nDissallow /\n"
		typoCase = "User-agent: *\nDissallow /A\n"
		// All four deviations in the last of the tests are needed.
		typoFour = "User-agent: *\nDissallow /A\nAllow: /A\nAllow: /\n"
	)
	tests := []struct {
		name, robots, path   string
		verdict              spec.Verdict
		fingerprint, learned string
		want                 string
		origin               Origin
	}{
		{"the fingerprint's choice", first, "/a", spec.Disallow, "precedence=any-disallow", "", "precedence=any-disallow", ByFingerprint},
		{"the first of the points", first, "/a", spec.Disallow, "precedence=any-disallow allow-lines=unknown", "", "allow-lines=unknown", ByFingerprint},
		{"one choice of several", first, "/a", spec.Disallow, "separator=two-words precedence=first tie=disallow", "", "precedence=first", ByFingerprint},
		{"one choice that the others undo", "User-agent: foobot\nDisallow: /\n", "/", spec.Allow, "agent-case=sensitive agent-groups=first", "", "agent-case=sensitive", ByFingerprint},
		{"two choices", typo, "/", spec.Disallow, "separator=two-words keys=google", "", "separator=two-words + keys=google", ByFingerprint},
		{"two choices of several", typo, "/", spec.Disallow, "line-ends=lf-only separator=two-words keys=google path-case=insensitive tie=disallow", "", "separator=two-words + keys=google", ByFingerprint},
		{"three choices of several", typoCase, "/a", spec.Disallow, "line-ends=lf-only separator=two-words keys=google path-case=insensitive tie=disallow", "", "separator=two-words + keys=google + path-case=insensitive", ByFingerprint},
		{"four are too many", typoFour, "/a", spec.Disallow, "separator=two-words keys=google path-case=insensitive tie=disallow", "", "", Unexplained},
		{"another choice", first, "/a", spec.Disallow, "path-case=insensitive", "", "allow-lines=unknown", ByOthers},
		{"another choice of nothing known", first, "/a", spec.Disallow, "", "", "allow-lines=unknown", ByOthers},
		{"a refusal", "Disallow: /\n", "/", spec.Reject, "", "", "orphan-rules=reject-file", ByOthers},
		{"two others are too dear", typo, "/", spec.Disallow, "", "", "", Unexplained},
		{"one known and one other are too dear", typo, "/", spec.Disallow, "keys=google", "", "", Unexplained},
		{"two that were learned", typo, "/", spec.Disallow, "", "separator=two-words keys=google", "separator=two-words + keys=google", ByOthers},
		{"three that were learned", typoCase, "/a", spec.Disallow, "", "separator=two-words keys=google path-case=insensitive", "separator=two-words + keys=google + path-case=insensitive", ByOthers},
		{"the fingerprint before what was learned", first, "/a", spec.Disallow, "precedence=first", "precedence=any-disallow tie=disallow", "precedence=first", ByFingerprint},
		{"no choice does that", "User-agent: *\nDisallow: /a\n", "/b", spec.Disallow, "separator=two-words keys=google", "", "", Unexplained},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := NewExplainer([]reference.Interpretation{reference.RFC9309(), interpreting(t, tt.fingerprint)})
			if diff := cmp.Diff(interpreting(t, tt.fingerprint).Deviations(), e.Known(1)); diff != "" {
				t.Error(diff)
			}
			e.Learn(1, cause(t, tt.learned))
			got, origin := e.why(reading.New([]byte(tt.robots)), 1, spec.Probe{Agent: "FooBot", URL: spec.LongURL(tt.path)}, tt.verdict)
			if got.String() != tt.want || origin != tt.origin {
				t.Errorf("%q by %d, want %q by %d", got, origin, tt.want, tt.origin)
			}
		})
	}
}

// Four choices are not a cause, but they are reported if the fingerprint has
// them.
func TestExplainerAtOnce(t *testing.T) {
	t.Parallel()
	const four = "separator=two-words + keys=google + path-case=insensitive + tie=disallow"
	tests := []struct{ name, fingerprint, want string }{
		{"all", "separator=two-words keys=google path-case=insensitive tie=disallow", four},
		{"and others", "line-ends=lf-only separator=two-words keys=google path-case=insensitive tie=disallow", four},
		{"one is lacking", "line-ends=lf-only separator=two-words keys=google path-case=insensitive", ""},
		{"three of few", "separator=two-words keys=google path-case=insensitive", ""},
	}
	for _, tt := range tests {
		e := NewExplainer([]reference.Interpretation{interpreting(t, tt.fingerprint)})
		r := reading.New([]byte("User-agent: *\nDissallow /A\nAllow: /A\n"))
		known := e.view(0)
		if got := known.atOnce(r, fooBot("/a"), spec.Disallow); got.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Causes learned about one subject do not apply to another, and causes that need
// no learning are not stored.
func TestExplainerLearns(t *testing.T) {
	t.Parallel()
	e := nothingKnown(2)
	r := reading.New([]byte("User-agent: *\nDissallow /\n"))
	p := spec.Probe{Agent: "FooBot", URL: "http://foo.test/"}
	pair := cause(t, "separator=two-words keys=google")
	for range maxLearned {
		e.Learn(0, pair[:1])
		e.Learn(0, nil)
	}
	if c, origin := e.why(r, 0, p, spec.Disallow); origin != Unexplained {
		t.Errorf("%q by %d before anything was learned", c, origin)
	}
	e.Learn(0, pair)
	if c, origin := e.why(r, 0, p, spec.Disallow); origin != ByOthers || !slices.Equal(c, pair) {
		t.Errorf("%q by %d", c, origin)
	}
	if c, origin := e.why(r, 1, p, spec.Disallow); origin != Unexplained {
		t.Errorf("%q by %d for another subject", c, origin)
	}
	if known := e.Known(0); len(known) != 0 {
		t.Errorf("what was learned has become the fingerprint: %v", known)
	}
	for range 2 * maxLearned {
		e.Learn(1, cause(t, "line-ends=lf-only nul=line-end"))
	}
	e.Learn(1, pair)
	if c, origin := e.why(r, 1, p, spec.Disallow); origin != Unexplained {
		t.Errorf("%q by %d: more was learned than there is room for", c, origin)
	}
}

func TestExplainerConcurrently(t *testing.T) {
	t.Parallel()
	e := nothingKnown(1)
	robots, p := []byte("User-agent: *\nDissallow /\n"), spec.Probe{Agent: "FooBot", URL: "http://foo.test/"}
	pair := cause(t, "separator=two-words keys=google")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r := reading.New(robots)
			for range maxLearned {
				e.Learn(0, pair)
				if c, origin := e.why(r, 0, p, spec.Disallow); origin != ByOthers || !slices.Equal(c, pair) {
					t.Errorf("%q by %d", c, origin)
					return
				}
			}
		})
	}
	wg.Wait()
}

// For any answer of a subject with several deviations to generated files, the
// explanation gives this answer, and nothing can be left out of it.
func TestExplainerGenerated(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 0))
	sizes := make([]int, MaxDeviations+1)
	unexplained := 0
	for i := range 40 {
		var flips []Change
		for _, at := range rng.Perm(len(reference.AllDeviations()))[:12] {
			flips = append(flips, reference.AllDeviations()[at])
		}
		in := reference.With(flips...)
		e := NewExplainer([]reference.Interpretation{in})
		g := NewGenerator(uint64(i))
		for range generated(200) {
			input := g.Next()
			r := reading.New(input.Robots)
			for _, p := range input.Probes {
				verdict := r.Verdict(in, p)
				if verdict == r.Verdict(reference.RFC9309(), p) {
					continue
				}
				c, origin := e.why(r, 0, p, verdict)
				if origin != ByFingerprint {
					unexplained++
					continue
				}
				sizes[len(c)]++
				if r.Verdict(reference.With(c...), p) != verdict {
					t.Errorf("%s does not give %s", c, verdict)
				} else if fewer := subset(r, p, verdict, c); fewer != nil {
					t.Errorf("%s gives %s, and %s is enough of %s in\n%s", c, verdict, Cause(fewer), spec.ProbeID(p), spec.EncodeOctets(input.Robots))
				}
			}
		}
	}
	t.Logf("causes by their size: %v; %d take more", sizes, unexplained)
	enough := generated(200) >= 50 // for one of three
	if sizes[0] != 0 || sizes[1] == 0 || sizes[2] == 0 || enough && sizes[3] == 0 || unexplained > sizes[1] {
		t.Errorf("causes by their size: %v; %d take more", sizes, unexplained)
	}
}

// subset returns a set of fewer of these choices that gives the verdict, too.
func subset(r *reading.Reading, p spec.Probe, verdict spec.Verdict, set []Change) []Change {
	for without := range set {
		fewer := slices.Delete(slices.Clone(set), without, without+1)
		if r.Verdict(reference.With(fewer...), p) == verdict {
			return fewer
		}
		if smaller := subset(r, p, verdict, fewer); smaller != nil {
			return smaller
		}
	}
	return nil
}

func TestWhyPartsOfLearned(t *testing.T) {
	e := nothingKnown(1)
	e.Learn(0, cause(t, "precedence=first path-case=insensitive"))
	r := reading.New([]byte("User-agent: *\nDisallow: /A\n"))
	c, _ := e.why(r, 0, fooBot("/a"), spec.Disallow)
	if c.String() != "path-case=insensitive" {
		t.Errorf("the cause is %s, and path-case=insensitive is enough", c)
	}
}

// A refuted change explains nothing any more, alone or with others; an answer that
// nothing else explains resembles it. A refuted set leaves its changes alone.
func TestExplainerRefute(t *testing.T) {
	t.Parallel()
	first, p := reading.New([]byte("User-agent: *\nDisallow: /\nAllow: /a\n")), fooBot("/a")
	e := NewExplainer([]reference.Interpretation{interpreting(t, "precedence=first")})
	why := func(want string, origin Origin) {
		t.Helper()
		if c, got := e.why(first, 0, p, spec.Disallow); c.String() != want || got != origin {
			t.Errorf("%q by %d, want %q by %d", c, got, want, origin)
		}
	}
	why("precedence=first", ByFingerprint)
	e.Refute(0, cause(t, "precedence=first"))
	why("allow-lines=unknown", ByOthers)
	e.Propose(0, cause(t, "keys=google precedence=any-disallow allow-lines=unknown"), cause(t, "keys=misspelled tie=disallow precedence=first"))
	why("precedence=any-disallow", ByOthers)
	e.Refute(0, cause(t, "precedence=any-disallow"), cause(t, "allow-lines=unknown"))
	why("precedence=first", ByContradicted)
	if known := e.Known(0); len(known) > 0 {
		t.Errorf("a refuted change is still in the fingerprint: %s", known)
	}

	typo, pair := reading.New([]byte("User-agent: *\nDissallow /\n")), cause(t, "separator=two-words keys=google")
	e = NewExplainer([]reference.Interpretation{interpreting(t, "separator=two-words keys=google")})
	e.Refute(0, pair)
	if c, origin := e.why(typo, 0, fooBot("/"), spec.Disallow); origin != Unexplained {
		t.Errorf("%q by %d of a refuted set", c, origin)
	}
	if known := e.Known(0); len(known) != 2 {
		t.Errorf("the changes of a refuted set are not known any more: %s", known)
	}
	e.Refute(0, pair[:1])
	if e.Learn(0, pair); len(e.view(0).learned) > 0 {
		t.Error("a set with a refuted change was learned")
	}
}

// A set is confirmed by its own experiments, or if each of its changes is.
func TestExplainerConfirm(t *testing.T) {
	t.Parallel()
	e, pair := nothingKnown(1), cause(t, "separator=two-words keys=google")
	check := func(c Cause, want, wantEach bool) {
		t.Helper()
		if got, each := e.confirmed(0, c); got != want || each != wantEach {
			t.Errorf("%s: confirmed %t, each %t", c, got, each)
		}
	}
	check(pair, false, false)
	e.Confirm(0, pair)
	check(pair, true, false)
	check(pair[:1], false, false)
	e.Confirm(0, pair[:1])
	check(pair, true, false)
	e.Confirm(0, pair[1:])
	check(pair, true, true)
	check(pair[:1], true, false)
}

// Of several choices that each give the answer, the one is named without which the
// others would not.
func TestExplainerNeeded(t *testing.T) {
	t.Parallel()
	// With the whole name as the value no group fits, whatever else is read.
	own := interpreting(t, "line-ends=lf-only agent-value=whole rule-octets=keep")
	e := NewExplainer([]reference.Interpretation{own})
	r := reading.New([]byte("User-agent: FooBot,\rDisallow: /\r"))
	if c, _ := e.why(r, 0, fooBot("/"), spec.Allow); c.String() != "line-ends=lf-only" {
		t.Errorf("%s, and each of two is enough, so the first is named", c)
	}
	r = reading.New([]byte("User-agent: *\nDisallow: /\n\nUser-agent: FooBot\rAllow: /a\n"))
	for _, c := range e.Known(0) {
		gives := r.Gives(spec.Disallow, fooBot("/b"), c)
		if why, _ := e.why(r, 0, fooBot("/b"), spec.Disallow); gives && why.String() != c.String() && !r.Gives(spec.Disallow, fooBot("/b"), why...) {
			t.Errorf("%s does not give the verdict", why)
		}
	}
}
