package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	// longestSampled is the length of the longest real file in a sample, in bytes.
	// Of 100 real files 99 are shorter, and one of a megabyte would take the time
	// of all others.
	longestSampled = 64 << 10
	// leastPerReal is how many questions a real file has at the least, with
	// which the number of files is estimated.
	leastPerReal = 4
)

// realDerivation bounds the questions about a real file: few of many files tell
// more than many of a few.
var realDerivation = fuzz.Derivation{Agents: 3, URLs: 6}

// sample makes the files of a fingerprint with about that many questions: real
// ones of the collection at path, if it is not empty, for half of them; the
// seeds without one. The rest are generated. The cases come on top, as known
// files: where few files of a half show what a choice does, they do. No file
// comes twice.
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

// A sampler gathers a sample.
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

// cases adds the cases, those about one file in one, except those about files so
// long that the search would read little else.
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

// real adds a real file. Its questions depend on its octets and the seed alone.
func (s *sampler) real(name string, robots []byte) {
	sum := sha256.Sum256(robots)
	rng := rand.New(rand.NewPCG(s.seed, binary.LittleEndian.Uint64(sum[:])))
	s.add(conformance.SampleFile{
		Kind: realFiles, Name: name,
		File: fingerprint.File{Robots: robots, Probes: fuzz.Derive(robots, rng, realDerivation)},
	})
}

// sampleReal adds files of the collection until there are that many questions.
// Which ones they are depends on their octets and the seed, not on their order.
func (e *env) sampleReal(ctx context.Context, s *sampler, path string, questions int) error {
	r, err := corpus.Open(path, e.stdin)
	if err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	defer r.Close()
	p := e.newProgress()
	lowest := drawn{most: questions/leastPerReal + 1}
	for n := 1; ; n++ {
		f, err := r.Next()
		if bad := (*corpus.LineError)(nil); errors.As(err, &bad) {
			continue
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("--corpus: %w", err)
		}
		if ctx.Err() != nil {
			return &exitError{code: exitFailed, err: errors.New("interrupted while the sample was drawn")}
		}
		if len(f.Robots) <= longestSampled {
			lowest.draw(s.seed, f.Robots)
		}
		p.tell("choosing the sample: %d files", n)
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

// A drawnFile is a file with its lot.
type drawnFile struct {
	lot    uint64
	robots []byte
}

// drawn holds the files with the lowest lots, the lowest first, at most as many as
// most.
type drawn struct {
	most  int
	files []drawnFile
}

// draw gives the file a lot, which depends on its bytes alone: equal files are one.
func (d *drawn) draw(seed uint64, robots []byte) {
	sum := sha256.Sum256(robots)
	lot := rand.NewPCG(^seed, binary.LittleEndian.Uint64(sum[8:])).Uint64()
	at, found := slices.BinarySearchFunc(d.files, lot, func(f drawnFile, lot uint64) int { return cmp.Compare(f.lot, lot) })
	if found || at == d.most {
		return
	}
	d.files = slices.Insert(d.files[:min(len(d.files), d.most-1)], at, drawnFile{lot, robots})
}
