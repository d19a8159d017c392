package reference

// A group is a header of user-agent lines and the rules under it. Its names and
// rules are consecutive elements of the lists in the file. Its names begin with those
// of the group above it, or after them (StackedAgentsAllSoFar).
type group struct {
	firstName, endName int32
	firstRule, endRule int32
	// more reports whether the group has a line other than user-agent lines, and
	// paths whether one of these is an allow or disallow line with a value.
	more, paths bool
}

// groupsStage collects records into groups (RFC 9309 section 2.1 and the
// production group).
type groupsStage Interpretation

// A grouper collects the records of one file into groups. It is the state between
// two lines.
type grouper struct {
	in   *groupsStage
	file *File
	// inside reports whether there is a current group, which is the last one of the
	// file, and header whether its header is still open.
	inside, header bool
	// named reports whether there was a user-agent line.
	named bool
	// void reports whether the file counts as empty.
	void bool
}

// agent adds a name from a user-agent line.
func (g *grouper) agent(kind nameKind, text []byte, line int) {
	if !g.named && g.in[OrphanRules] == OrphanRulesEverybodyAlone {
		// The rules up to here are not the only ones in the file.
		g.file.names, g.file.rules, g.file.groups = nil, nil, nil
		g.inside, g.header = false, false
	}
	g.named = true
	if kind == nameNone && g.in[UnusableAgentLine] == UnusableAgentLineSkipped {
		return
	}
	if !g.inside || !g.header || g.in[StackedAgents] == StackedAgentsEmptyGroup {
		inherits := g.inside && g.in[StackedAgents] == StackedAgentsAllSoFar
		g.open()
		if inherits {
			g.current().firstName = g.file.groups[len(g.file.groups)-2].firstName
		}
	}
	g.name(kind, text, line)
}

// open starts a group with an empty header.
func (g *grouper) open() {
	names, rules := int32(len(g.file.names)), int32(len(g.file.rules))
	g.file.groups = append(g.file.groups, group{firstName: names, endName: names, firstRule: rules, endRule: rules})
	g.inside, g.header = true, true
}

// name adds a name to the header of the current group.
func (g *grouper) name(kind nameKind, text []byte, line int) {
	g.file.names = append(g.file.names, name{g.file.place(text), int32(line), kind})
	g.current().endName++
}

func (g *grouper) current() *group { return &g.file.groups[len(g.file.groups)-1] }

// rule adds an allow or disallow line to the current group. Every such line ends
// the header, even if its value is not valid, because the rules of the group have
// begun. refused is the reason why the whole file is refused, or "".
func (g *grouper) rule(allow bool, value []byte, class class, valid bool, line int) (refused string) {
	if !g.inside {
		// RFC9309-2.2.2-20: rules that belong to no group are ignored.
		switch {
		case g.in[OrphanRules] == OrphanRulesRejectFile:
			return "a rule before the first user-agent line"
		case g.in[OrphanRules] == OrphanRulesIgnore, g.named && g.in[OrphanRules] != OrphanRulesEverybody:
			return ""
		case g.in[OrphanRules] == OrphanRulesEmptyFile:
			g.void = true
			return ""
		}
		g.open()
		g.name(nameStar, nil, line)
	}
	g.header = false
	group := g.current()
	group.more = true
	if valid {
		group.paths = group.paths || len(value) > 0
		if g.file.addRule(allow, value, class, line) {
			group.endRule++
		}
	}
	return ""
}

// otherLine handles a line that is neither a user-agent line nor a rule.
func (g *grouper) otherLine(k kind) {
	switch k {
	case kindBlank, kindEmpty:
		if g.in[BlankLine] == BlankLineEndsRecord || g.in[BlankLine] == BlankLineEmptyEndsRecord && k == kindEmpty {
			g.inside = false
		}
	case kindCrawlDelay:
		if g.in[CrawlDelay] == CrawlDelayGroupMember && g.inside {
			g.header = false
			g.current().more = true
		}
		fallthrough
	case kindOther, kindGarbage:
		g.otherRecord(k)
	case kindSitemap:
		switch g.in[Sitemap] {
		case SitemapOtherRecord:
			g.otherRecord(k)
		case SitemapCloseHeader:
			g.header = false
		case SitemapEndsGroup:
			g.inside = false
		}
	}
}

// otherRecord handles a record of another kind, or a line that is no record.
// RFC9309-2.2.4-3, RFC9309-2.2.4-4: other records do not interfere.
func (g *grouper) otherRecord(k kind) {
	switch g.in[OtherRecords] {
	case OtherRecordsCloseHeader:
		g.header = false
	case OtherRecordsRecordsCloseHeader:
		g.header = g.header && k == kindGarbage
	case OtherRecordsEndsGroup:
		g.inside = false
	case OtherRecordsGarbageEndsGroup:
		g.inside = g.inside && k != kindGarbage
	}
}

// exists reports whether the interpretation counts g as a group.
func (s *groupsStage) exists(g *group) bool {
	switch s[EmptyGroup] {
	case EmptyGroupNeedsRuleLine:
		return g.more
	case EmptyGroupNeedsPath:
		return g.paths
	}
	return true
}
