package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

const (
	// maxSetLines is how many sets of several choices are listed where a person
	// reads: behind them come those that were met least.
	maxSetLines = 100
	// maxAlike is how many crashes of one parser, and refusals, are shown where
	// a person reads: what it says of each mostly holds a part of the file.
	maxAlike = 5
	// maxWitnessLines and maxWitnessWidth bound what is shown of a witness, in
	// lines and runes. Reduced ones are far smaller; one of half a megabyte
	// shows a limit, and each of its lines is like the others.
	maxWitnessLines = 30
	maxWitnessWidth = 160
	// maxPhrase bounds every other text that a parser or file may have made
	// long, in runes.
	maxPhrase = 300
)

// kindHeadings are the headings of the findings of each kind.
var kindHeadings = map[fuzz.Kind]string{
	fuzz.UnexplainedAnswer: "No choice explains it",
	fuzz.CrashFound:        "Crashes",
	fuzz.TimeoutFound:      "Timeouts",
	fuzz.SlowFound:         "Slow on one file",
	fuzz.Disagreement:      "One choice explains it",
	fuzz.RefusalFound:      "Refusals",
}

// setsHeading is that of the disagreements of several choices.
const setsHeading = "Several choices explain it"

const setsNote = "Each line is one set of choices that together explain an answer. They are mostly what the choices above look like where several meet in one file, and some are coincidences."

// A findingsSection is the findings of one kind.
type findingsSection struct {
	kind     fuzz.Kind
	heading  string
	clusters []*Cluster
}

// sections are those that are not empty, in the order of the kinds.
func (r *FindingsReport) sections() []findingsSection {
	var all []findingsSection
	for _, kind := range fuzz.Kinds {
		s := findingsSection{kind: kind}
		for i := range r.Clusters {
			if r.Clusters[i].Kind == kind {
				s.clusters = append(s.clusters, &r.Clusters[i])
			}
		}
		if s.clusters != nil {
			s.heading = fmt.Sprintf("%s (%d)", kindHeadings[kind], len(s.clusters))
			s.cutAlike()
			all = append(all, s)
		}
	}
	return all
}

// cutAlike leaves of the crashes and refusals of each lineage those that were met
// most.
func (s *findingsSection) cutAlike() {
	if s.kind != fuzz.CrashFound && s.kind != fuzz.RefusalFound {
		return
	}
	clusters := slices.Clone(s.clusters)
	slices.SortStableFunc(clusters, func(a, b *Cluster) int { return b.Answers - a.Answers })
	seen := map[string]int{}
	clusters = slices.DeleteFunc(clusters, func(c *Cluster) bool {
		lineages := strings.Join(c.Lineages, " ")
		seen[lineages]++
		return seen[lineages] > maxAlike
	})
	if n := len(s.clusters) - len(clusters); n > 0 {
		s.heading += fmt.Sprintf(", of each parser the %d met most; --format json has the other %d", maxAlike, n)
	}
	s.clusters = clusters
}

// shownSets are the sets that are listed, and the line about the others.
func (r *FindingsReport) shownSets() (shown []ClusterSet, more string) {
	shown = r.Sets[:min(maxSetLines, len(r.Sets))]
	if n := len(r.Sets) - len(shown); n > 0 {
		more = fmt.Sprintf("… and %s more: --format json has all.", thousands(int64(n)))
	}
	return shown, more
}

// total says how many findings there are of what.
func (r *FindingsReport) total() string {
	n := 0
	var parts []string
	for _, k := range r.Kinds {
		n += k.Findings
		parts = append(parts, fmt.Sprintf("%s %d", k.Kind, k.Findings))
	}
	if n == 0 {
		return "No findings"
	}
	return count(n, "finding") + ": " + strings.Join(parts, ", ")
}

// askedLines are the parsers with their versions.
func (r *FindingsReport) askedLines() []string {
	var lines []string
	for _, a := range r.Asked {
		line := a.Name
		if a.Lineage != a.Name {
			line += " (of " + a.Lineage + ")"
		}
		lines = append(lines, cutMiddle(strings.TrimSpace(line+" "+strings.Join(a.Versions, ", ")), maxPhrase))
	}
	return lines
}

// several are the parsers of which more than one version was asked: there an
// answer says whose it is.
func (r *FindingsReport) several() map[string]bool {
	names := map[string]bool{}
	for _, a := range r.Asked {
		if len(a.Versions) > 1 {
			names[a.Name] = true
		}
	}
	return names
}

// counts says how often it was seen, of whom, and on how many real files.
func (c *Cluster) counts() string {
	s := seenLine(c.Answers, c.Beyond, c.Lineages)
	if c.Wild != nil {
		s += "; " + c.Wild.String()
	}
	return s
}

// line is a set of several choices without its title.
func (s *ClusterSet) line() string { return seenLine(s.Answers, s.Beyond, s.Lineages) }

