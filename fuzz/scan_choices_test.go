package fuzz

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

func yesMan(t *testing.T) impl.Subject {
	return openFake(t, spec.SubjectInfo{Name: "yes"}, time.Minute, func(string, string, string) spec.Verdict { return spec.Allow })
}

func choiceFiles(r *ScanQueries) map[string]int64 {
	files := map[string]int64{}
	for _, c := range r.Choices {
		if c.Files > 0 {
			files[c.Point+"="+c.Choice] = c.Files
		}
	}
	return files
}

// A scan counts the same choices as the coverage of inputs does for the same
// files and queries, for any number of jobs.
func TestScanChoices(t *testing.T) {
	t.Parallel()
	files := append(scanCorpus(12), fileNamed("later", "User-agent: *\nDisallow: /a\nAllow: /a/b\n"))
	subjects := []impl.Subject{yesMan(t)}
	o := ScanOptions{Seed: 3, Jobs: 1, Choices: true}
	want := map[string]int64{}
	for _, f := range files {
		sum := sha256.Sum256(f.Robots)
		rng := rand.New(rand.NewPCG(o.Seed, binary.LittleEndian.Uint64(sum[:])))
		probes := Natural(f.Robots, rng, Derivation{Agents: scanAgents, URLs: scanURLs})
		touched := map[string]bool{}
		for some := range slices.Chunk(probes, 16) {
			shows := reading.Shows(f.Robots, some)
			for _, c := range reference.AllDeviations() {
				if shows(c) {
					touched[c.String()] = true
				}
			}
		}
		for name := range touched {
			want[name]++
		}
	}
	if want["precedence=first"] == 0 {
		t.Fatalf("the files show nothing: %v", want)
	}
	for _, jobs := range []int{1, 4} {
		o.Jobs = jobs
		r, err := Scan(t.Context(), filesOf(files), subjects, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, choiceFiles(r.Natural)); diff != "" {
			t.Errorf("with %d jobs (-want +got):\n%s", jobs, diff)
		}
		if r.Natural.ChoiceFiles != int64(len(files)) || len(r.Natural.Choices) != len(reference.AllDeviations()) {
			t.Errorf("looked into %d files for %d choices, want %d and %d", r.Natural.ChoiceFiles, len(r.Natural.Choices), len(files), len(reference.AllDeviations()))
		}
	}
}

func TestScanChoicesOff(t *testing.T) {
	t.Parallel()
	r, err := Scan(t.Context(), filesOf(scanCorpus(2)), []impl.Subject{yesMan(t)}, ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Natural.Choices != nil || r.Natural.ChoiceFiles != 0 {
		t.Errorf("choices were looked for: %v in %d files", r.Natural.Choices, r.Natural.ChoiceFiles)
	}
}

// A file that exceeds the bound is scanned, but its choices are not counted.
func TestScanChoicesBound(t *testing.T) {
	t.Parallel()
	large := "User-agent: *\n" + strings.Repeat("Disallow: /a\n", maxChoiceWork/13) + "Allow: /a/b\n"
	files := []corpus.File{fileNamed("large", large), fileNamed("small", "User-agent: *\nDisallow: /a\nAllow: /a/b\n")}
	r, err := Scan(t.Context(), filesOf(files), []impl.Subject{yesMan(t)}, ScanOptions{Choices: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Files != 2 || r.Natural.ChoiceFiles != 1 || choiceFiles(r.Natural)["precedence=first"] != 1 {
		t.Errorf("%d files, %d looked into, %d show precedence=first", r.Files, r.Natural.ChoiceFiles, choiceFiles(r.Natural)["precedence=first"])
	}
}
