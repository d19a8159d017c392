package transform_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/repcheck/repcheck/conformance/internal/transform"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// A reading is a parser of the reference and what it is called in messages.
type reading struct {
	name   string
	parser *reference.Parser
}

func namedReadings(t testing.TB) []reading {
	var all []reading
	for _, name := range reference.Names() {
		in, err := reference.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, reading{name, reference.New(in)})
	}
	return all
}

// under returns those of the named readings for which the transform holds.
func under(readings []reading, change *transform.Transform) []reading {
	return slices.DeleteFunc(slices.Clone(readings), func(r reading) bool { return !change.HoldsUnder(r.name) })
}

// An asked is a file with questions.
type asked struct {
	robots []byte
	probes []spec.Probe
}

func askedBy(c *spec.Case) asked {
	a := asked{robots: c.Robots}
	for i := range c.Expect {
		a.probes = append(a.probes, c.Expect[i].Probe)
	}
	return a
}

// answers returns for each question whether the URL is allowed.
func (a asked) answers(p *reference.Parser) []bool {
	file := p.Parse(a.robots)
	allowed := make([]bool, len(a.probes))
	var rules *reference.Rules
	for i, probe := range a.probes {
		if i == 0 || probe.Agent != a.probes[i-1].Agent {
			rules = file.Rules(probe.Agent)
		}
		allowed[i] = rules.Test(probe.URL).Allow
	}
	return allowed
}

// every returns n if each n-th input is enough for a test that takes all of them
// with -long. The race detector makes everything ten times slower.
func every() int {
	info, ok := debug.ReadBuildInfo()
	switch {
	case ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}):
		return 20
	case !*longtest.Long:
		return 4
	}
	return 1
}

// TestTransformedCases holds the transforms to the reference: under every
// interpretation for which one is said to hold, each transformed case is
// answered as the case is, whatever is expected.
func TestTransformedCases(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	readings := namedReadings(t)
	for _, change := range transform.All() {
		t.Run(change.ID, func(t *testing.T) {
			t.Parallel()
			judging, classifying := 0, 0
			for i := range data.Cases {
				if change.ID == "padding" && i%every() > 0 {
					continue // half a megabyte each
				}
				c := &data.Cases[i]
				changed, why := change.Case(c)
				if why != "" {
					continue
				}
				if c.Classifies() {
					classifying++
				} else {
					judging++
				}
				for _, r := range under(readings, change) {
					if slices.Equal(askedBy(c).answers(r.parser), askedBy(&changed).answers(r.parser)) {
						continue
					}
					t.Errorf("%s: %s: answered in another way under %s:\n%s", c.Pos, changed.ID, r.name, spec.EncodeOctets(changed.Robots[:min(len(changed.Robots), 2000)]))
				}
			}
			t.Logf("%d judging and %d classifying of %d cases", judging, classifying, len(data.Cases))
			if judging < 5 {
				t.Errorf("it says something of %d judging cases: it tests nothing", judging)
			}
		})
	}
}

// largest bounds, in octets, the files of the tests that put each to dozens of
// readings.
const largest = 16 << 10

// defensible returns for every point the choices with which the reference, else
// that of RFC 9309, still passes all judging cases.
func defensible(data *spec.Data) map[reference.Point][]reference.Choice {
	choices := map[reference.Point][]reference.Choice{}
	for _, p := range reference.Points() {
		for choice := range p.Choices() {
			in := reference.RFC9309()
			in[p] = reference.Choice(choice)
			if passes(reference.New(in), data) {
				choices[p] = append(choices[p], reference.Choice(choice))
			}
		}
	}
	return choices
}

func passes(p *reference.Parser, data *spec.Data) bool {
	for i := range data.Cases {
		c := &data.Cases[i]
		if c.Classifies() || len(c.Robots) > largest {
			continue
		}
		file := p.Parse(c.Robots)
		for k := range c.Expect {
			e := &c.Expect[k]
			want, scored := e.Want("rfc9309")
			if scored && (file.Refused() != "" || file.Test(e.Agent, e.URL).Allow != (want == spec.Allow)) {
				return false
			}
		}
	}
	return true
}

