package corpus

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"
)

// countedLines is the number of lines of a file that are counted. Without a limit, a
// few files of a million lines would dominate the rates.
const countedLines = 200

// Measure reads a collection to its end. It returns the rates, and the number of
// entries that were skipped because they could not be read. Any other error ends it.
func Measure(r *Reader) (rates Rates, unread int, err error) {
	rates = Rates{}
	err = Each(context.Background(), r, func(f File) bool { rates.Add(f.Robots); return true }, func(*LineError) { unread++ })
	return rates, unread, err
}

func (r Rates) count(question, answer string) {
	if r[question] == nil {
		r[question] = map[string]int64{}
	}
	r[question][answer]++
}

func (r Rates) countIf(question string, yes bool) {
	answer := "no"
	if yes {
		answer = "yes"
	}
	r.count(question, answer)
}

// Add counts one file. HTML pages and empty files are counted only as such. The time
// is linear in the size of the file.
func (r Rates) Add(robots []byte) {
	r.count("octets-per-file", Range(len(robots)))
	start := startOf(robots)
	r.count("start", start)
	if start == "empty" || start == "markup" {
		return
	}
	r.count("octets", octetsOf(robots))
	r.count("last-line", lastLineOf(robots))
	robots = bytes.TrimPrefix(robots, mark)
	lines, ends, whole := split(robots)
	r.count("line-ends", ends)
	if whole {
		r.count("lines-per-file", Range(len(lines)))
	}
	r.groups(lines, whole)
}

func startOf(robots []byte) string {
	text := bytes.TrimSpace(bytes.TrimPrefix(robots, mark))
	switch {
	case len(robots) == 0:
		return "empty"
	case bytes.HasPrefix(text, []byte{'<'}):
		return "markup"
	case bytes.HasPrefix(robots, mark):
		return "byte-order-mark"
	case len(text) == 0:
		return "blank"
	case text[0] != robots[0]:
		return "space"
	}
	return "plain"
}

func octetsOf(robots []byte) string {
	body := bytes.TrimPrefix(robots, mark)
	switch {
	case bytes.IndexByte(body, 0) >= 0:
		return "nul"
	case !utf8.Valid(body):
		return "not-utf-8"
	case bytes.ContainsFunc(body, func(r rune) bool { return r > 0x7F }):
		return "utf-8"
	}
	return "ascii"
}

func lastLineOf(robots []byte) string {
	if last := robots[len(robots)-1]; last == '\n' || last == '\r' {
		return "ended"
	}
	return "open"
}

// split returns the first countedLines lines, the kind of their line ends, and whether
// the file has no further lines.
func split(robots []byte) (lines [][]byte, ends string, whole bool) {
	for len(robots) > 0 && len(lines) < countedLines {
		i := bytes.IndexAny(robots, "\r\n")
		if i < 0 {
			return append(lines, robots), orNone(ends), true
		}
		lines = append(lines, robots[:i])
		end, after := "lf", robots[i+1:]
		if robots[i] == '\r' {
			end = "cr"
			if len(after) > 0 && after[0] == '\n' {
				end, after = "crlf", after[1:]
			}
		}
		if ends != "" && ends != end {
			end = "mixed"
		}
		ends, robots = end, after
	}
	return lines, orNone(ends), len(robots) == 0
}

func orNone(ends string) string {
	if ends == "" {
		return "none"
	}
	return ends
}

// groups counts the lines, and the groups that lie completely within them.
func (r Rates) groups(lines [][]byte, whole bool) {
	groups, agents, rules, orphans := 0, 0, 0, false
	var waiting []string // kinds of the lines since the last rule or user-agent line
	place := func(where string) {
		for _, kind := range waiting {
			r.count("line", kind+where)
		}
		waiting = waiting[:0]
	}
	end := func() {
		if agents > 0 {
			r.count("agents-per-group", Range(agents))
			r.count("rules-per-group", Range(rules))
		}
	}
	for _, line := range lines {
		kind := r.line(line)
		switch kind {
		case "user-agent":
			place("")
			if agents == 0 || rules > 0 {
				end()
				groups, agents, rules = groups+1, 0, 0
			}
			agents++
		case "allow", "disallow":
			if orphans = orphans || agents == 0; agents > 0 {
				rules++
			}
			place("-inside")
		default:
			waiting = append(waiting, kind)
			continue
		}
		r.count("line", kind)
	}
	place("")
	r.countIf("rule-without-group", orphans)
	if whole {
		end()
		r.count("groups-per-file", Range(groups))
	}
}

