package fuzz

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

func TestCoverageOfOneInput(t *testing.T) {
	t.Parallel()
	in := Input{
		Number: 32,
		Robots: []byte("User-agent: *\nDisallow: /\nAllow: /a\n"),
		Probes: []spec.Probe{{Agent: "FooBot", URL: spec.Origin + "/a"}},
	}
	var c Coverage
	c.Add(in)
	c.Add(Input{Number: 64})
	var touched []string
	for _, p := range c.Points() {
		if p.Inputs > 0 {
			touched = append(touched, p.Point)
			if p.Inputs != 1 || p.Last != 32 {
				t.Errorf("%+v", p)
			}
		}
		flips := uint64(0)
		for _, f := range p.Flips {
			flips = max(flips, f.Inputs)
		}
		if flips != p.Inputs {
			t.Errorf("%s: no choice shows as often as the point is touched: %+v", p.Point, p)
		}
	}
	if got := strings.Join(touched, " "); !strings.Contains(got, "rule-order") && !strings.Contains(got, "precedence") {
		t.Errorf("touched are %s, and not the point by which the longest rule decides", got)
	}
	if strings.Contains(strings.Join(touched, " "), "nul") {
		t.Error("a file without NUL touches what NUL does")
	}
	if c.Inputs() != 2 {
		t.Errorf("%d inputs", c.Inputs())
	}
	if r := c.Last(1); r.Inputs != 1 || r.First != 64 || r.Last != 64 || r.Points[0].Inputs != 0 || r.Points[points-1].Inputs != 0 {
		t.Errorf("the last input: %+v", r)
	}
	if r := c.Last(5); r.Inputs != 2 || r.First != 32 || r.Points[points-1].Inputs != 1 || len(r.Points) != points {
		t.Errorf("the last inputs: %+v", r)
	}
}

// TestCoverageMerges: it does not matter who measures what, in which order, nor
// whether it is stored in between.
func TestCoverageMerges(t *testing.T) {
	t.Parallel()
	g := NewGenerator(4)
	inputs := make([]Input, 60)
	var whole Coverage
	for n := range inputs {
		inputs[n] = g.Input(uint64(n * 32))
		whole.Add(inputs[n])
	}
	parts := make([]Coverage, 3)
	rng := rand.New(rand.NewPCG(1, 0))
	for _, i := range rng.Perm(len(inputs)) {
		parts[rng.IntN(len(parts))].Add(inputs[i])
	}
	var merged Coverage
	for _, i := range []int{2, 0, 1} {
		data, err := json.Marshal(&parts[i])
		if err != nil {
			t.Fatal(err)
		}
		var read Coverage
		if err := json.Unmarshal(data, &read); err != nil || !read.Equal(&parts[i]) {
			t.Fatalf("stored and read it is another: %v", err)
		}
		merged.Merge(&read)
	}
	if !merged.Equal(&whole) {
		t.Error("merged and measured at once differ")
	}
	if diff := cmp.Diff(whole.Last(20), merged.Last(20)); diff != "" {
		t.Error(diff)
	}
}

func TestCoverageRemembersTheLast(t *testing.T) {
	t.Parallel()
	var c Coverage
	for n := range uint64(MaxRecent + 100) {
		c.remember(recent{Number: n * 7919 % (MaxRecent + 100)})
	}
	if r := c.Last(1 << 30); r.Inputs != MaxRecent || r.First != 100 || r.Last != MaxRecent+99 {
		t.Errorf("%d inputs from %d to %d", r.Inputs, r.First, r.Last)
	}
}

func TestCoverageRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`[]`, `{"inputs":1,"points":[]}`} {
		c := Coverage{inputs: 5}
		if err := json.Unmarshal([]byte(in), &c); err == nil || c.inputs != 5 {
			t.Errorf("%s: %v", in, err)
		}
	}
	var c Coverage
	data, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	first := reference.Points()[0].String()
	for _, change := range [][2]string{{`"` + first + `"`, `"another"`}, {`"used":{}`, `"used":{"another/x":1}`}} {
		changed := strings.Replace(string(data), change[0], change[1], 1)
		if err := json.Unmarshal([]byte(changed), &c); err == nil || !strings.Contains(err.Error(), "another") {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

// epochs makes so many epochs as a campaign does, and returns what the last
// have touched.
func epochs(seed uint64, n int, w Weights) (Weights, *Coverage) {
	g := NewGenerator(seed)
	c := &Coverage{}
	for e := range n {
		g.SetWeights(w)
		for i := range uint64(SamplesPerEpoch) {
			number := uint64(e)*Epoch + i*(Epoch/SamplesPerEpoch)
			c.Add(g.Input(number))
		}
		w = w.Adapt(c)
	}
	return w, c
}

// TestEveryPointIsTouched: adapting, 16 epochs suffice for all points.
func TestEveryPointIsTouched(t *testing.T) {
	t.Parallel()
	if generated(20) < 20 {
		t.Skip("the race detector makes it take minutes, and there is one goroutine")
	}
	w, c := epochs(1, 16, Weights{})
	for _, p := range c.Last(MaxRecent).Points {
		t.Logf("%-24s %d", p.Point, p.Inputs)
		if p.Inputs == 0 && p.Point != reference.SizeLimit.String() {
			t.Errorf("%s: no input of %d touches it", p.Point, c.Inputs())
		}
	}
	// Few files are large enough for the size limit, too few for the sample.
	g := NewGenerator(1)
	g.SetWeights(w)
	for n := range uint64(16 * Epoch) {
		in := g.Input(n)
		if len(in.Robots) > reference.ParsingLimit && touches(in.Robots, in.Probes, []reference.Point{reference.SizeLimit})[reference.SizeLimit] != 0 {
			t.Logf("size-limit: input %d", n)
			return
		}
	}
	t.Error("size-limit: no input touches it")
}

func TestEpochsAreAFunction(t *testing.T) {
	t.Parallel()
	w, c := epochs(2, 3, Weights{})
	again, d := epochs(2, 3, Weights{})
	if again != w || !d.Equal(c) {
		t.Error("the same campaign adapts in another way")
	}
	if w == (Weights{}) {
		t.Error("three epochs change no weight")
	}
}

// TestAdaptLiftsAStarvedPoint compares inputs before and after.
func TestAdaptLiftsAStarvedPoint(t *testing.T) {
	t.Parallel()
	const p = reference.WildcardSearch // rare: a greedy search seldom goes wrong
	seen := &Coverage{inputs: 1000}
	for i := range seen.touched {
		seen.touched[i] = 1000
	}
	seen.touched[p] = 3
	once := Weights{}.Adapt(seen)
	if once.Points[p] != 1 || seen.inputs != 1000 {
		t.Errorf("a starved point has %d, want 1", once.Points[p])
	}
	w := once.Adapt(seen).Adapt(seen).Adapt(seen)
	if w.Points[p] != maxRaise {
		t.Errorf("a point starved for long has %d, want %d", w.Points[p], maxRaise)
	}
	count := func(w Weights) (n int) {
		g := NewGenerator(8)
		g.SetWeights(w)
		for i := range uint64(2000) {
			in := g.Input(i)
			if touched := touches(in.Robots, in.Probes, []reference.Point{p}); touched[p] != 0 {
				n++
			}
		}
		return n
	}
	before, after := count(Weights{}), count(w)
	t.Logf("of 2000 inputs %d touch it before, %d after", before, after)
	if after < 4*before || after < 2000/50 {
		t.Errorf("of 2000 inputs %d touch it before, and only %d after", before, after)
	}
	// Fed, it goes down again.
	seen.touched[p] = 1000
	if w := w.Adapt(seen).Adapt(seen).Adapt(seen); w != (Weights{}) {
		t.Error("what no starved point needs any more stays raised")
	}
}

func TestAdaptRaisesWhatLeads(t *testing.T) {
	t.Parallel()
	c := &Coverage{inputs: 1000}
	for i := range c.touched {
		c.touched[i] = 1000
	}
	const p = reference.NUL
	c.touched[p] = 10
	leader, other := production(3), production(4)
	c.used[leader], c.credit[leader][p] = 50, 10
	c.used[other], c.credit[other][p] = 1000, 10
	w := Weights{}.Adapt(c)
	if w.Productions[leader] != 1 || w.Productions[other] != 0 {
		t.Errorf("the leader has %d, another %d", w.Productions[leader], w.Productions[other])
	}
	c.inputs = adaptAfter - 1
	if (Weights{}).Adapt(c) != (Weights{}) {
		t.Error("too few inputs teach something")
	}
}
