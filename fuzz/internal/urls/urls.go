// Package urls changes URLs and paths byte by byte, for inputs that test how
// parsers compare them. Nothing is normalized unless a function says so.
package urls

import (
	"bytes"
	"regexp"
	"strings"
)

// Cut splits a URL before its path; a URL without "://" is all path.
func Cut(url string) (origin, target string) {
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

var plainOrigin = regexp.MustCompile(`^https?://[A-Za-z0-9.-]+(?::[0-9]+)?/`)

// Plain reports whether a crawler could request the URL: it has a host, a path
// and no blanks or controls. It may hold bytes beyond ASCII.
func Plain(url string) bool {
	origin := plainOrigin.FindString(url)
	for i := len(origin); i < len(url); i++ {
		if url[i] <= ' ' || url[i] == 0x7F {
			return false
		}
	}
	return origin != ""
}

// Legal percent-encodes the bytes of a path that are not allowed in a URL.
func Legal(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>\\^`{|}#", c) >= 0 {
			b.WriteString(Escape(c))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Escape returns the percent-encoding of one byte, "%2F".
func Escape(c byte) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{'%', digits[c>>4], digits[c&15]})
}

// Decode decodes every well-formed escape except those of a slash, a question
// mark, a number sign, a percent sign, a blank and controls.
func Decode(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			high, low := hexDigit(path[i+1]), hexDigit(path[i+2])
			if c := byte(high<<4 | low); high >= 0 && low >= 0 && c > ' ' && strings.IndexByte("/?#%", c) < 0 {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// HasMalformedEscape reports whether a percent sign is not followed by two
// hexadecimal digits.
func HasMalformedEscape(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '%')
		if at < 0 {
			return false
		}
		text = text[at+1:]
		if len(text) < 2 || hexDigit(text[0]) < 0 || hexDigit(text[1]) < 0 {
			return true
		}
	}
}

// hexDigit returns the value of a hexadecimal digit, -1 of any other byte.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
