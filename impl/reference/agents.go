package reference

import (
	"bytes"
	"slices"
	"strings"
)

// A nameKind says whom a user-agent line names.
type nameKind uint8

const (
	nameNobody nameKind = iota
	nameOne             // the crawler of that token
	nameStar            // every crawler without a group of its own
	nameAnyone          // every crawler, as if by its token
	nameGlob            // the crawlers that a pattern with stars fits
)

// A name is the value of a user-agent line.
type name struct {
	text []byte
	line int32
	kind nameKind
}

// agentsStage finds the groups that hold for a crawler (RFC 9309 section
// 2.2.1).
type agentsStage Interpretation

// name reads the value of a user-agent line.
func (s *agentsStage) name(value []byte, line int32) name {
	if s.isStar(value) {
		return name{kind: nameStar, line: line}
	}
	if s[StarValue] == StarValueGlob && bytes.IndexByte(value, '*') >= 0 {
		return name{text: value, kind: nameGlob, line: line}
	}
	text := value
	switch s[AgentValue] {
	case AgentValueLeadingToken, AgentValueList:
		text = value[:tokenLength(value)]
	case AgentValueHTTPToken:
		text = value[:httpTokenLength(value)]
	case AgentValueBeforeSlash:
		text, _, _ = bytes.Cut(value, []byte("/"))
		text = bytes.TrimRight(text, " \t")
	case AgentValueTokenOnly:
		if tokenLength(value) != len(value) {
			return name{line: line}
		}
	}
	if len(text) > 0 {
		return name{text: text, kind: nameOne, line: line}
	}
	switch {
	case s[EmptyAgentValue] == EmptyAgentValueEmptyAgent:
		return name{kind: nameOne, line: line}
	case s[EmptyAgentValue] == EmptyAgentValueEverybody && len(value) == 0:
		return name{kind: nameAnyone, line: line}
	}
	return name{line: line}
}

func (s *agentsStage) isStar(value []byte) bool {
	if len(value) == 0 || value[0] != '*' {
		return false
	}
	if len(value) == 1 {
		return true
	}
	switch s[StarValue] {
	case StarValueStarBlank: // GCC-UA-1
		return strings.IndexByte(" \t\v\f", value[1]) >= 0
	case StarValueLeadingStar:
		return true
	}
	return false
}

// listed returns the parts of a value that is a list, or the value alone.
func (s *agentsStage) listed(value []byte) [][]byte {
	if s[AgentValue] == AgentValueList {
		if parts := bytes.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }); len(parts) > 0 {
			return parts
		}
	}
	return [][]byte{value}
}

// tokenLength returns how many octets at the start of s can be part of a
// product token (production identifier).
func tokenLength[T string | []byte](s T) int {
	n := 0
	for n < len(s) && (s[n] == '-' || s[n] == '_' || 'a' <= lower(s[n]) && lower(s[n]) <= 'z') {
		n++
	}
	return n
}

// httpTokenLength returns how many octets at the start of s can be part of a
// token of HTTP (RFC 9110 section 5.6.2).
func httpTokenLength(s []byte) int {
	for i, c := range s {
		if !('a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return i
		}
	}
	return len(s)
}

// A Source says why a set of rules holds for a crawler.
type Source uint8

const (
	// SourceNone: no group names the crawler and there is no "*" group.
	SourceNone Source = iota
	// SourceStar: the "*" groups, as no other group names the crawler.
	SourceStar
	// SourceAgent: the groups that name the crawler.
	SourceAgent
)

// choose returns the groups that hold for the crawler, in the order of the
// file, appended to own, and why they do. later are those that hold where none
// of the chosen ones has a rule that matches.
func (s *agentsStage) choose(f *File, agent string, own []int32) (chosen, later []int32, source Source) {
	if s[QueryAgent] == QueryAgentCutVersion {
		agent, _, _ = strings.Cut(agent, "/")
		agent = strings.TrimSpace(agent)
	}
	var starSpace [8]int32
	stars := starSpace[:0]
	longest := -1
	for i := range f.groups {
		g := &f.groups[i]
		if !f.parser.groups.exists(f, g) {
			continue
		}
		length, star := s.groupMatch(f.names[g.firstName:g.endName], agent)
		if star {
			stars = append(stars, int32(i))
			if s[StarScope] == StarScopeAlone {
				continue
			}
		}
		if length < 0 || length < longest || len(own) > 0 && s[AgentGroups] == AgentGroupsFirstFit {
			continue
		}
		if length > longest {
			own, longest = own[:0], length
		}
		own = append(own, int32(i))
	}
	shared := s[StarScope] == StarScopeShared && meet(own, stars)
	own, stars = combine(own, s[AgentGroups]), combine(stars, s[StarGroups])
	switch {
	case len(own) == 0 && len(stars) == 0:
		return nil, nil, SourceNone
	case len(own) == 0, s[StarScope] == StarScopeInOrder && len(stars) > 0 && stars[0] < own[0]:
		return append(own[:0], stars...), nil, SourceStar
	case s[StarScope] == StarScopeAdded, shared:
		return union(own, stars), nil, SourceAgent
	case s[StarScope] == StarScopeNoMatch:
		return own, slices.Clone(stars), SourceAgent
	}
	return own, nil, SourceAgent
}

