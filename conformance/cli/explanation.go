package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A style says whether to colour.
type style bool

func (s style) paint(code, text string) string {
	if !s {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string { return s.paint("1", text) }
func (s style) dim(text string) string  { return s.paint("2", text) }

// verdict pads the verdict to a column and colours it.
func (s style) verdict(v spec.Verdict) string {
	text := fmt.Sprintf("%-8s", v)
	switch v {
	case spec.Allow:
		return s.paint("32", text)
	case spec.Disallow:
		return s.paint("31", text)
	}
	return s.paint("35", text)
}

// An explanation shows why the reference answers one probe as it does.
type explanation struct {
	robots []byte
	probe  spec.Probe
	style
}

// write shows the interpretation in full, and what the others say beside it.
func (x *explanation) write(w io.Writer, interpretation string) error {
	trace := x.trace(interpretation)
	fmt.Fprintf(w, "%s\n", x.bold("Under "+interpretation+": "+string(verdictOf(trace))+", as "+trace.Why()))
	if len(trace.HeaderLines) > 0 {
		whose := "The groups that name the crawler"
		if trace.Source == reference.SourceStar {
			whose = "No group names the crawler; the groups for * "
		}
		fmt.Fprintf(w, "%s begin at %s.\n", strings.TrimSpace(whose), lineList(trace.HeaderLines))
	}
	fmt.Fprintf(w, "The URL is compared as %s\n", spec.EncodeInline(trace.Path))
	x.rules(w, trace)
	fmt.Fprintln(w)
	x.file(w, trace)
	fmt.Fprintln(w)
	for _, in := range x.interpretations() {
		fmt.Fprintf(w, "  %-14s %s %s\n", in.Interpretation, x.verdict(in.Verdict), x.dim(in.Why))
	}
	return nil
}

// maxShown is how many rules or lines are shown at most.
const maxShown = 40

// rules shows the rules that hold for the crawler, those that match first in
// weight.
func (x *explanation) rules(w io.Writer, trace *reference.Trace) {
	if len(trace.Considered) == 0 {
		return
	}
	fmt.Fprintln(w, "\n  line  rule                                                octets  matches")
	for i, c := range trace.Considered {
		if i == maxShown {
			fmt.Fprintf(w, "  … and %d more\n", len(trace.Considered)-maxShown)
			break
		}
		mark, matches := " ", "no"
		if c.Matches {
			matches = "yes"
		}
		if trace.Decision.Rule != nil && c.Rule.Line() == trace.Decision.Rule.Line() {
			mark = "→"
		}
		name := "disallow "
		if c.Rule.Allow() {
			name = "allow "
		}
		rule := cut(name+spec.EncodeInline(c.Rule.Compared()), 50)
		fmt.Fprintf(w, "%s %4d  %s%s  %6d  %s\n", mark, c.Rule.Line(), rule, strings.Repeat(" ", 50-utf8.RuneCountInString(rule)), c.Octets, matches)
	}
}

// file shows the file with the deciding line marked.
func (x *explanation) file(w io.Writer, trace *reference.Trace) {
	deciding := 0
	if trace.Decision.Rule != nil {
		deciding = trace.Decision.Rule.Line()
	}
	lines := numbered(x.robots)
	from := 0
	if len(lines) > maxShown {
		from = min(max(0, deciding-maxShown/2), len(lines)-maxShown)
	}
	if from > 0 {
		fmt.Fprintf(w, "  … %d lines\n", from)
	}
	shown := min(len(lines), from+maxShown)
	for i, line := range lines[from:shown] {
		n := from + i + 1
		text := fmt.Sprintf("  %4d  %s", n, cut(line, 90))
		if n == deciding {
			text = x.bold("→" + text[1:])
		}
		fmt.Fprintln(w, text)
	}
	if left := len(lines) - shown; left > 0 {
		fmt.Fprintf(w, "  … %d more lines\n", left)
	}
}

// numbered cuts a file into lines as RFC 9309 does, in octet notation with the
// line ends other than LF kept visible.
func numbered(robots []byte) []string {
	var lines []string
	rest := string(robots)
	for rest != "" {
		i := strings.IndexAny(rest, "\r\n")
		if i < 0 {
			i = len(rest) - 1
		}
		end := i + 1
		if rest[i] == '\r' && strings.HasPrefix(rest[end:], "\n") {
			end++
		}
		lines = append(lines, strings.TrimSuffix(spec.EncodeOctets([]byte(rest[:end])), "\n"))
		rest = rest[end:]
	}
	return lines
}

// cut shortens text to a number of columns.
func cut(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}

func lineList(lines []int) string {
	words := make([]string, len(lines))
	for i, n := range lines {
		words[i] = fmt.Sprint(n)
	}
	if len(words) == 1 {
		return "line " + words[0]
	}
	if len(words) > 10 {
		return "lines " + strings.Join(words[:10], ", ") + " …"
	}
	return "lines " + strings.Join(words, ", ")
}
