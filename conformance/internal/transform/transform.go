package transform

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Transform is a change to a file, or to the agents of the queries, that must not
// change any verdict.
//
// It works on lines and uses no parser. If any defensible reading of the documents
// could make the change matter for a file, the transform does not apply to the file,
// and says why.
type Transform struct {
	// ID is permanent, for example "line-ends-crlf". The ID of a transformed case is
	// the ID of the case, "+", and this ID.
	ID string
	// Text says in one sentence what is changed.
	Text string
	// Requirement is the statement that guarantees that no verdict changes.
	Requirement string
	// Interpretations are the named interpretations for which it holds.
	Interpretations []string

	// stage is the last stage of the reference that sees the change. The change
	// cannot affect points of later stages, but may affect those of this stage and
	// earlier ones.
	stage  string
	change change
}

// An input is a file with its probes, which a transform changes.
type input struct {
	robots []byte
	lines  []line
	// end is the line end for inserted lines.
	end    string
	probes []spec.Probe
	// rng chooses permutations; nil reverses.
	rng *rand.Rand
}

// Reasons why a transform does not apply to a file.
const (
	whyNothing  = "there is nothing to change"
	whyNUL      = "it holds a NUL, which may end its line or the file"
	whyLarge    = "it exceeds the size that every parser must read, or would exceed it"
	whyMark     = "it may begin with a byte order mark, which must stay first"
	whyNoEnd    = "its last line has no line end, and a parser may drop it"
	whyOdd      = "it holds a line that parsers read differently"
	whyOrphans  = "it has rules before the first group"
	whyNoRule   = "a group has no rule, and may merge with the next one"
	whyHeader   = "it has other records between the user-agent lines of a group"
	whyStars    = "it has several groups for *, and a parser need not merge them"
	whyRelated  = "every unrelated name matches the agent of a query"
	whyEarly    = "the change may affect the point that it classifies"
	whyUnstaged = "the point that it classifies is not one of the reference's"
)

// Transforms returns all transforms, in the order of their IDs' families.
func All() []*Transform { return slices.Clone(transforms) }

// Names returns the IDs of all transforms.
func Names() []string {
	names := make([]string, len(transforms))
	for i, t := range transforms {
		names[i] = t.ID
	}
	return names
}

// AllName means every transform that holds under the interpretation.
const AllName = "all"

