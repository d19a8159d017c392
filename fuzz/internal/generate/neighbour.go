package generate

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// neighbourEdits is the largest number of edits of a neighbour.
const neighbourEdits = 2

// Neighbour makes a file close to another one, with queries close to one about
// that: the file is as it is or has an edit or two, a name is replaced everywhere
// or not, and the URLs are the query's own and those derived from the rules, in
// any order.
func Neighbour(robots []byte, p spec.Probe, rng *rand.Rand) ([]byte, []spec.Probe) {
	robots, p = renamed(robots, p, rng)
	shape := make([]byte, 4*rng.IntN(neighbourEdits+1))
	for i := range shape {
		if shape[i] = byte(rng.Uint32()); i%4 == 0 {
			shape[i] = plainEdits[rng.IntN(len(plainEdits))]
		}
	}
	robots = Edit(robots, shape)
	probes := []spec.Probe{p}
	for _, d := range Derive(robots, rng, Derivation{Agents: 2, URLs: 6}) {
		probes = append(probes, d, spec.Probe{Agent: p.Agent, URL: d.URL})
	}
	rng.Shuffle(len(probes), func(i, k int) { probes[i], probes[k] = probes[k], probes[i] })
	return robots, probes
}

// plainEdits are the kinds of edits that Neighbour makes: they repeat, move,
// insert and drop lines. Those that insert odd octets would make the file about
// something else.
var plainEdits = []byte{0, 1, 2, 9}

// words are names in agents and paths that Neighbour replaces.
var words = regexp.MustCompile(`[a-z]+|[A-Z]+`)

// names are what it replaces them by.
var names = []string{"q", "zebra", "k", "tree"}

// renamed replaces, in half of the cases each, a word of the agent and one of the
// URL's path in the file and the query.
func renamed(robots []byte, p spec.Probe, rng *rand.Rand) ([]byte, spec.Probe) {
	replace := func(in string) {
		all := words.FindAllString(in, -1)
		name := names[rng.IntN(len(names))]
		if len(all) == 0 || rng.IntN(2) == 0 {
			return
		}
		word := all[rng.IntN(len(all))]
		if word[0] < 'a' {
			name = strings.ToUpper(name)
		}
		swap := func(s string) string {
			return words.ReplaceAllStringFunc(s, func(found string) string {
				if found == word {
					return name
				}
				return found
			})
		}
		robots, p.Agent = []byte(swap(string(robots))), swap(p.Agent)
		if path, ok := strings.CutPrefix(p.URL, spec.Origin); ok {
			p.URL = spec.Origin + swap(path)
		}
	}
	replace(p.Agent)
	if path, ok := strings.CutPrefix(p.URL, spec.Origin); ok {
		replace(path)
	}
	return robots, p
}
