package fingerprint

import (
	"cmp"
	"math"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A File is a robots.txt file with the questions about it.
type File struct {
	Robots []byte
	Probes []spec.Probe
}

// A tier is a class of files by their length. Few files are long, and to read
// those takes ten times as long as to read all others, so they take part only
// where they are needed: what a stage behind the lines sees is one line after
// the other, however many there are.
type tier int

const (
	short tier = iota
	middle
	long
	tiers
)

// longest is the length of the longest file of a tier, in octets: cases test
// the limits on lines with some 20,000 octets, those on files with 500,000.
var longest = [tiers]int{16_000, 100_000, math.MaxInt}

// plenty is how many octets of files are short whatever the longest of them
// has: so many are read in a few milliseconds.
const plenty = 512 << 10

// tierOf returns the longest tier that bears witness to a point.
func tierOf(p reference.Point) tier {
	switch p.Stage() {
	case "octets":
		return long
	case "lines":
		return middle
	}
	return short
}

// questions are all questions, in the order of the files.
type questions struct {
	files []File
	// first holds the place of the first question of each file; its last
	// element is the end.
	first []int
	// upTo are the places of the files of each tier and of those before it, in
	// the order of the files, and only those of each tier.
	upTo, only [tiers][]int
}

func newQuestions(files []File) questions {
	q := questions{files: files}
	n := 0
	for _, f := range files {
		q.first = append(q.first, n)
		n += len(f.Probes)
	}
	q.first = append(q.first, n)
	limits := limitsOf(files)
	for i, f := range files {
		of := short
		for len(f.Robots) > limits[of] {
			of++
		}
		q.only[of] = append(q.only[of], i)
		for t := of; t < tiers; t++ {
			q.upTo[t] = append(q.upTo[t], i)
		}
	}
	return q
}

// limitsOf returns the length of the longest file of each tier, which grows
// where the short files would not be plenty.
func limitsOf(files []File) [tiers]int {
	limits := longest
	lengths := make([]int, len(files))
	for i, f := range files {
		lengths[i] = len(f.Robots)
	}
	slices.SortFunc(lengths, cmp.Compare[int])
	total := 0
	for _, n := range lengths {
		if total += n; total > plenty {
			break
		}
		limits[short] = max(limits[short], n)
	}
	limits[middle] = max(limits[middle], limits[short])
	return limits
}

// count returns the number of questions.
func (q *questions) count() int { return q.first[len(q.files)] }

// At returns where the answer to the question at a place stands among all.
func (q *questions) At(p Place) int { return q.first[p.File] + p.Probe }

// flat returns the outcomes of verdicts, one slice of which belongs to each
// file.
func (q *questions) flat(verdicts [][]spec.Verdict) []Outcome {
	all := make([]Outcome, 0, q.count())
	for _, of := range verdicts {
		for _, v := range of {
			all = append(all, OutcomeOf(v))
		}
	}
	if len(all) != q.count() {
		panic("fingerprint: not one verdict for each question")
	}
	return all
}
