package fuzz

import (
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// An Explainer finds out why subjects give their answers, fast enough for every
// answer of a campaign. It begins with the fingerprint of each subject and learns
// causes from further answers. It is safe for concurrent use.
type Explainer struct {
	subjects []model
}

// A model is what is known about one subject.
type model struct {
	own Cause // the deviations of its fingerprint

	mu      sync.RWMutex
	learned []Cause // sets of several changes that explained an answer
}

// maxLearned bounds the causes that are learned about one subject.
const maxLearned = 64

// NewExplainer returns the explainer of subjects with those fingerprints, in the
// order of the Differ. A subject about which nothing is known has the fingerprint
// reference.RFC9309.
func NewExplainer(fingerprints []reference.Interpretation) *Explainer {
	e := &Explainer{subjects: make([]model, len(fingerprints))}
	for i, in := range fingerprints {
		e.subjects[i].own = in.Deviations()
	}
	return e
}

// Known returns the deviations of a subject's fingerprint.
func (e *Explainer) Known(subject int) Cause { return e.subjects[subject].own }

// Learn stores a set of changes that explains an answer of the subject.
func (e *Explainer) Learn(subject int, c Cause) {
	if len(c) < 2 {
		return // single changes are tried anyway
	}
	m := &e.subjects[subject]
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.learned) < maxLearned {
		m.learned = append(m.learned, c)
	}
}

// An Origin is where an explanation comes from.
type Origin uint8

const (
	// Unexplained means that no set of choices that was tried gives the verdict.
	Unexplained Origin = iota
	// ByFingerprint means choices that the subject's fingerprint makes, too.
	ByFingerprint
	// ByOthers means other choices. The fingerprint did not predict the answer,
	// so the explanation may be a coincidence, as there are only two verdicts.
	ByOthers
)

// why returns the smallest cause for the subject's verdict that is cheap to find,
// or Unexplained; Explain may still find one.
func (e *Explainer) why(r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) (Cause, Origin) {
	if cause, origin := e.simple(r, subject, p, verdict); origin != Unexplained {
		return cause, origin
	}
	m := &e.subjects[subject]
	m.mu.RLock()
	learned := m.learned
	m.mu.RUnlock()
	for _, set := range learned {
		if r.Gives(verdict, p, set...) {
			return set, ByOthers
		}
	}
	return nil, Unexplained
}

// simple is like why without the learned causes, so that its result is always the
// same.
func (e *Explainer) simple(r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) (Cause, Origin) {
	m := &e.subjects[subject]
	for _, c := range m.own {
		if r.Gives(verdict, p, c) {
			return Cause{c}, ByFingerprint
		}
	}
	if len(m.own) > 1 && r.Gives(verdict, p, m.own...) {
		if c := m.smallest(r, p, verdict); len(c) <= MaxDeviations {
			return c, ByFingerprint
		}
	}
	for _, c := range candidates() {
		if r.Gives(verdict, p, c) {
			return Cause{c}, ByOthers
		}
	}
	return nil, Unexplained
}

// atOnce returns the choices of the subject's fingerprint that give the verdict
// together but not in sets of up to three, nil if they do not give it. Such an
// answer is not a bug, but it is not a cause of interest to a person either.
func (e *Explainer) atOnce(r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) Cause {
	m := &e.subjects[subject]
	if len(m.own) <= MaxDeviations || !r.Gives(verdict, p, m.own...) {
		return nil
	}
	return m.smallest(r, p, verdict)
}

// because reports whether the cause is why the subject gives the verdict. An
// empty cause means that there is no simple one.
func (e *Explainer) because(cause Cause, r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) bool {
	found, origin := e.simple(r, subject, p, verdict)
	if origin != Unexplained || len(cause) == 0 {
		return slices.Equal(found, cause)
	}
	return r.Gives(verdict, p, cause...)
}

// smallest returns some of the fingerprint's deviations that give the verdict,
// which all of them together do. None of these can be left out, unless they are
// more than MaxDeviations.
//
// It leaves out unneeded deviations one after the other instead of trying all
// sets, as a dozen have 220 triples; mostly two or three remain. Then it tries
// again, as a deviation that was needed before may not be needed any more.
func (m *model) smallest(r *reading.Reading, p spec.Probe, verdict spec.Verdict) Cause {
	needed := m.own
	for again := true; again; {
		again = false
		for i := 0; i < len(needed); {
			fewer := slices.Concat(needed[:i], needed[i+1:])
			if r.Gives(verdict, p, fewer...) {
				needed, again = fewer, len(fewer) <= MaxDeviations
			} else {
				i++
			}
		}
	}
	return needed
}
