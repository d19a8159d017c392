package reference

import (
	"strings"
	"unicode/utf8"
)

// A kind says what a line is.
type kind uint8

const (
	kindNothing    kind = iota // a comment on a line of its own
	kindBlank                  // a line of blanks only
	kindGarbage                // a line that is no record
	kindOther                  // a record that the protocol does not define
	kindCrawlDelay             // the most common of those
	kindAgent
	kindAllow
	kindDisallow
)

// A record is a line read as key and value.
type record struct {
	kind  kind
	value string
	// void marks a line with a known key whose value the grammar does not
	// derive: it keeps its place among the lines of its kind, but names no
	// crawler and is no rule.
	void bool
}

// recordsStage reads a line as a record (RFC 9309 sections 2.2 and 2.2.3).
// Points: Comment, WhiteSpace, Separator, BlankBeforeColon, DoubledColon, Keys,
// AllowLines, ControlOctets, InvalidUTF8, BlankInPath.
type recordsStage struct {
	comment     Choice
	separator   Choice
	beforeColon Choice
	doubled     Choice
	keys        Choice
	allowLines  Choice
	control     Choice
	invalid     Choice
	blankInPath Choice
	trim        func(string) string
}

func resolveRecords(in Interpretation) recordsStage {
	trims := [...]func(string) string{
		WhiteSpaceBlank:   trimBlanks,
		WhiteSpaceASCII:   func(s string) string { return strings.Trim(s, " \t\n\v\f\r") },
		WhiteSpaceUnicode: strings.TrimSpace,
	}
	return recordsStage{
		comment:     in[Comment],
		separator:   in[Separator],
		beforeColon: in[BlankBeforeColon],
		doubled:     in[DoubledColon],
		keys:        in[Keys],
		allowLines:  in[AllowLines],
		control:     in[ControlOctets],
		invalid:     in[InvalidUTF8],
		blankInPath: in[BlankInPath],
		trim:        trims[in[WhiteSpace]],
	}
}

// read reads one line. refused says why the whole file is refused, if it is.
func (s *recordsStage) read(line string) (rec record, refused string) {
	if line = s.trim(line); line == "" {
		return record{kind: kindBlank}, ""
	}
	if line = s.trim(s.cutComment(line)); line == "" {
		return record{kind: kindNothing}, ""
	}
	key, value, ok := s.split(line)
	if !ok {
		return record{kind: kindGarbage}, ""
	}
	rec = record{kind: s.kind(key), value: value}
	if rec.kind < kindAgent {
		return rec, ""
	}
	if refused := s.checkOctets(&rec); refused != "" {
		return rec, refused
	}
	if rec.kind != kindAgent {
		s.checkBlanks(&rec)
	}
	return rec, ""
}

// cutComment drops the comment: "#" and all behind it.
func (s *recordsStage) cutComment(line string) string {
	for from := 0; ; {
		i := strings.IndexByte(line[from:], '#')
		if i < 0 {
			return line
		}
		i += from
		if s.comment == CommentAnywhere || i == 0 || isBlank(line[i-1]) {
			return line[:i]
		}
		from = i + 1
	}
}

// split parts key and value.
func (s *recordsStage) split(line string) (key, value string, ok bool) {
	if s.separator == SeparatorKeyword {
		if key, value, ok := splitKeyword(line); ok {
			return key, s.trim(value), true
		}
	}
	colon := strings.IndexByte(line, ':')
	if colon < 0 {
		if s.separator == SeparatorTwoWords {
			return splitWords(line)
		}
		return "", "", false
	}
	key, value = line[:colon], s.trim(line[colon+1:])
	if trimmed := s.trim(key); trimmed != key {
		if s.beforeColon == BlankBeforeColonRefused {
			return "", "", false
		}
		key = trimmed
	}
	if s.doubled == DoubledColonSkipped {
		value = s.trim(strings.TrimLeft(value, ":"))
	}
	return key, value, key != ""
}

// splitWords takes a line of exactly two words as key and value (GCC-LINE-1).
func splitWords(line string) (key, value string, ok bool) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return "", "", false
	}
	value = trimBlanks(line[i:])
	return line[:i], value, value != "" && !strings.ContainsAny(value, " \t")
}

