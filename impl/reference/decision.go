package reference

import (
	"bytes"
	"slices"
)

// A Reason is the basis of a decision.
type Reason uint8

const (
	// ReasonNoGroup: no group names the crawler and there is no "*" group.
	ReasonNoGroup Reason = iota
	// ReasonNoMatch: no rule in the crawler's groups matches.
	ReasonNoMatch
	// ReasonRule: the most specific of the matching rules decides.
	ReasonRule
	// ReasonRobotsTxt: the URL is the URL of the file itself.
	ReasonRobotsTxt
	// ReasonMalformedURL: the URL is not a URI, and no rule is compared.
	ReasonMalformedURL
	// ReasonRefusedURL: the URL is refused because it is not a URI. RFC9309 refuses
	// none. Nothing forbids to fetch a refused URL.
	ReasonRefusedURL
)

// A Decision is the answer whether a crawler may fetch a URL, with the reason.
type Decision struct {
	// Allow reports whether the crawler may fetch the URL.
	Allow  bool
	Reason Reason
	// Rule is the deciding rule. It is nil unless Reason is ReasonRule. It belongs
	// to the File and must not be changed.
	Rule *Rule
}

// decisionStage finds the matching rule that decides (RFC 9309 section 2.2.2).
type decisionStage Interpretation

// A Considered is a rule and the result of comparing it.
type Considered struct {
	// Rule belongs to the File and must not be changed.
	Rule *Rule
	// Matches reports whether the rule matches the URL.
	Matches bool
	// Octets is the specificity of the match in octets (RFC 9309 section 2.2.2), or
	// that of the rule if it does not match.
	Octets int
}

// choose returns the rule that decides, or nil if none matches. It compares every
// rule. If trace is not nil, choose appends each rule with the result.
func (s *decisionStage) choose(f *File, rules []rule, t *target, trace *[]Considered) *rule {
	var best *rule
	most := 0
	for i := range rules {
		matched := f.matching(&rules[i], t)
		if matched == nil && trace == nil {
			continue
		}
		octets := s.octets(f, &rules[i], matched, t)
		if trace != nil {
			*trace = append(*trace, Considered{Rule: &Rule{f, rules[i]}, Matches: matched != nil, Octets: octets})
		}
		if matched != nil && (best == nil || s.beats(f, matched, octets, best, most)) {
			best, most = matched, octets
		}
	}
	return best
}

// octets returns the specificity of the match, or of the rule r if matched is nil.
func (s *decisionStage) octets(f *File, r, matched *rule, t *target) int {
	switch {
	case matched == nil:
		return f.octets(r)
	case s[Specificity] == SpecificityCoveredOctets:
		return f.covers(matched, t.path)
	}
	return f.octets(matched)
}

// beats reports whether a matching rule replaces the best one so far.
func (s *decisionStage) beats(f *File, r *rule, octets int, best *rule, most int) bool {
	if f.outweighsAll(r) || f.outweighsAll(best) {
		return f.outweighsAll(r) && !f.outweighsAll(best)
	}
	switch s[Precedence] {
	case PrecedenceFirst:
		return false
	case PrecedenceAnyDisallow:
		return best.allow && !r.allow
	case PrecedenceAnyAllow:
		return !best.allow && r.allow
	}
	if s[Specificity] == SpecificityPatternsFirst && (f.isPattern(best) || f.isPattern(r)) {
		return !f.isPattern(best)
	}
	if octets != most {
		return octets > most
	}
	// RFC9309-2.2.2-8: of two equivalent rules the allow rule is used.
	switch s[Tie] {
	case TieAllow:
		return r.allow && !best.allow
	case TieDisallow:
		return !r.allow && best.allow
	case TieLast:
		return true
	}
	return false
}

// closes reports whether the rules close what none of them matches.
func (s *decisionStage) closes(rules []rule) bool {
	return s[NoMatch] == NoMatchClosedByAllow && slices.ContainsFunc(rules, func(r rule) bool { return r.allow })
}

// isRobotsTxt reports whether path is the path of the file itself, which is
// always allowed (RFC9309-2.2.2-11).
func (s *decisionStage) isRobotsTxt(path []byte) bool {
	const itself = "/robots.txt"
	switch s[RobotsTxt] {
	case RobotsTxtAllowed:
		return string(path) == itself
	case RobotsTxtAnyQuery:
		path, _, _ = bytes.Cut(path, []byte("?"))
		return string(path) == itself
	}
	return false
}
