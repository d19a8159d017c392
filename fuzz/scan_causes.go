package fuzz

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A ScanCause is a behaviour that makes lineages disagree on real files: a choice
// that deviates from RFC 9309, or everything that the fingerprint of a parser does
// not explain.
//
// An answer shows a choice if it differs from that of RFC 9309, other lineages
// answer differently, the whole fingerprint of the parser predicts it, and the
// choice is among the fewest of the fingerprint that give it. So a choice is never
// blamed that other answers of the parser contradict. An answer that needs several
// choices counts for each of them, and a file may show several causes.
type ScanCause struct {
	// Point and Choice are empty if no choice explains the answers. These are then
	// counted for each Lineage.
	Point   string `json:"point,omitempty"`
	Choice  string `json:"choice,omitempty"`
	Lineage string `json:"lineage,omitempty"`
	// Files counts the files, out of ScanQueries.CauseFiles, with an answer that
	// shows it, and Queries the queries.
	Files   int64 `json:"files"`
	Queries int64 `json:"queries"`
	// Subjects are those whose answers show it, that with most files first.
	Subjects []ScanCauseSubject `json:"subjects"`
	// Example is the smallest file, and the first such query about it.
	Example ScanWitness `json:"example"`
}

// A ScanCauseSubject counts the files on which a cause shows in the answers of one
// subject.
type ScanCauseSubject struct {
	Name  string `json:"name"`
	Files int64  `json:"files"`
}

// A ScanWitness is a query with the verdicts of all subjects that gave an answer.
type ScanWitness struct {
	ScanExample
	Verdicts map[string]spec.Verdict `json:"verdicts"`
}

// A causeKey identifies a cause: by a change or, if there is none, by a lineage.
type causeKey struct {
	change  Change
	lineage string
}

func (k causeKey) compare(o causeKey) int {
	return cmp.Or(cmp.Compare(k.lineage, o.lineage), cmp.Compare(k.change.Point, o.change.Point), cmp.Compare(k.change.Choice, o.change.Choice))
}

// A causeCount counts a cause. Its Subjects are made at the end.
type causeCount struct {
	ScanCause
	files []int64 // by subject
}

// A fileCause is a cause that shows in one file.
type fileCause struct {
	causeKey
	subjects map[int]bool
	queries  map[int]bool // indexes of probes
}

// sharedReading is the size, in bytes, of the largest file whose readings under all
// choices of all subjects are kept at a time. Those of 100 subjects may be thousands.
const sharedReading = 8 << 10

// findFingerprints finds the fingerprints of all subjects, if causes are looked for.
// A subject that is lost or too slow gets that of RFC 9309, and nothing explains its
// answers.
func (s *scan) findFingerprints(ctx context.Context, subjects []impl.Subject) {
	if s.fingerprints == nil {
		return
	}
	impl.Each(len(subjects), runtime.GOMAXPROCS(0), func(i int) {
		var known CampaignSubject
		finished := searchFingerprint(ctx, subjects[i], &known)
		if !finished {
			known.Fingerprint = nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fingerprints[i], s.result.Subjects[i].Fingerprint = known.Fingerprint, known.Fingerprint
		s.result.Subjects[i].Unfingerprinted = !finished
		s.found++
	})
	s.workers = newWorkers(subjects, s.options.Jobs) // which time only what they ask
}

// causesOf returns the causes of the disagreements of one file, in no particular
// order. It reports whether the file was examined: it is not if it exceeds
// maxChoiceWork.
func (s *scan) causesOf(ctx context.Context, j scanJob, b *scanBatch) (all []fileCause, examined bool) {
	if choiceWork(j.file.Robots, b.probes) > maxChoiceWork {
		return nil, false
	}
	var disputed []int // indexes of probes
	verdicts := make([][]spec.Verdict, len(b.probes))
	for i := range b.probes {
		if verdicts[i] = b.verdicts(i); disagreeing(s.votes(verdicts[i])) {
			disputed = append(disputed, i)
		}
	}
	if disputed == nil {
		return nil, true
	}
	found := map[causeKey]fileCause{}
	r := reading.New(j.file.Robots)
	for subject := range s.fingerprints {
		if ctx.Err() != nil {
			return nil, false
		}
		if len(j.file.Robots) > sharedReading {
			r = reading.New(j.file.Robots)
		}
		for _, i := range disputed {
			v := verdicts[i][subject]
			if v == "" || v == r.Verdict(reference.RFC9309(), b.probes[i]) {
				continue
			}
			for _, key := range s.why(r, subject, b.probes[i], v) {
				if _, ok := found[key]; !ok {
					found[key] = fileCause{key, map[int]bool{}, map[int]bool{}}
				}
				found[key].subjects[subject], found[key].queries[i] = true, true
			}
		}
	}
	return slices.Collect(maps.Values(found)), true
}

// why returns the causes of a subject's verdict, which RFC 9309 does not give.
func (s *scan) why(r *reading.Reading, subject int, p spec.Probe, verdict spec.Verdict) (keys []causeKey) {
	known := modelView{own: s.fingerprints[subject]}
	cause, origin := known.simple(r, p, verdict)
	if origin == Unexplained {
		cause = known.atOnce(r, p, verdict)
	}
	if len(cause) == 0 {
		return []causeKey{{lineage: lineageOf(s.result.Subjects[subject].SubjectInfo)}}
	}
	for _, c := range cause {
		keys = append(keys, causeKey{change: c})
	}
	return keys
}

// addCauses counts the causes that show in one file.
func (s *scan) addCauses(j scanJob, b *scanBatch) {
	if !b.examined {
		return
	}
	b.CauseFiles++
	for _, found := range b.causes {
		c := b.counts[found.causeKey]
		if c == nil {
			c = &causeCount{files: make([]int64, len(b.answers))}
			b.counts[found.causeKey] = c
		}
		c.Files++
		c.Queries += int64(len(found.queries))
		for subject := range found.subjects {
			c.files[subject]++
		}
		if c.Files == 1 || j.before(c.Example.ScanExample) {
			c.Example = s.witness(j, b, slices.Min(slices.Collect(maps.Keys(found.queries))))
		}
	}
}

// witness returns a query with its verdicts.
func (s *scan) witness(j scanJob, b *scanBatch, query int) ScanWitness {
	w := ScanWitness{ScanExample: exampleOf(j, b.probes[query]), Verdicts: map[string]spec.Verdict{}}
	for i, v := range b.verdicts(query) {
		if v != "" {
			w.Verdicts[s.result.Subjects[i].Name] = v
		}
	}
	return w
}

// scanCauses returns the causes of one kind of query, that of most files first.
func (s *scan) scanCauses(k *scanKind) (all []ScanCause) {
	for _, key := range slices.SortedFunc(maps.Keys(k.counts), causeKey.compare) {
		counted := k.counts[key]
		c := counted.ScanCause
		if c.Lineage = key.lineage; c.Lineage == "" {
			c.Point, c.Choice = key.change.Point.String(), key.change.ID()
		}
		for i, files := range counted.files {
			if files > 0 {
				c.Subjects = append(c.Subjects, ScanCauseSubject{s.result.Subjects[i].Name, files})
			}
		}
		slices.SortStableFunc(c.Subjects, func(a, b ScanCauseSubject) int { return cmp.Compare(b.Files, a.Files) })
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b ScanCause) int { return cmp.Compare(b.Files, a.Files) })
	return all
}
