package mutant

import (
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Forbidden is a choice of a point that RFC 9309 does not leave open.
type Forbidden struct {
	Point  reference.Point
	Choice reference.Choice
	// Breaks is the requirement that forbids it: a MUST, a SHOULD, or a figure,
	// an example or a production that says otherwise.
	Breaks  string
	Witness Witness
}

// Choices are the forbidden choices in the order of the points. Every other
// choice is a reading of what the text leaves open, in most cases because no
// sentence is about it, because a lower-case should is all that is against it,
// or because the line in question cannot be derived from the grammar.
var Choices = []Forbidden{
	// Octets and lines.
	{reference.ByteOrderMark, reference.BOMStripAnywhere, "RFC9309-ABNF-UTF8-3",
		wronglyForbids("User-agent: FooBot\nDisallow: /a\uFEFFb\n", "/ab")},
	{reference.Markup, reference.MarkupStripped, "RFC9309-2.3.1.5-1",
		wronglyForbids("User-agent: FooBot\n<p>Disallow: /a\n", "/a")},
	{reference.Markup, reference.MarkupIgnored, "RFC9309-2.3.1.5-2",
		wronglyAllows("<html>\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{reference.FoldedLines, reference.FoldedLinesFolded, "RFC9309-ABNF-NL",
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n Disallow: /a\n", "/a")},
	{reference.LineEnds, reference.LineEndsLFOnly, "RFC9309-ABNF-NL",
		wronglyAllows("User-agent: FooBot\rDisallow: /a\r", "/a")},
	{reference.LineEnds, reference.LineEndsUnicode, "RFC9309-ABNF-NL",
		wronglyForbids("User-agent: FooBot\nDisallow: /a\u2028Disallow: /b\n", "/b")},
	{reference.LineLimit, reference.LineLimitCut, "RFC9309-2.5-2",
		wronglyForbids("User-agent: FooBot\nDisallow: /"+strings.Repeat("a", 17_000)+"\n", "/"+strings.Repeat("a", 16_999))},
	{reference.LineLimit, reference.LineLimitDrop, "RFC9309-2.5-2",
		wronglyAllows("User-agent: FooBot\nDisallow: "+strings.Repeat(" ", 17_000)+"/a\n", "/a")},
	{reference.NUL, reference.NULLineEnd, "RFC9309-ABNF-NL",
		wronglyForbids("User-agent: FooBot\nDisallow: /a\x00Disallow: /b\n", "/b")},

	// Records.
	{reference.Comment, reference.CommentAfterBlank, "RFC9309-ABNF-EOL",
		wronglyAllows("User-agent: FooBot\nDisallow: /a#b\n", "/a")},
	{reference.WhiteSpace, reference.WhiteSpaceUnicode, "RFC9309-ABNF-WS",
		wronglyForbids("User-agent: FooBot\nDisallow: /a\u00A0\n", "/a")},
	{reference.WhiteSpace, reference.WhiteSpaceUnicodeValue, "RFC9309-ABNF-WS",
		wronglyForbids("User-agent: FooBot\nDisallow: /a\u00A0\n", "/a")},
	{reference.BlankBeforeColon, reference.BlankBeforeColonRefused, "RFC9309-ABNF-rule",
		wronglyAllows("User-agent: FooBot\nDisallow : /a\n", "/a")},
	{reference.AllowLines, reference.AllowLinesUnknown, "RFC9309-2.1-2",
		wronglyForbids("User-agent: FooBot\nDisallow: /\nAllow: /a\n", "/a")},
	{reference.ControlOctets, reference.ControlOctetsRejectFile, "RFC9309-2.3.1.5-2",
		wronglyRejects("User-agent: FooBot\nDisallow: /\x01\nDisallow: /a\n", "/a", spec.Disallow)},

	// Groups.
	{reference.BlankLine, reference.BlankLineEndsRecord, "RFC9309-ABNF-group",
		wronglyAllows("User-agent: FooBot\n\nDisallow: /a\n", "/a")},
	{reference.BlankLine, reference.BlankLineEmptyEndsRecord, "RFC9309-ABNF-group",
		wronglyAllows("User-agent: FooBot\n\nDisallow: /a\n", "/a")},
	{reference.StackedAgents, reference.StackedAgentsEmptyGroup, "RFC9309-5.1-7",
		wronglyAllows("User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{reference.OtherRecords, reference.OtherRecordsCloseHeader, "RFC9309-2.2.4-3",
		wronglyAllows("User-agent: FooBot\nHost: x.test\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{reference.CrawlDelay, reference.CrawlDelayGroupMember, "RFC9309-2.2.4-3",
		wronglyAllows("User-agent: FooBot\nCrawl-delay: 5\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{reference.OrphanRules, reference.OrphanRulesEverybody, "RFC9309-2.2.2-20",
		wronglyForbids("Disallow: /a\nUser-agent: BarBot\nDisallow: /b\n", "/a")},
	{reference.OrphanRules, reference.OrphanRulesRejectFile, "RFC9309-2.2.2-20",
		wronglyRejects("Disallow: /a\nUser-agent: FooBot\nDisallow: /b\n", "/b", spec.Disallow)},
	{reference.OrphanRules, reference.OrphanRulesEverybodyAtTop, "RFC9309-2.2.2-20",
		wronglyForbids("Disallow: /a\nUser-agent: BarBot\nDisallow: /b\n", "/a")},
	{reference.OrphanRules, reference.OrphanRulesEverybodyAlone, "RFC9309-2.2.2-20",
		wronglyForbids("Disallow: /a\n", "/a")},
	{reference.EmptyGroup, reference.EmptyGroupNeedsRuleLine, "RFC9309-5.1-8",
		wronglyForbids("User-agent: *\nDisallow: /\n\nUser-agent: FooBot\n", "/a")},
	{reference.EmptyGroup, reference.EmptyGroupNeedsPath, "RFC9309-5.1-8",
		wronglyForbids("User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nDisallow:\n", "/a")},

	// Agents.
	{reference.AgentCompare, reference.AgentComparePrefix, "RFC9309-2.2.1-12",
		wronglyForbids("User-agent: Foo\nDisallow: /a\n", "/a")},
	{reference.AgentCompare, reference.AgentCompareSubstring, "RFC9309-2.2.1-12",
		wronglyForbids("User-agent: Bot\nDisallow: /a\n", "/a")},
	{reference.AgentCompare, reference.AgentCompareLiberal, "RFC9309-2.2.1-12",
		wronglyForbids("User-agent: FooBot-News\nDisallow: /a\n", "/a")},
	{reference.AgentCase, reference.AgentCaseSensitive, "RFC9309-2.2.1-5",
		wronglyAllows("User-agent: foobot\nDisallow: /a\n", "/a")},
	{reference.AgentCase, reference.AgentCaseFileLowered, "RFC9309-2.2.1-5",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{reference.AgentCase, reference.AgentCaseCrawlerLowered, "RFC9309-2.2.1-5",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{reference.AgentGroups, reference.GroupsFirst, "RFC9309-2.2.1-7",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/b")},
	{reference.AgentGroups, reference.GroupsLast, "RFC9309-2.2.1-7",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/a")},
	{reference.AgentGroups, reference.AgentGroupsFirstFit, "RFC9309-2.2.1-7",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/b")},
	{reference.StarScope, reference.StarScopeAdded, "RFC9309-2.2.1-11",
		wronglyForbids("User-agent: *\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/a")},
	{reference.StarScope, reference.StarScopeAlone, "RFC9309-2.2.1-7",
		wronglyAllows("User-agent: FooBot\nUser-agent: *\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/a")},
	{reference.StarScope, reference.StarScopeShared, "RFC9309-2.2.1-11",
		wronglyForbids("User-agent: *\nDisallow: /a\n\nUser-agent: FooBot\nUser-agent: *\nDisallow: /b\n", "/a")},
	{reference.StarScope, reference.StarScopeInOrder, "RFC9309-2.2.1-11",
		wronglyForbids("User-agent: *\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/a")},
	{reference.StarScope, reference.StarScopeNoMatch, "RFC9309-2.2.1-11",
		wronglyForbids("User-agent: *\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/a")},

	// Paths.
	{reference.URLForm, reference.URLFormGoogle, "RFC9309-2.2.2-3",
		wronglyForbids("User-agent: FooBot\nDisallow: /;x\n", "http://foo.test;x/a")},
	{reference.StarValue, reference.StarValueGlob, "RFC9309-ABNF-product-token",
		wronglyForbids("User-agent: Foo*Bot\nDisallow: /a\n", "/a")},
	{reference.URLPart, reference.URLPartEmptyPath, "RFC9309-2.2.2-3",
		wronglyAllows("User-agent: FooBot\nDisallow: /\n", "http://foo.test")},
	{reference.EscapePasses, reference.EscapePassesUntilStable, "RFC9309-2.2.2-17",
		wronglyForbids("User-agent: FooBot\nDisallow: /%2541\n", "/A")},
	{reference.URLPart, reference.URLPartPathOnly, "RFC9309-2.2.2-22",
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b\n", "/a?b")},
	// In a path the text leaves it open; the choice merges in queries too.
	{reference.DotSegments, reference.DotSegmentsMergeSlashes, "RFC9309-2.2.2-19b",
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b=c://d\n", "/a?b=c://d")},
	{reference.RuleEscapes, reference.EscapesDecodeAll, "RFC9309-2.2.2-19d",
		wronglyForbids("User-agent: FooBot\nDisallow: /a%2Fb\n", "/a/b")},
	{reference.RuleEscapes, reference.EscapesDecodeAllButSlash, "RFC9309-2.2.2-19d",
		wronglyAllows("User-agent: FooBot\nDisallow: /%E3%83%84\n", "/%E3%83%84")},
	{reference.URLEscapes, reference.EscapesKeep, "RFC9309-2.2.2-15",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/%61")},
	{reference.URLEscapes, reference.EscapesDecodeAll, "RFC9309-2.2.2-16",
		wronglyForbids("User-agent: FooBot\nDisallow: /a/b\n", "/a%2Fb")},
	{reference.URLEscapes, reference.EscapesDecodeAllButSlash, "RFC9309-2.2.2-16",
		wronglyForbids("User-agent: FooBot\nDisallow: /a?b\n", "/a%3Fb")},
	{reference.RuleOctets, reference.OctetsKeep, "RFC9309-2.2.2-12",
		wronglyAllows("User-agent: FooBot\nDisallow: /é\n", "/%C3%A9")},
	{reference.URLOctets, reference.OctetsKeep, "RFC9309-2.2.2-13",
		wronglyAllows("User-agent: FooBot\nDisallow: /%C3%A9\n", "/é")},
	{reference.ReservedOctets, reference.ReservedAsIs, "RFC9309-2.2.2-19b",
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b=c://d\n", "/a?b=c%3A%2F%2Fd")},
	{reference.LiteralSpecials, reference.LiteralSpecialsDiffer, "RFC9309-2.2.3-4",
		wronglyAllows("User-agent: FooBot\nDisallow: /a%2A\n", "/a*")},
	{reference.EscapedSpecials, reference.EscapedSpecialsSpecial, "RFC9309-2.2.3-4",
		wronglyForbids("User-agent: FooBot\nDisallow: /a%2Ab\n", "/axb")},
	{reference.PathCase, reference.PathCaseInsensitive, "RFC9309-2.2.2-2",
		wronglyForbids("User-agent: FooBot\nDisallow: /A\n", "/a")},

	// Patterns.
	{reference.LeadingStar, reference.LeadingStarIgnoreRule, "RFC9309-5.1-3",
		wronglyAllows("User-agent: FooBot\nDisallow: *.gif$\n", "/a.gif")},
	{reference.WildcardSearch, reference.WildcardSearchFirstPlace, "RFC9309-2.2.3-3",
		wronglyAllows("User-agent: FooBot\nDisallow: /*.gif$\n", "/x.gif/y.gif")},
	{reference.Dollar, reference.DollarEndOrLiteral, "RFC9309-2.2.3-2",
		wronglyForbids("User-agent: FooBot\nDisallow: /a$\n", "/a$")},
	{reference.IndexHTML, reference.IndexHTMLAnyIndex, "RFC9309-2.2.2-18",
		wronglyForbids("User-agent: FooBot\nDisallow: /a/index.html\n", "/a/")},
	{reference.IndexHTML, reference.IndexHTMLOnly, "RFC9309-2.2.2-18",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nAllow: /a/index.html\n", "/a/")},
	{reference.EmptyValue, reference.EmptyValueTurnedRound, "RFC9309-2.2.2-9",
		wronglyForbids("User-agent: FooBot\nAllow:\n", "/a")},
	{reference.EmptyValue, reference.EmptyValueAnyPath, "RFC9309-2.2.2-9",
		wronglyForbids("User-agent: FooBot\nDisallow:\n", "/x")},
	{reference.Wildcards, reference.WildcardsLiteral, "RFC9309-2.2.3-3",
		wronglyAllows("User-agent: FooBot\nDisallow: /a*c\n", "/abc")},
	{reference.Dollar, reference.DollarLiteral, "RFC9309-2.2.3-2",
		wronglyAllows("User-agent: FooBot\nDisallow: /a$\n", "/a")},
	{reference.IndexHTML, reference.IndexHTMLGoogle, "RFC9309-2.2.2-18",
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nAllow: /a/index.html\n", "/a/")},

	// Decision.
	{reference.Precedence, reference.PrecedenceFirst, "RFC9309-2.2.2-4",
		wronglyForbids("User-agent: FooBot\nDisallow: /\nAllow: /a\n", "/a")},
	{reference.Precedence, reference.PrecedenceAnyDisallow, "RFC9309-2.2.2-4",
		wronglyForbids("User-agent: FooBot\nAllow: /a\nDisallow: /\n", "/a")},
	{reference.Tie, reference.TieDisallow, "RFC9309-2.2.2-8",
		wronglyForbids("User-agent: FooBot\nAllow: /a\nDisallow: /a\n", "/a")},
	{reference.Tie, reference.TieFirst, "RFC9309-2.2.2-8",
		wronglyForbids("User-agent: FooBot\nDisallow: /a\nAllow: /a\n", "/a")},
	{reference.RobotsTxt, reference.RobotsTxtByRules, "RFC9309-2.2.2-11",
		wronglyForbids("User-agent: FooBot\nDisallow: /\n", "/robots.txt")},
}

// Interpretation is that of RFC 9309 with the choice turned.
func (f Forbidden) Interpretation() reference.Interpretation {
	in := reference.RFC9309
	in[f.Point] = f.Choice
	return in
}

// mutant takes its sentence from the specification, where point and choice are
// documented.
func (f Forbidden) mutant() Mutant {
	m := Mutant{
		ID:      f.Point.String() + "/" + f.Point.Choices()[f.Choice],
		Breaks:  f.Breaks,
		Witness: f.Witness,
		Parse:   ask(reference.New(f.Interpretation())),
	}
	if p := spec.Default().Point(f.Point.String()); p != nil {
		m.Means = p.Question + " " + p.Choices[f.Choice].Means
	}
	return m
}
