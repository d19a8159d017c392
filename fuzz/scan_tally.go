package fuzz

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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

// A scanKind is a kind of query with its results.
type scanKind struct {
	kind   QueryKind
	probes func(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe
	*ScanQueries
	counts map[causeKey]*causeCount
}

// A scanBatch holds the queries of one kind about one file, with what they show.
type scanBatch struct {
	*scanKind
	probes  []spec.Probe
	answers [][]spec.Answer // by subject, then by probe
	// examined is set if causes were looked for.
	causes   []fileCause
	examined bool
	shown    []bool // see choicesShown
}

func newScan(source corpus.Source, subjects []impl.Subject, o ScanOptions) *scan {
	s := &scan{options: o, source: source, started: time.Now(), workers: newWorkers(subjects, o.Jobs), heavy: make(chan struct{}, 1)}
	s.result = ScanResult{
		Format: ScanFormat, Source: o.Source, Seed: o.Seed, Agents: o.Agents, URLs: o.URLs, Limit: max(0, o.Limit), Started: s.started.UTC(),
	}
	r := &s.result
	for _, subject := range subjects {
		r.Subjects = append(r.Subjects, ScanSubject{SubjectInfo: subject.Info()})
	}
	if asks(o.Queries, NaturalQueries) {
		r.Natural = s.newKind(NaturalQueries, Natural)
		if o.Causes && len(subjects) > 1 {
			s.fingerprints = make([]Cause, len(subjects))
		}
	}
	if asks(o.Queries, StressQueries) {
		r.Stress = s.newKind(StressQueries, Derive)
	}
	return s
}

// asks reports whether queries of a kind are asked.
func asks(kinds []QueryKind, kind QueryKind) bool {
	return slices.Contains(kinds, kind) || kinds == nil && kind == NaturalQueries
}

// newKind adds a kind of query and returns its results.
func (s *scan) newKind(kind QueryKind, probes func([]byte, *rand.Rand, Derivation) []spec.Probe) *ScanQueries {
	q := &ScanQueries{}
	subjects := s.result.Subjects
	for i := range subjects {
		q.Answers = append(q.Answers, ScanAnswers{Verdicts: map[spec.Verdict]int64{}, VerdictFiles: map[spec.Verdict]int64{}})
		for k := range subjects[i+1:] {
			q.Pairs = append(q.Pairs, ScanPair{A: subjects[i].Name, B: subjects[i+1+k].Name})
		}
	}
	q.Lineages, s.lineageOf = newScanLineages(subjects)
	if s.options.Choices {
		q.Choices = newScanChoices()
	}
	s.kinds = append(s.kinds, scanKind{kind: kind, probes: probes, ScanQueries: q, counts: map[causeKey]*causeCount{}})
	return q
}

// batchesOf returns the queries about a file.
func (s *scan) batchesOf(j scanJob) []scanBatch {
	batches := make([]scanBatch, len(s.kinds))
	for i := range s.kinds {
		k := &s.kinds[i]
		rng := rand.New(rand.NewPCG(s.options.Seed, binary.LittleEndian.Uint64(j.sum[:])))
		batches[i] = scanBatch{scanKind: k, probes: k.probes(j.file.Robots, rng, Derivation{Agents: s.options.Agents, URLs: s.options.URLs})}
	}
	return batches
}

// finish returns the result.
func (s *scan) finish(ctx context.Context) *ScanResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.result // A source that is still being read may yet add to that of s.
	r.Elapsed, r.Interrupted = time.Since(s.started), ctx.Err() != nil
	for i := range s.kinds {
		s.kinds[i].Causes = s.scanCauses(&s.kinds[i])
	}
	for i, w := range s.workers {
		sub := &r.Subjects[i]
		sub.Busy, sub.InLibrary = w.Busy()
		sub.Faults = w.Stats().Faults
		queries, answered := int64(0), int64(0)
		for _, k := range s.kinds {
			queries += k.Queries
			for _, v := range []spec.Verdict{spec.Allow, spec.Disallow, spec.Reject} {
				answered += k.Answers[i].Verdicts[v]
			}
		}
		if err := w.Err(); err != nil {
			sub.Lost = err.Error()
		} else if !r.Interrupted && queries > 0 && answered == 0 {
			sub.Lost = fmt.Sprintf("it answered none of %d queries", queries)
		}
	}
	return &r
}

