package reference

// A Point is a question that the documents leave open or answer differently.
// Each belongs to one stage of the reference, in the order of this list.
type Point uint8

// A Choice is one answer to a Point, by its place among the point's choices.
type Choice uint8

// The points, stage by stage. spec/points says what each is about, what the
// choices mean, and where each named interpretation finds its choice.
const (
	// octets: the body as it came.
	SizeLimit Point = iota
	ByteOrderMark
	Markup

	// lines: octets cut into lines.
	LineEnds
	LastLine
	LineLimit
	NUL
	FoldedLines

	// records: a line read as key and value.
	Comment
	WhiteSpace
	Separator
	BlankBeforeColon
	DoubledColon
	Keys
	AllowLines
	ControlOctets
	InvalidUTF8
	BlankInPath

	// groups: records gathered under their user-agent lines.
	BlankLine
	StackedAgents
	OtherRecords
	CrawlDelay
	OrphanRules
	UnusableAgentLine
	EmptyGroup

	// agents: the groups that hold for one crawler.
	AgentValue
	AgentCompare
	AgentCase
	QueryAgent
	StarValue
	EmptyAgentValue
	StarGroups
	AgentGroups
	StarScope

	// paths: the part of the URL that is compared, and both sides normalised.
	URLForm
	URLPart
	MalformedURL
	DotSegments
	RuleEscapes
	URLEscapes
	HexCase
	RuleOctets
	URLOctets
	ReservedOctets
	LiteralSpecials
	EscapedSpecials
	EscapePasses
	MalformedEscapes
	PathCase

	// patterns: the value of a rule read as a pattern.
	FirstOctet
	LeadingStar
	Wildcards
	Dollar
	EmptyValue
	IndexHTML
	WildcardSearch

	// decision: which of the matching rules decides.
	Precedence
	Specificity
	Tie
	RobotsTxt

	numPoints
)

// Choices of SizeLimit.
const (
	SizeLimitDropCutLine Choice = iota
	SizeLimitKeepCutLine
	SizeLimitNone
	SizeLimitReject
)

// Choices of ByteOrderMark.
const (
	BOMStripOne Choice = iota
	BOMKeep
	BOMStripPartial
	BOMStripAnywhere
	BOMUTF16
)

// Choices of Markup.
const (
	MarkupText Choice = iota
	MarkupStripped
	MarkupIgnored
)

// Choices of LineEnds.
const (
	LineEndsCRLF Choice = iota
	LineEndsLFOnly
	LineEndsUnicode
)

// Choices of LastLine.
const (
	LastLineUse Choice = iota
	LastLineDrop
)

// Choices of LineLimit.
const (
	LineLimitNone Choice = iota
	LineLimitCut
	LineLimitDrop
)

// Choices of NUL.
const (
	NULOctet Choice = iota
	NULEndsLine
	NULLineEnd
)

// Choices of FoldedLines.
const (
	FoldedLinesNone Choice = iota
	FoldedLinesFolded
)

// Choices of Comment.
const (
	CommentAnywhere Choice = iota
	CommentAfterBlank
)

// Choices of WhiteSpace.
const (
	WhiteSpaceBlank Choice = iota
	WhiteSpaceASCII
	WhiteSpaceUnicode
	WhiteSpaceUnicodeValue
	WhiteSpaceControls
)

// Choices of Separator.
const (
	SeparatorColon Choice = iota
	SeparatorTwoWords
	SeparatorKeyword
	SeparatorColonOrBlank
)

// Choices of BlankBeforeColon.
const (
	BlankBeforeColonAllowed Choice = iota
	BlankBeforeColonRefused
)

// Choices of DoubledColon.
const (
	DoubledColonValue Choice = iota
	DoubledColonSkipped
)

// Choices of Keys.
const (
	KeysExact Choice = iota
	KeysGoogle
	KeysMisspelled
)

// Choices of AllowLines.
const (
	AllowLinesRule Choice = iota
	AllowLinesUnknown
)

// Choices of ControlOctets.
const (
	ControlOctetsRefuseLine Choice = iota
	ControlOctetsKeep
	ControlOctetsDrop
	ControlOctetsRejectFile
)

// Choices of InvalidUTF8.
const (
	InvalidUTF8Keep Choice = iota
	InvalidUTF8RefuseLine
	InvalidUTF8Latin1
	InvalidUTF8Drop
	InvalidUTF8Replace
)

// Choices of BlankInPath.
const (
	BlankInPathRefuseLine Choice = iota
	BlankInPathKeep
	BlankInPathCut
)

// Choices of BlankLine.
const (
	BlankLineNoEffect Choice = iota
	BlankLineEndsRecord
	BlankLineEmptyEndsRecord
)

