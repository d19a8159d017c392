package fuzz

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Finding is a disagreement or failure with the smallest witness seen.
type Finding struct {
	Signature Signature
	Witness   Witness
	// Answers are what the subjects said to the witness.
	Answers []SubjectAnswer
	// Causes are the explanations (see Explain) of each subject whose verdict
	// is not that of the reference under RFC 9309, by its name. Nil means that
	// nothing explains the verdict. Failures have no causes.
	Causes map[string][]Cause
	// Hits is about how many questions had the signature.
	Hits int
	// First and Last are when the signature was seen.
	First, Last time.Time
	// Seed is that of the campaign that found the witness; 0 if it had none.
	Seed uint64
}

// A SubjectAnswer is the answer of one subject in one version.
type SubjectAnswer struct {
	Subject string `json:"subject"`
	Version string `json:"version,omitempty"`
	Lineage string `json:"lineage,omitempty"`
	spec.Answer
}

// ID names the finding; it is that of its signature.
func (f *Finding) ID() string { return f.Signature.ID() }

// Unexplained returns the subjects whose verdict no choices explain, sorted.
func (f *Finding) Unexplained() []string {
	var names []string
	for name, causes := range f.Causes {
		if causes == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// newFinding makes a finding of a reduced witness; hits and times are the
// caller's to set.
func newFinding(infos []spec.SubjectInfo, r Reduction) Finding {
	f := Finding{Signature: r.Signature, Witness: r.Witness, Causes: map[string][]Cause{}}
	explained := map[spec.Verdict][]Cause{}
	expected := referenceVerdict(reference.RFC9309, r.Witness)
	for i, a := range r.Answers {
		info := infos[i]
		f.Answers = append(f.Answers, SubjectAnswer{Subject: info.Name, Version: info.Version, Lineage: info.Lineage, Answer: a})
		if r.Signature.Kind() == Failure || a.Verdict == expected || a.Verdict == spec.Unsupported {
			continue
		}
		causes, ok := explained[a.Verdict]
		if !ok {
			causes = Explain(r.Witness, a.Verdict)
			explained[a.Verdict] = causes
		}
		f.Causes[info.Name] = causes
	}
	return f
}

// merge returns what two sights of one signature make together.
func merge(a, b Finding) Finding {
	m := a
	if b.Witness.Compare(a.Witness) < 0 {
		m = b
	}
	m.Hits = a.Hits + b.Hits
	m.First, m.Last = a.First, a.Last
	if b.First.Before(a.First) {
		m.First = b.First
	}
	if b.Last.After(a.Last) {
		m.Last = b.Last
	}
	return m
}

// compareFindings puts first what has no explanation, then failures, then what
// was seen most often.
func compareFindings(a, b Finding) int {
	rank := func(f *Finding) int {
		switch {
		case len(f.Unexplained()) > 0:
			return 0
		case f.Signature.Kind() == Failure:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.Hits, a.Hits), cmp.Compare(a.ID(), b.ID()))
}

// wireFinding is a Finding as it is written. The file stands there twice: in
// octet notation to be read, in base64 to be exact; agent and URL in octet
// notation alone.
type wireFinding struct {
	ID        string             `json:"id"`
	Kind      Kind               `json:"kind"`
	Signature string             `json:"signature"`
	Classes   []Class            `json:"classes"`
	Robots    string             `json:"robots"`
	RobotsB64 string             `json:"robots_b64"`
	Agent     string             `json:"agent"`
	URL       string             `json:"url"`
	Answers   []SubjectAnswer    `json:"answers"`
	Causes    map[string][]Cause `json:"causes"`
	Hits      int                `json:"hits"`
	First     time.Time          `json:"first"`
	Last      time.Time          `json:"last"`
	Seed      uint64             `json:"seed,omitempty"`
}

// MarshalJSON writes the finding as a file of the store holds it.
func (f Finding) MarshalJSON() ([]byte, error) {
	w := wireFinding{
		ID: f.ID(), Kind: f.Signature.Kind(), Signature: f.Signature.String(), Classes: f.Signature.Classes,
		Robots: spec.EncodeOctets(f.Witness.Robots), RobotsB64: base64.StdEncoding.EncodeToString(f.Witness.Robots),
		Agent: spec.EncodeInline(f.Witness.Agent), URL: spec.EncodeInline(f.Witness.URL),
		Answers: f.Answers, Causes: f.Causes, Hits: f.Hits, First: f.First.UTC(), Last: f.Last.UTC(), Seed: f.Seed,
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(w)
	return b.Bytes(), err
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses what contradicts
// itself.
func (f *Finding) UnmarshalJSON(text []byte) error {
	var w wireFinding
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return err
	}
	*f = Finding{
		Signature: Signature{Classes: w.Classes}, Answers: w.Answers, Causes: w.Causes,
		Hits: w.Hits, First: w.First, Last: w.Last, Seed: w.Seed,
	}
	if w.Signature != f.Signature.String() || w.ID != f.ID() {
		return errors.New("id, signature and classes do not belong together")
	}
	for _, c := range w.Classes {
		if !c.Verdict.Valid() {
			return fmt.Errorf("%q is no verdict", c.Verdict)
		}
	}
	robots, err := base64.StdEncoding.DecodeString(w.RobotsB64)
	if err != nil {
		return fmt.Errorf("robots_b64: %w", err)
	}
	if w.Robots != spec.EncodeOctets(robots) {
		return errors.New("robots and robots_b64 are not the same file")
	}
	agent, err := spec.DecodeOctets(w.Agent)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	url, err := spec.DecodeOctets(w.URL)
	if err != nil {
		return fmt.Errorf("url: %w", err)
	}
	f.Witness = Witness{Robots: robots, Probe: spec.Probe{Agent: string(agent), URL: string(url)}}
	return nil
}