// Find returns the transforms with these names, each once. An unknown name is an
// error, and so is a transform that does not hold under the interpretation.
func Find(names []string, interpretation string) ([]*Transform, error) {
	var found []*Transform
	for _, name := range names {
		if name == AllName {
			for _, t := range transforms {
				if t.HoldsUnder(interpretation) && !slices.Contains(found, t) {
					found = append(found, t)
				}
			}
			continue
		}
		i := slices.IndexFunc(transforms, func(t *Transform) bool { return t.ID == name })
		if i < 0 {
			known := append([]string{AllName}, Names()...)
			return nil, fmt.Errorf("%q is not one of %s%s", name, strings.Join(known, ", "), spec.DidYouMean(name, known))
		}
		t := transforms[i]
		if !t.HoldsUnder(interpretation) {
			return nil, fmt.Errorf("%s may change verdicts under %s: it holds under %s", name, interpretation, strings.Join(t.Interpretations, ", "))
		}
		if !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	return found, nil
}

// HoldsUnder reports whether the transform changes no verdict under the named
// interpretation.
func (t *Transform) HoldsUnder(interpretation string) bool {
	return slices.Contains(t.Interpretations, interpretation)
}

// Apply returns the changed file, and for each probe one that must get the same
// verdict. The arguments are not changed; a result may be an argument itself. If the
// transform does not apply to the file, why is the reason.
//
// The seed chooses among permutations. 0 reverses the order, so that every pair of
// elements changes places. With any other seed the same file is always changed in the
// same way.
func (t *Transform) Apply(robots []byte, probes []spec.Probe, seed uint64) (changed []byte, asked []spec.Probe, why string) {
	switch {
	case bytes.IndexByte(robots, 0) >= 0:
		return nil, nil, whyNUL
	case len(robots) > reference.ParsingLimit:
		return nil, nil, whyLarge
	}
	in := &input{robots: robots, lines: splitLines(robots), end: "\n", probes: slices.Clone(probes)}
	if seed != 0 {
		in.rng = fileRand(robots, seed)
	}
	if len(in.lines) > 0 && in.lines[0].end != "" {
		in.end = in.lines[0].end
	}
	changed, why = t.change(in)
	switch {
	case why != "":
		return nil, nil, why
	case len(changed) > reference.ParsingLimit:
		return nil, nil, whyLarge
	case bytes.Equal(changed, robots) && slices.Equal(in.probes, probes):
		return nil, nil, whyNothing
	}
	return changed, in.probes, ""
}

// fileRand returns a random source that depends on the file and the seed only.
func fileRand(robots []byte, seed uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write(robots)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Case returns the transformed case: with the ID of the transform appended to its own,
// and the same expectations except the deciding lines, which may have moved. If the
// transform does not apply to the case, why is the reason. A case that classifies a
// point is transformed only if the point belongs to a later stage than the change.
func (t *Transform) Case(c *spec.Case) (changed spec.Case, why string) {
	if c.Classifies() {
		stage, ok := stageOfPoint()[c.Point]
		if !ok {
			return spec.Case{}, whyUnstaged
		}
		if stage <= stageOfPoint()[t.stage] {
			return spec.Case{}, whyEarly
		}
	}
	probes := make([]spec.Probe, len(c.Expect))
	for i := range c.Expect {
		probes[i] = c.Expect[i].Probe
	}
	robots, probes, why := t.Apply(c.Robots, probes, 0)
	if why != "" {
		return spec.Case{}, why
	}
	changed = *c
	changed.ID += "+" + t.ID
	if !slices.Contains(c.Requirements, t.Requirement) {
		changed.Requirements = append([]string{t.Requirement}, c.Requirements...)
	}
	changed.Rationale = c.Rationale + " Transformed: " + t.Text
	changed.Robots = robots
	changed.Expect = slices.Clone(c.Expect)
	for i := range changed.Expect {
		changed.Expect[i].Probe, changed.Expect[i].Line = probes[i], 0
	}
	return changed, ""
}

// stageOfPoint returns the position of a stage among the stages, by its name and by
// the IDs of its points.
var stageOfPoint = sync.OnceValue(func() map[string]int {
	places := map[string]int{}
	for _, p := range reference.Points() {
		if _, ok := places[p.Stage()]; !ok {
			places[p.Stage()] = len(places) + 1 // counts points too: only the order matters
		}
		places[p.String()] = places[p.Stage()]
	}
	return places
})

var (
	everywhere = []string{"rfc9309", "google", "koster-rep-00", "koster-1996", "standard-1994"}
	// modern are the interpretations in which a blank line ends nothing, white space
	// may precede a colon, groups for the same agent are merged, and the most
	// specific rule decides.
	modern = []string{"rfc9309", "google", "koster-rep-00"}
)

var transforms = []*Transform{
	{"line-ends-lf", "Every line end becomes LF.",
		"RFC9309-ABNF-NL", everywhere, "lines", lineEnds("\n")},
	{"line-ends-crlf", "Every line end becomes CR LF.",
		"RFC9309-ABNF-NL", everywhere, "lines", lineEnds("\r\n")},
	{"line-ends-cr", "Every line end becomes CR.",
		"RFC9309-ABNF-NL", everywhere, "lines", lineEnds("\r")},
	{"comment-lines", "A comment line is inserted between any two lines.",
		"RFC9309-2.2.3-1", everywhere, "groups", linesBetween("# Disallow: /")},
	{"trailing-comments", "A blank and a comment are appended to every record.",
		"RFC9309-2.2.3-1", everywhere, "records", eachLine(trailingComment)},
	{"blank-lines", "A blank line is inserted between any two lines.",
		"RFC9309-2.1-4", modern, "groups", linesBetween("", " \t")},
	{"key-case-upper", "Every key is in upper case.",
		"RFC9309-ABNF-rule", everywhere, "records", keyCase(func(_ int, c byte) byte { return upper(c) })},
	{"key-case-lower", "Every key is in lower case.",
		"RFC9309-ABNF-rule", everywhere, "records", keyCase(func(_ int, c byte) byte { return lower(c) })},
	{"key-case-mixed", "Every key alternates between lower and upper case.",
		"RFC9309-ABNF-rule", everywhere, "records", keyCase(mixed)},
	{"colon-space-before", "A space and a tab are inserted between every key and its colon.",
		"RFC9309-ABNF-rule", modern, "records", colonSpace(0)},
	{"colon-space-after", "A space and a tab are inserted after every colon.",
		"RFC9309-ABNF-rule", everywhere, "records", colonSpace(1)},
	{"unrelated-group-first", "A group for an unrelated crawler is added in front.",
		"RFC9309-2.2.1-12", everywhere, "agents", unrelatedFirst},
	{"unrelated-group-last", "A group for an unrelated crawler is added at the end.",
		"RFC9309-2.2.1-12", everywhere, "agents", unrelatedLast},
	{"groups-permuted", "The groups are in another order.",
		"RFC9309-2.2.1-13", modern, "agents", permuteGroups},
	{"rules-permuted", "The rules of every group are in another order.",
		"RFC9309-2.2.2-6", modern, "decision", permuteRules},
	{"agent-case-file", "The letters of every user-agent value are in the other case.",
		"RFC9309-2.2.1-5", everywhere, "agents", eachLine(agentCase)},
	{"agent-case-probe", "The letters of the crawler's name are in the other case.",
		"RFC9309-2.2.1-5", everywhere, "agents", agentCaseInProbes},
	{"split-groups", "A group of several rules becomes a group for each rule.",
		"RFC9309-2.2.1-7", modern, "agents", splitGroups},
	{"merged-groups", "Adjacent groups for the same crawler become one.",
		"RFC9309-2.2.1-7", modern, "agents", mergeGroups},
	{"trailing-unknown-record", "An unknown record is added at the end.",
		"RFC9309-2.2.4-3", everywhere, "groups", trailingUnknownRecord},
	{"padding", "Comments in front bring the file just below 500 KiB.",
		"RFC9309-2.5-2", everywhere, "records", padding},
	{"duplicate-rules", "Every rule is repeated.",
		"RFC9309-2.2.2-7", everywhere, "groups", replaceLines(duplicateRule)},
}
