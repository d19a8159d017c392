package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

const (
	// maxFindings is how many findings are kept for a subject. A parser that
	// works has none; one that puts the file's text into its panics has as many
	// as there are files.
	maxFindings = 100
	// maxUnreadable is how many unreadable entries are described.
	maxUnreadable = 20
	// maxCause bounds the text by which failures are distinguished, in bytes.
	maxCause = 200
	// maxText bounds the length of an answer's texts, which may be a line of a
	// file, in bytes.
	maxText = 1 << 10
)

func newScan(source corpus.Source, subjects []impl.Subject, o ScanOptions) *scan {
	s := &scan{options: o, source: source, started: time.Now(), workers: newWorkers(subjects, o.Jobs), heavy: make(chan struct{}, 1)}
	s.result = ScanResult{
		Format: 1, Source: o.Source, Seed: o.Seed, Agents: o.Agents, URLs: o.URLs, Limit: max(0, o.Limit), Started: s.started.UTC(),
	}
	r := &s.result
	for i, subject := range subjects {
		info := subject.Info()
		r.Subjects = append(r.Subjects, ScanSubject{
			SubjectInfo: info, Verdicts: map[spec.Verdict]int64{}, VerdictFiles: map[spec.Verdict]int64{},
		})
		for _, other := range subjects[i+1:] {
			r.Pairs = append(r.Pairs, ScanPair{A: info.Name, B: other.Info().Name})
		}
	}
	r.Lineages, s.lineageOf = newScanLineages(r.Subjects)
	if o.Choices {
		r.Choices = newScanChoices()
	}
	return s
}

// finish returns the result.
func (s *scan) finish(ctx context.Context) *ScanResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.result // A source that is still being read may yet add to that of s.
	r.Elapsed, r.Interrupted = time.Since(s.started), ctx.Err() != nil
	for i, w := range s.workers {
		sub := &r.Subjects[i]
		sub.Busy, sub.InLibrary = w.Busy()
		sub.Faults = w.Stats().Faults
		answered := sub.Verdicts[spec.Allow] + sub.Verdicts[spec.Disallow] + sub.Verdicts[spec.Reject]
		if err := w.Err(); err != nil {
			sub.Lost = err.Error()
		} else if !r.Interrupted && r.Queries > 0 && answered == 0 {
			sub.Lost = fmt.Sprintf("it answered none of %d queries", r.Queries)
		}
	}
	return &r
}

// add counts the answers of every subject about one file. Files may come in any
// order.
func (s *scan) add(j scanJob, probes []spec.Probe, replies []reply) {
	r := &s.result
	r.Files++
	r.Octets += int64(len(j.file.Robots))
	r.Queries += int64(len(probes))
	for i := range replies {
		r.Subjects[i].count(j, probes, replies[i])
	}
	compared, differ := make([]bool, len(r.Pairs)), make([]bool, len(r.Pairs)) // in this file
	verdicts := make([]spec.Verdict, len(replies))
	for q := range probes {
		for i := range replies {
			verdicts[i] = ""
			if v := replies[i].Answers[q].Verdict; v.Answered() {
				verdicts[i] = v
			}
		}
		s.voteLineages(verdicts)
		for a := range verdicts {
			for b := a + 1; b < len(verdicts); b++ {
				if verdicts[a] == "" || verdicts[b] == "" {
					continue
				}
				at := pairIndex(a, b, len(verdicts))
				p := &r.Pairs[at]
				p.Queries++
				if !compared[at] {
					compared[at] = true
					p.Files++
				}
				if verdicts[a] == verdicts[b] {
					continue
				}
				p.Differing++
				if differ[at] {
					continue
				}
				differ[at] = true
				p.FilesDiffering++
				if p.Example == nil || j.before(p.Example.ScanExample) {
					p.Example = &ScanDifference{exampleOf(j, probes[q]), excerptAnswer(replies[a].Answers[q]), excerptAnswer(replies[b].Answers[q])}
				}
			}
		}
	}
}

// count adds the answers of one subject about one file.
func (s *ScanSubject) count(j scanJob, probes []spec.Probe, reply reply) {
	given := map[spec.Verdict]bool{}
	found := map[ScanFinding]bool{}
	for i, a := range reply.Answers {
		if a.Verdict == "" {
			s.Unasked++
			continue
		}
		s.Verdicts[a.Verdict]++
		if !given[a.Verdict] {
			given[a.Verdict] = true
			s.VerdictFiles[a.Verdict]++
		}
		if !a.Verdict.Answered() && a.Verdict != spec.Unsupported {
			f := ScanFinding{Kind: a.Verdict, Cause: classOf(a.Detail)}
			s.find(f, j, probes[i], a.Detail, !found[f])
			found[f] = true
		}
	}
	if reply.slow {
		s.Slow++
		if s.Slowest == nil || reply.Took > s.Slowest.Took {
			s.Slowest = &ScanSlow{Example: exampleOf(j, spec.Probe{}), Took: reply.Took}
		}
	}
}

// find adds to the finding of that kind and cause; first is set for the first
// query of a file. It keeps the first findings in their order: one that is among
// them in the end was always among them, so its counts are complete.
func (s *ScanSubject) find(of ScanFinding, j scanJob, p spec.Probe, detail string, first bool) {
	at, ok := slices.BinarySearchFunc(s.Findings, of, func(f, g ScanFinding) int {
		return cmp.Or(cmp.Compare(f.Kind, g.Kind), cmp.Compare(f.Cause, g.Cause))
	})
	if !ok {
		s.Findings = slices.Insert(s.Findings, at, of)
		if len(s.Findings) > maxFindings {
			s.Findings, s.FindingsDropped = s.Findings[:maxFindings], true
		}
		if at == maxFindings {
			return
		}
	}
	f := &s.Findings[at]
	f.Queries++
	if !first {
		return
	}
	f.Files++
	if f.Files == 1 || j.before(f.Example) {
		f.Example, f.Detail = exampleOf(j, p), excerptText(detail)
	}
}

// before reports whether the file is a better example: smaller, or first by hash,
// or, if the files are equal, first by name.
func (j *scanJob) before(e ScanExample) bool {
	if c := cmp.Compare(len(j.file.Robots), e.Octets); c != 0 {
		return c < 0
	}
	return cmp.Or(cmp.Compare(j.file.Hash(), e.Hash), cmp.Compare(j.file.Name, e.File)) < 0
}

func exampleOf(j scanJob, p spec.Probe) ScanExample {
	e := ScanExample{File: j.file.Name, Hash: j.file.Hash(), Octets: len(j.file.Robots)}
	if p != (spec.Probe{}) {
		e.Agent, e.URL = spec.EncodeOctets([]byte(p.Agent)), spec.EncodeOctets([]byte(p.URL))
	}
	return e
}

func excerptAnswer(a spec.Answer) spec.Answer {
	a.Pattern, a.Detail = excerptTo(spec.EncodeOctets([]byte(a.Pattern)), maxText), excerptText(a.Detail)
	return a
}

func excerptText(s string) string { return excerptTo(s, maxText) }

// excerptTo returns at most that many bytes, and only UTF-8, as JSON cannot hold
// anything else.
func excerptTo(s string, octets int) string {
	if len(s) > octets {
		return strings.ToValidUTF8(s[:octets], "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