// Choices of StackedAgents.
const (
	StackedAgentsOneGroup Choice = iota
	StackedAgentsEmptyGroup
)

// Choices of OtherRecords.
const (
	OtherRecordsNoEffect Choice = iota
	OtherRecordsCloseHeader
)

// Choices of CrawlDelay.
const (
	CrawlDelayOtherRecord Choice = iota
	CrawlDelayGroupMember
)

// Choices of OrphanRules.
const (
	OrphanRulesIgnore Choice = iota
	OrphanRulesEverybody
	OrphanRulesRejectFile
	OrphanRulesEverybodyAtTop
	OrphanRulesEverybodyAlone
)

// Choices of UnusableAgentLine.
const (
	UnusableAgentLineEndsGroup Choice = iota
	UnusableAgentLineSkipped
)

// Choices of EmptyGroup.
const (
	EmptyGroupMatches Choice = iota
	EmptyGroupNeedsRuleLine
	EmptyGroupNeedsPath
)

// Choices of AgentValue.
const (
	AgentValueLeadingToken Choice = iota
	AgentValueWhole
	AgentValueTokenOnly
	AgentValueList
	AgentValueHTTPToken
	AgentValueWholeOrToken
	AgentValueBeforeSlash
)

// Choices of AgentCompare.
const (
	AgentCompareExact Choice = iota
	AgentComparePrefix
	AgentCompareSubstring
	AgentCompareLiberal
)

// Choices of AgentCase.
const (
	AgentCaseASCII Choice = iota
	AgentCaseSensitive
	AgentCaseUnicode
	AgentCaseFolded
	AgentCaseFileLowered
	AgentCaseCrawlerLowered
)

// Choices of QueryAgent.
const (
	QueryAgentWhole Choice = iota
	QueryAgentCutVersion
	QueryAgentSearch
)

// Choices of StarValue.
const (
	StarValueExact Choice = iota
	StarValueStarBlank
	StarValueLeadingStar
	StarValueGlob
)

// Choices of EmptyAgentValue.
const (
	EmptyAgentValueNobody Choice = iota
	EmptyAgentValueEverybody
	EmptyAgentValueEmptyAgent
)

// Choices of StarGroups and of AgentGroups.
const (
	GroupsMerge Choice = iota
	GroupsFirst
	GroupsLast
	// AgentGroupsFirstFit is one of AgentGroups only.
	AgentGroupsFirstFit
)

// Choices of StarScope.
const (
	StarScopeFallback Choice = iota
	StarScopeAdded
	StarScopeNoMatch
	StarScopeInOrder
	StarScopeAlone
	StarScopeShared
)

// Choices of URLForm.
const (
	URLFormRFC3986 Choice = iota
	URLFormGoogle
)

// Choices of URLPart.
const (
	URLPartPathQuery Choice = iota
	URLPartDropEmptyQuery
	URLPartPathOnly
	URLPartWithFragment
	URLPartEmptyPath
)

// Choices of DotSegments.
const (
	DotSegmentsKeep Choice = iota
	DotSegmentsRemove
	DotSegmentsMergeSlashes
)

// Choices of MalformedURL.
const (
	MalformedURLCompare Choice = iota
	MalformedURLAllow
	MalformedURLDisallow
)

// Choices of RuleEscapes and of URLEscapes.
const (
	EscapesDecodeUnreserved Choice = iota
	EscapesKeep
	EscapesDecodeAllButSlash
	EscapesDecodeAll
)

// Choices of HexCase.
const (
	HexCaseBoth Choice = iota
	HexCaseKeep
	HexCaseRuleOnly
)

// Choices of RuleOctets and of URLOctets.
const (
	OctetsEncodeIllegal Choice = iota
	OctetsEncodeNonASCII
	OctetsKeep
)

// Choices of ReservedOctets.
const (
	ReservedEitherSpelling Choice = iota
	ReservedAsIs
)

// Choices of LiteralSpecials.
const (
	LiteralSpecialsMatch Choice = iota
	LiteralSpecialsDiffer
)

// Choices of EscapedSpecials.
const (
	EscapedSpecialsLiteral Choice = iota
	EscapedSpecialsSpecial
)

// Choices of EscapePasses.
const (
	EscapePassesOnce Choice = iota
	EscapePassesUntilStable
)

// Choices of MalformedEscapes.
const (
	MalformedEscapesKeep Choice = iota
	MalformedEscapesEncodePercent
	MalformedEscapesIgnoreRule
)

// Choices of PathCase.
const (
	PathCaseSensitive Choice = iota
	PathCaseInsensitive
)

