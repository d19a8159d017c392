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

// A Transform is a change to a file, or to the names of the crawlers asked
// for, that must not change any verdict.
//
// It works on lines and knows no parser. Where a file holds anything that some
// defensible reading of the documents would make the change tell on, the
// transform says nothing of it and gives the reason.
type Transform struct {
	// ID is permanent: "line-ends-crlf". The ID of a transformed case is that
	// of the case, a "+", and this.
	ID string
	// Text says in one sentence what is changed.
	Text string
	// Requirement is the statement that guarantees that no verdict changes.
	Requirement string
	// Interpretations are the named interpretations for which it holds.
	Interpretations []string

	// stage is the last stage of the reference that sees the change. How a
	// parser takes a point of a later stage cannot hang on it; of this stage or
	// an earlier one it may.
	stage string
	// change returns the changed file, and may change the probes. Where it says
	// nothing of the file, why is the reason.
	change func(in *input) (robots []byte, why string)
}

// An input is what a transform changes.
type input struct {
	robots []byte
	lines  []line
	// end is the line end for lines that are put in.
	end    string
	probes []spec.Probe
	// rng chooses permutations; nil reverses.
	rng *rand.Rand
}

// Reasons for which a transform says nothing of a file.
const (
	whyNothing  = "there is nothing to change"
	whyNUL      = "it holds a NUL, which may end its line, or all"
	whyLarge    = "it is larger than what every parser has to read, or would be"
	whyMark     = "it may begin with a byte order mark, which must stay in front"
	whyNoEnd    = "its last line has no end, and may be dropped for that"
	whyOdd      = "it holds a line that is read differently"
	whyOrphans  = "rules stand before the first group"
	whyNoRule   = "a group may have no rule, and go on with the next"
	whyHeader   = "other records stand among the user-agent lines of a group"
	whyStars    = "several groups are for *, and all need not count"
	whyRelated  = "every unrelated name is related to a crawler that is asked for"
	whyEarly    = "the point that it classifies may hang on what is changed"
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

// AllName is the name that stands for every transform that holds under
// the interpretation in question.
const AllName = "all"

// Find returns the transforms of those names, each once. A name that
// there is not is an error, as is one that does not hold under the named
// interpretation.
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
			hint := ""
			if near := spec.Nearest(name, known); near != "" {
				hint = fmt.Sprintf(" (did you mean %q?)", near)
			}
			return nil, fmt.Errorf("%q is not one of %s%s", name, strings.Join(known, ", "), hint)
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

// Apply returns the changed file and the probes that are to be answered alike,
// one for each. Neither argument is changed; a result may be the argument
// itself. Where the transform says nothing of the file, why is the reason.
//
// The seed chooses among permutations: 0 is the order reversed, in which no two
// things stand as they stood; for any other equal files are changed alike.
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

// fileRand is random, but the same for the same file and seed.
func fileRand(robots []byte, seed uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write(robots)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Case returns the case transformed: with the ID of the transform behind its
// own, and with the same expectations but for the deciding lines, which may
// have moved. Where the transform says nothing of the case, why is the reason.
// A case that classifies a point is transformed only if the point belongs to a
// later stage than what is changed.
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

// stageOfPoint returns the place of a stage among the stages, by its own name
// and by the IDs of its points.
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
	// modern are the interpretations by which a blank line ends nothing, blanks
	// may stand before a colon, groups that name the crawler are merged, and the
	// most specific rule decides.
	modern = []string{"rfc9309", "google", "koster-rep-00"}
)

var transforms = []*Transform{
	{
		ID: "line-ends-lf", Text: "Every line end becomes LF.",
		Requirement: "RFC9309-ABNF-NL", Interpretations: everywhere,
		stage: "lines", change: lineEnds("\n"),
	},
	{
		ID: "line-ends-crlf", Text: "Every line end becomes CR LF.",
		Requirement: "RFC9309-ABNF-NL", Interpretations: everywhere,
		stage: "lines", change: lineEnds("\r\n"),
	},
	{
		ID: "line-ends-cr", Text: "Every line end becomes CR.",
		Requirement: "RFC9309-ABNF-NL", Interpretations: everywhere,
		stage: "lines", change: lineEnds("\r"),
	},
	{
		ID: "comment-lines", Text: "A line with a comment stands between any two lines.",
		Requirement: "RFC9309-2.2.3-1", Interpretations: everywhere,
		stage: "groups", change: linesBetween("# Disallow: /"),
	},
	{
		ID: "trailing-comments", Text: "A blank and a comment stand behind every record.",
		Requirement: "RFC9309-2.2.3-1", Interpretations: everywhere,
		stage: "records", change: trailingComments,
	},
	{
		ID: "blank-lines", Text: "A blank line stands between any two lines.",
		Requirement: "RFC9309-2.1-4", Interpretations: modern,
		stage: "groups", change: linesBetween("", " \t"),
	},
	{
		ID: "key-case-upper", Text: "Every key is in capitals.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: keyCase(func(_ int, c byte) byte { return upper(c) }),
	},
	{
		ID: "key-case-lower", Text: "Every key is in small letters.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: keyCase(func(_ int, c byte) byte { return lower(c) }),
	},
	{
		ID: "key-case-mixed", Text: "In every key small letters and capitals take turns.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: keyCase(mixed),
	},
	{
		ID: "colon-space-before", Text: "A space and a tab stand between every key and its colon.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: modern,
		stage: "records", change: colonSpace(0),
	},
	{
		ID: "colon-space-after", Text: "A space and a tab more stand behind every colon.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: colonSpace(1),
	},
	{
		ID: "unrelated-group-first", Text: "A group for a crawler that nobody asks about comes first.",
		Requirement: "RFC9309-2.2.1-12", Interpretations: everywhere,
		stage: "agents", change: unrelatedFirst,
	},
	{
		ID: "unrelated-group-last", Text: "A group for a crawler that nobody asks about comes last.",
		Requirement: "RFC9309-2.2.1-12", Interpretations: everywhere,
		stage: "agents", change: unrelatedLast,
	},
	{
		ID: "groups-permuted", Text: "The groups stand in another order.",
		Requirement: "RFC9309-2.2.1-13", Interpretations: modern,
		stage: "agents", change: permuteGroups,
	},
	{
		ID: "rules-permuted", Text: "The rules of every group stand in another order.",
		Requirement: "RFC9309-2.2.2-6", Interpretations: modern,
		stage: "decision", change: permuteRules,
	},
	{
		ID: "agent-case-file", Text: "The letters of every user-agent value are in the other case.",
		Requirement: "RFC9309-2.2.1-5", Interpretations: everywhere,
		stage: "agents", change: agentCaseInFile,
	},
	{
		ID: "agent-case-probe", Text: "The letters of the crawler's name are in the other case.",
		Requirement: "RFC9309-2.2.1-5", Interpretations: everywhere,
		stage: "agents", change: agentCaseInProbes,
	},
	{
		ID: "split-groups", Text: "A group of several rules becomes a group for each rule.",
		Requirement: "RFC9309-2.2.1-7", Interpretations: modern,
		stage: "agents", change: splitGroups,
	},
	{
		ID: "merged-groups", Text: "Neighbouring groups for one and the same crawler become one.",
		Requirement: "RFC9309-2.2.1-7", Interpretations: modern,
		stage: "agents", change: mergeGroups,
	},
	{
		ID: "trailing-unknown-record", Text: "A record that no document knows comes last.",
		Requirement: "RFC9309-2.2.4-3", Interpretations: everywhere,
		stage: "groups", change: trailingUnknownRecord,
	},
	{
		ID: "padding", Text: "Comments in front bring the file just below 500 KiB.",
		Requirement: "RFC9309-2.5-2", Interpretations: everywhere,
		stage: "records", change: padding,
	},
	{
		ID: "duplicate-rules", Text: "Every rule stands there twice.",
		Requirement: "RFC9309-2.2.2-7", Interpretations: everywhere,
		stage: "groups", change: duplicateRules,
	},
}
