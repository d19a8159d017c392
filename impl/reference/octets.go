package reference

import "bytes"

// ParsingLimit is the least number of octets that a crawler has to parse,
// 500 KiB (RFC 9309 section 2.5), and how many are parsed where a limit is
// imposed.
const ParsingLimit = 500 << 10

var byteOrderMark = []byte("\uFEFF")

// octetsStage takes the body as it came. Points: SizeLimit, ByteOrderMark.
type octetsStage struct {
	limit Choice
	bom   Choice
}

func resolveOctets(in Interpretation) octetsStage {
	return octetsStage{limit: in[SizeLimit], bom: in[ByteOrderMark]}
}

// body returns the part of the octets that is parsed, or why the file is
// refused.
func (s octetsStage) body(octets []byte) (body []byte, refused string) {
	if len(octets) > ParsingLimit {
		switch s.limit {
		case SizeLimitDropCutLine:
			octets = wholeLines(octets)
		case SizeLimitKeepCutLine:
			octets = octets[:ParsingLimit]
		case SizeLimitReject:
			return nil, "larger than 500 KiB"
		}
	}
	switch s.bom {
	case BOMStripOne:
		octets = bytes.TrimPrefix(octets, byteOrderMark)
	case BOMStripPartial: // GCC-LINE-10: as far as the octets agree with a mark
		for i := range len(byteOrderMark) {
			if len(octets) == 0 || octets[0] != byteOrderMark[i] {
				break
			}
			octets = octets[1:]
		}
	case BOMStripAnywhere:
		octets = bytes.ReplaceAll(octets, byteOrderMark, nil)
	}
	return octets, ""
}

// wholeLines cuts octets at the limit without leaving a part of a line: half
// of "Disallow: /foo" could forbid the whole site.
func wholeLines(octets []byte) []byte {
	if next := octets[ParsingLimit]; next == '\n' || next == '\r' {
		return octets[:ParsingLimit]
	}
	kept := octets[:ParsingLimit]
	return kept[:bytes.LastIndexAny(kept, "\r\n")+1]
}
