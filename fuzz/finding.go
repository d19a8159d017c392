package fuzz

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Kind says what sort of thing a finding is.
type Kind string

// The kinds, in the order in which findings are listed.
const (
	// UnexplainedAnswer: a subject answers otherwise than the reference, and no
	// set of choices that Explain tries makes the reference answer so.
	UnexplainedAnswer Kind = "unexplained"
	// CrashFound: a subject threw, panicked or died.
	CrashFound Kind = "crash"
	// HangFound: a subject ran out of time.
	HangFound Kind = "hang"
	// SlowFound: a subject took very much longer for one file than it does for
	// others.
	SlowFound Kind = "slow"
	// GrowthFound: a subject's time grows faster than the input.
	GrowthFound Kind = "growth"
	// Disagreement: subjects answer otherwise than the reference, and as it
	// would if it made other choices.
	Disagreement Kind = "disagreement"
	// RefusalFound: a subject refuses the whole file, as it documents, and neither
	// its fingerprint nor one choice makes the reference do so.
	RefusalFound Kind = "refusal"
)

// Kinds lists the kinds in the order in which findings are listed.
var Kinds = []Kind{UnexplainedAnswer, CrashFound, HangFound, SlowFound, GrowthFound, Disagreement, RefusalFound}

// A Finding is something that the campaign learned, with the smallest witness
// seen. Its kind and what it is about make its identity: what is met again is
// counted.
type Finding struct {
	Kind Kind
	// Cause is what a Disagreement is about: the smallest set of choices that,
	// flipped in the reference, gives the answers of the subjects in Hits.
	Cause Cause
	// Lineage is the code base that a finding of another kind is about, and
	// Detail what it said, without what differs from file to file.
	Lineage, Detail string
	// Witness shows it.
	Witness Witness
	// Expected is the reference's verdict on Witness, under RFC 9309.
	Expected spec.Verdict
	// Answers are what all subjects said to the witness.
	Answers []SubjectAnswer
	// Causes are the explanations (see Explain) of each subject whose verdict on
	// the witness is not Expected, by its name; nil if nothing explains it. One of
	// more than MaxFlips is of the subject's fingerprint.
	Causes map[string][]Cause
	// Hits counts, by the name of the subject, its answers that were so.
	Hits map[string]int
	// Beyond counts those of Hits that the subject's fingerprint did not expect:
	// there the cause may be a coincidence.
	Beyond map[string]int
	// First and Last are when it was seen.
	First, Last time.Time
	// Seed and Input are the campaign's seed and the number of the input that
	// the witness was made of; Seed is 0 if it had none.
	Seed, Input uint64
	// Growth is what was measured, of a finding of that kind.
	Growth json.RawMessage
}

// A SubjectAnswer is the answer of one subject in one version.
type SubjectAnswer struct {
	Subject string `json:"subject"`
	Version string `json:"version,omitempty"`
	Lineage string `json:"lineage,omitempty"`
	// Flags open the subject on a command line: --adapter and its command. A subject
	// that comes with repcheck has none, and its name opens it.
	Flags []string `json:"flags,omitempty"`
	spec.Answer
}

// lineageOf is the code base of a subject: its own name if it says of none.
func lineageOf(info spec.SubjectInfo) string { return cmp.Or(info.Lineage, info.Name) }

// ID names the finding: the first 12 hex digits of the SHA-256 of what it is
// about. What differs only in witnesses, counts and times has one ID.
func (f *Finding) ID() string {
	about := string(f.Kind) + "\n" + f.Cause.String() + "\n" + f.Lineage + "\n" + f.Detail
	if f.Kind == UnexplainedAnswer {
		about += "\n" + f.Witness.Agent + "\n" + f.Witness.URL + "\n" + string(f.Witness.Robots)
	}
	sum := sha256.Sum256([]byte(about))
	return hex.EncodeToString(sum[:6])
}

// Title says in one line what the finding is about.
func (f *Finding) Title() string {
	switch f.Kind {
	case Disagreement:
		return f.Cause.String()
	case UnexplainedAnswer:
		return f.Lineage + " answers " + f.Detail + ", and no choice explains it"
	case CrashFound:
		return f.Lineage + " crashes: " + f.Detail
	case HangFound:
		return f.Lineage + " gives no answer in time"
	case SlowFound:
		return f.Lineage + " is slow: " + f.Detail
	case GrowthFound:
		return f.Lineage + " takes ever longer: " + f.Detail
	}
	return f.Lineage + " refuses the file: " + f.Detail
}

// Signature is who said what to the witness, failures beside answers.
func (f *Finding) Signature() Signature {
	infos := make([]spec.SubjectInfo, len(f.Answers))
	answers := make([]spec.Answer, len(f.Answers))
	for i, a := range f.Answers {
		infos[i] = spec.SubjectInfo{Name: a.Subject, Lineage: a.Lineage}
		answers[i] = a.Answer
	}
	return partition(infos, sortedByName(infos), answers, func(spec.Verdict) bool { return true })
}

// Count is how many answers were so.
func (f *Finding) Count() int {
	n := 0
	for _, hits := range f.Hits {
		n += hits
	}
	return n
}

