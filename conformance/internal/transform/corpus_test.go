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

	"github.com/repcheck/repcheck/conformance/internal/transform"
	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/corpus/corpustest"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec/longtest"
)

var corpusFiles = flag.Int("corpus.files", 3000, "real `files` on which the transforms are held to the reference, 0 for all")

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
}

// TestTransformsOfCorpus holds the transforms to the reference on real files.
func TestTransformsOfCorpus(t *testing.T) {
	longtest.Skip(t, "TestTransformsOfGenerated compares them on generated files")
	c := &corpusRun{readings: namedReadings(t), said: map[string]int{}}
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
	}()
	eachRealFile(t, *corpusFiles/every(), func(f realFile) { queue <- f })
}

// check puts one file to every reading, as it stands and transformed. Messages
// name the file by its hash: it is another's.
func (c *corpusRun) check(t *testing.T, f realFile) {
	a := asked{f.Robots, fuzz.Derive(f.Robots, rand.New(rand.NewPCG(1, f.hash)), fuzz.Derivation{Agents: 3, URLs: 8})}
	before := make([][]bool, len(c.readings))
	for i, r := range c.readings {
		before[i] = a.answers(r.parser)
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
}
