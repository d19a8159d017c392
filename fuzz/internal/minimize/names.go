package minimize

import (
	"regexp"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// The names that every example has.
const (
	plainAgent = "FooBot"
	otherAgent = "BarBot"
)

var word = regexp.MustCompile(`[A-Za-z0-9_]+`)

// renameSegments renames the words of rules and URL to a, b, c and so on, in the
// order in which they first occur.
func (m *minimizer) renameSegments() {
	for n := 0; n < letters && !m.over(); n++ {
		words, all := pathWords(m.best)
		if n >= len(words) {
			return
		}
		if letter := string(rune('a' + n)); !all[letter] {
			m.try(replaceWord(m.best, words[n], letter))
		}
	}
}

// letters is the largest number of words that can be renamed.
const letters = 26

// pathWords returns the first distinct words of rules and URL, as many as there
// are letters, and the set of all, except those that follow a percent sign.
func pathWords(q spec.Query) (words []string, all map[string]bool) {
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
	for _, l := range lines.Split(q.Robots) {
		if !l.NamesAgent() {
			_, rest := l.Record()
			add(rest)
		}
	}
	_, target := urls.Cut(q.URL)
	add(target)
	return words, all
}

func replaceWord(q spec.Query, from, to string) spec.Query {
	file := lines.Split(q.Robots)
	for i, l := range file {
		if !l.NamesAgent() {
			key, rest := l.Record()
			file[i].Text = key + strings.ReplaceAll(rest, from, to)
		}
	}
	origin, target := urls.Cut(q.URL)
	q.Robots, q.URL = lines.Join(file), origin+strings.ReplaceAll(target, from, to)
	return q
}

// known reports whether the key is one of the protocol's.
func known(key string) bool {
	return slices.ContainsFunc(plainKeyNames, func(name string) bool { return strings.EqualFold(name, key) })
}

var plainKeyNames = []string{"User-agent", "Disallow", "Allow"}

// plainKeys spells the keys of the protocol as in its examples, even after a byte
// order mark.
func (m *minimizer) plainKeys() {
	m.eachLine(func(i int, l lines.Line) {
		key, rest := l.Record()
		for _, plain := range plainKeyNames {
			if n := len(key) - len(plain); n >= 0 && strings.EqualFold(plain, key[n:]) {
				m.tryLine(i, key[:n]+plain+rest)
				return
			}
		}
	})
}

// plainNames renames the agent to FooBot, others to BarBot and the host to
// foo.test, and puts one blank after the colons.
func (m *minimizer) plainNames() {
	if agent := m.best.Agent; agent != plainAgent {
		q := renameAgent(m.best, func(value string) bool { return strings.EqualFold(value, agent) }, plainAgent)
		q.Agent = plainAgent
		if !m.tryNamed(q) {
			q.Robots = m.best.Robots
			m.tryNamed(q)
		}
	}
	for _, other := range agentValues(m.best) {
		if m.over() {
			return
		}
		if lines.Token(other) == other && !strings.EqualFold(other, m.best.Agent) && other != "" {
			m.tryNamed(renameAgent(m.best, func(value string) bool { return value == other }, otherAgent))
		}
	}
	q := m.best
	if origin, target := urls.Cut(q.URL); origin != spec.Origin {
		q.URL = spec.Origin + target
		m.tryNamed(q)
	}
	m.eachLine(func(i int, l lines.Line) {
		key, rest := l.Record()
		if value, ok := strings.CutPrefix(rest, ":"); ok && value != "" && known(key) {
			file := m.file()
			file[i].Text = key + ": " + strings.TrimLeft(value, " \t")
			m.tryNamed(spec.Query{Robots: lines.Join(file), Probe: m.best.Probe})
		}
	})
}

// agentValues returns the distinct user-agent values, in the order of the file.
func agentValues(q spec.Query) []string {
	var values []string
	seen := map[string]bool{}
	for _, l := range lines.Split(q.Robots) {
		if l.NamesAgent() {
			_, rest := l.Record()
			if value := strings.Trim(rest, ": \t"); !seen[value] {
				seen[value] = true
				values = append(values, value)
			}
		}
	}
	return values
}

// renameAgent renames the user-agent values for which meant reports true.
func renameAgent(q spec.Query, meant func(value string) bool, name string) spec.Query {
	file := lines.Split(q.Robots)
	for i, l := range file {
		key, rest := l.Record()
		if value := strings.Trim(rest, ": \t"); l.NamesAgent() && value != "" && meant(value) {
			file[i].Text = key + strings.Replace(rest, value, name, 1)
		}
	}
	q.Robots = lines.Join(file)
	return q
}
