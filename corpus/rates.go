package corpus

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"sync"
)

// Rates describe the files of a collection: for each property, such as
// "line-ends", how many files, lines, rules or groups have each value, such as
// "crlf". Numbers are counted in ranges like "9-16". Counts are exact, so the same
// collection always gives the same Rates. They are not safe for concurrent use while
// files are added.
type Rates map[string]map[string]int64

//go:embed rates.json
var realRates []byte

// RealRates returns the rates of some 80,000 robots.txt files of well-known sites, as
// printed by
//
//	repcheck corpus stats --format json real-robots.jsonl.gz
//
// The value is shared and must not be changed.
var RealRates = sync.OnceValue(func() Rates {
	var r Rates
	if err := json.Unmarshal(realRates, &r); err != nil {
		panic("corpus: the rates are embedded: " + err.Error())
	}
	return r
})

// Questions returns the names of the properties, sorted.
func (r Rates) Questions() []string { return slices.Sorted(maps.Keys(r)) }

// Answers returns the values of a property, the most frequent first.
func (r Rates) Answers(question string) []string {
	answers := slices.Sorted(maps.Keys(r[question]))
	slices.SortStableFunc(answers, func(a, b string) int {
		return int(max(-1, min(1, r[question][b]-r[question][a])))
	})
	return answers
}

// All returns the number of values of the property that were counted.
func (r Rates) All(question string) (n int64) {
	for _, count := range r[question] {
		n += count
	}
	return n
}

// Share returns the share of this value among all values of the property, from 0 to
// 1. It is 0 if no value was counted.
func (r Rates) Share(question, answer string) float64 {
	all := r.All(question)
	if all == 0 {
		return 0
	}
	return float64(r[question][answer]) / float64(all)
}

// WriteText writes a table: a line for each value with its count and share.
func (r Rates) WriteText(w io.Writer) error {
	for _, question := range r.Questions() {
		if _, err := fmt.Fprintf(w, "%s (%d)\n", question, r.All(question)); err != nil {
			return err
		}
		for _, answer := range r.Answers(question) {
			if _, err := fmt.Fprintf(w, "  %-20s %9d %8.3f%%\n", answer, r[question][answer], 100*r.Share(question, answer)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Range returns the range that a number belongs to. Each of 0 to 4 is a range of its
// own; higher ranges end at a power of two. Negative numbers count as 0.
func Range(n int) string {
	if n <= 4 {
		return fmt.Sprint(max(n, 0))
	}
	low, high := 1<<(bits.Len(uint(n-1))-1)+1, 1<<bits.Len(uint(n-1))
	return fmt.Sprintf("%d-%d", low, high)
}

// RangeOf returns the least and the largest number of a range that Range returned.
func RangeOf(answer string) (low, high int, err error) {
	if n, err := fmt.Sscanf(answer, "%d-%d", &low, &high); err != nil && n != 1 {
		return 0, 0, fmt.Errorf("%q is no range of numbers", answer)
	} else if n == 1 {
		high = low
	}
	if low < 0 || Range(low) != answer || Range(high) != answer {
		return 0, 0, fmt.Errorf("%q is no range of numbers that is counted", answer)
	}
	return low, high, nil
}