// line counts the properties of one line and returns its kind.
func (r Rates) line(line []byte) (kind string) {
	text := bytes.Trim(line, " \t")
	if len(text) == 0 {
		return "blank"
	}
	r.count("line-length", Range(len(line)))
	if text[0] == '#' {
		return "comment"
	}
	record, _, hasComment := bytes.Cut(text, []byte{'#'})
	key, value, ok := bytes.Cut(record, []byte{':'})
	if !ok {
		return "no-colon"
	}
	name := string(bytes.TrimRight(key, " \t"))
	kind = kindOf(strings.ToLower(name))
	if kind != "user-agent" && kind != "allow" && kind != "disallow" {
		return kind
	}
	r.countIf("space-in-front", len(text) > 0 && line[0] != text[0])
	r.count("key-"+kind, spellingOf(name))
	r.count("colon", colonOf(key, value))
	trimmed := string(bytes.Trim(value, " \t"))
	switch {
	case hasComment:
		r.count("behind", "comment")
	case trimmed != "" && line[len(line)-1] != text[len(text)-1]:
		r.count("behind", "space")
	case trimmed != "":
		r.count("behind", "nothing")
	}
	if kind == "user-agent" {
		r.count("agent-value", agentValueOf(trimmed))
	} else {
		r.rule(trimmed)
	}
	return kind
}

func kindOf(key string) string {
	switch key {
	case "user-agent", "allow", "disallow", "sitemap", "crawl-delay", "host":
		return key
	}
	return "other-key"
}

// spellingOf returns the letter case of a key.
func spellingOf(key string) string {
	switch key {
	case "User-agent", "Allow", "Disallow":
		return "usual"
	case "User-Agent":
		return "title"
	case strings.ToLower(key):
		return "lower"
	case strings.ToUpper(key):
		return "upper"
	}
	return "other"
}

// colonOf returns the white space around the colon.
func colonOf(key, value []byte) string {
	before := len(key) > 0 && (key[len(key)-1] == ' ' || key[len(key)-1] == '\t')
	blanks := len(value) - len(bytes.TrimLeft(value, " \t"))
	switch {
	case before:
		return "space-before"
	case blanks == 0:
		return "none"
	case blanks == 1 && value[0] == ' ':
		return "space"
	case blanks == 1:
		return "tab"
	}
	return "more"
}

func agentValueOf(value string) string {
	switch {
	case value == "":
		return "empty"
	case value == "*":
		return "star"
	case isToken(value):
		return "token"
	case strings.ContainsAny(value, " \t"):
		return "words"
	case strings.Contains(value, "*"):
		return "star-and-more"
	case strings.Contains(value, "/"):
		return "version"
	}
	return "other"
}

// isToken reports whether value is a product token of RFC 9309.
func isToken(value string) bool {
	for i := range len(value) {
		c := value[i] | 0x20
		if !(c >= 'a' && c <= 'z' || value[i] == '-' || value[i] == '_') {
			return false
		}
	}
	return value != ""
}

// rule counts the properties of the value of a rule.
func (r Rates) rule(value string) {
	kind := ruleValueOf(value)
	r.count("rule-value", kind)
	if kind != "path" && kind != "star-path" {
		return
	}
	r.count("path-length", Range(len(value)))
	r.count("path-stars", Range(strings.Count(value, "*")))
	r.count("path-dollar", dollarOf(value))
	r.count("path-slashes", Range(strings.Count(value, "/")))
	r.count("path-escapes", Range(escapes(value)))
	r.count("path-octets", octetsOf([]byte(value)))
	r.countIf("path-query", strings.Contains(value, "?"))
	r.countIf("path-space", strings.ContainsAny(value, " \t"))
}

func ruleValueOf(value string) string {
	switch {
	case value == "":
		return "empty"
	case value == "/":
		return "slash"
	case value == "*":
		return "star"
	case value[0] == '/':
		return "path"
	case value[0] == '*':
		return "star-path"
	case strings.Contains(value, "://"):
		return "url"
	}
	return "no-slash"
}

func dollarOf(value string) string {
	switch strings.IndexByte(value, '$') {
	case -1:
		return "none"
	case len(value) - 1:
		return "end"
	}
	return "inside"
}

// escapes counts well-formed percent-escapes.
func escapes(value string) (n int) {
	for i := 0; i+2 < len(value); i++ {
		if value[i] == '%' && isHex(value[i+1]) && isHex(value[i+2]) {
			n++
		}
	}
	return n
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
