package subjects_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"hash/fnv"
	"os"
	"sync"
	"testing"

	"github.com/repcheck/repcheck/corpus/corpustest"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/subjects/goparsers"
	"github.com/repcheck/repcheck/spec"
)

// sample returns 500 real files of at most 64 KiB, chosen by hash, or the files of
// the cases if there is no corpus.
var sample = sync.OnceValues(func() (files [][]byte, real bool) {
	const want = 500
	in, err := os.Open(corpustest.Path())
	if err != nil {
		for _, c := range spec.Default().Cases {
			files = append(files, c.Robots)
		}
		return files, false
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() && len(files) < want {
		var line struct {
			Body []byte `json:"body_base64"`
		}
		h := fnv.New64a()
		h.Write(lines.Bytes())
		if h.Sum64()%128 != 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			panic(err)
		}
		if len(line.Body) <= 64<<10 {
			files = append(files, line.Body)
		}
	}
	return files, true
})

type parser struct {
	name  string
	parse func([]byte) (func(agent, url string) spec.Answer, error)
}

func parsers() []parser {
	all := []parser{{impl.ReferenceName, impl.ParseReference(reference.New(reference.RFC9309()))}}
	for _, p := range goparsers.All() {
		all = append(all, parser{p.Info.Name, p.Parse})
	}
	return all
}

// probe sends one query to one parser. A panic of the parser is an answer like any
// other.
func probe(p parser, robots []byte, agent, url string) (err any) {
	defer func() { err = recover() }()
	if ask, err := p.parse(robots); err == nil {
		ask(agent, url)
	}
	return nil
}

// BenchmarkParseAndMatch parses a file and tests one URL. An operation is one file.
// All parsers read the same files.
func BenchmarkParseAndMatch(b *testing.B) {
	files, real := sample()
	octets := 0
	for _, f := range files {
		octets += len(f)
	}
	if !real {
		b.Logf("no real files at %s: using the files of the cases", corpustest.Path())
	}
	for _, p := range parsers() {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(octets / len(files)))
			i := 0
			for b.Loop() {
				probe(p, files[i%len(files)], "FooBot", "http://foo.test/some/page.html?id=1")
				i++
			}
		})
	}
}

// BenchmarkFurtherURL tests further URLs against files that are already parsed.
func BenchmarkFurtherURL(b *testing.B) {
	files, _ := sample()
	parse := reference.New(reference.RFC9309())
	rules := make([]*reference.Rules, len(files))
	for i, f := range files {
		rules[i] = parse.Parse(f).Rules("FooBot")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		rules[i%len(rules)].Test("http://foo.test/some/page.html?id=1")
		i++
	}
}