// add counts what the subjects did for one file. Files may come in any order.
func (s *scan) add(j scanJob, batches []scanBatch, replies []reply) {
	r := &s.result
	r.Files++
	r.Octets += int64(len(j.file.Robots))
	for i, reply := range replies {
		if sub := &r.Subjects[i]; reply.slow {
			sub.Slow++
			if sub.Slowest == nil || reply.Took > sub.Slowest.Took {
				sub.Slowest = &ScanSlow{Example: exampleOf(j, spec.Probe{}), Took: reply.Took}
			}
		}
	}
	for i := range batches {
		s.count(j, &batches[i])
	}
}

// count counts the answers of every subject to one kind of query about one file.
func (s *scan) count(j scanJob, b *scanBatch) {
	q := b.ScanQueries
	q.Queries += int64(len(b.probes))
	for i := range b.answers {
		q.Answers[i].count(j, b.probes, b.answers[i])
	}
	q.addChoices(b.shown)
	s.addCauses(j, b)
	compared, differ := make([]bool, len(q.Pairs)), make([]bool, len(q.Pairs)) // in this file
	lineages, disagree := make([]lineageFile, len(q.Lineages)), false
	for n := range b.probes {
		verdicts := b.verdicts(n)
		votes := s.votes(verdicts)
		q.countVotes(votes, lineages)
		disagree = disagree || disagreeing(votes)
		for a := range verdicts {
			for c := a + 1; c < len(verdicts); c++ {
				if verdicts[a] == "" || verdicts[c] == "" {
					continue
				}
				at := pairIndex(a, c, len(verdicts))
				p := &q.Pairs[at]
				p.Queries++
				if !compared[at] {
					compared[at] = true
					p.Files++
				}
				if verdicts[a] == verdicts[c] {
					continue
				}
				p.Differing++
				if differ[at] {
					continue
				}
				differ[at] = true
				p.FilesDiffering++
				if p.Example == nil || j.before(p.Example.ScanExample) {
					p.Example = &ScanDifference{exampleOf(j, b.probes[n]), excerptAnswer(b.answers[a][n]), excerptAnswer(b.answers[c][n])}
				}
			}
		}
	}
	if slices.Contains(differ, true) {
		q.FilesDiffering++
	}
	if disagree {
		q.FilesDisagreeing++
	}
	for i, l := range lineages {
		if l.votes {
			q.Lineages[i].Files++
		}
		if l.against {
			q.Lineages[i].FilesAgainst++
		}
	}
}

// verdicts returns the verdicts on one query, "" for a subject that gave no answer.
func (b *scanBatch) verdicts(query int) []spec.Verdict {
	verdicts := make([]spec.Verdict, len(b.answers))
	for i := range b.answers {
		if v := b.answers[i][query].Verdict; v.Answered() {
			verdicts[i] = v
		}
	}
	return verdicts
}

// count adds the answers of one subject about one file.
func (s *ScanAnswers) count(j scanJob, probes []spec.Probe, answers []spec.Answer) {
	given := map[spec.Verdict]bool{}
	found := map[ScanFinding]bool{}
	for i, a := range answers {
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
}

// find adds to the finding of that kind and cause; first is set for the first
// query of a file. It keeps the first findings in their order: one that is among
// them in the end was always among them, so its counts are complete.
func (s *ScanAnswers) find(of ScanFinding, j scanJob, p spec.Probe, detail string, first bool) {
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