// Choices of FirstOctet.
const (
	FirstOctetIgnoreRule Choice = iota
	FirstOctetAddSlash
	FirstOctetKeep
	FirstOctetReduceURL
)

// Choices of LeadingStar.
const (
	LeadingStarAccept Choice = iota
	LeadingStarIgnoreRule
	LeadingStarAddSlash
)

// Choices of Wildcards.
const (
	WildcardsSpecial Choice = iota
	WildcardsLiteral
)

// Choices of Dollar.
const (
	DollarLastOnly Choice = iota
	DollarFirstEnds
	DollarNeverMatches
	DollarIgnoreRule
	DollarLiteral
	DollarEndOrLiteral
)

// Choices of EmptyValue.
const (
	EmptyValueNoRule Choice = iota
	EmptyValueAllowAll
	EmptyValueAllowSlash
	EmptyValueAnyPath
	EmptyValueTurnedRound
)

// Choices of IndexHTML.
const (
	IndexHTMLNone Choice = iota
	IndexHTMLGoogle
	IndexHTMLAnyIndex
	IndexHTMLOnly
)

// Choices of WildcardSearch.
const (
	WildcardSearchComplete Choice = iota
	WildcardSearchFirstPlace
)

// Choices of Precedence.
const (
	PrecedenceLongest Choice = iota
	PrecedenceFirst
	PrecedenceAnyDisallow
)

// Choices of Specificity.
const (
	SpecificityRuleOctets Choice = iota
	SpecificityCoveredOctets
	SpecificityWithoutStars
	SpecificityWithoutDollar
	SpecificityWithoutTrailingStar
	SpecificityAsWritten
	SpecificityDecodedOctets
)

// Choices of Tie.
const (
	TieAllow Choice = iota
	TieDisallow
	TieFirst
)

// Choices of RobotsTxt.
const (
	RobotsTxtAllowed Choice = iota
	RobotsTxtByRules
	RobotsTxtAnyQuery
)

