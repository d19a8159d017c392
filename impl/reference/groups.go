package reference

// A group is a header of user-agent lines and the rules under it. Names and
// rules are runs in the file's lists.
type group struct {
	firstName, endName int32
	firstRule, endRule int32
	// lines counts the lines of the body, rules or not, that make the group
	// more than a header.
	lines int32
}

// A rawRule is an allow or disallow line as it stands in the file. Its value is
// a place in the file's text: of thousands of rules most are never looked at,
// and without pointers they cost the garbage collector nothing.
type rawRule struct {
	from, to int32
	line     int32
	allow    bool
}

// groupsStage gathers records into groups (RFC 9309 section 2.1 and the
// production group).
type groupsStage Interpretation

// A grouper is where the gathering stands: inside is whether there is a
// current group, header whether its header is still open, comments whether the
// body has any, joined whether the line in hand is made of several.
type grouper struct {
	in       *groupsStage
	file     *File
	inside   bool
	header   bool
	comments bool
	joined   bool
	// named says that there was a user-agent line.
	named bool
}

// agent takes a user-agent line.
func (g *grouper) agent(n name) {
	if !g.named && g.in[OrphanRules] == OrphanRulesEverybodyAlone {
		// The rules so far do not stand alone.
		g.file.names, g.file.rules, g.file.groups = g.file.names[:0], g.file.rules[:0], g.file.groups[:0]
		g.inside, g.header = false, false
	}
	g.named = true
	if n.kind == nameNobody && g.in[UnusableAgentLine] == UnusableAgentLineSkipped {
		return
	}
	if !g.inside || !g.header || g.in[StackedAgents] == StackedAgentsEmptyGroup {
		g.open()
	}
	g.add(n)
}

// add names one more crawler in the header of the current group.
func (g *grouper) add(n name) {
	g.file.names = append(g.file.names, n)
	g.current().endName++
}

// rule takes an allow or disallow line. Even a void one ends the header: its
// author has come to the rules.
func (g *grouper) rule(r rawRule, void bool) (refused string) {
	if !g.inside {
		// RFC9309-2.2.2-20: rules that belong to no group are ignored.
		switch {
		case g.in[OrphanRules] == OrphanRulesRejectFile:
			return "a rule before the first user-agent line"
		case g.in[OrphanRules] == OrphanRulesIgnore, g.named && g.in[OrphanRules] != OrphanRulesEverybody:
			return ""
		}
		g.open()
		g.add(name{kind: nameStar, line: r.line})
	}
	g.header = false
	current := g.current()
	current.lines++
	if !void {
		g.file.rules = append(g.file.rules, r)
		current.endRule++
	}
	return ""
}

// other takes every line that is neither.
func (g *grouper) otherLine(k kind) {
	switch k {
	case kindBlank, kindEmpty:
		if g.in[BlankLine] == BlankLineEndsRecord || g.in[BlankLine] == BlankLineEmptyEndsRecord && k == kindEmpty {
			g.inside = false
		}
	case kindCrawlDelay:
		if g.in[CrawlDelay] == CrawlDelayGroupMember && g.inside {
			g.header = false
			g.current().lines++
		}
		fallthrough
	case kindOther, kindGarbage:
		// RFC9309-2.2.4-3, RFC9309-2.2.4-4: other records do not interfere.
		if g.in[OtherRecords] == OtherRecordsCloseHeader {
			g.header = false
		}
	}
}

func (g *grouper) open() {
	names, rules := int32(len(g.file.names)), int32(len(g.file.rules))
	g.file.groups = append(g.file.groups, group{firstName: names, endName: names, firstRule: rules, endRule: rules})
	g.inside, g.header = true, true
}

func (g *grouper) current() *group { return &g.file.groups[len(g.file.groups)-1] }

// exists reports whether a group counts as one at all.
func (s *groupsStage) exists(f *File, g *group) bool {
	switch s[EmptyGroup] {
	case EmptyGroupNeedsRuleLine:
		return g.lines > 0
	case EmptyGroupNeedsPath:
		for _, r := range f.rules[g.firstRule:g.endRule] {
			if r.to > r.from {
				return true
			}
		}
		return false
	}
	return true
}
