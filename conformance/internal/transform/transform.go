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
	stage string
	// change returns the changed file, and may change the probes. If the transform
	// does not apply to the file, why is the reason.
	change func(in *input) (robots []byte, why string)
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
		ID: "comment-lines", Text: "A comment line is inserted between any two lines.",
		Requirement: "RFC9309-2.2.3-1", Interpretations: everywhere,
		stage: "groups", change: linesBetween("# Disallow: /"),
	},
	{
		ID: "trailing-comments", Text: "A blank and a comment are appended to every record.",
		Requirement: "RFC9309-2.2.3-1", Interpretations: everywhere,
		stage: "records", change: trailingComments,
	},
	{
		ID: "blank-lines", Text: "A blank line is inserted between any two lines.",
		Requirement: "RFC9309-2.1-4", Interpretations: modern,
		stage: "groups", change: linesBetween("", " \t"),
	},
	{
		ID: "key-case-upper", Text: "Every key is in upper case.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: keyCase(func(_ int, c byte) byte { return upper(c) }),
	},
	{
		ID: "key-case-lower", Text: "Every key is in lower case.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: keyCase(func(_ int, c byte) byte { return lower(c) }),
	},
	{
		ID: "key-case-mixed", Text: "Every key alternates between lower and upper case.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: keyCase(mixed),
	},
	{
		ID: "colon-space-before", Text: "A space and a tab are inserted between every key and its colon.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: modern,
		stage: "records", change: colonSpace(0),
	},
	{
		ID: "colon-space-after", Text: "A space and a tab are inserted after every colon.",
		Requirement: "RFC9309-ABNF-rule", Interpretations: everywhere,
		stage: "records", change: colonSpace(1),
	},
	{
		ID: "unrelated-group-first", Text: "A group for an unrelated crawler is added in front.",
		Requirement: "RFC9309-2.2.1-12", Interpretations: everywhere,
		stage: "agents", change: unrelatedFirst,
	},
	{
		ID: "unrelated-group-last", Text: "A group for an unrelated crawler is added at the end.",
		Requirement: "RFC9309-2.2.1-12", Interpretations: everywhere,
		stage: "agents", change: unrelatedLast,
	},
	{
		ID: "groups-permuted", Text: "The groups are in another order.",
		Requirement: "RFC9309-2.2.1-13", Interpretations: modern,
		stage: "agents", change: permuteGroups,
	},
	{
		ID: "rules-permuted", Text: "The rules of every group are in another order.",
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
		ID: "merged-groups", Text: "Adjacent groups for the same crawler become one.",
		Requirement: "RFC9309-2.2.1-7", Interpretations: modern,
		stage: "agents", change: mergeGroups,
	},
	{
		ID: "trailing-unknown-record", Text: "An unknown record is added at the end.",
		Requirement: "RFC9309-2.2.4-3", Interpretations: everywhere,
		stage: "groups", change: trailingUnknownRecord,
	},
	{
		ID: "padding", Text: "Comments in front bring the file just below 500 KiB.",
		Requirement: "RFC9309-2.5-2", Interpretations: everywhere,
		stage: "records", change: padding,
	},
	{
		ID: "duplicate-rules", Text: "Every rule is repeated.",
		Requirement: "RFC9309-2.2.2-7", Interpretations: everywhere,
		stage: "groups", change: duplicateRules,
	},
}
