package reference

import "bytes"

// A Reason says what a decision rests on.
type Reason uint8

const (
	// ReasonNoGroup: no group names the crawler and there is no "*" group.
	ReasonNoGroup Reason = iota
	// ReasonNoMatch: no rule of the crawler's groups matches.
	ReasonNoMatch
	// ReasonRule: the most specific of the matching rules decides.
	ReasonRule
	// ReasonRobotsTxt: the URL is that of the file itself.
	ReasonRobotsTxt
	// ReasonMalformedURL: the URL is no URI, and no rule is looked at.
	ReasonMalformedURL
)

// A Decision says whether a crawler may fetch a URL, and why.
type Decision struct {
	Allow  bool
	Reason Reason
	// Rule is the deciding rule, nil unless Reason is ReasonRule. It belongs
	// to the Rules it came from and must not be changed.
	Rule *Rule
}

// decisionStage finds the rule that decides (RFC 9309 section 2.2.2).
type decisionStage Interpretation

// A target is a URL's path as it is compared.
type target struct {
	path []byte
	// data is the path with the reserved octets that carry data encoded; nil
	// if that is the same.
	data []byte
	// malformed: the URL is no URI, and the rules do not matter then.
	malformed bool
}

// A Considered is a rule with what the decision saw in it.
type Considered struct {
	Rule *Rule
	// Matches says whether the rule matches the URL.
	Matches bool
	// Octets is how specific the match is.
	Octets int
}

// choose goes through the rules once and returns the one that decides, or nil.
// Where trace is not nil it keeps every rule with what was seen in it; where it
// is, a rule that cannot win is not matched.
func (s *decisionStage) choose(rules []Rule, t target, trace *[]Considered) *Rule {
	var best *Rule
	most := 0
	plain := t.data == nil && trace == nil
	for i := range rules {
		rule := &rules[i]
		if plain && rule.more == nil && rule.differs(t.path) {
			continue
		}
		if trace == nil && best != nil && s.skips(best, rule, most) {
			continue
		}
		matched, octets := s.match(rule, t)
		if trace != nil {
			*trace = append(*trace, Considered{Rule: rule, Matches: matched != nil, Octets: octets})
		}
		if matched != nil && (best == nil || s.beats(matched, octets, best, most)) {
			best, most = matched, octets
		}
	}
	return best
}

// skips reports whether rule cannot replace best even if it matches.
func (s *decisionStage) skips(best, rule *Rule, most int) bool {
	if s[Precedence] == PrecedenceFirst || best.all {
		return true
	}
	// The directory of a rule is less specific than the rule.
	return s[Precedence] == PrecedenceLongest && s[Specificity] != SpecificityCoveredOctets && !rule.all && int(rule.octets) < most
}

// match returns the rule, or its directory rule, if it matches, and how
// specific the match is.
func (s *decisionStage) match(rule *Rule, t target) (*Rule, int) {
	switch {
	case rule.matches(t.path):
		if s[Specificity] == SpecificityCoveredOctets {
			return rule, rule.covers(t.path)
		}
		return rule, int(rule.octets)
	case rule.matchesData(t):
		return rule, int(rule.octets)
	case rule.more != nil && rule.more.directory != nil:
		return s.match(rule.more.directory, t)
	}
	return nil, int(rule.octets)
}

// matchesData is the comparison with reserved octets encoded on both sides.
func (r *Rule) matchesData(t target) bool {
	hasAlternative := r.more != nil && r.more.alternative.text != nil
	switch {
	case !hasAlternative && t.data == nil:
		return false
	case !hasAlternative:
		return r.matches(t.data)
	case t.data == nil:
		return r.more.alternative.matches(t.path)
	}
	return r.more.alternative.matches(t.data)
}

// beats reports whether a further matching rule takes the place of the best.
func (s *decisionStage) beats(rule *Rule, octets int, best *Rule, most int) bool {
	if rule.all || best.all {
		return rule.all && !best.all
	}
	switch s[Precedence] {
	case PrecedenceFirst:
		return false
	case PrecedenceAnyDisallow:
		return best.allow && !rule.allow
	}
	if octets != most {
		return octets > most
	}
	// RFC9309-2.2.2-8: of two equivalent rules the allow rule is used.
	switch s[Tie] {
	case TieAllow:
		return rule.allow && !best.allow
	case TieDisallow:
		return !rule.allow && best.allow
	}
	return false
}

// isRobotsTxt reports whether path is that of the file itself, which is always
// allowed (RFC9309-2.2.2-11).
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
