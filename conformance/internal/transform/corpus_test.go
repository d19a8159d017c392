package transform_test

import (
	"errors"
	"flag"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/repcheck/repcheck/conformance/internal/transform"
	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/corpus/corpustest"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/reference"
)

var corpusFiles = flag.Int("corpus.files", 3000, "real `files` on which the transforms are held to the reference, 0 for all")

// small is the size in octets below which a file is to be parsed and asked about
// in a millisecond.
const small = 64 << 10

// A realFile is a file of the corpus with the hash that chooses among them.
type realFile struct {
	corpus.File
	hash uint64
}

// eachRealFile calls do for a fair sample of so many files of the corpus of real
// files, all if limit is 0, or skips the test if there is no corpus.
func eachRealFile(t *testing.T, limit int, do func(realFile)) {
	r, err := corpus.Open(corpustest.Real(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var sample []realFile
	lowest := func() {
		slices.SortFunc(sample, func(a, b realFile) int {
			if a.hash < b.hash {
				return -1
			}
			return 1
		})
		sample = sample[:min(len(sample), limit)]
	}
	for {
		f, err := r.Next()
		if bad := (*corpus.LineError)(nil); errors.As(err, &bad) {
			continue
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		h.Write(f.Robots)
		// The lowest bits of FNV are the best mixed.
		file := realFile{f, h.Sum64()<<32 | h.Sum64()>>32}
		if limit <= 0 {
			do(file)
			continue
		}
		if sample = append(sample, file); len(sample) > 2*limit {
			lowest()
		}
	}
	if limit > 0 {
		lowest()
	}
	for _, file := range sample {
		do(file)
	}
}

// A corpusRun is what is found on the files of the corpus.
type corpusRun struct {
	readings []reading

	mu     sync.Mutex
	files  int
	probes int
	said   map[string]int // files of which a transform says something
	// slowest is, for each reading, the longest that parsing and one answer
	// took for a small file, and on what.
	slowest []time.Duration
	slow    []string
}

// TestTransformsOfCorpus holds the transforms to the reference on real files.
// It logs how long the reference took too; nothing hangs on that.
func TestTransformsOfCorpus(t *testing.T) {
	files := *corpusFiles
	if isRace() {
		files = min(files, 200)
	}
	c := &corpusRun{readings: namedReadings(t), said: map[string]int{}}
	c.slowest, c.slow = make([]time.Duration, len(c.readings)), make([]string, len(c.readings))
	queue := make(chan realFile, 64)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for f := range queue {
				c.check(t, f)
			}
		})
	}
	defer func() {
		close(queue)
		wg.Wait()
		if t.Skipped() {
			return
		}
		t.Logf("%d files, %d probes", c.files, c.probes)
		for _, change := range transform.All() {
			t.Logf("%-24s %6d files", change.ID, c.said[change.ID])
			if c.files >= 1000 && c.said[change.ID] == 0 {
				t.Errorf("%s says something of no file", change.ID)
			}
		}
		for i, r := range c.readings {
			t.Logf("%-14s %8v at most to parse a file below %d KiB and answer (%s)", r.name, c.slowest[i], small>>10, c.slow[i])
		}
	}()
	eachRealFile(t, files, func(f realFile) { queue <- f })
}

// check puts one file to every reading, as it stands and transformed. Messages
// name the file by its hash: it is another's.
func (c *corpusRun) check(t *testing.T, f realFile) {
	a := asked{f.Robots, fuzz.Derive(f.Robots, rand.New(rand.NewPCG(1, f.hash)), fuzz.Derivation{Agents: 3, URLs: 8})}
	before := make([][]bool, len(c.readings))
	took := make([]time.Duration, len(c.readings))
	for i, r := range c.readings {
		before[i] = a.answers(r.parser)
		took[i] = timeOf(r.parser, a)
	}
	var said []string
	for _, change := range transform.All() {
		if change.ID == "padding" && f.hash>>16%50 != 0 {
			continue // half a megabyte each
		}
		robots, probes, why := change.Apply(a.robots, a.probes, f.hash>>8%3)
		if why != "" {
			continue
		}
		said = append(said, change.ID)
		for i, r := range c.readings {
			if !change.HoldsUnder(r.name) {
				continue
			}
			after := asked{robots, probes}.answers(r.parser)
			for k := range after {
				if after[k] != before[i][k] {
					t.Errorf("%s: file %s: %s, %v: allowed is %v, and %v as it stands", change.ID, f.Hash(), r.name, a.probes[k], after[k], before[i][k])
					break
				}
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	c.probes += len(a.probes)
	for _, id := range said {
		c.said[id]++
	}
	for i := range took {
		if len(f.Robots) < small && took[i] > c.slowest[i] {
			c.slowest[i], c.slow[i] = took[i], f.Hash()
		}
	}
}

// timeOf returns the time of parsing and of the slowest single answer. A long
// one is measured again, as it may be that of something else on the machine.
func timeOf(p *reference.Parser, a asked) time.Duration {
	best := time.Hour
	for range 10 {
		started := time.Now()
		file := p.Parse(a.robots)
		parsed := time.Since(started)
		slowest := time.Duration(0)
		for _, probe := range a.probes[:min(3, len(a.probes))] {
			started := time.Now()
			file.Test(probe.Agent, probe.URL)
			slowest = max(slowest, time.Since(started))
		}
		if best = min(best, parsed+slowest); best < 200*time.Microsecond {
			break
		}
	}
	return best
}
