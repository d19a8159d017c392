package generate

import (
	"math/rand/v2"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// Derivation bounds the probes that Derive makes for one file.
type Derivation struct {
	// Agents is how many crawlers to make probes for, one of which the file does
	// not name. 0 means 3.
	Agents int
	// URLs is how many URLs to use for each of them. 0 means 16.
	URLs int
}

// Stranger is the product token of a crawler that no file names.
const Stranger = "RepcheckBot"

// Derive makes probes from the file's own user-agent lines and rules: for a
// sample of the rules the exact path, one byte shorter and one longer, with
// wildcards filled, and with escapes added, removed and in the other case. The
// same file and rng state give the same probes.
func Derive(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	if d.Agents == 0 {
		d.Agents = 3
	}
	if d.URLs == 0 {
		d.URLs = 16
	}
	agents, paths := harvest(robots, rng, d)
	// Each rule has seven variants; the sample has some of several rules rather
	// than all of a few.
	all := []string{spec.Origin + "/"}
	seen := map[string]bool{all[0]: true}
	add := func(path string) {
		url := spec.Origin + path
		if !seen[url] && len(all) < d.URLs {
			seen[url] = true
			all = append(all, url)
		}
	}
	for _, path := range paths {
		add(urls.Legal(fill(path, "")))
	}
	for _, relative := range relatives {
		for _, path := range paths {
			if rng.IntN(2) == 0 {
				add(relative(path, urls.Legal(fill(path, "")), rng))
			}
		}
	}
	probes := make([]spec.Probe, 0, len(agents)*len(all))
	for _, agent := range agents {
		for _, url := range all {
			probes = append(probes, spec.Probe{Agent: agent, URL: url})
		}
	}
	return probes
}

// relatives make paths close to that of a rule; exact is the path with the
// wildcards removed.
var relatives = []func(path, exact string, rng *rand.Rand) string{
	func(_, exact string, _ *rand.Rand) string { return exact[:max(1, len(exact)-1)] },
	func(_, exact string, rng *rand.Rand) string {
		return exact + []string{"x", "/", "?a=b", ".html"}[rng.IntN(4)]
	},
	func(path, _ string, rng *rand.Rand) string {
		return urls.Legal(fill(path, []string{"x", "a/b", "%2F", "index.php?p=1"}[rng.IntN(4)]))
	},
	func(_, exact string, rng *rand.Rand) string { return encodeOne(exact, rng) },
	func(_, exact string, _ *rand.Rand) string { return urls.Decode(exact) },
	func(_, exact string, rng *rand.Rand) string { return otherCase(exact, rng) },
}

// harvest returns the crawlers to use and the paths of a sample of rules. It
// reads leniently: the lines it accepts as rules need not be rules for any
// parser.
func harvest(robots []byte, rng *rand.Rand, d Derivation) (agents, paths []string) {
	var names []string
	rules, named := 0, 0
	for _, line := range lines.Split(robots) {
		record, _, _ := strings.Cut(line.Text, "#")
		key, value, ok := strings.Cut(record, ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case value == "" || len(value) > 2048 || len(key) > 24:
		case strings.EqualFold(key, "user-agent"):
			named++
			names = reservoir(names, value, d.Agents-1, named, rng)
		case strings.HasSuffix(strings.ToLower(key), "allow"):
			rules++
			paths = reservoir(paths, value, (d.URLs+1)/2, rules, rng)
		}
	}
	agents = []string{Stranger}
	seen := map[string]bool{Stranger: true}
	for _, name := range names {
		if token := lines.Token(name); token != "" && !seen[token] {
			seen[token] = true
			agents = append(agents, token)
		}
	}
	return agents, paths
}

// reservoir adds the n-th string to a fair sample of the given size.
func reservoir(sample []string, s string, size, n int, rng *rand.Rand) []string {
	if len(sample) < size {
		return append(sample, s)
	}
	if i := rng.IntN(n); i < size {
		sample[i] = s
	}
	return sample
}

// fill replaces every wildcard by with, and drops an end mark.
func fill(path, with string) string {
	path = strings.TrimSuffix(path, "$")
	path = strings.ReplaceAll(path, "*", with)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

// encodeOne percent-encodes one byte after the first.
func encodeOne(path string, rng *rand.Rand) string {
	if len(path) < 2 {
		return path
	}
	i := 1 + rng.IntN(len(path)-1)
	if path[i] == '%' {
		return path
	}
	return path[:i] + urls.Escape(path[i]) + path[i+1:]
}

// otherCase changes the case of one letter after the first byte.
func otherCase(path string, rng *rand.Rand) string {
	if len(path) < 2 {
		return path
	}
	from := 1 + rng.IntN(len(path)-1)
	for i := from; i < len(path); i++ {
		if c := path[i] | 0x20; c >= 'a' && c <= 'z' {
			return path[:i] + string(path[i]^0x20) + path[i+1:]
		}
	}
	return path
}
