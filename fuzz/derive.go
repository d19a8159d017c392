package fuzz

import (
	"bytes"
	"math/rand/v2"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// Derivation bounds the probes that Derive makes for one file.
type Derivation struct {
	// Agents is how many crawlers are asked for, one of which the file does
	// not name. 0 means 3.
	Agents int
	// URLs is how many URLs are asked for each. 0 means 16.
	URLs int
	// Origin is put in front of every path; "" means spec.Origin.
	Origin string
}

// Stranger is the product token that stands for every crawler that a file does
// not name.
const Stranger = "RepcheckBot"

// Derive makes probes from the file's own user-agent lines and rules: for a
// sample of the rules the exact path, one octet short and one long, with
// wildcards filled, with escapes added, taken away and in the other case. The
// same file and rng state give the same probes.
func Derive(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	if d.Agents == 0 {
		d.Agents = 3
	}
	if d.URLs == 0 {
		d.URLs = 16
	}
	if d.Origin == "" {
		d.Origin = spec.Origin
	}
	agents, paths := harvest(robots, rng, d)
	// Each rule has seven relatives; the sample takes some of several rules
	// rather than all of a few.
	urls := []string{d.Origin + "/"}
	seen := map[string]bool{urls[0]: true}
	add := func(path string) {
		url := d.Origin + path
		if !seen[url] && len(urls) < d.URLs {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	for _, path := range paths {
		add(legal(fill(path, "")))
	}
	for round := range relatives {
		for _, path := range paths {
			if rng.IntN(2) == 0 {
				add(relative(path, round, rng))
			}
		}
	}
	probes := make([]spec.Probe, 0, len(agents)*len(urls))
	for _, agent := range agents {
		for _, url := range urls {
			probes = append(probes, spec.Probe{Agent: agent, URL: url})
		}
	}
	return probes
}

const (
	relativeShort = iota
	relativeLong
	relativeFilled
	relativeEncoded
	relativeDecoded
	relativeOtherCase
	relatives
)

// relative returns a path close to that of a rule.
func relative(path string, which int, rng *rand.Rand) string {
	exact := legal(fill(path, ""))
	switch which {
	case relativeShort:
		return exact[:max(1, len(exact)-1)]
	case relativeLong:
		return exact + []string{"x", "/", "?a=b", ".html"}[rng.IntN(4)]
	case relativeFilled:
		return legal(fill(path, []string{"x", "a/b", "%2F", "index.php?p=1"}[rng.IntN(4)]))
	case relativeEncoded:
		return encodeOne(exact, rng)
	case relativeDecoded:
		return decodeAll(exact)
	}
	return otherCase(exact, rng)
}

// harvest returns the crawlers to ask for and the paths of a sample of rules.
// It reads leniently: what it takes for a rule need not be one for anybody.
func harvest(robots []byte, rng *rand.Rand, d Derivation) (agents, paths []string) {
	var names []string
	rest := robots
	rules, named := 0, 0
	for len(rest) > 0 {
		var line []byte
		if i := bytes.IndexAny(rest[:min(len(rest), 4096)], "\r\n"); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:4096], rest[i+1:]
		} else {
			line, rest = rest[:min(len(rest), 4096)], nil
		}
		line, _, _ = bytes.Cut(line, []byte{'#'})
		key, value, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		switch {
		case len(value) == 0 || len(value) > 2048 || len(key) > 24:
		case bytes.EqualFold(key, []byte("user-agent")):
			named++
			names = reservoir(names, string(value), d.Agents-1, named, rng)
		case bytes.HasSuffix(bytes.ToLower(key), []byte("allow")):
			rules++
			paths = reservoir(paths, string(value), (d.URLs+1)/2, rules, rng)
		}
	}
	agents = []string{Stranger}
	seen := map[string]bool{Stranger: true}
	for _, name := range names {
		if token := token(name); token != "" && !seen[token] {
			seen[token] = true
			agents = append(agents, token)
		}
	}
	return agents, paths
}

// reservoir keeps a fair sample of size of what comes; n counts what came.
func reservoir(sample []string, s string, size, n int, rng *rand.Rand) []string {
	if len(sample) < size {
		return append(sample, s)
	}
	if i := rng.IntN(n); i < size {
		sample[i] = s
	}
	return sample
}

// token is the product token at the start of a user-agent value.
func token(value string) string {
	for i := range len(value) {
		c := value[i] | 0x20
		if !(c >= 'a' && c <= 'z' || value[i] == '-' || value[i] == '_') {
			return value[:i]
		}
	}
	return value
}

// fill puts with in the place of every wildcard and drops an end mark.
func fill(path, with string) string {
	path = strings.TrimSuffix(path, "$")
	path = strings.ReplaceAll(path, "*", with)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

// legal percent-encodes what no URL can hold.
func legal(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>\\^`{|}#", c) >= 0 {
			b.WriteString(escape(c))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escape(c byte) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{'%', digits[c>>4], digits[c&15]})
}

// encodeOne percent-encodes one octet behind the first.
func encodeOne(path string, rng *rand.Rand) string {
	if len(path) < 2 {
		return path
	}
	i := 1 + rng.IntN(len(path)-1)
	if path[i] == '%' {
		return path
	}
	return path[:i] + escape(path[i]) + path[i+1:]
}

// decodeAll decodes every well-formed escape but those of a slash, a question
// mark, a number sign, a percent sign and of controls.
func decodeAll(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			high, low := strings.IndexByte(hexDigits, path[i+1]|0x20), strings.IndexByte(hexDigits, path[i+2]|0x20)
			if c := byte(high<<4 | low); high >= 0 && low >= 0 && c > ' ' && strings.IndexByte("/?#%", c) < 0 {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"

// otherCase turns the case of one letter behind the first octet.
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