// Lineages returns the code bases of the subjects in Hits, sorted. A subject
// that the witness was not put to stands for itself.
func (f *Finding) Lineages() []string {
	of := map[string]string{}
	for _, a := range f.Answers {
		of[a.Subject] = cmp.Or(a.Lineage, a.Subject)
	}
	all := map[string]bool{}
	for name := range f.Hits {
		all[cmp.Or(of[name], name)] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// takesLong reports whether the witness is one on which a parser spends seconds, so
// that it is shown as it was met, and nobody is asked about it again.
func (f *Finding) takesLong() bool { return f.Kind == HangFound || f.Kind == SlowFound }

// merge returns what two sights of one finding make together.
func merge(a, b Finding) Finding {
	m := a
	if b.Witness.Compare(a.Witness) < 0 {
		m = b
	}
	m.Hits, m.Beyond = sum(a.Hits, b.Hits), sum(a.Beyond, b.Beyond)
	m.First, m.Last = a.First, a.Last
	if b.First.Before(a.First) {
		m.First = b.First
	}
	if b.Last.After(a.Last) {
		m.Last = b.Last
	}
	return m
}

func sum(a, b map[string]int) map[string]int {
	total := maps.Clone(a)
	if total == nil {
		total = map[string]int{}
	}
	for name, n := range b {
		total[name] += n
	}
	return total
}

// compareFindings puts first what has no explanation, then what breaks parsers,
// then what most lineages do, and of that what was seen most often.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
		cmp.Compare(len(b.Lineages()), len(a.Lineages())),
		cmp.Compare(b.Count(), a.Count()),
		cmp.Compare(a.ID(), b.ID()),
	)
}

// wireFinding is a Finding as it is written. The file stands there twice: in
// octet notation to be read, in base64 to be exact; agent and URL in octet
// notation alone.
type wireFinding struct {
	ID        string             `json:"id"`
	Kind      Kind               `json:"kind"`
	Title     string             `json:"title"`
	Cause     Cause              `json:"cause,omitempty"`
	Lineage   string             `json:"lineage,omitempty"`
	Detail    string             `json:"detail,omitempty"`
	Classes   []Class            `json:"classes"`
	Robots    string             `json:"robots"`
	RobotsB64 string             `json:"robots_b64"`
	Agent     string             `json:"agent"`
	URL       string             `json:"url"`
	Expected  spec.Verdict       `json:"expected"`
	Answers   []SubjectAnswer    `json:"answers"`
	Causes    map[string][]Cause `json:"causes"`
	Hits      map[string]int     `json:"hits"`
	Beyond    map[string]int     `json:"beyond,omitempty"`
	First     time.Time          `json:"first"`
	Last      time.Time          `json:"last"`
	Seed      uint64             `json:"seed,omitempty"`
	Input     uint64             `json:"input,omitempty"`
	Growth    json.RawMessage    `json:"growth,omitempty"`
}

// MarshalJSON writes the finding as a file of the store holds it.
func (f Finding) MarshalJSON() ([]byte, error) {
	w := wireFinding{
		ID: f.ID(), Kind: f.Kind, Title: f.Title(), Cause: f.Cause, Lineage: f.Lineage, Detail: f.Detail, Classes: f.Signature().Classes,
		Robots: spec.EncodeOctets(f.Witness.Robots), RobotsB64: base64.StdEncoding.EncodeToString(f.Witness.Robots),
		Agent: spec.EncodeInline(f.Witness.Agent), URL: spec.EncodeInline(f.Witness.URL), Expected: f.Expected,
		Answers: f.Answers, Causes: f.Causes, Hits: f.Hits, Beyond: f.Beyond,
		First: f.First.UTC(), Last: f.Last.UTC(), Seed: f.Seed, Input: f.Input, Growth: f.Growth,
	}
	return encodeJSON(w, "")
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses what contradicts
// itself.
func (f *Finding) UnmarshalJSON(text []byte) error {
	var w wireFinding
	if err := decodeJSON(text, &w); err != nil {
		return err
	}
	witness, err := spec.DecodeQuery(w.RobotsB64, w.Agent, w.URL)
	if err != nil {
		return err
	}
	if w.Robots != spec.EncodeOctets(witness.Robots) {
		return errors.New("robots and robots_b64 are not the same file")
	}
	*f = Finding{
		Kind: w.Kind, Cause: w.Cause, Lineage: w.Lineage, Detail: w.Detail,
		Witness:  witness,
		Expected: w.Expected, Answers: w.Answers, Causes: w.Causes, Hits: w.Hits, Beyond: w.Beyond,
		First: w.First, Last: w.Last, Seed: w.Seed, Input: w.Input, Growth: w.Growth,
	}
	return f.check(&w)
}

// check refuses what another program, or a hand, may have written.
func (f *Finding) check(w *wireFinding) error {
	if !slices.Contains(Kinds, f.Kind) {
		return fmt.Errorf("%q is no kind of finding", f.Kind)
	}
	if w.ID != f.ID() || w.Title != f.Title() {
		return errors.New("id and title do not belong to the rest")
	}
	if !f.Expected.Decided() && f.Expected != spec.Reject {
		return fmt.Errorf("expected: %q is no verdict of the reference", f.Expected)
	}
	for _, a := range f.Answers {
		if !a.Verdict.Valid() {
			return fmt.Errorf("%q is no verdict", a.Verdict)
		}
	}
	for name, n := range f.Hits {
		if n < 1 {
			return fmt.Errorf("%s has %d hits", name, n)
		}
	}
	for name, n := range f.Beyond {
		if n < 1 || n > f.Hits[name] {
			return fmt.Errorf("%s has %d hits, %d of them beyond its fingerprint", name, f.Hits[name], n)
		}
	}
	if !slices.EqualFunc(w.Classes, f.Signature().Classes, func(a, b Class) bool {
		return a.Verdict == b.Verdict && a.Voices == b.Voices && slices.Equal(a.Subjects, b.Subjects)
	}) {
		return errors.New("classes do not belong to answers")
	}
	return nil
}
