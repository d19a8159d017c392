package fuzz

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
)

// The oracle is RFC 9309 once more, written from its text and without a
// thought for speed, so that a mistake would have to be made twice. Where the
// text is open it follows the readings documented in spec/points for rfc9309.

// oracle answers whether the agent may fetch the URL.
func oracle(robots []byte, agent, url string) bool {
	path := oraclePath(url)
	if oracleSpell(path, true) == "/robots.txt" { // 2.2.2: "implicitly allowed"
		return true
	}
	var named, star []oracleRule
	anyNamed, anyStar := false, false
	for _, group := range oracleGroups(oracleRecords(robots)) {
		isNamed, isStar := false, false
		for _, a := range group.agents {
			isStar = isStar || a == "*"
			isNamed = isNamed || a != "" && a != "*" && oracleLower(a) == oracleLower(agent)
		}
		if isNamed { // 2.2.1: the rules of all matching groups are combined
			anyNamed, named = true, append(named, group.rules...)
		}
		if isStar {
			anyStar, star = true, append(star, group.rules...)
		}
	}
	rules := named
	if !anyNamed {
		if !anyStar {
			return true // 2.2.1: no rules apply
		}
		rules = star
	}
	// 2.2.2: the match with the most octets, allow if two are equivalent.
	most, allowed := -1, true
	for _, r := range rules {
		if !oracleMatches(r.path, path) {
			continue
		}
		octets := len(oracleSpell(r.path, false))
		if octets > most || octets == most && r.allow {
			most, allowed = octets, r.allow
		}
	}
	return allowed
}

type oracleRecord struct{ key, value string }

var (
	oracleLineEnd = regexp.MustCompile(`\r\n|\r|\n`)
	oracleLine    = regexp.MustCompile(`(?si)^[ \t]*(user-agent|allow|disallow)[ \t]*:[ \t]*(.*?)[ \t]*$`)
	oracleToken   = regexp.MustCompile(`^[A-Za-z_-]+`)
)

// oracleRecords are the lines that the protocol defines (2.2).
func oracleRecords(robots []byte) []oracleRecord {
	body := string(robots)
	if limit := reference.ParsingLimit; len(body) > limit { // 2.5
		whole := oracleLineEnd.FindAllStringIndex(body, -1)
		cut := 0
		for _, end := range whole {
			if end[0] <= limit {
				cut = end[0]
			}
		}
		body = body[:cut]
	}
	body = strings.TrimPrefix(body, "\uFEFF")
	var records []oracleRecord
	for _, line := range oracleLineEnd.Split(body, -1) {
		line, _, _ = strings.Cut(line, "#") // 2.2.3
		if m := oracleLine.FindStringSubmatch(line); m != nil {
			// A pattern without regard to case takes U+017F for an "s"; the
			// grammar's literals are ASCII (RFC 5234 section 2.3).
			if key := oracleLower(m[1]); key == "user-agent" || key == "allow" || key == "disallow" {
				records = append(records, oracleRecord{key: key, value: m[2]})
			}
		}
	}
	return records
}

type oracleRule struct {
	allow bool
	path  string
}

type oracleGroup struct {
	agents []string
	rules  []oracleRule
}

// oracleGroups gathers the records (2.1): a user-agent line behind rules
// begins a new group.
func oracleGroups(records []oracleRecord) []oracleGroup {
	var groups []oracleGroup
	inRules := true
	for _, r := range records {
		if r.key == "user-agent" {
			if inRules {
				groups = append(groups, oracleGroup{})
			}
			inRules = false
			g := &groups[len(groups)-1]
			switch {
			case oracleControl(r.value):
				g.agents = append(g.agents, "")
			case r.value == "*":
				g.agents = append(g.agents, "*")
			default:
				g.agents = append(g.agents, oracleToken.FindString(r.value))
			}
			continue
		}
		if len(groups) == 0 {
			continue // 2.2.2: not in any group
		}
		inRules = true
		if oracleControl(r.value) || strings.ContainsAny(r.value, " \t") {
			continue // not derivable
		}
		if strings.HasPrefix(r.value, "/") || strings.HasPrefix(r.value, "*") { // path-pattern, erratum 7995
			g := &groups[len(groups)-1]
			g.rules = append(g.rules, oracleRule{allow: r.key == "allow", path: r.value})
		}
	}
	return groups
}

