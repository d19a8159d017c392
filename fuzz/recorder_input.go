package fuzz

import (
	"context"
	"errors"

	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// An inputRecord is one input with the answers to it and their counts.
type inputRecord struct {
	Input
	// answers are by probe and subject, without a verdict if a subject was not
	// queried.
	answers [][]spec.Answer
	reading *reading.Reading
	tally   Tally   // for the input as a whole
	each    []Tally // by subject
	errs    []error
}

// total returns the tally of the input and of all subjects.
func (in *inputRecord) total() Tally {
	all := in.tally
	for i := range in.each {
		all.Add(in.each[i])
	}
	return all
}

// err returns the errors about findings that could not be stored.
func (in *inputRecord) err() error { return errors.Join(in.errs...) }

// An observation is one answer that differs from the reference's.
type observation struct {
	*inputRecord
	tally    *Tally // for the subject
	subject  int
	probe    spec.Probe
	answers  []spec.Answer // of all subjects, to the probe
	answer   spec.Answer   // of the subject
	expected spec.Verdict
	// proposed is set if the answer was counted as having a cause that is not
	// tested.
	proposed bool
}

func (o *observation) witness() Witness { return Witness{Robots: o.Robots, Probe: o.probe} }

// askAll queries the subjects one after the other. The answers are by probe and
// subject; nil if ctx ended early.
func askAll(ctx context.Context, workers []*worker, robots []byte, probes []spec.Probe) [][]spec.Answer {
	replies := make([]reply, len(workers))
	for i, w := range workers {
		replies[i].Reply = w.Ask(ctx, robots, probes)
	}
	if ctx.Err() != nil {
		return nil
	}
	return byProbe(len(probes), replies)
}

// byProbe returns the answers of replies by probe and subject.
func byProbe(probes int, replies []reply) [][]spec.Answer {
	answers := make([][]spec.Answer, probes)
	for i := range answers {
		answers[i] = make([]spec.Answer, len(replies))
		for s, r := range replies {
			if r.Answers != nil {
				answers[i][s] = r.Answers[i]
			}
		}
	}
	return answers
}

// disagree reports whether two subjects give different verdicts.
func disagree(answers []spec.Answer) bool {
	var first spec.Verdict
	for _, a := range answers {
		switch {
		case !a.Verdict.Decided():
		case first == "":
			first = a.Verdict
		case a.Verdict != first:
			return true
		}
	}
	return false
}
