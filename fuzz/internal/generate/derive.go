package generate

import (
	"cmp"
	"math/rand/v2"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// Derivation bounds the probes that Derive and Natural make for one file.
type Derivation struct {
	// Agents is how many crawlers to make probes for, including one that the file
	// need not name. 0 means 3.
	Agents int
	// URLs is how many URLs to use for each of them. 0 means 16.
	URLs int
}

func (d Derivation) orDefaults() Derivation {
	return Derivation{Agents: cmp.Or(d.Agents, 3), URLs: cmp.Or(d.URLs, 16)}
}

// Stranger is the product token of a crawler that no file names.
const Stranger = "RepcheckBot"

// Derive makes stress probes from the file's own user-agent lines and rules: for a
// sample of the rules the exact path, one byte shorter and one longer, with
// wildcards filled, and with escapes added, removed and in the other case. The
// same file and rng state give the same probes.
func Derive(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	d = d.orDefaults()
	agents, paths := harvest(robots, rng, d)
	// Each rule has seven variants; the sample has some of several rules rather
	// than all of a few.
	all := distinct{most: d.URLs}
	all.add(spec.Origin + "/")
	add := func(path string) { all.add(spec.Origin + path) }
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
	return probesOf(agents, all.all)
}

// probesOf returns the probes of every agent for every URL.
func probesOf(agents, all []string) []spec.Probe {
	probes := make([]spec.Probe, 0, len(agents)*len(all))
	for _, agent := range agents {
		for _, url := range all {
			probes = append(probes, spec.Probe{Agent: agent, URL: url})
		}
	}
	return probes
}

// distinct holds up to most different strings, in the order in which they are added.
type distinct struct {
	most int
	all  []string
	seen map[string]bool
}

func (d *distinct) add(s string) {
	if d.seen[s] || len(d.all) >= d.most {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[s] = true
	d.all = append(d.all, s)
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

// harvest returns the crawlers to use and the paths of a sample of rules.
func harvest(robots []byte, rng *rand.Rand, d Derivation) (agents, paths []string) {
	names, values := reservoir{size: d.Agents - 1}, reservoir{size: (d.URLs + 1) / 2}
	eachRecord(robots, func(key, value string) {
		switch {
		case strings.EqualFold(key, "user-agent"):
			names.add(value, rng)
		case isRule(key):
			values.add(value, rng)
		}
	})
	some := distinct{most: d.Agents}
	some.add(Stranger)
	for _, name := range names.sample {
		if token := lines.Token(name); token != "" {
			some.add(token)
		}
	}
	return some.all, values.sample
}

// eachRecord calls do for the records of a file, without comments and blanks. It
// reads leniently: the lines that it accepts need not be records for any parser.
func eachRecord(robots []byte, do func(key, value string)) {
	for _, line := range lines.Split(robots) {
		record, _, _ := strings.Cut(line.Text, "#")
		key, value, ok := strings.Cut(record, ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if value != "" && len(value) <= 2048 && len(key) <= 24 {
			do(key, value)
		}
	}
}

// isRule reports whether a record is a rule; "Dissallow" is one, too.
func isRule(key string) bool { return strings.HasSuffix(strings.ToLower(key), "allow") }

// A reservoir is a fair sample of the strings that are added.
type reservoir struct {
	size   int
	sample []string
	added  int
}

func (r *reservoir) add(s string, rng *rand.Rand) {
	r.added++
	if len(r.sample) < r.size {
		r.sample = append(r.sample, s)
		return
	}
	if i := rng.IntN(r.added); i < r.size {
		r.sample[i] = s
	}
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
