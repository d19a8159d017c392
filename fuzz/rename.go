package fuzz

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// The names that every example has.
const (
	plainAgent = "FooBot"
	otherAgent = "BarBot"
)

var word = regexp.MustCompile(`[A-Za-z0-9_]+`)

// renameSegments calls the words of rules and URL a, b, c and so on, in the
// order in which they first stand in the file.
func (r *reducer) renameSegments() {
	for n := 0; n < letters && !r.over(); n++ {
		words, all := pathWords(r.best)
		if n >= len(words) {
			return
		}
		if letter := string(rune('a' + n)); !all[letter] {
			r.try(replaceWord(r.best, words[n], letter))
		}
	}
}

// letters is how many words can be renamed.
const letters = 26

// pathWords returns the first distinct words of rules and URL, as many as there
// are letters, and the set of all, but for those that follow a percent sign.
func pathWords(w Witness) (words []string, all map[string]bool) {
	all = map[string]bool{}
	add := func(text string) {
		for _, at := range word.FindAllStringIndex(text, -1) {
			s := text[at[0]:at[1]]
			if at[0] > 0 && text[at[0]-1] == '%' || all[s] {
				continue
			}
			if all[s] = true; len(words) < letters {
				words = append(words, s)
			}
		}
	}
	for _, l := range fileLines(w.Robots) {
		if !l.names() {
			_, rest := l.record()
			add(rest)
		}
	}
	_, target := cutOrigin(w.URL)
	add(target)
	return words, all
}

func replaceWord(w Witness, from, to string) Witness {
	lines := fileLines(w.Robots)
	for i, l := range lines {
		if !l.names() {
			key, rest := l.record()
			lines[i].text = key + strings.ReplaceAll(rest, from, to)
		}
	}
	origin, target := cutOrigin(w.URL)
	w.Robots, w.URL = joinLines(lines), origin+strings.ReplaceAll(target, from, to)
	return w
}

func known(key string) bool {
	return slices.ContainsFunc(plainKeyNames, func(name string) bool { return strings.EqualFold(name, key) })
}

var plainKeyNames = []string{"User-agent", "Disallow", "Allow"}

// plainKeys spells the keys of the protocol as its examples do, even behind a
// byte order mark.
func (r *reducer) plainKeys() {
	r.eachLine(func(i int, l fileLine) {
		key, rest := l.record()
		for _, plain := range plainKeyNames {
			if n := len(key) - len(plain); n >= 0 && strings.EqualFold(plain, key[n:]) {
				r.tryLine(i, key[:n]+plain+rest)
				return
			}
		}
	})
}

// plainNames names the crawler asked for FooBot, others BarBot and the host
// foo.test, and puts a blank behind the colons.
func (r *reducer) plainNames() {
	if agent := r.best.Agent; agent != plainAgent {
		w := renameAgent(r.best, func(value string) bool { return strings.EqualFold(value, agent) }, plainAgent)
		w.Agent = plainAgent
		if !r.tryNamed(w) {
			w.Robots = r.best.Robots
			r.tryNamed(w)
		}
	}
	for _, other := range agentValues(r.best) {
		if r.over() {
			return
		}
		if lines.Token(other) == other && !strings.EqualFold(other, r.best.Agent) && other != "" {
			r.tryNamed(renameAgent(r.best, func(value string) bool { return value == other }, otherAgent))
		}
	}
	w := r.best
	if origin, target := cutOrigin(w.URL); origin != spec.Origin {
		w.URL = spec.Origin + target
		r.tryNamed(w)
	}
	r.eachLine(func(i int, l fileLine) {
		key, rest := l.record()
		if value, ok := strings.CutPrefix(rest, ":"); ok && value != "" && known(key) {
			lines := fileLines(r.best.Robots)
			lines[i].text = key + ": " + strings.TrimLeft(value, " \t")
			r.tryNamed(Witness{Robots: joinLines(lines), Probe: r.best.Probe})
		}
	})
}

// agentValues returns the distinct user-agent values, in the order of the file.
func agentValues(w Witness) []string {
	var values []string
	seen := map[string]bool{}
	for _, l := range fileLines(w.Robots) {
		if l.names() {
			_, rest := l.record()
			if value := strings.Trim(rest, ": \t"); !seen[value] {
				seen[value] = true
				values = append(values, value)
			}
		}
	}
	return values
}

// renameAgent replaces the user-agent values that are meant.
func renameAgent(w Witness, meant func(value string) bool, name string) Witness {
	lines := fileLines(w.Robots)
	for i, l := range lines {
		key, rest := l.record()
		if value := strings.Trim(rest, ": \t"); l.names() && value != "" && meant(value) {
			lines[i].text = key + strings.Replace(rest, value, name, 1)
		}
	}
	w.Robots = joinLines(lines)
	return w
}

// plainLineEnds makes line ends LF, all of them or else one after the other.
func (r *reducer) plainLineEnds() {
	plain := bytes.ReplaceAll(bytes.ReplaceAll(r.best.Robots, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	if r.try(Witness{Robots: plain, Probe: r.best.Probe}) {
		return
	}
	r.eachLine(func(i int, l fileLine) {
		if l.end != "" && l.end != "\n" {
			lines := fileLines(r.best.Robots)
			lines[i].end = "\n"
			r.tryLines(lines)
		}
	})
}
