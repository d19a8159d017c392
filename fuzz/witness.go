package fuzz

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// A Witness is one question about one file.
type Witness struct {
	Robots []byte
	spec.Probe
}

// Lines returns how many lines the file has.
func (w Witness) Lines() int {
	n := bytes.Count(w.Robots, []byte("\n")) + bytes.Count(w.Robots, []byte("\r")) - bytes.Count(w.Robots, []byte("\r\n"))
	if last := len(w.Robots) - 1; last >= 0 && w.Robots[last] != '\n' && w.Robots[last] != '\r' {
		n++
	}
	return n
}

// Octets returns the octets of the file, the agent and the URL together.
func (w Witness) Octets() int { return len(w.Robots) + len(w.Agent) + len(w.URL) }

// Compare orders witnesses by how much there is to read: by lines, then by
// octets, and those of one size by their octets' values, so that the least of
// many is the same one whatever the order they come in.
func (w Witness) Compare(v Witness) int {
	return cmp.Or(
		cmp.Compare(w.Lines(), v.Lines()),
		cmp.Compare(w.Octets(), v.Octets()),
		bytes.Compare(w.Robots, v.Robots),
		cmp.Compare(w.Agent, v.Agent),
		cmp.Compare(w.URL, v.URL),
	)
}

// fits reports whether w has neither more lines nor more octets than v.
func (w Witness) fits(v Witness) bool {
	return w.Octets() <= v.Octets() && w.Lines() <= v.Lines()
}

// defects are what is wrong with a witness whatever it shows.
type defects uint8

const (
	robotsNotUTF8 defects = 1 << iota
	robotsMalformedEscape
	urlMalformedEscape
	urlNotPlain
)

// octets is how much there is of the witness to read.
func (w Witness) octets() int { return len(w.Robots) + len(w.URL) }

func defectsOf(w Witness) defects {
	var d defects
	if !utf8.Valid(w.Robots) {
		d |= robotsNotUTF8
	}
	if hasMalformedEscape(w.Robots) {
		d |= robotsMalformedEscape
	}
	if hasMalformedEscape([]byte(w.URL)) {
		d |= urlMalformedEscape
	}
	if !isPlainURL(w.URL) {
		d |= urlNotPlain
	}
	return d
}

func hasMalformedEscape(octets []byte) bool {
	for {
		at := bytes.IndexByte(octets, '%')
		if at < 0 {
			return false
		}
		octets = octets[at+1:]
		if len(octets) < 2 || !isHex(octets[0]) || !isHex(octets[1]) {
			return true
		}
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

var plainOrigin = regexp.MustCompile(`^https?://[A-Za-z0-9.-]+(?::[0-9]+)?/`)

// isPlainURL reports whether a crawler could come to ask for the URL: it has a
// host, a path and no blanks or controls. It may hold octets beyond ASCII.
func isPlainURL(url string) bool {
	origin := plainOrigin.FindString(url)
	for i := len(origin); i < len(url); i++ {
		if url[i] <= ' ' || url[i] == 0x7F {
			return false
		}
	}
	return origin != ""
}

// A fileLine is a line of a file and what ends it: CR, LF, CRLF or, at the end
// of the file, nothing.
type fileLine struct{ text, end string }

// fileLines cuts a file into lines; joinLines puts them together again.
func fileLines(robots []byte) []fileLine {
	var lines []fileLine
	for rest := string(robots); rest != ""; {
		end := strings.IndexAny(rest, "\r\n")
		width := 1
		switch {
		case end < 0:
			end, width = len(rest), 0
		case strings.HasPrefix(rest[end:], "\r\n"):
			width = 2
		}
		lines = append(lines, fileLine{text: rest[:end], end: rest[end : end+width]})
		rest = rest[end+width:]
	}
	return lines
}

func joinLines(lines []fileLine) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteString(l.end)
	}
	return b.Bytes()
}

// comments reports whether the line is a comment and nothing else.
func (l fileLine) comments() bool { return strings.HasPrefix(l.text, "#") }

// record cuts a line behind its key: "Disallow", ": /a". A line without a colon
// is cut at its first blank, one without either has no key.
func (l fileLine) record() (key, rest string) {
	i := strings.IndexByte(l.text, ':')
	if i < 0 {
		i = strings.IndexAny(l.text, " \t")
	}
	return l.text[:max(i, 0)], l.text[max(i, 0):]
}

// names reports whether the line looks like a user-agent line to anybody.
func (l fileLine) names() bool {
	key, _ := l.record()
	return strings.Contains(strings.ToLower(key), "agent")
}

// cutOrigin cuts a URL in front of its path; what has no "://" is all path.
func cutOrigin(url string) (origin, target string) {
	i := strings.Index(url, "://")
	if i < 0 {
		return "", url
	}
	i += len("://")
	if n := strings.IndexAny(url[i:], "/?#"); n >= 0 {
		return url[:i+n], url[i+n:]
	}
	return url, ""
}
