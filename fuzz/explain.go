package fuzz

import (
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// An Explainer finds out why subjects give their answers, fast enough for every
// answer of a campaign. It begins with the fingerprint of each subject, and learns
// causes and what experiments say of them. It is safe for concurrent use.
type Explainer struct {
	subjects []model
}

// A model is what is known about one subject.
type model struct {
	mu sync.RWMutex // guards the fields; the slices are replaced, not changed
	modelView
	confirmed map[string]bool // causes that experiments confirmed, by their text
}

// A modelView is the part of a model that explains answers.
type modelView struct {
	own     Cause    // the deviations of its fingerprint
	others  []Change // other changes that may explain an answer
	learned []Cause  // sets of several changes that explained an answer
	refuted []Cause  // causes that experiments refuted
	// contradicted are changes that the sample of the fingerprint contradicts,
	// although they would predict some of its answers; most of them first.
	contradicted Cause
}

// maxLearned bounds the causes that are learned about one subject.
const maxLearned = 64

// NewExplainer returns the explainer of subjects with those fingerprints, in the
// order of the Differ. A subject about which nothing is known has the fingerprint
// reference.RFC9309.
func NewExplainer(fingerprints []reference.Interpretation) *Explainer {
	e := &Explainer{subjects: make([]model, len(fingerprints))}
	for i, in := range fingerprints {
		m := &e.subjects[i]
		m.own, m.others, m.confirmed = in.Deviations(), candidates(), map[string]bool{}
	}
	return e
}

// view returns what is known now about a subject.
func (e *Explainer) view(subject int) modelView {
	m := &e.subjects[subject]
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.modelView
}

// Known returns the deviations of a subject's fingerprint.
func (e *Explainer) Known(subject int) Cause { return e.view(subject).own }

// Learn stores a set of changes that explains an answer of the subject.
func (e *Explainer) Learn(subject int, c Cause) {
	if len(c) < 2 {
		return // single changes are tried anyway
	}
	m := &e.subjects[subject]
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.learned) < maxLearned && !m.refutes(c) {
		m.learned = append(m.learned, c)
	}
}

// Propose replaces the changes outside its fingerprint that may explain answers of
// the subject, the most likely first; without any, all may. The contradicted ones
// explain none, but answers may resemble them.
func (e *Explainer) Propose(subject int, candidates, contradicted Cause) {
	m := &e.subjects[subject]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contradicted = contradicted; len(candidates) > 0 {
		m.others = slices.DeleteFunc(slices.Clone(candidates), func(c Change) bool { return blanket(c) || m.refutes(Cause{c}) })
	}
}

// Refute stores that the subject does not answer because of the cause, so that it
// explains no further answer. Neither does a set that a refuted change belongs to.
func (e *Explainer) Refute(subject int, causes ...Cause) {
	m := &e.subjects[subject]
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuted = slices.Concat(m.refuted, causes)
	single := func(c Change) bool { return m.refutes(Cause{c}) }
	m.own = slices.DeleteFunc(slices.Clone(m.own), single)
	m.others = slices.DeleteFunc(slices.Clone(m.others), single)
	m.learned = slices.DeleteFunc(slices.Clone(m.learned), m.refutes)
}

// refutes reports whether a cause is refuted, or a change in it.
func (m *modelView) refutes(c Cause) bool {
	return slices.ContainsFunc(m.refuted, func(r Cause) bool {
		return slices.Equal(r, c) || len(r) == 1 && slices.Contains(c, r[0])
	})
}

// Confirm stores that experiments confirm the cause.
func (e *Explainer) Confirm(subject int, c Cause) {
	m := &e.subjects[subject]
	m.mu.Lock()
	defer m.mu.Unlock()
	m.confirmed[c.String()] = true
}

// confirmed reports whether experiments confirm the cause, or every change in it.
// each is set in the latter case for several changes.
func (e *Explainer) confirmed(subject int, c Cause) (confirmed, each bool) {
	m := &e.subjects[subject]
	m.mu.RLock()
	defer m.mu.RUnlock()
	each = len(c) > 1 && !slices.ContainsFunc(c, func(c Change) bool { return !m.confirmed[c.String()] })
	return each || m.confirmed[c.String()], each
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
	// ByContradicted means a change that the sample of the fingerprint
	// contradicts. The answer resembles it, and is unexplained.
	ByContradicted
)

