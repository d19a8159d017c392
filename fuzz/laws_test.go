package fuzz

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// A law is a change to a query that must not change its answer.
type law struct {
	name string
	// requirement is the ID of the requirement that guarantees it.
	requirement string
	// under are the interpretations for which it holds; nil means all named ones.
	under []string
	// change returns the changed query, and false if the law does not apply to
	// this one. The rng chooses the place of the change.
	change func(w Witness, p *reference.Parser, rng *rand.Rand) (Witness, bool)
}

// rfcAndGoogle are the interpretations under which a blank line means nothing and
// the most specific rule decides.
var rfcAndGoogle = []string{"rfc9309", "koster-rep-00", "google"}

var laws = []law{
	{"comment at the end", "RFC9309-ABNF-comment", nil, commentAtEnd},
	{"comment between lines", "RFC9309-ABNF-comment", nil, commentBetween},
	{"comment behind a line", "RFC9309-2.2.3-1", nil, commentBehind},
	{"LF is CRLF", "RFC9309-ABNF-NL", nil, lineEndsAre("\r\n")},
	{"LF is CR", "RFC9309-ABNF-NL", nil, lineEndsAre("\r")},
	{"blank line at the end", "RFC9309-ABNF-emptyline", nil, blankAtEnd},
	{"blank line between lines", "RFC9309-2.1-4", rfcAndGoogle, blankBetween},
	{"other record", "RFC9309-2.2.4-3", nil, otherRecord},
	{"group of a stranger in front", "RFC9309-2.2.1-12", nil, strangerInFront},
	{"group of a stranger behind", "RFC9309-2.2.1-12", nil, strangerBehind},
	{"star group next to one's own", "RFC9309-2.2.1-11", nil, starBehind},
	{"split group", "RFC9309-2.2.1-7", []string{"rfc9309", "google"}, splitGroup},
	{"agent in capitals", "RFC9309-2.2.1-5", nil, agentInCapitals},
	{"keys in capitals", "RFC9309-ABNF-rule", nil, keysInCapitals},
	{"blanks behind the colon", "RFC9309-ABNF-startgroupline", nil, blanksBehindColon},
	{"order of rules", "RFC9309-2.2.2-6", rfcAndGoogle, swapRules},
	{"rule twice", "RFC9309-2.2.2-7", nil, repeatRule},
	// Google's parser and the standard of 1994 compare an escape unchanged.
	{"escaped letter in the URL", "RFC9309-2.2.2-15", []string{"rfc9309", "koster-rep-00", "koster-1996"}, escapeLetter},
}

func TestLawsAreRequired(t *testing.T) {
	t.Parallel()
	for _, l := range laws {
		if spec.Default().Requirement(l.requirement) == nil {
			t.Errorf("%s: there is no requirement %s", l.name, l.requirement)
		}
		for _, name := range l.under {
			if _, err := reference.Named(name); err != nil {
				t.Errorf("%s: %v", l.name, err)
			}
		}
	}
}

var word = regexp.MustCompile(`[A-Za-z0-9_]+`)

// longLine is the length at which Google's parser cuts a line, less some margin.
const longLine = 16_000

// appendLines adds text after the last line, which it terminates first.
func appendLines(w Witness, text string) (Witness, bool) {
	robots := bytes.Clone(w.Robots)
	if n := len(robots); n > 0 && robots[n-1] != '\n' && robots[n-1] != '\r' {
		robots = append(robots, '\n')
	}
	w.Robots = append(robots, text...)
	return w, true
}

// withLine inserts a line before any line except the first: there it would
// precede a byte order mark.
func withLine(w Witness, rng *rand.Rand, text string) (Witness, bool) {
	file := lines.Split(w.Robots)
	if len(file) < 2 {
		return w, false
	}
	w.Robots = lines.Join(slices.Insert(file, 1+rng.IntN(len(file)-1), lines.Line{Text: text, End: "\n"}))
	return w, true
}

// changeLine changes one of the lines for which change reports that it can.
func changeLine(w Witness, rng *rand.Rand, change func(text string) (string, bool)) (Witness, bool) {
	file := lines.Split(w.Robots)
	for _, i := range rng.Perm(len(file)) {
		if text, ok := change(file[i].Text); ok {
			file[i].Text = text
			w.Robots = lines.Join(file)
			return w, true
		}
	}
	return w, false
}

func commentAtEnd(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	return appendLines(w, "# comment: x\n")
}

func commentBetween(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	return withLine(w, rng, "#Disallow: /")
}

// commentBehind needs a line that is not blank under any interpretation: in 1994
// and 1996 a blank line ends a record and a comment does not.
func commentBehind(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	return changeLine(w, rng, func(text string) (string, bool) { return text + " # c", word.MatchString(text) })
}

func lineEndsAre(end string) func(Witness, *reference.Parser, *rand.Rand) (Witness, bool) {
	return func(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
		if bytes.IndexByte(w.Robots, '\r') >= 0 {
			return w, false
		}
		w.Robots = bytes.ReplaceAll(w.Robots, []byte("\n"), []byte(end))
		return w, true
	}
}

func blankAtEnd(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	return appendLines(w, "\n")
}

func blankBetween(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	return withLine(w, rng, []string{"", " ", "\t"}[rng.IntN(3)])
}

