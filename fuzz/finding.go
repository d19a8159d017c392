package fuzz

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Kind is the sort of a finding.
type Kind string

// The kinds of findings.
const (
	// UnexplainedAnswer: a subject disagrees with the reference, and no set of
	// choices that Explain tries gives its answer, or experiments refute those that
	// do.
	UnexplainedAnswer Kind = "unexplained"
	// CrashFound: a subject threw, panicked or died.
	CrashFound Kind = "crash"
	// TimeoutFound: a subject timed out.
	TimeoutFound Kind = "timeout"
	// SlowFound: a subject took much longer for one file than for others.
	SlowFound Kind = "slow"
	// Disagreement: subjects disagree with the reference, which gives their
	// answer with other choices.
	Disagreement Kind = "disagreement"
	// RefusalFound: a subject refuses the whole file, as it documents, and
	// neither its fingerprint nor one choice makes the reference do so, or
	// experiments refute the choice that would.
	RefusalFound Kind = "refusal"
)

// Kinds lists the kinds in the order in which findings are listed.
var Kinds = []Kind{UnexplainedAnswer, CrashFound, TimeoutFound, SlowFound, Disagreement, RefusalFound}

// A Finding is something that a campaign learned about parsers, with the smallest
// witness seen. It is identified by its kind and its subject matter: when it is
// seen again, it is counted.
type Finding struct {
	Kind Kind `json:"kind"`
	// Cause is what a Disagreement is about: the smallest set of changes with
	// which the reference gives the answers of the subjects in Hits. An
	// UnexplainedAnswer may have one that it resembles, and that is refuted.
	Cause Cause `json:"cause,omitempty"`
	// Experiments are queries near the witness whose answers the Cause predicted;
	// empty if there are none that tell it from other explanations. Refuted are
	// causes that an experiment contradicts.
	Experiments []Experiment `json:"experiments,omitempty"`
	Refuted     []Refutation `json:"refuted,omitempty"`
	// Lineage is the code base that the finding is about. Detail is its message,
	// without the parts that differ from file to file; a Disagreement has none.
	Lineage string `json:"lineage,omitempty"`
	Detail  string `json:"detail,omitempty"`
	// Witness is a query that shows it.
	Witness Witness `json:"-"`
	// Expected is the reference's verdict on Witness, under RFC 9309.
	Expected spec.Verdict `json:"expected"`
	// Answers are the answers of all subjects to the witness.
	Answers []SubjectAnswer `json:"answers"`
	// Causes are the explanations (see Explain) of each subject whose verdict on
	// the witness is not Expected, by its name; nil if nothing explains it. A
	// cause of more than MaxDeviations choices comes from the subject's fingerprint.
	Causes map[string][]Cause `json:"causes"`
	// Hits counts the answers that showed the finding, by the name of the subject.
	Hits map[string]int `json:"hits"`
	// Beyond counts those of Hits that the subject's fingerprint did not predict:
	// there the cause may be a coincidence.
	Beyond map[string]int `json:"beyond,omitempty"`
	// First and Last are when it was seen.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Seed and Input are the campaign's seed and the number of the input that the
	// witness was minimized from; Seed is 0 if there was none.
	Seed  uint64 `json:"seed,omitempty"`
	Input uint64 `json:"input,omitempty"`
}

// A SubjectAnswer is the answer of one subject in one version.
type SubjectAnswer struct {
	Subject string `json:"subject"`
	Version string `json:"version,omitempty"`
	Lineage string `json:"lineage,omitempty"`
	// Flags select the subject on a command line: --adapter and its command. A
	// subject that comes with repcheck has none: it is selected by its name.
	Flags []string `json:"flags,omitempty"`
	spec.Answer
}

// lineageOf returns the code base of a subject: its own name if it has no
// lineage.
func lineageOf(info spec.SubjectInfo) string { return cmp.Or(info.Lineage, info.Name) }

// ID identifies the finding: it is the first 12 hex digits of the SHA-256 of what
// the finding is about. Findings that differ only in witnesses, counts and times
// have the same ID.
func (f *Finding) ID() string {
	about := string(f.Kind) + "\n" + f.Cause.String() + "\n" + f.Lineage + "\n" + f.Detail
	if f.Kind == UnexplainedAnswer && len(f.Cause) == 0 {
		about += "\n" + f.Witness.Agent + "\n" + f.Witness.URL + "\n" + string(f.Witness.Robots)
	}
	sum := sha256.Sum256([]byte(about))
	return hex.EncodeToString(sum[:6])
}

// mostNamed is how many parsers a title names.
const mostNamed = 3