// TestTransformsUnderReadings holds the transforms to every reading that can be
// defended: where the documents leave a point open, neither of its choices may
// tell a transformed file from the file. Else a transform would fail a parser
// for what it is free to do.
func TestTransformsUnderReadings(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	choices := defensible(data)
	var readings []reading
	for _, p := range reference.Points() {
		for _, choice := range choices[p] {
			in := reference.RFC9309()
			in[p] = choice
			readings = append(readings, reading{p.String() + "=" + in.Choice(p), reference.New(in)})
		}
	}
	t.Logf("%d readings of one choice", len(readings))
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		for i := range data.Cases {
			c := &data.Cases[i]
			if len(c.Robots) > largest || i%every() > 0 {
				continue
			}
			before := make([][]bool, len(readings))
			for k, r := range readings {
				before[k] = askedBy(c).answers(r.parser)
			}
			for _, change := range transform.All() {
				changed, why := change.Case(c)
				if why != "" || change.ID == "padding" {
					continue
				}
				for k, r := range readings {
					if !slices.Equal(before[k], askedBy(&changed).answers(r.parser)) {
						t.Errorf("%s: %s: answered in another way with %s:\n%s", c.Pos, changed.ID, r.name, spec.EncodeOctets(changed.Robots))
					}
				}
			}
		}
	})
	t.Run("generated", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(9309, 0))
		g := fuzz.NewGenerator(9309)
		for range 2000 / every() {
			input := g.Next()
			in := reference.RFC9309()
			for _, p := range reference.Points() {
				if rng.IntN(3) == 0 {
					in[p] = choices[p][rng.IntN(len(choices[p]))]
				}
			}
			obeys(t, asked{input.Robots, input.Probes}, rng.Uint64N(3), []reading{{"rfc9309", reference.New(in)}})
		}
	})
}

// obeys reports every transform that one of the readings does not bear out.
func obeys(t *testing.T, a asked, seed uint64, readings []reading) {
	t.Helper()
	for _, change := range transform.All() {
		if change.ID == "padding" && seed != 0 {
			continue // half a megabyte each
		}
		robots, probes, why := change.Apply(a.robots, a.probes, seed)
		if why != "" {
			continue
		}
		for _, r := range under(readings, change) {
			if !slices.Equal(a.answers(r.parser), asked{robots, probes}.answers(r.parser)) {
				t.Errorf("%s with seed %d: answered in another way by %s, %v:\n%s\nchanged:\n%s", change.ID, seed, r.name, a.probes,
					spec.EncodeOctets(a.robots), spec.EncodeOctets(robots[:min(len(robots), 2000)]))
			}
		}
	}
}

// TestTransformsOfGenerated holds the transforms to the reference on files that
// hold all there is to trip over.
func TestTransformsOfGenerated(t *testing.T) {
	t.Parallel()
	readings := namedReadings(t)
	g := fuzz.NewGenerator(1)
	for i := range 2000 / every() {
		input := g.Next()
		obeys(t, asked{input.Robots, input.Probes}, uint64(i%20), readings)
	}
}

// FuzzTransforms looks for a file of which a transform says what the reference
// does not bear out.
func FuzzTransforms(f *testing.F) {
	for i := range spec.Default().Cases {
		if c := &spec.Default().Cases[i]; len(c.Robots) <= 4<<10 {
			f.Add(c.Robots, c.Expect[0].Agent, c.Expect[0].URL, uint64(i%3))
		}
	}
	readings := namedReadings(f)
	f.Fuzz(func(t *testing.T, robots []byte, agent, url string, seed uint64) {
		obeys(t, asked{robots, []spec.Probe{{Agent: agent, URL: url}}}, seed, readings)
	})
}
