package fuzz

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A Draft is a case made from a finding. A person has to decide its verdicts:
// those in it are the reference's.
type Draft struct {
	// Section is the folder, Topic the file name without ".yaml", ID that of the
	// case.
	Section, Topic, ID string
	// YAML is the case file.
	YAML []byte
}

// draftTopic is the prefix of the topics of drafts.
const draftTopic = "draft-"

// A draftFile is a case file in the form in which it is written.
type draftFile struct {
	Section string      `yaml:"section"`
	Cases   []draftCase `yaml:"cases"`
}

type draftCase struct {
	ID           string             `yaml:"id"`
	Point        string             `yaml:"point,omitempty"`
	Requirements []string           `yaml:"requirements,flow,omitempty"`
	Level        spec.Level         `yaml:"level,omitempty"`
	Rationale    string             `yaml:"rationale"`
	Agent        string             `yaml:"agent,omitempty"`
	Robots       string             `yaml:"robots"`
	Expect       []draftExpectation `yaml:"expect"`
}

type draftExpectation struct {
	URL     string                  `yaml:"url"`
	Verdict spec.Verdict            `yaml:"verdict,omitempty"`
	Line    int                     `yaml:"line,omitempty"`
	Under   map[string]spec.Verdict `yaml:"under,omitempty"`
	Choices map[string]spec.Verdict `yaml:"choices,omitempty"`
}

// NewDraft makes a case from the finding that fits among the cases of data. If
// the cause is one change, the case classifies the choices of that point;
// otherwise it judges.
func NewDraft(f *Finding, data *spec.Data) (*Draft, error) {
	d := &Draft{Topic: draftTopic + f.ID()}
	d.ID = d.Topic + "/witness"
	c := draftCase{
		ID:     d.ID,
		Robots: spec.EncodeOctets(f.Witness.Robots),
		Agent:  spec.EncodeOctets([]byte(f.Witness.Agent)),
		// This text shows that the case has not been reviewed yet.
		Rationale: "DRAFT, to be decided by a person: " + strings.ToValidUTF8(f.Title(), "\uFFFD") + ".",
	}
	e := draftExpectation{URL: spec.EncodeOctets([]byte(spec.ShortURL(f.Witness.URL)))}
	if p := f.classifies(data); p != nil {
		c.Point, c.Requirements = p.ID, p.Requirements
		e.Choices = choiceVerdicts(f.Witness, f.Cause[0].Point)
	} else {
		c.Requirements, c.Level = f.judgedBy(data)
		e.judge(f.Witness)
	}
	c.Expect = []draftExpectation{e}
	d.Section = sectionOf(c.Requirements, data)
	if d.Section == "" {
		return nil, fmt.Errorf("finding %s: no existing case tests any of its requirements, so its section is unknown", f.ID())
	}
	text, err := encodeDraft(draftFile{d.Section, []draftCase{c}})
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", f.ID(), err)
	}
	d.YAML = append([]byte(d.comment(f)), text...)
	return d, nil
}

// comment returns the comment that tells the reader of the file what to do.
func (d *Draft) comment(f *Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# A draft from finding %s. A person has to decide: do the documents demand these\n", f.ID())
	b.WriteString("# verdicts, and in which statement? Then give the case a rationale, an ID that\n")
	b.WriteString("# describes it, and a place among the other cases; or delete it.\n#\n# The verdicts of the parsers:\n")
	for _, vote := range f.Votes() {
		fmt.Fprintf(&b, "#   %s: %s\n", vote.Verdict, strings.Join(vote.Subjects, ", "))
	}
	return b.String()
}

// classifies returns the point whose choices the witness distinguishes, nil if
// the cause is not one change.
func (f *Finding) classifies(data *spec.Data) *spec.Point {
	if f.Kind != Disagreement || len(f.Cause) != 1 {
		return nil
	}
	p := data.Point(f.Cause[0].Point.String())
	if p == nil || len(p.Requirements) == 0 {
		return nil
	}
	return p
}

// choiceVerdicts returns the reference's verdicts under each choice.
func choiceVerdicts(w Witness, of reference.Point) map[string]spec.Verdict {
	verdicts := map[string]spec.Verdict{}
	r := reading.New(w.Robots)
	for c, id := range of.Choices() {
		verdicts[id] = r.Verdict(reference.With(Change{Point: of, Choice: reference.Choice(c)}), w.Probe)
	}
	return verdicts
}

// judge fills in the verdicts of the named interpretations. An interpretation
// that refuses the file has none.
func (e *draftExpectation) judge(w Witness) {
	r := reading.New(w.Robots)
	for _, name := range spec.Interpretations {
		in, err := reference.Named(name)
		if err != nil {
			continue
		}
		v := r.Verdict(in, w.Probe)
		switch {
		case name == spec.Interpretations[0]:
			e.Verdict = v
			if rule := reading.Parser(in).Parse(w.Robots).Test(w.Agent, w.URL).Rule; rule != nil {
				e.Line = rule.Line()
			}
		case v != e.Verdict:
			if e.Under == nil {
				e.Under = map[string]spec.Verdict{}
			}
			e.Under[name] = v
		}
	}
}

// judgedBy returns the requirements that the witness may be about, and their
// highest level.
func (f *Finding) judgedBy(data *spec.Data) (ids []string, level spec.Level) {
	seen := map[string]bool{}
	add := func(id string) {
		q := data.Requirement(id)
		if q == nil || seen[id] {
			return
		}
		own, bears := q.Level.CaseLevel()
		if !bears {
			return
		}
		seen[id] = true
		ids = append(ids, id)
		if own.Weight() > level.Weight() {
			level = own
		}
	}
	for _, change := range f.Cause {
		if p := data.Point(change.Point.String()); p != nil {
			for _, id := range p.Requirements {
				add(id)
			}
		}
	}
	if len(ids) > 0 {
		return ids, level
	}
	switch f.Kind {
	case UnexplainedAnswer:
		add("RFC9309-2.2.2-4") // if any rule decides
	default:
		add("RFC9309-2.3.1.5-1") // every line is tried, independent of its content
	}
	return ids, level
}

// sectionOf returns the section of the cases that test one of the requirements,
// drafts excluded.
func sectionOf(ids []string, data *spec.Data) string {
	for _, id := range ids {
		for i := range data.Cases {
			for _, tested := range data.Cases[i].Requirements {
				if tested == id && !strings.HasPrefix(data.Cases[i].ID, draftTopic) {
					return data.Cases[i].Section
				}
			}
		}
	}
	return ""
}

// encodeDraft encodes the file and checks that decoding gives the same.
func encodeDraft(file draftFile) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := cmp.Or(e.Encode(file), e.Close()); err != nil {
		return nil, err
	}
	var again draftFile
	if err := yaml.Unmarshal(b.Bytes(), &again); err != nil {
		return nil, err
	}
	if again.Cases[0].Robots != file.Cases[0].Robots {
		return nil, fmt.Errorf("its file cannot be written as YAML")
	}
	return b.Bytes(), nil
}