// splitKeyword parts a line behind the key that it begins with.
func splitKeyword(line string) (key, value string, ok bool) {
	for _, key := range [...]string{"user-agent", "disallow", "allow"} {
		if hasPrefixFold(line, key) {
			return key, strings.TrimLeft(line[len(key):], " \t:"), true
		}
	}
	return "", "", false
}

// kind tells what a key means.
func (s *recordsStage) kind(key string) kind {
	k := kindOther
	if s.keys == KeysGoogle {
		k = googleKind(key)
	} else {
		// The lengths tell the four keys apart before any comparison.
		switch {
		case len(key) == 8 && equalFold(key, "disallow"):
			k = kindDisallow
		case len(key) == 5 && equalFold(key, "allow"):
			k = kindAllow
		case len(key) == 10 && equalFold(key, "user-agent"):
			k = kindAgent
		}
	}
	switch {
	case k == kindAllow && s.allowLines == AllowLinesUnknown:
		return kindOther
	case k == kindOther && len(key) == 11 && equalFold(key, "crawl-delay"):
		return kindCrawlDelay
	}
	return k
}

// googleKind accepts whatever begins with a key or with one of the
// misspellings that Google has seen often (GCC-KEY-1 to GCC-KEY-5).
func googleKind(key string) kind {
	for _, known := range googleKeys {
		if hasPrefixFold(key, known.prefix) {
			return known.kind
		}
	}
	return kindOther
}

var googleKeys = [...]struct {
	prefix string
	kind   kind
}{
	{"user-agent", kindAgent},
	{"useragent", kindAgent},
	{"user agent", kindAgent},
	{"allow", kindAllow},
	{"disallow", kindDisallow},
	{"dissallow", kindDisallow},
	{"dissalow", kindDisallow},
	{"disalow", kindDisallow},
	{"diasllow", kindDisallow},
	{"disallaw", kindDisallow},
}

// checkOctets deals with octets outside the grammar in the value: controls
// (section 3 wants them rejected) and, in rules, what is not UTF-8.
func (s *recordsStage) checkOctets(rec *record) (refused string) {
	control, high := false, false
	for i := range len(rec.value) {
		c := rec.value[i]
		control = control || c < ' ' && c != '\t'
		high = high || c >= utf8.RuneSelf
	}
	if control {
		switch s.control {
		case ControlOctetsRefuseLine:
			rec.void = true
		case ControlOctetsDrop:
			kept := make([]byte, 0, len(rec.value))
			for i := range len(rec.value) {
				if c := rec.value[i]; c >= ' ' || c == '\t' {
					kept = append(kept, c)
				}
			}
			rec.value = string(kept)
		case ControlOctetsRejectFile:
			return "a control octet"
		}
	}
	if high && s.invalid != InvalidUTF8Keep && rec.kind != kindAgent && !utf8.ValidString(rec.value) {
		switch s.invalid {
		case InvalidUTF8RefuseLine:
			rec.void = true
		case InvalidUTF8Latin1:
			var b strings.Builder
			for i := range len(rec.value) {
				b.WriteRune(rune(rec.value[i]))
			}
			rec.value = b.String()
		case InvalidUTF8Drop:
			rec.value = strings.ToValidUTF8(rec.value, "")
		}
	}
	return ""
}

// checkBlanks deals with blanks inside a path, which the grammar has none of.
func (s *recordsStage) checkBlanks(rec *record) {
	if s.blankInPath == BlankInPathKeep {
		return
	}
	i := strings.IndexByte(rec.value, ' ')
	if t := strings.IndexByte(rec.value, '\t'); t >= 0 && (i < 0 || t < i) {
		i = t
	}
	if i < 0 {
		return
	}
	if s.blankInPath == BlankInPathCut {
		rec.value = rec.value[:i]
	} else {
		rec.void = true
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func trimBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// equalFold compares without regard to the case of ASCII letters, and of those
// alone: strings.EqualFold would take U+212A for "k".
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
