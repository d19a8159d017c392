package conformance

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/spec"
)

func outcomesOf(verdicts [][]spec.Verdict) []fingerprint.Outcome {
	var all []fingerprint.Outcome
	for _, v := range slices.Concat(verdicts...) {
		all = append(all, fingerprint.OutcomeOf(v))
	}
	return all
}

// A half is one of the two halves of a sample.
type half struct {
	*fingerprint.Search
	sample []SampleFile
	files  []fingerprint.File
}

// halves is a sample that was split.
type halves struct {
	seen, held half
	kinds      []SampleKind
}

// isHeld decides by the octets of a file and nothing else, so that equal files
// are never on both sides.
func isHeld(seed uint64, robots []byte) bool {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write(robots)
	return h.Sum(nil)[0]&1 == 1
}

func splitSample(sample []SampleFile, seed uint64) *halves {
	s := &halves{}
	for _, f := range sample {
		k := slices.IndexFunc(s.kinds, func(k SampleKind) bool { return k.Kind == f.Kind })
		if k < 0 {
			k = len(s.kinds)
			s.kinds = append(s.kinds, SampleKind{Kind: f.Kind})
		}
		of := &s.seen
		if !f.Known && isHeld(seed, f.Robots) {
			of = &s.held
			s.kinds[k].HeldFiles++
			s.kinds[k].HeldQuestions += len(f.Probes)
		} else {
			s.kinds[k].SeenFiles++
			s.kinds[k].SeenQuestions += len(f.Probes)
		}
		of.sample = append(of.sample, f)
		of.files = append(of.files, f.File)
	}
	s.seen.Search, s.held.Search = fingerprint.NewSearch(s.seen.files), fingerprint.NewSearch(s.held.files)
	return s
}

// question describes a question of the half.
func (h *half) question(at fingerprint.Place) SampleQuestion {
	of := h.sample[at.File]
	q := SampleQuestion{Kind: of.Kind, File: of.Name, Probe: spec.ProbeID(of.Probes[at.Probe])}
	if len(of.Robots) <= longestShown {
		q.Robots = spec.EncodeOctets(of.Robots)
	}
	return q
}

// longestShown is the length of the longest file that stands beside a question,
// in octets.
const longestShown = 2 << 10
