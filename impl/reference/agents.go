package reference

import (
	"bytes"
	"slices"
	"strings"
)

// A nameKind classifies a user-agent line by the crawlers that it names.
type nameKind uint8

const (
	nameNone   nameKind = iota
	nameOne             // the crawler with that token
	nameStar            // every crawler without a group of its own
	nameAnyone          // every crawler, as if by its token
	nameGlob            // the crawlers that a pattern with stars matches
)

// A name is the value of a user-agent line.
type name struct {
	text span
	line int32
	kind nameKind
}

// agentsStage finds the groups that apply to a crawler (RFC 9309 section
// 2.2.1).
type agentsStage Interpretation

// split returns the names in the value of a user-agent line: the value itself, unless
// it is a list. It is so short that it is inlined and needs no memory.
func (s *agentsStage) split(value []byte) [][]byte {
	if s[AgentValue] == AgentValueList {
		return splitList(value)
	}
	return [][]byte{value}
}

// splitList returns the names in a list, or the whole value if it has none.
func splitList(value []byte) [][]byte {
	parts := bytes.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(parts) == 0 {
		return [][]byte{value}
	}
	return parts
}

// name classifies the value of a user-agent line and returns the part of it that
// is compared.
func (s *agentsStage) name(value []byte) (kind nameKind, text []byte) {
	if s.isStar(value) {
		return nameStar, nil
	}
	if s[StarValue] == StarValueGlob && bytes.IndexByte(value, '*') >= 0 {
		return nameGlob, value
	}
	text = value
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
			return nameNone, nil
		}
	}
	switch {
	case len(text) > 0, s[EmptyAgentValue] == EmptyAgentValueEmptyAgent:
		return nameOne, text
	case s[EmptyAgentValue] == EmptyAgentValueEverybody && len(value) == 0:
		return nameAnyone, nil
	}
	return nameNone, nil
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

// tokenLength returns the number of octets at the start of s that can be part
// of a product token (production identifier).
func tokenLength[T string | []byte](s T) int {
	n := 0
	for n < len(s) && (s[n] == '-' || s[n] == '_' || 'a' <= lower(s[n]) && lower(s[n]) <= 'z') {
		n++
	}
	return n
}

// httpTokenLength returns the number of octets at the start of s that can be
// part of an HTTP token (RFC 9110 section 5.6.2).
func httpTokenLength(s []byte) int {
	for i, c := range s {
		if !('a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return i
		}
	}
	return len(s)
}

// A Source is the reason why a set of rules applies to a crawler.
type Source uint8

const (
	// SourceNone: no group names the crawler and there is no "*" group.
	SourceNone Source = iota
	// SourceStar: the "*" groups apply, because no other group names the crawler.
	SourceStar
	// SourceAgent: the groups that name the crawler apply.
	SourceAgent
)

// choose returns the groups that apply to the crawler, in file order, and the
// reason. later are the groups that apply in turn while no rule matches.
func (s *agentsStage) choose(f *File, agent string, space *[2][2]int) (chosen []int, later [][]int, source Source) {
	if s[QueryAgent] == QueryAgentCutVersion {
		agent, _, _ = strings.Cut(agent, "/")
		agent = strings.TrimSpace(agent)
	}
	own, stars := space[0][:0], space[1][:0]
	longest := -1
	length, star := -1, false
	for i := range f.groups {
		if !f.shares(i) {
			length, star = -1, false
		}
		length, star = s.match(f, f.ownNames(i), agent, length, star)
		if !f.parser.groups.exists(&f.groups[i]) {
			continue
		}
		if star {
			stars = append(stars, i)
			if s[StarScope] == StarScopeAlone {
				continue
			}
		}
		if length < 0 || length < longest || len(own) > 0 && s[AgentGroups] == AgentGroupsFirstFit {
			continue
		}
		if length > longest && s[AgentGroups] != AgentGroupsNextFit {
			own, longest = own[:0], length
		}
		own = append(own, i)
	}
	shared := s[StarScope] == StarScopeShared && len(union(own, stars)) < len(own)+len(stars)
	own, stars = combine(own, s[AgentGroups]), combine(stars, s[StarGroups])
	switch {
	case len(own) == 0 && len(stars) == 0:
		return nil, nil, SourceNone
	case len(own) == 0, s[StarScope] == StarScopeInOrder && len(stars) > 0 && stars[0] < own[0]:
		return stars, nil, SourceStar
	case s[StarScope] == StarScopeAdded, shared:
		return union(own, stars), nil, SourceAgent
	}
	if s[AgentGroups] == AgentGroupsNextFit {
		for i := range own[1:] {
			later = append(later, own[i+1:i+2])
		}
		own = own[:1]
	}
	if s[StarScope] == StarScopeNoMatch {
		later = append(later, stars)
	}
	return own, later, SourceAgent
}

// match returns the length of the longest name that matches the crawler, and whether "*"
// is among the names. It is given the same of the names before them: -1 if none matches,
// 0 if the length does not decide between groups.
func (s *agentsStage) match(f *File, names []name, agent string, length int, star bool) (int, bool) {
	for _, n := range names {
		text := f.at(n.text)
		switch n.kind {
		case nameStar:
			star = true
		case nameAnyone:
			length = max(length, 0)
		case nameGlob:
			if globs(text, agent) {
				length = max(length, 0)
			}
		case nameOne:
			if s.matches(text, agent) {
				covers := len(text)
				switch s[AgentCompare] {
				case AgentCompareExact, AgentComparePrefixAll, AgentCompareSubstringAll:
					covers = 0
				}
				length = max(length, covers)
			}
		}
	}
	return length, star
}

func (s *agentsStage) matches(name []byte, agent string) bool {
	if s[AgentValue] == AgentValueWholeOrToken {
		if token := name[:tokenLength(name)]; len(token) > 0 && len(token) < len(name) && s.fits(token, agent) {
			return true
		}
	}
	return s.fits(name, agent)
}

// fits reports whether the name matches the crawler.
func (s *agentsStage) fits(name []byte, agent string) bool {
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
	case AgentComparePrefix, AgentComparePrefixAll:
		return strings.HasPrefix(agent, name)
	case AgentCompareSubstring, AgentCompareSubstringAll:
		return strings.Contains(agent, name)
	case AgentCompareLiberal:
		return agent != "" && (strings.Contains(agent, name) || strings.Contains(name, agent))
	}
	return name == agent
}

// globs reports whether the agent matches the value, in which a star matches
// any octets.
func globs(value []byte, agent string) bool {
	text, path := []byte(lowerASCII(string(value))), []byte(lowerASCII(agent))
	return new(patternsStage).match(text, specials{stars: true, end: true}, path)
}

func lowerASCII(s string) string {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lower(c)
	}
	return string(folded)
}

// combine returns the groups that the choice keeps: all, the first or the last.
func combine(groups []int, choice Choice) []int {
	switch {
	case len(groups) > 1 && choice == AgentGroupsFirst:
		return groups[:1]
	case len(groups) > 1 && choice == AgentGroupsLast:
		return groups[len(groups)-1:]
	}
	return groups
}

// union merges two ascending lists.
func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
