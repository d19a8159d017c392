package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/spec"
)

// The kinds of files in a sample.
const (
	caseFiles      = "case"
	generatedFiles = "generated"
	realFiles      = "real"
)

const (
	// longestSampled is the maximum length of a real file in a sample, in bytes.
	// 99 of 100 real files are shorter, and a file of a megabyte would take as
	// much time as all others.
	longestSampled = 64 << 10
	// leastPerReal is the minimum number of queries for a real file, used to
	// estimate the number of files.
	leastPerReal = 4
)

// realDerivation bounds the queries about a real file: a few queries about many
// files show more than many queries about a few.
var realDerivation = fuzz.Derivation{Agents: 3, URLs: 6}

// sample returns the files for a fingerprint, with about that many queries. Half
// of the queries are about real files of the collection at path or, if path is
// empty, about the seeds; the others are about generated files. The cases are
// added as known files, for choices whose effect few other files show. No file
// occurs twice.
func (e *env) sample(ctx context.Context, path string, questions int, seed uint64) ([]conformance.SampleFile, error) {
	s := sampler{seed: seed, seen: map[[sha256.Size]byte]bool{}}
	s.cases()
	if path == "" {
		for _, f := range corpus.Seeds() {
			s.real("seeds/"+f.Name, f.Robots)
		}
	} else if _, err := await(ctx, func() (bool, error) { return true, e.sampleReal(ctx, &s, path, questions/2) }); err != nil {
		return nil, err
	}
	g := fuzz.NewGenerator(seed)
	for n := 1; s.questions < questions; n++ {
		in := g.Next()
		s.add(conformance.SampleFile{
			Kind: generatedFiles, Name: fmt.Sprintf("file %d of seed %d", n, seed),
			File: fingerprint.File{Robots: in.Robots, Probes: in.Probes},
		})
	}
	return s.files, nil
}

// A sampler builds a sample.
type sampler struct {
	seed      uint64
	files     []conformance.SampleFile
	questions int
	seen      map[[sha256.Size]byte]bool
}

func (s *sampler) add(f conformance.SampleFile) {
	sum := sha256.Sum256(f.Robots)
	if s.seen[sum] || len(f.Probes) == 0 {
		return
	}
	s.seen[sum] = true
	s.files = append(s.files, f)
	if !f.Known {
		s.questions += len(f.Probes)
	}
}

// cases adds the cases, except those with files so long that they would dominate
// the time of the search. Cases about the same file become one sample file.
func (s *sampler) cases() {
	at := map[[sha256.Size]byte]int{}
	var all []conformance.SampleFile
	for _, c := range spec.Default().Cases {
		if len(c.Robots) > longestSampled {
			continue
		}
		sum := sha256.Sum256(c.Robots)
		i, ok := at[sum]
		if !ok {
			i = len(all)
			at[sum] = i
			all = append(all, conformance.SampleFile{Kind: caseFiles, Name: c.ID, Point: c.Point, Known: true, File: fingerprint.File{Robots: c.Robots}})
		}
		for _, e := range c.Expect {
			all[i].Probes = append(all[i].Probes, e.Probe)
		}
	}
	for _, f := range all {
		s.add(f)
	}
}

// real adds a real file. Its queries depend only on its bytes and the seed.
func (s *sampler) real(name string, robots []byte) {
	sum := sha256.Sum256(robots)
	rng := rand.New(rand.NewPCG(s.seed, binary.LittleEndian.Uint64(sum[:])))
	s.add(conformance.SampleFile{
		Kind: realFiles, Name: name,
		File: fingerprint.File{Robots: robots, Probes: fuzz.Derive(robots, rng, realDerivation)},
	})
}

// sampleReal adds files of the collection until there are that many queries. The
// selection depends on the bytes of the files and the seed, not on their order.
func (e *env) sampleReal(ctx context.Context, s *sampler, path string, questions int) error {
	r, err := corpus.Open(path, e.stdin)
	if err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	defer r.Close()
	p := e.newProgress()
	lowest := drawn{most: questions/leastPerReal + 1}
	n := 0
	err = corpus.Each(ctx, r, func(f corpus.File) bool {
		if len(f.Robots) <= longestSampled {
			lowest.draw(s.seed, f.Robots)
		}
		n++
		p.tell("choosing the sample: %d files", n)
		return true
	}, func(*corpus.LineError) {})
	switch {
	case ctx.Err() != nil:
		return &exitError{code: exitFailed, err: errors.New("interrupted while the sample was drawn")}
	case err != nil:
		return fmt.Errorf("--corpus: %w", err)
	}
	p.done()
	for _, f := range lowest.files {
		if s.questions >= questions {
			break
		}
		s.real(corpus.File{Robots: f.robots}.Hash(), f.robots)
	}
	if s.questions == 0 {
		return fmt.Errorf("--corpus: %s holds no robots.txt file of up to %d octets that is not among the cases", path, longestSampled)
	}
	return nil
}

// A drawnFile is a file with its lot number.
type drawnFile struct {
	lot    uint64
	robots []byte
}

// drawn holds up to most files, those with the lowest lot numbers, in ascending
// order.
type drawn struct {
	most  int
	files []drawnFile
}

// draw gives the file a lot number, which depends only on the seed and its bytes,
// so that equal files count once.
func (d *drawn) draw(seed uint64, robots []byte) {
	sum := sha256.Sum256(robots)
	lot := rand.NewPCG(^seed, binary.LittleEndian.Uint64(sum[8:])).Uint64()
	at, found := slices.BinarySearchFunc(d.files, lot, func(f drawnFile, lot uint64) int { return cmp.Compare(f.lot, lot) })
	if found || at == d.most {
		return
	}
	d.files = slices.Insert(d.files[:min(len(d.files), d.most-1)], at, drawnFile{lot, robots})
}
