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

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// fingerprintFlags are the flags of profile for fingerprints.
type fingerprintFlags struct {
	enabled    bool
	corpus     string
	size       int
	seed       uint64
	printQuery int
}

// needed names the flags that require --fingerprint.
var needed = []string{"corpus", "size", "seed", "print-query"}

func (f *fingerprintFlags) check(changed func(string) bool) error {
	for _, flag := range needed {
		if !f.enabled && changed(flag) {
			return fmt.Errorf("--%s says what a fingerprint is taken from: give --fingerprint too", flag)
		}
	}
	if f.size < 100 || f.size > 1_000_000 {
		return fmt.Errorf("--size %d is not between 100 and 1000000", f.size)
	}
	if changed("print-query") && f.printQuery < 1 {
		return fmt.Errorf("--print-query %d: give the number of a generated file, from 1", f.printQuery)
	}
	return nil
}

// writeQueries prints the generated file with that number and its queries.
func (f *fingerprintFlags) writeQueries(w io.Writer) error {
	in := fuzz.NewGenerator(f.seed).Input(uint64(f.printQuery - 1))
	var queries []fuzz.Witness
	for _, p := range in.Probes {
		queries = append(queries, fuzz.Witness{Robots: in.Robots, Probe: p})
	}
	return writeProtocol(w, queries...)
}

const (
	// longestSampled is the maximum length of a real file in a sample, in bytes.
	// 99 of 100 real files are shorter, and a file of a megabyte would take as
	// much time as all others.
	longestSampled = 64 << 10
	// perLarge is for how many queries there is a generated file that is longer.
	// Nothing else than the cases shows what becomes of the end of such a file.
	perLarge = 800
	// perTelling is for how many queries there is a generated file that shows each
	// choice, as far as the first mostGenerated have them.
	perTelling    = 1250
	mostGenerated = 6000
	// leastPerReal is the minimum number of queries for a real file, used to
	// estimate the number of files: those of all crawlers for the home page.
	leastPerReal = 3
)

// realDerivation bounds the queries about a real file: a few queries about many
// files show more than many queries about a few.
var realDerivation = fuzz.Derivation{Agents: 3, URLs: 6}

// sample returns files with about that many queries. Half of the queries are about
// real files of the collection at path or, if path is empty, about the seeds; the
// others are about generated files, a few of them large. More are added until each
// choice has some files that show it. No file occurs twice, and none is that of a
// case.
func (e *env) sample(ctx context.Context, data *spec.Data, path string, queries int, seed uint64) ([]fingerprint.File, error) {
	s := sampler{seed: seed, seen: map[[sha256.Size]byte]bool{}}
	for _, c := range data.Cases {
		s.seen[sha256.Sum256(c.Robots)] = true
	}
	if path == "" {
		for _, f := range corpus.Seeds() {
			s.real("seeds/"+f.Name, f.Robots)
		}
	} else if _, err := await(ctx, func() (bool, error) { return true, e.sampleReal(ctx, &s, path, queries/2) }); err != nil {
		return nil, err
	}
	g := fuzz.NewGenerator(seed)
	rare, large := map[reference.Change]int{}, queries/perLarge
	for _, c := range reference.AllDeviations() {
		if queries >= perTelling {
			rare[c] = queries / perTelling
		}
	}
	for n := uint64(0); s.queries < queries || large > 0 || len(rare) > 0 && n < mostGenerated; n++ {
		in := g.Input(n)
		if len(in.Robots) > longestSampled {
			if large--; large < 0 {
				continue
			}
		} else if tells := telling(in, rare); !tells && s.queries >= queries {
			continue
		}
		s.add(fingerprint.File{Source: fingerprint.Generated, Name: fmt.Sprintf("file %d of seed %d", n+1, seed), Robots: in.Robots, Probes: in.Probes})
	}
	return s.files, nil
}

// telling reports whether an input shows a choice of which more files are needed, and
// counts it.
func telling(in fuzz.Input, needed map[reference.Change]int) (tells bool) {
	shows := reading.Shows(in.Robots, in.Probes)
	for c := range needed {
		if shows(c) {
			tells = true
			if needed[c]--; needed[c] == 0 {
				delete(needed, c)
			}
		}
	}
	return tells
}

// A sampler builds a sample.
type sampler struct {
	seed    uint64
	files   []fingerprint.File
	queries int
	seen    map[[sha256.Size]byte]bool
}

func (s *sampler) add(f fingerprint.File) {
	sum := sha256.Sum256(f.Robots)
	if s.seen[sum] || len(f.Probes) == 0 {
		return
	}
	s.seen[sum] = true
	s.files = append(s.files, f)
	s.queries += len(f.Probes)
}

// real adds a real file with natural queries. They depend only on its bytes and the seed.
func (s *sampler) real(name string, robots []byte) {
	sum := sha256.Sum256(robots)
	rng := rand.New(rand.NewPCG(s.seed, binary.LittleEndian.Uint64(sum[:])))
	s.add(fingerprint.File{Source: fingerprint.Real, Name: name, Robots: robots, Probes: fuzz.Natural(robots, rng, realDerivation)})
}

// sampleReal adds files of the collection until there are that many queries. The
// selection depends on the bytes of the files and the seed, not on their order.
func (e *env) sampleReal(ctx context.Context, s *sampler, path string, queries int) error {
	r, err := corpus.Open(path, e.stdin)
	if err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	defer r.Close()
	p := e.newProgress()
	lowest := drawn{most: queries/leastPerReal + 1}
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
		if s.queries >= queries {
			break
		}
		s.real(corpus.File{Robots: f.robots}.Hash(), f.robots)
	}
	if s.queries == 0 {
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
