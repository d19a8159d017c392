package goparsers

import "strings"

// splitURL splits an absolute URL into its origin (scheme and authority) and its
// target (path and query), and drops the fragment. The octets are not decoded,
// encoded, folded or checked. The only change is that of RFC 3986 section 6.2.3: an
// empty path becomes "/".
//
// The components are those of RFC 3986 section 3. Other references are split by the
// same rules: the target of "/a" is "/a", and its origin is empty.
func splitURL(url string) (origin, target string) {
	url, _, _ = strings.Cut(url, "#")
	end := schemeLen(url)
	if strings.HasPrefix(url[end:], "//") {
		authority := end + len("//")
		end = len(url)
		if i := strings.IndexAny(url[authority:], "/?"); i >= 0 {
			end = authority + i
		}
	}
	origin, target = url[:end], url[end:]
	if target == "" || target[0] == '?' {
		target = "/" + target
	}
	return origin, target
}

// schemeLen returns the length of the scheme of url including its colon, or 0 if it
// has none.
func schemeLen(url string) int {
	for i := range len(url) {
		switch c := url[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