func oracleControl(value string) bool {
	for i := range len(value) {
		if value[i] < 0x20 && value[i] != '\t' {
			return true
		}
	}
	return false
}

func oracleLower(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] >= 'A' && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// The components of a URI by appendix B of RFC 3986.
var oracleURI = regexp.MustCompile(`(?s)^(?:[^:/?#]+:)?(?://[^/?#]*)?([^?#]*)(\?[^#]*)?(?:#.*)?$`)

func oraclePath(url string) string {
	m := oracleURI.FindStringSubmatch(url)
	if m[1] == "" {
		return "/" + m[2]
	}
	return m[1] + m[2]
}

const (
	oracleUnreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	oracleReserved   = ":/?#[]@!$&'()*+,;="
)

// oracleSpell percent-encodes what is not ASCII or cannot stand in a URI,
// decodes what is unreserved and makes hex digits upper-case (2.2.2). In a URL
// a literal "*" or "$" is encoded as well, as figure 6 wants it to match the
// encoded one of a rule.
func oracleSpell(path string, url bool) string {
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		var octet byte
		if c == '%' && i+2 < len(path) && oracleHex(path[i+1:i+3], &octet) {
			if strings.IndexByte(oracleUnreserved, octet) >= 0 {
				out.WriteByte(octet)
			} else {
				fmt.Fprintf(&out, "%%%02X", octet)
			}
			i += 2
			continue
		}
		legal := c == '%' || c < 0x80 && strings.IndexByte(oracleUnreserved+oracleReserved, c) >= 0
		if !legal || url && (c == '*' || c == '$') {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

func oracleHex(digits string, octet *byte) bool {
	*octet = 0
	for i := range 2 {
		d := strings.IndexByte("0123456789abcdef", digits[i]|0x20)
		if d < 0 || digits[i] < '0' {
			return false
		}
		*octet = *octet<<4 | byte(d)
	}
	return true
}

// oracleData encodes the reserved octets that carry data, as figure 4 does in
// its second row. The special characters of a rule are not data.
func oracleData(spelled string) string {
	path, query, hasQuery := strings.Cut(spelled, "?")
	encode := func(s, keep string) string {
		var out strings.Builder
		for i := range len(s) {
			if strings.IndexByte(oracleReserved, s[i]) >= 0 && strings.IndexByte(keep+"*$", s[i]) < 0 {
				fmt.Fprintf(&out, "%%%02X", s[i])
			} else {
				out.WriteByte(s[i])
			}
		}
		return out.String()
	}
	out := encode(path, "/")
	if hasQuery {
		out += "?"
		for i, parameter := range strings.Split(query, "&") {
			if i > 0 {
				out += "&"
			}
			name, value, hasValue := strings.Cut(parameter, "=")
			out += encode(name, "")
			if hasValue {
				out += "=" + encode(value, "")
			}
		}
	}
	return out
}

// oracleMatches compares before and after the encoding of data.
func oracleMatches(rule, path string) bool {
	r, p := oracleSpell(rule, false), oracleSpell(path, true)
	return oracleSame(r, p) || oracleSame(oracleData(r), oracleData(p))
}

// oracleSame tries every way in which the stars can stand for octets: cell i,
// j of the table says whether the first i octets of the rule match the first
// j of the path.
func oracleSame(rule, path string) bool {
	end := strings.HasSuffix(rule, "$")
	rule = strings.TrimSuffix(rule, "$")
	// A "$" elsewhere is literal, and a literal one is encoded in the path.
	rule = strings.ReplaceAll(rule, "$", "%24")
	table := make([][]bool, len(rule)+1)
	for i := range table {
		table[i] = make([]bool, len(path)+1)
		for j := range table[i] {
			switch {
			case i == 0:
				table[i][j] = j == 0
			case rule[i-1] == '*':
				table[i][j] = table[i-1][j] || j > 0 && table[i][j-1]
			default:
				table[i][j] = j > 0 && table[i-1][j-1] && rule[i-1] == path[j-1]
			}
		}
	}
	for j, matched := range table[len(rule)] {
		if matched && (!end || j == len(path)) {
			return true
		}
	}
	return false
}
