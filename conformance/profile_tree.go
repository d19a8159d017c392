package conformance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/impl/fingerprint"
)

// A Tree joins subjects by average linkage: it repeatedly joins the two groups
// whose members are nearest on average.
type Tree struct {
	// Newick is the tree in Newick notation. The branches between two subjects
	// add up to the distance at which they were joined.
	Newick string `json:"newick"`
	// Merges are the joins, the nearest first. There is one less than subjects.
	Merges []Merge `json:"merges"`
}

// A Merge joins two groups. One and Other are indices of subjects if they are
// less than the number of subjects; greater values are indices of earlier merges,
// counted from that number.
type Merge struct {
	One   int `json:"one"`
	Other int `json:"other"`
	// Distance is the average of the distances between the members of the two,
	// from 0 to 1.
	Distance float64 `json:"distance"`
}

// A LineageDistance measures the distances of the subjects of a claimed lineage
// from each other and from all others.
type LineageDistance struct {
	Lineage  string   `json:"lineage"`
	Subjects []string `json:"subjects"`
	// Widest is the largest distance between two of them. Nearest is the smallest
	// distance from one of them, Inside, to a subject outside of the lineage,
	// Outside; both names are empty if there is no such subject.
	Widest  float64 `json:"widest"`
	Nearest float64 `json:"nearest,omitempty"`
	Inside  string  `json:"inside,omitempty"`
	Outside string  `json:"outside,omitempty"`
}

// Together reports whether all of them are nearer to each other than any of them
// is to another subject. Descent from one code base makes this likely.
func (l *LineageDistance) Together() bool { return l.Outside == "" || l.Widest < l.Nearest }

// relate fills in the fields that relate several subjects. answers has one slice
// for each subject.
func (all *Profiles) relate(answers [][]fingerprint.Outcome) {
	n := len(answers)
	all.Distances = make([][]float64, n)
	for i := range all.Distances {
		all.Distances[i] = make([]float64, n)
	}
	for i := range n {
		for k := range i {
			d := distanceBetween(answers[i], answers[k])
			all.Distances[i][k], all.Distances[k][i] = d, d
		}
	}
	for i := range all.Subjects {
		f := &all.Subjects[i]
		for k, d := range all.Distances[i] {
			if k != i && (f.Relative == "" || d < f.RelativeDistance) {
				f.Relative, f.RelativeDistance = all.Subjects[k].Name, d
			}
		}
	}
	if n > 1 {
		all.Tree = all.join()
	}
	all.lineages()
}

// distanceBetween returns the share of different answers among the queries that
// both answered.
func distanceBetween(one, other []fingerprint.Outcome) float64 {
	both, differ := 0, 0
	for i, a := range one {
		if a == fingerprint.Silent || other[i] == fingerprint.Silent {
			continue
		}
		both++
		if a != other[i] {
			differ++
		}
	}
	if both == 0 {
		return 1
	}
	return float64(differ) / float64(both)
}

// A cluster is a group of subjects while a tree is built.
type cluster struct {
	node    int
	members []int // indices of subjects
	height  float64
	newick  string
}

// join builds the tree. Among equal distances, the first two subjects are joined.
func (all *Profiles) join() *Tree {
	t := &Tree{}
	var clusters []cluster
	for i, s := range all.Subjects {
		clusters = append(clusters, cluster{node: i, members: []int{i}, newick: newickName(s.Name)})
	}
	for len(clusters) > 1 {
		var one, other int
		nearest := math.Inf(1)
		for i := range clusters {
			for k := i + 1; k < len(clusters); k++ {
				if d := all.average(clusters[i].members, clusters[k].members); d < nearest {
					one, other, nearest = i, k, d
				}
			}
		}
		a, b := clusters[one], clusters[other]
		t.Merges = append(t.Merges, Merge{One: a.node, Other: b.node, Distance: nearest})
		clusters[one] = cluster{
			node: len(all.Subjects) + len(t.Merges) - 1, members: slices.Concat(a.members, b.members), height: nearest,
			newick: fmt.Sprintf("(%s:%s,%s:%s)", a.newick, branch(nearest, a.height), b.newick, branch(nearest, b.height)),
		}
		clusters = slices.Delete(clusters, other, other+1)
	}
	t.Newick = clusters[0].newick + ";"
	return t
}

// average returns the average distance between the members of two groups.
func (all *Profiles) average(one, other []int) float64 {
	sum := 0.0
	for _, i := range one {
		for _, k := range other {
			sum += all.Distances[i][k]
		}
	}
	return sum / float64(len(one)*len(other))
}

// branch returns the length of the branch from a group up to its join: half of
// the increase in distance, because the other branch has the other half.
func branch(distance, height float64) string {
	return strconv.FormatFloat(max(distance-height, 0)/2, 'f', 6, 64)
}

// newickName quotes a name if the notation requires it.
func newickName(name string) string {
	if !strings.ContainsAny(name, " ()[]':;,_") {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}

// lineages measures the claimed lineages.
func (all *Profiles) lineages() {
	members := map[string][]int{}
	for i := range all.Subjects {
		if l := all.Subjects[i].Lineage; l != "" {
			members[l] = append(members[l], i)
		}
	}
	for lineage, of := range members {
		if len(of) < 2 {
			continue
		}
		l := LineageDistance{Lineage: lineage}
		for _, i := range of {
			l.Subjects = append(l.Subjects, all.Subjects[i].Name)
			for k, d := range all.Distances[i] {
				switch {
				case slices.Contains(of, k):
					l.Widest = max(l.Widest, d)
				case l.Outside == "" || d < l.Nearest:
					l.Nearest, l.Inside, l.Outside = d, all.Subjects[i].Name, all.Subjects[k].Name
				}
			}
		}
		all.Lineages = append(all.Lineages, l)
	}
	slices.SortFunc(all.Lineages, func(a, b LineageDistance) int { return cmp.Compare(a.Lineage, b.Lineage) })
}
