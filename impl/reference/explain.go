package reference

import (
	"fmt"
	"strings"
)

// A Trace is a decision with everything that led to it.
type Trace struct {
	// Agent is the product token in the query.
	Agent string
	// Refused is the reason why the whole file is refused, or "".
	Refused string
	// Source is the reason why the rules apply to the crawler, and HeaderLines are
	// the line numbers of the user-agent lines of their groups.
	Source      Source
	HeaderLines []int
	// Path is the URL's path and query in the form that was compared (RFC 9309
	// section 2.2.2).
	Path string
	// Considered are the rules that were compared, in that order.
	Considered []Considered
	Decision   Decision
}

// Explain decides like Test and records what led to the decision.
func (r *Rules) Explain(url string) Trace {
	trace := Trace{
		Agent:       r.agent,
		Refused:     r.file.refused,
		Source:      r.source,
		HeaderLines: r.HeaderLines(),
	}
	var space targetSpace
	t := r.file.parser.target(url, &space)
	trace.Path = string(t.path)
	trace.Decision = r.decide(t, &trace.Considered)
	return trace
}

// Why gives the reason for the decision in one sentence.
func (t *Trace) Why() string {
	switch {
	case t.Refused != "":
		return "the file is refused (" + t.Refused + "), so nothing is forbidden"
	case t.Decision.Reason == ReasonRobotsTxt:
		return "the file itself may always be fetched"
	case t.Decision.Reason == ReasonRefusedURL:
		return "the URL is refused, as it is not a URI"
	case t.Decision.Reason == ReasonMalformedURL:
		return "the URL is not a URI, so no rule is compared"
	case t.Decision.Reason == ReasonNoGroup:
		return "no group names the crawler and there is no group for *"
	case t.Decision.Reason == ReasonNoMatch && len(t.Considered) == 0:
		return t.whose() + " has no rules"
	case t.Decision.Reason == ReasonNoMatch:
		return "no rule of " + t.whose() + " matches"
	}
	rule := t.Decision.Rule
	why := fmt.Sprintf("line %d decides: %s %s", rule.Line(), verb(rule), rule.Value())
	if others := t.outweighed(); others != "" {
		why += ", " + others
	}
	return why
}

func verb(r *Rule) string {
	if r.allow {
		return "allow"
	}
	return "disallow"
}

// whose names the groups that apply to the crawler.
func (t *Trace) whose() string {
	who := "the crawler's own group"
	if t.Source == SourceStar {
		who = "the group for *"
	}
	lines := make([]string, len(t.HeaderLines))
	for i, line := range t.HeaderLines {
		lines[i] = fmt.Sprint(line)
	}
	if len(lines) == 1 {
		return who + " (line " + lines[0] + ")"
	}
	return who + " (lines " + strings.Join(lines, ", ") + ")"
}

// outweighed compares the deciding rule with the most specific matching rule that
// contradicts it.
func (t *Trace) outweighed() string {
	decided := t.Decision.Rule
	var rival *Considered
	for i := range t.Considered {
		c := &t.Considered[i]
		if c.Matches && c.Rule.allow != decided.allow && (rival == nil || c.Octets > rival.Octets) {
			rival = c
		}
	}
	switch {
	case rival == nil:
		return ""
	case rival.Octets == decided.Octets():
		return fmt.Sprintf("as specific as line %d (%s each)", rival.Rule.Line(), octets(rival.Octets))
	case rival.Octets < decided.Octets():
		return fmt.Sprintf("more specific than line %d (%s against %d)", rival.Rule.Line(), octets(decided.Octets()), rival.Octets)
	}
	return fmt.Sprintf("ahead of line %d, which is more specific (%s against %d)", rival.Rule.Line(), octets(rival.Octets), decided.Octets())
}

func octets(n int) string {
	if n == 1 {
		return "1 octet"
	}
	return fmt.Sprintf("%d octets", n)
}