// groupMatch returns how much of the agent the best of the names covers, -1 if
// none names it, and whether "*" is among the names. Only where names may be
// parts of the agent's is the cover more than 0: then the longest name wins.
func (s *agentsStage) groupMatch(names []name, agent string) (length int, star bool) {
	length = -1
	for _, n := range names {
		switch n.kind {
		case nameStar:
			star = true
		case nameAnyone:
			length = max(length, 0)
		case nameGlob:
			if globs(n.text, agent) {
				length = max(length, 0)
			}
		case nameOne:
			if s.matches(n.text, agent) {
				covers := 0
				if s[AgentCompare] != AgentCompareExact {
					covers = len(n.text)
				}
				length = max(length, covers)
			}
		}
	}
	return length, star
}

func (s *agentsStage) matches(name []byte, agent string) bool {
	if s[AgentValue] == AgentValueWholeOrToken {
		if token := name[:tokenLength(name)]; len(token) > 0 && len(token) < len(name) && s.asks(token, agent) {
			return true
		}
	}
	return s.asks(name, agent)
}

// asks reports whether the name is that of the crawler that was asked for.
func (s *agentsStage) asks(name []byte, agent string) bool {
	if s[QueryAgent] == QueryAgentSearch {
		for agent != "" {
			n := tokenLength(agent)
			if n > 0 && s.compares(name, agent[:n]) {
				return true
			}
			agent = agent[min(n+1, len(agent)):]
		}
		return false
	}
	return s.compares(name, agent)
}

func (s *agentsStage) compares(value []byte, agent string) bool {
	if s[AgentCompare] == AgentCompareExact && s[AgentCase] == AgentCaseASCII {
		return equalFold(value, agent)
	}
	name := string(value)
	switch s[AgentCase] {
	case AgentCaseUnicode:
		name, agent = strings.ToLower(name), strings.ToLower(agent)
	case AgentCaseFolded:
		name, agent = strings.ToLower(strings.ToUpper(name)), strings.ToLower(strings.ToUpper(agent))
	case AgentCaseFileLowered:
		name = strings.ToLower(name)
	case AgentCaseCrawlerLowered:
		agent = strings.ToLower(agent)
	case AgentCaseASCII:
		name, agent = lowerASCII(name), lowerASCII(agent)
	}
	switch s[AgentCompare] {
	case AgentComparePrefix:
		return strings.HasPrefix(agent, name)
	case AgentCompareSubstring:
		return strings.Contains(agent, name)
	case AgentCompareLiberal:
		return agent != "" && (strings.Contains(agent, name) || strings.Contains(name, agent))
	}
	return name == agent
}

// globs reports whether the agent fits the value, in which stars stand for any
// characters.
func globs(value []byte, agent string) bool {
	text := []byte(lowerASCII(string(value)))
	star := int32(bytes.IndexByte(text, '*'))
	p := pattern{text: text, star: star, prefix: star, end: true}
	return p.matches([]byte(lowerASCII(agent)))
}

func lowerASCII(s string) string {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lower(c)
	}
	return string(folded)
}

// combine keeps of several groups what a choice of StarGroups keeps. AgentGroups
// begins with the same choices.
func combine(groups []int32, choice Choice) []int32 {
	if len(groups) > 1 {
		switch choice {
		case StarGroupsFirst:
			return groups[:1]
		case StarGroupsLast:
			return groups[len(groups)-1:]
		}
	}
	return groups
}

// meet reports whether two ascending lists have an element in common.
func meet(a, b []int32) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// union merges two ascending lists.
func union(a, b []int32) []int32 {
	var all []int32
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			all, a = append(all, a[0]), a[1:]
		case len(a) == 0 || b[0] < a[0]:
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, a[0]), a[1:], b[1:]
		}
	}
	return all
}