// pointNames gives every point and choice its public ID, in the order of the
// constants. spec/points documents each under the same IDs.
var pointNames = [numPoints]struct {
	id      string
	stage   string
	choices []string
}{
	SizeLimit:     {"size-limit", "octets", []string{"drop-cut-line", "keep-cut-line", "none", "reject"}},
	ByteOrderMark: {"byte-order-mark", "octets", []string{"strip-one", "keep", "strip-partial", "strip-anywhere", "utf-16"}},
	Markup:        {"markup", "octets", []string{"text", "stripped", "ignored"}},

	LineEnds:    {"line-ends", "lines", []string{"cr-lf-crlf", "lf-only", "unicode"}},
	LastLine:    {"last-line", "lines", []string{"use", "drop"}},
	LineLimit:   {"line-limit", "lines", []string{"none", "cut", "drop"}},
	NUL:         {"nul", "lines", []string{"octet", "ends-line", "line-end"}},
	FoldedLines: {"folded-lines", "lines", []string{"none", "folded"}},

	Comment:          {"comment", "records", []string{"anywhere", "after-blank"}},
	WhiteSpace:       {"white-space", "records", []string{"sp-htab", "ascii", "unicode", "unicode-value", "controls"}},
	Separator:        {"separator", "records", []string{"colon", "two-words", "keyword", "colon-or-blank"}},
	BlankBeforeColon: {"blank-before-colon", "records", []string{"allowed", "refused"}},
	DoubledColon:     {"doubled-colon", "records", []string{"value", "skipped"}},
	Keys:             {"keys", "records", []string{"exact", "google", "misspelled"}},
	AllowLines:       {"allow-lines", "records", []string{"rule", "unknown"}},
	ControlOctets:    {"control-octets", "records", []string{"refuse-line", "keep", "drop", "reject-file"}},
	InvalidUTF8:      {"invalid-utf8", "records", []string{"keep", "refuse-line", "latin-1", "drop", "replace"}},
	BlankInPath:      {"blank-in-path", "records", []string{"refuse-line", "keep", "cut"}},

	BlankLine:         {"blank-line", "groups", []string{"no-effect", "ends-record", "empty-ends-record"}},
	StackedAgents:     {"stacked-agents", "groups", []string{"one-group", "empty-group"}},
	OtherRecords:      {"other-records", "groups", []string{"no-effect", "close-header"}},
	CrawlDelay:        {"crawl-delay", "groups", []string{"other-record", "group-member"}},
	OrphanRules:       {"orphan-rules", "groups", []string{"ignore", "everybody", "reject-file", "everybody-at-top", "everybody-alone"}},
	UnusableAgentLine: {"unusable-agent-line", "groups", []string{"ends-group", "skipped"}},
	EmptyGroup:        {"empty-group", "groups", []string{"matches", "needs-rule-line", "needs-path"}},

	AgentValue:      {"agent-value", "agents", []string{"leading-token", "whole", "token-only", "list", "http-token", "whole-or-token", "before-slash"}},
	AgentCompare:    {"agent-compare", "agents", []string{"exact", "prefix", "substring", "liberal"}},
	AgentCase:       {"agent-case", "agents", []string{"ascii", "sensitive", "unicode", "folded", "file-lowered", "crawler-lowered"}},
	QueryAgent:      {"query-agent", "agents", []string{"whole", "cut-version", "search"}},
	StarValue:       {"star-value", "agents", []string{"exact", "star-blank", "leading-star", "glob"}},
	EmptyAgentValue: {"empty-agent-value", "agents", []string{"nobody", "everybody", "empty-agent"}},
	StarGroups:      {"star-groups", "agents", []string{"merge", "first", "last"}},
	AgentGroups:     {"agent-groups", "agents", []string{"merge", "first", "last", "first-fit"}},
	StarScope:       {"star-scope", "agents", []string{"fallback", "added", "no-match", "in-order", "alone", "shared"}},

	URLForm:          {"url-form", "paths", []string{"rfc3986", "google"}},
	URLPart:          {"url-part", "paths", []string{"path-query", "drop-empty-query", "path-only", "with-fragment", "empty-path"}},
	MalformedURL:     {"malformed-url", "paths", []string{"compare", "allow", "disallow"}},
	DotSegments:      {"dot-segments", "paths", []string{"keep", "remove", "merge-slashes"}},
	RuleEscapes:      {"rule-escapes", "paths", []string{"decode-unreserved", "keep", "decode-all-but-slash", "decode-all"}},
	URLEscapes:       {"url-escapes", "paths", []string{"decode-unreserved", "keep", "decode-all-but-slash", "decode-all"}},
	HexCase:          {"hex-case", "paths", []string{"both", "keep", "rule-only"}},
	RuleOctets:       {"rule-octets", "paths", []string{"encode-illegal", "encode-non-ascii", "keep"}},
	URLOctets:        {"url-octets", "paths", []string{"encode-illegal", "encode-non-ascii", "keep"}},
	ReservedOctets:   {"reserved-octets", "paths", []string{"either-spelling", "as-is"}},
	LiteralSpecials:  {"literal-specials", "paths", []string{"match", "differ"}},
	EscapedSpecials:  {"escaped-specials", "paths", []string{"literal", "special"}},
	EscapePasses:     {"escape-passes", "paths", []string{"once", "until-stable"}},
	MalformedEscapes: {"malformed-escapes", "paths", []string{"keep", "encode-percent", "ignore-rule"}},
	PathCase:         {"path-case", "paths", []string{"sensitive", "insensitive"}},

	FirstOctet:     {"first-octet", "patterns", []string{"ignore-rule", "add-slash", "keep", "reduce-url"}},
	LeadingStar:    {"leading-star", "patterns", []string{"accept", "ignore-rule", "add-slash"}},
	Wildcards:      {"wildcards", "patterns", []string{"special", "literal"}},
	Dollar:         {"dollar", "patterns", []string{"last-only", "first-ends", "never-matches", "ignore-rule", "literal", "end-or-literal"}},
	EmptyValue:     {"empty-value", "patterns", []string{"no-rule", "allow-all", "allow-slash", "any-path", "turned-round"}},
	IndexHTML:      {"index-html", "patterns", []string{"none", "google", "any-index", "index-html-only"}},
	WildcardSearch: {"wildcard-search", "patterns", []string{"complete", "first-place"}},

	Precedence:  {"precedence", "decision", []string{"longest", "first", "any-disallow"}},
	Specificity: {"specificity", "decision", []string{"rule-octets", "covered-octets", "without-stars", "without-dollar", "without-trailing-star", "as-written", "decoded-octets"}},
	Tie:         {"tie", "decision", []string{"allow", "disallow", "first"}},
	RobotsTxt:   {"robots-txt", "decision", []string{"allowed", "by-rules", "any-query"}},
}

// Points returns every point in the order of the stages.
func Points() []Point {
	all := make([]Point, numPoints)
	for i := range all {
		all[i] = Point(i)
	}
	return all
}

// String returns the point's ID, "byte-order-mark".
func (p Point) String() string { return pointNames[p].id }

// Stage returns the name of the stage that the point belongs to.
func (p Point) Stage() string { return pointNames[p].stage }

// Choices returns the IDs of the point's choices; the index of each is its
// Choice. The result must not be changed.
func (p Point) Choices() []string { return pointNames[p].choices }