func otherRecord(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	return withLine(w, rng, []string{"Sitemap: http://foo.test/s.xml", "Crawl-delay: 1", "Host: foo.test"}[rng.IntN(3)])
}

// stranger returns a group that does not name the agent under any interpretation,
// not even if a part of a name is enough.
func stranger(agent string) (group string, ok bool) {
	agent = strings.ToLower(agent)
	cut, _, _ := strings.Cut(agent, "/")
	cut = strings.TrimSpace(cut)
	for _, token := range []string{"zzyzx", "qwkbfq"} {
		if !strings.Contains(agent, token) && (cut == "" || !strings.Contains(token, cut)) {
			return "User-agent: " + token + "\nDisallow: /\nAllow: /a\n", true
		}
	}
	return "", false
}

// strangerInFront must not move a byte order mark, or a part of one. Rules
// without a group become the stranger's.
func strangerInFront(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	group, ok := stranger(w.Agent)
	if !ok || bytes.HasPrefix(w.Robots, []byte{0xEF}) {
		return w, false
	}
	w.Robots = append([]byte(group), w.Robots...)
	return w, true
}

// The patterns are matched against lines in capitals, as case-insensitive
// patterns in Go match more than ASCII letters.
var (
	// closed matches files that end in a rule under every interpretation: a
	// user-agent line after them begins a group.
	closed      = regexp.MustCompile(`(?:^|[\r\n])DISALLOW: /[!"$-~]*[\r\n]*$`)
	plainHeader = regexp.MustCompile(`^USER-AGENT: (?:[A-Z_-]+|\*)$`)
	plainRule   = regexp.MustCompile(`^(?:DIS)?ALLOW: /[!"$-~]*$`)
	// anyRule matches rules with any path, under every interpretation.
	anyRule = regexp.MustCompile(`^(?:DIS)?ALLOW:`)
)

func isClosed(w Witness) bool { return closed.MatchString(capitals(string(w.Robots))) }

func is(l lines.Line, pattern *regexp.Regexp) bool { return pattern.MatchString(capitals(l.Text)) }

func strangerBehind(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	group, ok := stranger(w.Agent)
	if !ok || !isClosed(w) {
		return w, false
	}
	return appendLines(w, group)
}

func starBehind(w Witness, p *reference.Parser, _ *rand.Rand) (Witness, bool) {
	if !isClosed(w) || p.Parse(w.Robots).Rules(w.Agent).Source() != reference.SourceAgent {
		return w, false
	}
	return appendLines(w, "User-agent: *\nDisallow: /\nAllow: /a\n")
}

// splitGroup repeats a header of one line between the first two rules below it.
func splitGroup(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	file := lines.Split(w.Robots)
	for i := 0; i+2 < len(file); i++ {
		alone := i == 0 || is(file[i-1], plainRule)
		if alone && is(file[i], plainHeader) && is(file[i+1], plainRule) && is(file[i+2], plainRule) {
			w.Robots = lines.Join(slices.Insert(file, i+2, file[i]))
			return w, true
		}
	}
	return w, false
}

func agentInCapitals(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	w.Agent = capitals(w.Agent)
	return w, true
}

// capitals changes only ASCII letters.
func capitals(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// keyEnd returns the index of the colon after the key. For Google's parser a
// colon in a comment or after a NUL does not count, and the line is then two
// words.
func keyEnd(text string) (colon int, ok bool) {
	colon = strings.IndexByte(text, ':')
	return colon, colon >= 0 && len(text) < longLine && !strings.ContainsAny(text[:colon], "#\x00")
}

func keysInCapitals(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	file := lines.Split(w.Robots)
	for i, l := range file {
		if colon, ok := keyEnd(l.Text); ok {
			file[i].Text = capitals(l.Text[:colon]) + l.Text[colon:]
		}
	}
	w.Robots = lines.Join(file)
	return w, true
}

func blanksBehindColon(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	return changeLine(w, rng, func(text string) (string, bool) {
		colon, ok := keyEnd(text)
		if !ok {
			return text, false
		}
		return text[:colon+1] + " \t" + text[colon+1:], true
	})
}

func swapRules(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	file := lines.Split(w.Robots)
	for _, i := range rng.Perm(max(0, len(file)-1)) {
		if is(file[i], anyRule) && is(file[i+1], anyRule) {
			file[i].Text, file[i+1].Text = file[i+1].Text, file[i].Text
			w.Robots = lines.Join(file)
			return w, true
		}
	}
	return w, false
}

func repeatRule(w Witness, _ *reference.Parser, rng *rand.Rand) (Witness, bool) {
	file := lines.Split(w.Robots)
	for _, i := range rng.Perm(len(file)) {
		if is(file[i], anyRule) {
			w.Robots = lines.Join(slices.Insert(file, i, lines.Line{Text: file[i].Text, End: "\n"}))
			return w, true
		}
	}
	return w, false
}

// escapeLetter escapes the last letter of a path that has no escapes yet.
func escapeLetter(w Witness, _ *reference.Parser, _ *rand.Rand) (Witness, bool) {
	origin, target := urls.Cut(w.URL)
	at := word.FindAllStringIndex(target, -1)
	if !urls.Plain(w.URL) || strings.ContainsAny(target, "%#") || at == nil {
		return w, false
	}
	i := at[len(at)-1][1] - 1
	w.URL = origin + target[:i] + urls.Escape(target[i]) + target[i+1:]
	return w, true
}
