package reference

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// ParsingLimit is the minimum number of octets that a crawler must parse, 500 KiB
// (RFC 9309 section 2.5). Interpretations with a limit use this one.
const ParsingLimit = 500 << 10

var byteOrderMark = []byte("\uFEFF")

// octetsStage decides which octets of the body are parsed (RFC 9309 section
// 2.5).
type octetsStage Interpretation

// body returns the octets that are parsed, or the reason why the file is refused.
func (s *octetsStage) body(octets []byte) (body []byte, refused string) {
	if len(octets) > ParsingLimit {
		switch s[SizeLimit] {
		case SizeLimitDropCutLine:
			octets = wholeLines(octets)
		case SizeLimitKeepCutLine:
			octets = octets[:ParsingLimit]
		case SizeLimitReject:
			return nil, "larger than 500 KiB"
		}
	}
	switch s[ByteOrderMark] {
	case ByteOrderMarkStripOne:
		octets = bytes.TrimPrefix(octets, byteOrderMark)
	case ByteOrderMarkStripPartial: // GCC-LINE-10: any first part of a mark
		for i := range len(byteOrderMark) {
			if len(octets) == 0 || octets[0] != byteOrderMark[i] {
				break
			}
			octets = octets[1:]
		}
	case ByteOrderMarkStripAnywhere:
		octets = bytes.ReplaceAll(octets, byteOrderMark, nil)
	case ByteOrderMarkUTF16:
		octets = bytes.TrimPrefix(fromUTF16(octets), byteOrderMark)
	}
	switch s[Markup] {
	case MarkupStripped:
		octets = stripTags(octets)
	case MarkupIgnored:
		if lowered := bytes.ToLower(octets); bytes.Contains(lowered, []byte("<html")) || bytes.Contains(lowered, []byte("<!doctype html")) {
			octets = nil
		}
	}
	return octets, ""
}

// wholeLines cuts octets at the limit and drops a line that the limit cuts in two,
// because the first part of "Disallow: /foo" could forbid the whole site.
func wholeLines(octets []byte) []byte {
	if next := octets[ParsingLimit]; next == '\n' || next == '\r' {
		return octets[:ParsingLimit]
	}
	kept := octets[:ParsingLimit]
	return kept[:bytes.LastIndexAny(kept, "\r\n")+1]
}

// fromUTF16 converts octets that begin with a UTF-16 byte order mark to UTF-8. It
// returns other octets unchanged.
func fromUTF16(octets []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(octets, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(octets, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return octets
	}
	var units []uint16
	for rest := octets[2:]; len(rest) >= 2; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	var decoded []byte
	for _, r := range utf16.Decode(units) {
		decoded = utf8.AppendRune(decoded, r)
	}
	return decoded
}

// stripTags drops every "<" and everything up to the next ">".
func stripTags(octets []byte) []byte {
	var kept []byte
	for {
		open := bytes.IndexByte(octets, '<')
		if open < 0 {
			return append(kept, octets...)
		}
		kept = append(kept, octets[:open]...)
		end := bytes.IndexByte(octets[open:], '>')
		if end < 0 {
			return append(kept, octets[open:]...)
		}
		octets = octets[open+end+1:]
	}
}