// parsers names the parsers that show the finding.
func (f *Finding) parsers() string {
	names := slices.Sorted(maps.Keys(f.Hits))
	if len(names) == 0 {
		return f.Lineage
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// Title describes the finding in one line.
func (f *Finding) Title() string {
	name := f.parsers()
	switch f.Kind {
	case Disagreement:
		return name + ": " + f.Cause.String()
	case UnexplainedAnswer:
		if len(f.Cause) > 0 {
			return name + ": resembles " + f.Cause.String() + " (refuted)"
		}
		return name + ": " + f.Detail + ", unexplained"
	case CrashFound:
		return name + " crashes: " + f.Detail
	case TimeoutFound:
		return name + " gives no answer in time"
	case SlowFound:
		return name + " is slow: " + f.Detail
	}
	return name + " refuses the file: " + f.Detail
}

// A Vote is the set of subjects that gave the same verdict.
type Vote struct {
	Verdict spec.Verdict `json:"verdict"`
	// Subjects are names, sorted.
	Subjects []string `json:"subjects"`
	// Lineages is how many independent code bases the subjects have.
	Lineages int `json:"lineages"`
}

// Votes groups the subjects by their verdicts on the witness, crashes and timeouts
// included, in the order of spec.Verdicts. Subjects that do not support the query
// are left out.
func (f *Finding) Votes() (all []Vote) {
	answers := slices.SortedFunc(slices.Values(f.Answers), func(a, b SubjectAnswer) int { return cmp.Compare(a.Subject, b.Subject) })
	for _, v := range spec.Verdicts {
		vote := Vote{Verdict: v}
		lineages := map[string]bool{}
		for _, a := range answers {
			if a.Verdict == v && v != spec.Unsupported {
				vote.Subjects = append(vote.Subjects, a.Subject)
				lineages[cmp.Or(a.Lineage, a.Subject)] = true
			}
		}
		if vote.Lineages = len(lineages); vote.Lineages > 0 {
			all = append(all, vote)
		}
	}
	return all
}

// Count returns the number of answers that showed the finding.
func (f *Finding) Count() int {
	n := 0
	for _, hits := range f.Hits {
		n += hits
	}
	return n
}

// Lineages returns the code bases of the subjects in Hits, sorted. A subject
// without an answer to the witness counts as its own lineage.
func (f *Finding) Lineages() []string {
	of := map[string]string{}
	for _, a := range f.Answers {
		of[a.Subject] = a.Lineage
	}
	all := map[string]bool{}
	for name := range f.Hits {
		all[cmp.Or(of[name], name)] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// takesLong reports whether a parser spends seconds on the witness. If so, the
// witness is not minimized, and no further queries are sent about it.
func (f *Finding) takesLong() bool { return f.Kind == TimeoutFound || f.Kind == SlowFound }

// merge combines two records of one finding and keeps the smaller witness. A
// record without a kind has only counts and times.
func merge(a, b Finding) Finding {
	m := a
	if a.Kind == "" || b.Kind != "" && b.Witness.Compare(a.Witness) < 0 {
		m = b
	}
	if len(m.Experiments) == 0 {
		m.Experiments = slices.Concat(a.Experiments, b.Experiments) // one of them has none
	}
	m.Hits, m.Beyond = sum(a.Hits, b.Hits), sum(a.Beyond, b.Beyond)
	m.First, m.Last = a.First, a.Last
	if a.First.IsZero() || !b.First.IsZero() && b.First.Before(a.First) {
		m.First = b.First
	}
	if b.Last.After(a.Last) {
		m.Last = b.Last
	}
	return m
}

// sum adds up counts in a new map.
func sum(a, b map[string]int) map[string]int {
	if len(a)+len(b) == 0 {
		return nil
	}
	total := map[string]int{}
	for _, counts := range []map[string]int{a, b} {
		for name, n := range counts {
			total[name] += n
		}
	}
	return total
}

// compareFindings orders findings by kind, and within one kind puts first those seen
// most often.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
		cmp.Compare(b.Count(), a.Count()),
		cmp.Compare(a.ID(), b.ID()),
	)
}

// plainFinding is a Finding without its methods.
type plainFinding Finding

// findingJSON is a Finding as JSON.
type findingJSON struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	queryJSON
	plainFinding
	Votes []Vote `json:"votes"`
}

// MarshalJSON encodes the finding in the form in which the store saves it.
func (f Finding) MarshalJSON() ([]byte, error) {
	f.First, f.Last = f.First.UTC(), f.Last.UTC()
	return encodeJSON(findingJSON{ID: f.ID(), Title: f.Title(), queryJSON: newQueryJSON(f.Witness), plainFinding: plainFinding(f), Votes: f.Votes()}, "")
}

// errTwoFiles means that a witness was changed by hand.
var errTwoFiles = errors.New("robots and robots_b64 are not the same file")

// UnmarshalJSON decodes the output of MarshalJSON and refuses contradictions.
func (f *Finding) UnmarshalJSON(text []byte) error {
	var j findingJSON
	if err := decodeJSON(text, &j); err != nil {
		return err
	}
	witness, err := j.decode()
	if err != nil {
		return err
	}
	*f = Finding(j.plainFinding)
	f.Witness = witness
	return f.check(&j)
}

// check returns an error for contents that MarshalJSON does not produce.
func (f *Finding) check(j *findingJSON) error {
	if !slices.Contains(Kinds, f.Kind) {
		return fmt.Errorf("%q is no kind of finding", f.Kind)
	}
	if j.ID != f.ID() || j.Title != f.Title() {
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
	if !slices.EqualFunc(j.Votes, f.Votes(), func(a, b Vote) bool {
		return a.Verdict == b.Verdict && a.Lineages == b.Lineages && slices.Equal(a.Subjects, b.Subjects)
	}) {
		return errors.New("votes do not belong to answers")
	}
	return nil
}