func seenLine(answers, beyond int, lineages []string) string {
	s := countOf(int64(answers), "answer", "answers")
	if beyond > 0 {
		s += fmt.Sprintf(" (%s beyond the fingerprints)", thousands(int64(beyond)))
	}
	return cutMiddle(fmt.Sprintf("%s of %s: %s", s, count(len(lineages), "lineage"), strings.Join(lineages, ", ")), maxPhrase)
}

// seen says when, and what made it.
func (c *Cluster) seen() string {
	s := "seen from " + minute(c.First) + " to " + minute(c.Last)
	if c.Seed != 0 {
		s += fmt.Sprintf("; seed %d, input %d", c.Seed, c.Input)
	} else if c.Input != 0 {
		s += fmt.Sprintf("; input %d", c.Input)
	}
	return s
}

// hitsLine counts the answers by parser.
func (c *Cluster) hitsLine() string {
	var parts []string
	for _, h := range c.Hits {
		part := fmt.Sprintf("%s %s", h.Subject, thousands(int64(h.Answers)))
		if h.Beyond > 0 {
			part += fmt.Sprintf(" (%s beyond its fingerprint)", thousands(int64(h.Beyond)))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// voteLine is a side: "allow, as RFC 9309 is read: 2 lineages: google, temoto".
func (c *Cluster) voteLine(v Vote) (side, who string) {
	side = string(v.Verdict)
	if v.Verdict == c.Expected {
		side += " (RFC 9309)"
	}
	return side, count(len(v.Lineages), "lineage") + ": " + strings.Join(v.Lineages, ", ")
}

// A saidRow is the parsers that said the same for the same reasons.
type saidRow struct {
	verdict  spec.Verdict
	who, why string
}

// saidRows are the answers, those of the reference's verdict first.
func (c *Cluster) saidRows(several map[string]bool) []saidRow {
	var rows []saidRow
	for i := range c.Said {
		said := &c.Said[i]
		who, why := said.who(several), said.why(c.Expected)
		at := slices.IndexFunc(rows, func(r saidRow) bool { return r.verdict == said.Verdict && r.why == why })
		if at < 0 {
			rows = append(rows, saidRow{verdict: said.Verdict, who: who, why: why})
			continue
		}
		rows[at].who += ", " + who
	}
	slices.SortStableFunc(rows, func(a, b saidRow) int {
		return c.place(a.verdict) - c.place(b.verdict)
	})
	return rows
}

func (c *Cluster) place(v spec.Verdict) int {
	if v == c.Expected {
		return -1
	}
	return slices.Index(spec.Verdicts, v)
}

func (s *ClusterSaid) who(several map[string]bool) string {
	who := s.Subject
	if several[s.Subject] {
		who += " " + s.Version
	}
	if s.Line > 0 {
		who += fmt.Sprintf(" (line %d)", s.Line)
	}
	return who
}

// why explains an answer: by choices, by nothing, by what the parser said.
func (s *ClusterSaid) why(expected spec.Verdict) string {
	var parts []string
	switch {
	case len(s.Causes) > 0:
		parts = append(parts, "as the reference with "+strings.Join(s.Causes, ", or with "))
	case s.Unexplained:
		parts = append(parts, fmt.Sprintf("no set of up to %d choices that was tried explains it", fuzz.MaxFlips))
	case s.Verdict == expected:
		parts = append(parts, "as RFC 9309 is read")
	}
	if s.Detail != "" {
		parts = append(parts, cutMiddle(oneLine(s.Detail), maxPhrase))
	}
	return strings.Join(parts, "; ")
}

// witness is the file as far as it is shown; the text ends with a line feed.
func (c *Cluster) witness() string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(c.Robots) {
		if n++; n > maxWitnessLines {
			continue
		}
		b.WriteString(cutMiddle(strings.TrimSuffix(line, "\n"), maxWitnessWidth) + "\n")
	}
	if n > maxWitnessLines {
		fmt.Fprintf(&b, "… %s\n", countOf(int64(n-maxWitnessLines), "more line", "more lines"))
	}
	return b.String()
}

// fileLine says how large the file is.
func (c *Cluster) fileLine() string {
	if c.Octets == 0 {
		return "an empty file"
	}
	return "a file of " + countOf(int64(c.Octets), "octet", "octets")
}

// question is who asks for what, and how long that is if it is cut.
func (c *Cluster) question() (agent, url string) {
	return cutMiddle(c.Agent, maxPhrase), cutMiddle(c.URL, maxPhrase)
}

// name is the title as far as it is shown.
func (c *Cluster) name() string { return cutMiddle(c.Title, maxPhrase) }

// heading is the title with the date.
func (r *FindingsReport) heading() string {
	if r.Date.IsZero() {
		return r.Title
	}
	return r.Title + ", " + r.Date.Format("2006-01-02")
}

func (r *FindingsReport) setsTitle() string { return fmt.Sprintf("%s (%d)", setsHeading, len(r.Sets)) }
