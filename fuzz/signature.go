package fuzz

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// A Signature is who said what to one question. Two questions with equal
// signatures are taken for two sights of one thing, of which one is kept.
//
// Of a disagreement it is the partition of all subjects by verdict. Where a
// subject crashed, ran out of time or broke its protocol, it names the subjects
// that did and no others: the crash is the same whatever the others say of the
// file. A subject that cannot be asked the question is left out.
//
// The zero value is that of a question without a disagreement.
type Signature struct {
	// Classes are sorted in the order of spec.Verdicts.
	Classes []Class
}

// A Class is the subjects that gave one verdict.
type Class struct {
	Verdict spec.Verdict `json:"verdict"`
	// Subjects are names, sorted.
	Subjects []string `json:"subjects"`
	// Voices is how many independent code bases the subjects come from: those
	// of one lineage are one voice.
	Voices int `json:"voices"`
}

// signatureOf returns the signature of one answer of each subject. sorted are
// the indices of infos in the order of the names.
func signatureOf(infos []spec.SubjectInfo, sorted []int, answers []spec.Answer) Signature {
	var first spec.Verdict
	failed, differ := false, false
	for _, a := range answers {
		switch {
		case a.Verdict == spec.Unsupported:
		case isFailure(a.Verdict):
			failed = true
		case first == "":
			first = a.Verdict
		default:
			differ = differ || a.Verdict != first
		}
	}
	if !differ && !failed {
		return Signature{}
	}
	return partition(infos, sorted, answers, func(v spec.Verdict) bool { return !failed || isFailure(v) })
}

// partition returns the classes of the verdicts that are shown, but for
// Unsupported.
func partition(infos []spec.SubjectInfo, sorted []int, answers []spec.Answer, shown func(spec.Verdict) bool) Signature {
	var s Signature
	for _, v := range spec.Verdicts {
		if v == spec.Unsupported || !shown(v) {
			continue
		}
		c := Class{Verdict: v}
		lineages := map[string]bool{}
		for _, i := range sorted {
			if answers[i].Verdict != v {
				continue
			}
			c.Subjects = append(c.Subjects, infos[i].Name)
			lineage := infos[i].Lineage
			if lineage == "" || !lineages[lineage] {
				c.Voices++
			}
			lineages[lineage] = true
		}
		if c.Subjects != nil {
			s.Classes = append(s.Classes, c)
		}
	}
	return s
}

// isFailure reports whether the verdict is one that the harness gives in the
// place of an answer.
func isFailure(v spec.Verdict) bool {
	return v == spec.Crash || v == spec.Timeout || v == spec.ProtocolError
}

// None reports whether there is no disagreement.
func (s Signature) None() bool { return len(s.Classes) == 0 }

// Has reports whether a subject gave that verdict.
func (s Signature) Has(v spec.Verdict) bool {
	return slices.ContainsFunc(s.Classes, func(c Class) bool { return c.Verdict == v })
}

// String returns "allow: benjaminestes slyrz | disallow: grobotstxt temoto".
func (s Signature) String() string {
	var b strings.Builder
	for i, c := range s.Classes {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(string(c.Verdict))
		b.WriteByte(':')
		for _, name := range c.Subjects {
			b.WriteByte(' ')
			b.WriteString(name)
		}
	}
	return b.String()
}

// ID returns the first 12 hex digits of the SHA-256 of String.
func (s Signature) ID() string {
	sum := sha256.Sum256([]byte(s.String()))
	return hex.EncodeToString(sum[:6])
}
