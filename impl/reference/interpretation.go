package reference

import (
	"fmt"
	"strings"
)

// An Interpretation is one choice for each point. The zero value is RFC9309.
// Interpretations are comparable values; change one by assigning to an index:
//
//	mutant := reference.RFC9309
//	mutant[reference.Tie] = reference.TieDisallow
type Interpretation [numPoints]Choice

// The named interpretations. spec/points gives the source of each choice, and
// the reason where the document is silent.
var (
	// RFC9309 is RFC 9309 (September 2022), with the most defensible reading
	// wherever its text is open. The first choice of every point is its own.
	RFC9309 = Interpretation{}

	// Google is what Google's published parser does, undocumented behaviour
	// included.
	Google = Interpretation{
		SizeLimit:       SizeLimitNone,
		ByteOrderMark:   BOMStripPartial,
		LineLimit:       LineLimitCut,
		NUL:             NULEndsLine,
		WhiteSpace:      WhiteSpaceASCII,
		Separator:       SeparatorTwoWords,
		Keys:            KeysGoogle,
		ControlOctets:   ControlOctetsKeep,
		BlankInPath:     BlankInPathKeep,
		StarValue:       StarValueStarBlank,
		EmptyAgentValue: EmptyAgentValueEmptyAgent,
		URLForm:         URLFormGoogle,
		RuleEscapes:     EscapesKeep,
		URLEscapes:      EscapesKeep,
		HexCase:         HexCaseRuleOnly,
		RuleOctets:      OctetsEncodeNonASCII,
		URLOctets:       OctetsKeep,
		ReservedOctets:  ReservedAsIs,
		LiteralSpecials: LiteralSpecialsDiffer,
		FirstOctet:      FirstOctetKeep,
		IndexHTML:       IndexHTMLGoogle,
		RobotsTxt:       RobotsTxtByRules,
	}

	// KosterREP00 is draft-koster-rep-00 (2019).
	KosterREP00 = Interpretation{
		SizeLimit:   SizeLimitNone,
		StarGroups:  GroupsFirst,
		LeadingStar: LeadingStarIgnoreRule,
	}

	// Koster1996 is the draft that Martijn Koster mailed in November 1996.
	Koster1996 = Interpretation{
		SizeLimit:        SizeLimitNone,
		ByteOrderMark:    BOMKeep,
		BlankBeforeColon: BlankBeforeColonRefused,
		BlankLine:        BlankLineEndsRecord,
		EmptyGroup:       EmptyGroupNeedsRuleLine,
		AgentValue:       AgentValueWhole,
		QueryAgent:       QueryAgentCutVersion,
		StarGroups:       GroupsFirst,
		AgentGroups:      GroupsFirst,
		URLPart:          URLPartPathOnly,
		RuleEscapes:      EscapesDecodeAllButSlash,
		URLEscapes:       EscapesDecodeAllButSlash,
		RuleOctets:       OctetsKeep,
		URLOctets:        OctetsKeep,
		ReservedOctets:   ReservedAsIs,
		LiteralSpecials:  LiteralSpecialsDiffer,
		LeadingStar:      LeadingStarIgnoreRule,
		Wildcards:        WildcardsLiteral,
		Dollar:           DollarLiteral,
		Precedence:       PrecedenceFirst,
		RobotsTxt:        RobotsTxtByRules,
	}

	// Standard1994 is the consensus of June 1994 on robotstxt.org.
	Standard1994 = Interpretation{
		SizeLimit:        SizeLimitNone,
		ByteOrderMark:    BOMKeep,
		BlankBeforeColon: BlankBeforeColonRefused,
		AllowLines:       AllowLinesUnknown,
		ControlOctets:    ControlOctetsKeep,
		BlankInPath:      BlankInPathKeep,
		BlankLine:        BlankLineEndsRecord,
		EmptyGroup:       EmptyGroupNeedsRuleLine,
		AgentValue:       AgentValueWhole,
		AgentCompare:     AgentCompareLiberal,
		QueryAgent:       QueryAgentCutVersion,
		StarGroups:       GroupsFirst,
		AgentGroups:      GroupsFirst,
		RuleEscapes:      EscapesKeep,
		URLEscapes:       EscapesKeep,
		HexCase:          HexCaseKeep,
		RuleOctets:       OctetsKeep,
		URLOctets:        OctetsKeep,
		ReservedOctets:   ReservedAsIs,
		LiteralSpecials:  LiteralSpecialsDiffer,
		FirstOctet:       FirstOctetKeep,
		LeadingStar:      LeadingStarIgnoreRule,
		Wildcards:        WildcardsLiteral,
		Dollar:           DollarLiteral,
		EmptyValue:       EmptyValueAllowAll,
		Precedence:       PrecedenceAnyDisallow,
		RobotsTxt:        RobotsTxtByRules,
	}
)

var named = []struct {
	name string
	in   *Interpretation
}{
	{"rfc9309", &RFC9309},
	{"google", &Google},
	{"koster-rep-00", &KosterREP00},
	{"koster-1996", &Koster1996},
	{"standard-1994", &Standard1994},
}

// Names returns the names of the named interpretations, rfc9309 first.
func Names() []string {
	names := make([]string, len(named))
	for i, n := range named {
		names[i] = n.name
	}
	return names
}

// Named returns the interpretation of that name, or an error that lists the
// names there are.
func Named(name string) (Interpretation, error) {
	for _, n := range named {
		if n.name == name {
			return *n.in, nil
		}
	}
	return Interpretation{}, fmt.Errorf("no interpretation is named %q: there are %s", name, strings.Join(Names(), ", "))
}

// Choice returns the ID of the choice that in makes at p.
func (in Interpretation) Choice(p Point) string { return p.Choices()[in[p]] }
