package mutant

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/plain"
	"github.com/repcheck/repcheck/spec"
)

// octetFaults concern the body and its lines (RFC 9309 sections 2.5, 2.2 and
// 2.3.1.5).
var octetFaults = []fault{
	{"first-4-kib", "RFC9309-2.5-2", "Only the first 4 KiB are read.",
		firstOctets(4 << 10),
		wronglyAllows("User-agent: FooBot\n#"+strings.Repeat("-", 4<<10)+"\nDisallow: /a\n", "/a")},
	{"first-64-kib", "RFC9309-2.5-2", "Only the first 64 KiB are read.",
		firstOctets(64 << 10),
		wronglyAllows("User-agent: FooBot\n#"+strings.Repeat("-", 64<<10)+"\nDisallow: /a\n", "/a")},
	{"first-500-kb", "RFC9309-2.5-2", "Only the first 500,000 octets are read.",
		firstOctets(500_000),
		wronglyAllows("User-agent: FooBot\n#"+strings.Repeat("-", 500_000)+"\nDisallow: /a\n", "/a")},
	{"limit-off-by-one", "RFC9309-2.5-2", "The last octet within 500 KiB is not read, so a line that ends there loses its newline.",
		body(offByOne),
		wronglyAllows("User-agent: FooBot\n#"+strings.Repeat("-", 511_967)+"\nDisallow: /a\n", "/a")},
	{"first-1000-lines", "RFC9309-2.5-2", "Only the first thousand lines are read.",
		lines(func(s string) []string { l := plain.SplitLines(s); return l[:min(len(l), 1000)] }),
		wronglyAllows("User-agent: FooBot\n"+strings.Repeat("\n", 1000)+"Disallow: /a\n", "/a")},
	{"first-1000-rules", "RFC9309-2.5-2", "Rules after the thousandth are ignored.",
		records(firstRules),
		wronglyAllows("User-agent: FooBot\n"+strings.Repeat("Allow: /b\n", 1000)+"Disallow: /a\n", "/a")},
	{"line-buffer-4-kib", "RFC9309-2.5-2", "A line longer than 4 KiB is split into several lines.",
		lines(buffered(4 << 10)),
		wronglyForbids("User-agent: FooBot\n#"+strings.Repeat("-", 4<<10-1)+"Disallow: /a\n", "/a")},
	{"line-buffer", "RFC9309-2.5-2", "A line longer than 8 KiB is split into several lines.",
		lines(buffered(8 << 10)),
		wronglyForbids("User-agent: FooBot\n#"+strings.Repeat("-", 8<<10-1)+"Disallow: /a\n", "/a")},
	{"line-buffer-64-kib", "RFC9309-2.5-2", "A line longer than 64 KiB is split into several lines.",
		lines(buffered(64 << 10)),
		wronglyForbids("User-agent: FooBot\n#"+strings.Repeat("-", 64<<10-1)+"Disallow: /a\n", "/a")},
	{"long-line-ends-file", "RFC9309-2.5-2", "Reading ends at a line of 64 KiB or more.",
		lines(untilLongLine),
		wronglyAllows("User-agent: FooBot\n#"+strings.Repeat("-", 64<<10)+"\nDisallow: /a\n", "/a")},

	{"cr-kept", "RFC9309-ABNF-NL", "Only LF ends a line, and a CR before it stays in the value.",
		steps(lines(func(s string) []string { return strings.Split(s, "\n") }), func(m *model) {
			m.Control = func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' }
		}),
		wronglyAllows("User-agent: FooBot\r\nDisallow: /a\r\n", "/a")},
	{"cr-dropped", "RFC9309-ABNF-NL", "Every CR is dropped, and only LF ends a line.",
		lines(func(s string) []string { return strings.Split(strings.ReplaceAll(s, "\r", ""), "\n") }),
		wronglyAllows("User-agent: FooBot\rDisallow: /a\r", "/a")},
	{"form-feed-ends-line", "RFC9309-ABNF-NL", "A form feed and a vertical tab end a line.",
		lines(func(s string) []string {
			return plain.SplitLines(strings.NewReplacer("\f", "\n", "\v", "\n").Replace(s))
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\fDisallow: /b\n", "/b")},
	{"continuation-lines", "RFC9309-ABNF-EOL", "A line that begins with a blank continues the line above.",
		lines(continued),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n /b\n", "/a")},
	{"backslash-joins-lines", "RFC9309-ABNF-EOL", "A backslash at the end of a line joins it with the next line.",
		lines(func(s string) []string { return plain.SplitLines(strings.ReplaceAll(s, "\\\n", "")) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\\\nDisallow: /b\n", "/b")},

	{"blank-line-stops", "RFC9309-ABNF-robotstxt", "Reading ends at the first blank line.",
		stopAt(plain.Blank),
		wronglyAllows("User-agent: BarBot\nAllow: /\n\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"bad-line-stops", "RFC9309-2.3.1.5-1", "Reading ends at the first line that is not a record.",
		stopAt(plain.Garbage),
		wronglyAllows("User-agent: FooBot\nwhat?\nDisallow: /a\n", "/a")},
	{"bad-line-ends-group", "RFC9309-2.3.1.5-1", "A line that is not a record ends the group.",
		endGroupBehind(isKind(plain.Garbage)),
		wronglyAllows("User-agent: FooBot\nwhat?\nDisallow: /a\n", "/a")},
	{"bad-line-takes-the-next", "RFC9309-2.3.1.5-1", "A line that is not a record is skipped together with the next line.",
		records(skipBehindGarbage),
		wronglyAllows("User-agent: FooBot\nwhat?\nDisallow: /a\n", "/a")},
	{"bad-line-rejects", "RFC9309-2.3.1.5-2", "A file with a line that is not a record is refused.",
		refuseWith(isKind(plain.Garbage)),
		wronglyRejects("User-agent: FooBot\nwhat?\nDisallow: /a\n", "/a", spec.Disallow)},
	{"unknown-key-stops", "RFC9309-2.2.4-3", "Reading ends at the first record with an unknown key.",
		stopAt(plain.Other),
		wronglyAllows("User-agent: FooBot\nHost: x.test\nDisallow: /a\n", "/a")},
	{"unknown-key-rejects", "RFC9309-2.2.4-3", "A file with a record whose key is unknown is refused.",
		refuseWith(isKind(plain.Other)),
		wronglyRejects("User-agent: FooBot\nHost: x.test\nDisallow: /a\n", "/a", spec.Disallow)},
	{"invalid-utf8-rejects", "RFC9309-2.3.1.5-2", "A file that is not valid UTF-8 is refused.",
		refuse(func(body string, _ []record) bool { return !utf8.ValidString(body) }),
		wronglyRejects("# \xFF\nUser-agent: FooBot\nDisallow: /a\n", "/a", spec.Disallow)},
	{"markup-is-no-file", "RFC9309-2.3.1.5-2", "A file that begins with an angle bracket is treated as a web page without rules.",
		body(func(s string) string {
			return cond(strings.HasPrefix(s, "<"), "", plain.FirstLines(s, reference.ParsingLimit))
		}),
		wronglyAllows("<pre>\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"tags-removed", "RFC9309-2.3.1.5-2", "Tags are removed before a line is read.",
		eachLine(withoutTags),
		wronglyForbids("User-agent: FooBot\n<p>Disallow: /a</p>\n", "/a")},
	{"empty-file-forbids", "RFC9309-2.2.1-10", "A file without any group forbids everything.",
		func(m *model) {
			m.Groups = func(groups []group) []group {
				if len(groups) == 0 {
					m.NoGroup = false
				}
				return groups
			}
		},
		wronglyForbids("", "/a")},
}

func firstOctets(limit int) change {
	return body(func(octets string) string { return plain.FirstLines(octets, limit) })
}

// offByOne reads one octet too few, so that it treats a line that ends at the limit
// as cut.
func offByOne(octets string) string {
	const limit = 500<<10 - 1
	if len(octets) > limit {
		octets = octets[:strings.LastIndexAny(octets[:limit], "\r\n")+1]
	}
	return plain.FirstLines(octets, reference.ParsingLimit)
}

func firstRules(records []record) []record {
	n := 0
	return slices.DeleteFunc(records, func(r record) bool {
		if r.IsRule() {
			n++
		}
		return r.IsRule() && n > 1000
	})
}

func buffered(buffer int) func(string) []string {
	return func(body string) []string {
		var lines []string
		for _, line := range plain.SplitLines(body) {
			for len(line) > buffer {
				lines = append(lines, line[:buffer])
				line = line[buffer:]
			}
			lines = append(lines, line)
		}
		return lines
	}
}

func untilLongLine(body string) []string {
	lines := plain.SplitLines(body)
	if i := slices.IndexFunc(lines, func(line string) bool { return len(line) >= 64<<10 }); i >= 0 {
		lines = lines[:i]
	}
	return lines
}

func continued(body string) []string {
	var lines []string
	for _, line := range plain.SplitLines(body) {
		if rest := strings.TrimLeft(line, " \t"); len(lines) > 0 && rest != line {
			lines[len(lines)-1] += rest
		} else {
			lines = append(lines, line)
		}
	}
	return lines
}

// stopAt returns the records before the first record of the kind.
func stopAt(k kind) change {
	return records(func(records []record) []record {
		if i := slices.IndexFunc(records, isKind(k)); i >= 0 {
			return records[:i]
		}
		return records
	})
}

// endGroupBehind ends the group after each record for which ends is true.
func endGroupBehind(ends func(record) bool) change {
	return insertBehind(ends, plain.EndsGroup)
}

func insertBehind(after func(record) bool, k kind) change {
	return records(func(records []record) []record {
		var out []record
		for _, r := range records {
			out = append(out, r)
			if after(r) {
				out = append(out, record{Kind: k})
			}
		}
		return out
	})
}

func skipBehindGarbage(records []record) []record {
	skip := false
	return slices.DeleteFunc(records, func(r record) bool {
		skipped := skip
		skip = !skip && r.Kind == plain.Garbage
		return skipped
	})
}

// refuseWith refuses a file with a record for which bad is true.
func refuseWith(bad func(record) bool) change {
	return refuse(func(_ string, records []record) bool { return slices.ContainsFunc(records, bad) })
}

func isKind(k kind) func(record) bool { return func(r record) bool { return r.Kind == k } }

func withoutTags(line string) string {
	for {
		before, rest, ok := strings.Cut(line, "<")
		_, after, closed := strings.Cut(rest, ">")
		if !ok || !closed {
			return line
		}
		line = before + after
	}
}
