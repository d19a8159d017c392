package reference

import "strings"

// urlsStage finds the part of a URL that rules are compared with (RFC 9309
// section 2.2.2).
type urlsStage Interpretation

// target returns the path and query of url. If slash is true, the caller must put a
// slash in front of them, because the URL has none.
func (s *urlsStage) target(url string) (target string, slash bool) {
	if s[URLForm] == URLFormGoogle {
		target, slash = googleTarget(url)
	} else {
		target, slash = s.rfc3986Target(url)
	}
	if s[URLPart] == URLPartPathOnly {
		target, _, _ = strings.Cut(target, "?")
	}
	if s[URLPart] == URLPartEmptyPath {
		slash = false
	}
	if s[URLPart] == URLPartDropEmptyQuery && strings.HasSuffix(target, "?") {
		target = target[:len(target)-1]
	}
	switch s[DotSegments] {
	case DotSegmentsRemove:
		if slash {
			target, slash = "/"+target, false
		}
		target = removeDotSegments(target)
	case DotSegmentsMergeSlashes:
		for strings.Contains(target, "//") {
			target = strings.ReplaceAll(target, "//", "/")
		}
	}
	return target, slash
}

// isMalformed reports whether the URL contains something that is not valid in a
// URI and that many URL parsers refuse. That is a control octet, a percent sign
// before the query that does not begin an escape, a colon in the first segment that
// does not end a scheme, or an authority with an escape, with an octet that is not
// valid in a URI, with brackets that do not enclose an address, or with a port that
// is not a number.
func isMalformed(url string) bool {
	for i := range len(url) {
		if c := url[i]; c < 0x20 || c == 0x7F {
			return true
		}
	}
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	if hasMalformed(url) {
		return true
	}
	if i := strings.IndexAny(url, ":/"); i >= 0 && url[i] == ':' {
		if !isScheme(url[:i]) {
			return true
		}
		url = url[i+1:]
	}
	authority, ok := strings.CutPrefix(url, "//")
	if !ok {
		return false
	}
	authority, _, _ = strings.Cut(authority, "/")
	for i := range len(authority) {
		if c := authority[i]; c == '%' || c < 0x80 && !isURI(c) {
			return true
		}
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if literal, ok := strings.CutPrefix(authority, "["); ok {
		if _, authority, ok = strings.Cut(literal, "]"); !ok {
			return true
		}
	}
	_, port, _ := strings.Cut(authority, ":")
	return strings.ContainsAny(authority, "[]") || strings.Trim(port, "0123456789") != ""
}

// isScheme reports whether s can be the scheme of a URI (RFC 3986 section 3.1).
func isScheme(s string) bool {
	for i := range len(s) {
		letter := 'a' <= lower(s[i]) && lower(s[i]) <= 'z'
		if !letter && (i == 0 || strings.IndexByte("0123456789+-.", s[i]) < 0) {
			return false
		}
	}
	return s != ""
}

// rfc3986Target splits the URL into its components like appendix B of RFC 3986.
// The URL may be only a path.
func (s *urlsStage) rfc3986Target(url string) (target string, slash bool) {
	if s[URLPart] != URLPartWithFragment {
		url, _, _ = strings.Cut(url, "#")
	}
	rest := url
	if i := strings.IndexAny(rest, ":/?#"); i > 0 && rest[i] == ':' {
		rest = rest[i+1:]
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexAny(authority, "/?#")
		if i < 0 {
			return "", true
		}
		rest = authority[i:]
	}
	// An empty path is "/" (RFC 3986 section 6.2.3).
	return rest, rest == "" || rest[0] == '?' || rest[0] == '#'
}

// googleTarget extracts the path like Google's parser, which accepts any text as a
// URL (GCC-PATH-1 to GCC-PATH-5).
func googleTarget(url string) (target string, slash bool) {
	start := 0
	if strings.HasPrefix(url, "//") {
		start = 2
	}
	hash := strings.IndexByte(url[start:], '#')
	early := strings.IndexAny(url[start:], "/?;")
	if scheme := strings.Index(url[start:], "://"); scheme >= 0 && (early < 0 || scheme <= early) {
		authority := scheme + len("://")
		early = strings.IndexAny(url[start+authority:], "/?;")
		if early >= 0 {
			early += authority
		}
	}
	if early < 0 || hash >= 0 && hash < early {
		return "", true
	}
	target = url[start+early:]
	if hash >= 0 {
		target = url[start+early : start+hash]
	}
	slash = target[0] != '/'
	target, _, _ = strings.Cut(target, "\x00") // the parser holds it as a C string
	return target, slash
}

// removeDotSegments applies section 5.2.4 of RFC 3986 to the path of a target.
func removeDotSegments(target string) string {
	path, query, hasQuery := strings.Cut(target, "?")
	segments := strings.Split(path, "/")
	kept := make([]string, 0, len(segments))
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".":
			if last {
				kept = append(kept, "")
			}
		case "..":
			if len(kept) > 1 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	path = strings.Join(kept, "/")
	if hasQuery {
		return path + "?" + query
	}
	return path
}