// why returns the smallest cause for the subject's verdict that is cheap to find,
// a contradicted one that it resembles, or Unexplained; Explain may still find one.
func (e *Explainer) why(r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) (Cause, Origin) {
	m := e.view(subject)
	if cause, origin := m.simple(r, p, verdict); origin != Unexplained {
		return cause, origin
	}
	for _, set := range m.learned {
		if r.Gives(verdict, p, set...) && (len(m.own) == 0 || r.Gives(verdict, p, m.with(set...)...)) {
			return set, ByOthers
		}
	}
	if c := m.resembled(r, p, verdict); c != nil {
		return c, ByContradicted
	}
	return nil, Unexplained
}

// refutedGives reports whether a refuted cause would give the verdict.
func (m *modelView) refutedGives(r *reading.Reading, p spec.Probe, verdict spec.Verdict) bool {
	return slices.ContainsFunc(m.refuted, func(c Cause) bool { return r.Gives(verdict, p, c...) })
}

// resembled returns the first contradicted change that gives the verdict, nil if
// there is none.
func (m *modelView) resembled(r *reading.Reading, p spec.Probe, verdict spec.Verdict) Cause {
	for _, c := range m.contradicted {
		if r.Gives(verdict, p, c) {
			return Cause{c}
		}
	}
	return nil
}

// simple is like why without what was learned or contradicted.
//
// A deviation of the fingerprint explains only what the whole fingerprint
// predicts, and another change only what the fingerprint predicts with it: what is
// known of the subject holds for every answer.
func (m *modelView) simple(r *reading.Reading, p spec.Probe, verdict spec.Verdict) (Cause, Origin) {
	if len(m.own) > 0 && r.Gives(verdict, p, m.own...) {
		if c, ok := m.single(r, p, verdict); ok {
			return Cause{c}, ByFingerprint
		}
		if c := m.smallest(r, p, verdict); len(c) <= MaxDeviations && !m.refutes(c) {
			return c, ByFingerprint
		}
	}
	for _, c := range m.others {
		if r.Gives(verdict, p, c) && (len(m.own) == 0 || r.Gives(verdict, p, m.with(c)...)) {
			return Cause{c}, ByOthers
		}
	}
	return nil, Unexplained
}

// with returns the deviations of the fingerprint with changes, which may be at the
// points of some of them.
func (m *modelView) with(changes ...Change) Cause {
	own := slices.DeleteFunc(slices.Clone(m.own), func(o Change) bool {
		return slices.ContainsFunc(changes, func(c Change) bool { return c.Point == o.Point })
	})
	return append(own, changes...)
}

// without returns the deviations of the fingerprint except those of a cause.
func (m *modelView) without(c Cause) Cause {
	return slices.DeleteFunc(slices.Clone(m.own), func(o Change) bool { return slices.Contains(c, o) })
}

// needs reports whether the fingerprint gives the verdict only because of the
// cause. If not, several known choices give it, each for itself.
func (m *modelView) needs(c Cause, r *reading.Reading, p spec.Probe, verdict spec.Verdict) bool {
	return !r.Gives(verdict, p, m.without(c)...)
}

// single returns the deviation of the fingerprint that gives the verdict. If there
// are several, it is the first without which the others would not give it, if
// there is one: the others have nothing to do with the answer then.
func (m *modelView) single(r *reading.Reading, p spec.Probe, verdict spec.Verdict) (found Change, ok bool) {
	for _, c := range m.own {
		if !r.Gives(verdict, p, c) {
			continue
		}
		if m.needs(Cause{c}, r, p, verdict) {
			return c, true
		}
		if !ok {
			found, ok = c, true
		}
	}
	return found, ok
}

// atOnce returns the deviations of the fingerprint that give the verdict together but
// not in sets of up to three, nil if they do not give it. Such an answer is not a
// bug, but so large a set says little: a finding does not have it as its cause.
func (m *modelView) atOnce(r *reading.Reading, p spec.Probe, verdict spec.Verdict) Cause {
	if len(m.own) <= MaxDeviations || !r.Gives(verdict, p, m.own...) {
		return nil
	}
	return m.smallest(r, p, verdict)
}

// because reports whether the cause is why the subject gives the verdict. An
// empty cause means that there is no simple one.
func (e *Explainer) because(cause Cause, r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) bool {
	m := e.view(subject)
	found, origin := m.simple(r, p, verdict)
	if origin != Unexplained || len(cause) == 0 {
		return slices.Equal(found, cause)
	}
	return r.Gives(verdict, p, cause...)
}

// smallest returns some of the fingerprint's deviations that give the verdict,
// which all of them together do. None of these can be left out.
func (m *modelView) smallest(r *reading.Reading, p spec.Probe, verdict spec.Verdict) Cause {
	return reading.Fewest(m.own, func(c Cause) bool { return r.Gives(verdict, p, c...) })
}
