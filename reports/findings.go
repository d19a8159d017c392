package reports

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// FindingsSources are the inputs of a [FindingsReport] besides the findings. All
// except Data are optional.
type FindingsSources struct {
	// Dir is the folder of the findings as it appears in commands, "" for the
	// default.
	Dir string
	// Campaign is the record of the campaign that made the findings.
	Campaign *fuzz.CampaignRecord
	// Scan is a scan of real files, Run a run of the suite.
	Scan *fuzz.ScanResult
	Run  *conformance.Result
	// Data defines the points and requirements.
	Data *spec.Data
	// Root is the path, with slashes, from the report to the folder that
	// positions in Data are relative to: ".." for reports/parsers.md; "" means
	// the same folder.
	Root string
	// Version is the version of repcheck.
	Version string
}

// A FindingsReport is a folder of findings, ready to be shown. All of its texts
// are printable: unprintable bytes from parsers and files appear in octet
// notation.
type FindingsReport struct {
	Title string `json:"title"`
	// Date is the date of the latest result in the report, not the current time.
	Date time.Time `json:"date"`
	// CaseSet is the hash of the specification's cases.
	CaseSet string `json:"case_set"`
	// Sources describe the inputs: versions, seeds, dates.
	Sources []FindingsSource `json:"sources"`
	// Notes are limitations that the reader should know.
	Notes []string `json:"notes,omitempty"`
	// State has a row for each parser; it is nil if neither scan nor run is
	// given.
	State []StateRow `json:"state,omitempty"`
	// Asked are the parsers that answered, sorted.
	Asked []AskedSubject `json:"asked"`
	// Kinds counts all findings.
	Kinds []KindCount `json:"kinds"`
	// Clusters are the findings in the order given, except the disagreements that
	// only a set of several choices explains. Those are in Sets.
	Clusters []Cluster    `json:"clusters"`
	Sets     []ClusterSet `json:"sets"`
}

// A FindingsSource is one result that a report was made from.
type FindingsSource struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// An AskedSubject is a parser with the versions that answered.
type AskedSubject struct {
	Name     string   `json:"name"`
	Lineage  string   `json:"lineage"`
	Versions []string `json:"versions"`
}

// A KindCount is the number of findings of a kind.
type KindCount struct {
	Kind     fuzz.Kind `json:"kind"`
	Findings int       `json:"findings"`
}

// A Cluster is one finding in full.
type Cluster struct {
	ID    string    `json:"id"`
	Kind  fuzz.Kind `json:"kind"`
	Title string    `json:"title"`
	// Choices are the choices that explain a disagreement.
	Choices []ClusterChoice `json:"choices,omitempty"`
	// Wild counts the real files on which the choice matters; nil if unknown.
	Wild *Wild `json:"wild,omitempty"`
	// Answers counts the answers that showed it, and Beyond those of them that
	// the parsers' fingerprints did not predict. Hits has both counts by parser,
	// the largest first.
	Answers  int          `json:"answers"`
	Beyond   int          `json:"beyond"`
	Hits     []ClusterHit `json:"hits"`
	Lineages []string     `json:"lineages"`
	// Robots, Agent and URL are the witness in octet notation. Octets is the size
	// of the file in bytes.
	Robots string `json:"robots"`
	Agent  string `json:"agent"`
	URL    string `json:"url"`
	Octets int    `json:"octets"`
	// Expected is the reference's verdict on the witness. Votes groups the
	// lineages by verdict, and Said has every answer.
	Expected spec.Verdict  `json:"expected"`
	Votes    []Vote        `json:"votes"`
	Said     []ClusterSaid `json:"said"`
	First    time.Time     `json:"first"`
	Last     time.Time     `json:"last"`
	// Seed and Input identify the campaign input from which the witness was
	// minimized.
	Seed  uint64 `json:"seed,omitempty"`
	Input uint64 `json:"input,omitempty"`
	// Command repeats the query.
	Command string `json:"command"`
}

// A ClusterSet is a finding in one line.
type ClusterSet struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Answers  int      `json:"answers"`
	Beyond   int      `json:"beyond"`
	Lineages []string `json:"lineages"`
}

// A ClusterHit counts the answers of a parser that showed a finding.
type ClusterHit struct {
	Subject string `json:"subject"`
	Answers int    `json:"answers"`
	Beyond  int    `json:"beyond,omitempty"`
}

// A Vote holds the lineages that gave one verdict, sorted. A lineage whose
// parsers disagree is listed under each verdict that they gave.
type Vote struct {
	Verdict  spec.Verdict `json:"verdict"`
	Lineages []string     `json:"lineages"`
}

// Wild counts the scanned real files on which a choice matters to natural queries.
type Wild struct {
	Files int64 `json:"files"`
	Of    int64 `json:"of"`
}

// A ClusterSaid is the answer of one parser.
type ClusterSaid struct {
	Subject string       `json:"subject"`
	Version string       `json:"version,omitempty"`
	Verdict spec.Verdict `json:"verdict"`
	Line    int          `json:"line,omitempty"`
	Pattern string       `json:"pattern,omitempty"`
	Detail  string       `json:"detail,omitempty"`
	// Causes are the sets of choices that explain it. Unexplained means that no
	// set does.
	Causes      []string `json:"causes,omitempty"`
	Unexplained bool     `json:"unexplained,omitempty"`
}

// NewFindingsReport joins findings, in the order of [fuzz.Store.List], with the
// sources.
func NewFindingsReport(findings []fuzz.Finding, s FindingsSources) *FindingsReport {
	r := &FindingsReport{Title: "Findings in " + doc.Printable(cmp.Or(s.Dir, ".")), CaseSet: s.Data.Hash, Clusters: []Cluster{}, Sets: []ClusterSet{}}
	if s.Dir == "" {
		r.Title = "Findings"
	}
	if s.Run != nil {
		r.Title = "The present state of robots.txt parsers"
	}
	r.State, r.Notes = stateRows(&s)
	r.Sources, r.Date = findingsSources(findings, &s)
	r.Asked = askedSubjects(findings)
	kinds := map[fuzz.Kind]int{}
	wild := wildChoices(s.Scan)
	choices := newChoiceBook(&s)
	for i := range findings {
		f := &findings[i]
		kinds[f.Kind]++
		if f.Kind == fuzz.Disagreement && len(f.Cause) > 1 {
			r.Sets = append(r.Sets, ClusterSet{ID: f.ID(), Title: doc.OneLine(withoutFolders(f.Title())), Answers: f.Count(), Beyond: beyond(f), Lineages: printables(f.Lineages())})
			continue
		}
		c := cluster(f, s.Dir)
		if s.Run != nil { // a page for readers who do not have the findings
			if command, ok := WitnessCommand(f); ok {
				c.Command = command
			}
		}
		for _, flip := range f.Cause {
			if known := choices.of(flip); known != nil {
				c.Choices = append(c.Choices, *known)
			}
		}
		if len(f.Cause) == 1 && f.Kind == fuzz.Disagreement {
			c.Wild = wild[f.Cause[0].String()]
		}
		r.Clusters = append(r.Clusters, c)
	}
	for _, k := range fuzz.Kinds {
		if kinds[k] > 0 {
			r.Kinds = append(r.Kinds, KindCount{k, kinds[k]})
		}
	}
	return r
}

// cluster returns the part of a Cluster that depends on the finding alone.
func cluster(f *fuzz.Finding, dir string) Cluster {
	c := Cluster{
		ID: f.ID(), Kind: f.Kind, Title: doc.OneLine(withoutFolders(f.Title())), Answers: f.Count(), Beyond: beyond(f), Lineages: printables(f.Lineages()),
		Robots: spec.EncodeOctets(f.Witness.Robots), Agent: spec.EncodeInline(f.Witness.Agent), URL: spec.EncodeInline(f.Witness.URL),
		Octets: len(f.Witness.Robots), Expected: f.Expected, First: f.First.UTC(), Last: f.Last.UTC(), Seed: f.Seed, Input: f.Input,
		Command: FindingCommand(dir, f),
	}
	for _, name := range slices.Sorted(maps.Keys(f.Hits)) {
		c.Hits = append(c.Hits, ClusterHit{doc.Printable(name), f.Hits[name], f.Beyond[name]})
	}
	slices.SortStableFunc(c.Hits, func(a, b ClusterHit) int { return cmp.Compare(b.Answers, a.Answers) })
	voters := map[spec.Verdict]map[string]bool{}
	for _, a := range f.Answers {
		said := ClusterSaid{Subject: doc.Printable(a.Subject), Version: doc.Printable(a.Version), Verdict: a.Verdict, Line: a.Line,
			Pattern: doc.Printable(a.Pattern), Detail: strings.TrimSpace(doc.Printable(withoutFolders(a.Detail)))}
		causes, tried := f.Causes[a.Subject]
		for _, cause := range causes {
			said.Causes = append(said.Causes, cause.String())
		}
		said.Unexplained = tried && len(causes) == 0 && a.Verdict != f.Expected
		c.Said = append(c.Said, said)
		if a.Verdict == spec.Unsupported {
			continue
		}
		if voters[a.Verdict] == nil {
			voters[a.Verdict] = map[string]bool{}
		}
		voters[a.Verdict][doc.Printable(cmp.Or(a.Lineage, a.Subject))] = true
	}
	for _, v := range spec.Verdicts {
		if voters[v] != nil {
			c.Votes = append(c.Votes, Vote{v, slices.Sorted(maps.Keys(voters[v]))})
		}
	}
	return c
}

func beyond(f *fuzz.Finding) (n int) {
	for _, hits := range f.Beyond {
		n += hits
	}
	return n
}

func printables(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = doc.Printable(text)
	}
	return out
}

// wildChoices returns a scan's counts for each choice, from its natural queries.
func wildChoices(scan *fuzz.ScanResult) map[string]*Wild {
	of := map[string]*Wild{}
	if scan != nil && scan.Natural != nil {
		for _, c := range scan.Natural.Choices {
			of[c.Point+"="+c.Choice] = &Wild{c.Files, scan.Natural.ChoiceFiles}
		}
	}
	return of
}

// String is "in 12 of 2,000 real files".
func (w *Wild) String() string {
	return fmt.Sprintf("in %s of %s", thousands(w.Files), countOf(w.Of, "real file", "real files"))
}

// askedSubjects returns the parsers that answered.
func askedSubjects(findings []fuzz.Finding) []AskedSubject {
	lineage := map[string]string{}
	versions := map[string]map[string]bool{}
	for i := range findings {
		for _, a := range findings[i].Answers {
			lineage[a.Subject] = cmp.Or(a.Lineage, a.Subject)
			if versions[a.Subject] == nil {
				versions[a.Subject] = map[string]bool{}
			}
			versions[a.Subject][a.Version] = true
		}
	}
	asked := []AskedSubject{}
	for _, name := range slices.Sorted(maps.Keys(lineage)) {
		asked = append(asked, AskedSubject{doc.Printable(name), doc.Printable(lineage[name]), printables(slices.Sorted(maps.Keys(versions[name])))})
	}
	return asked
}

// adapterFolder matches the folder where adapters are installed, in messages of
// their runtimes.
var adapterFolder = regexp.MustCompile(`/[^\s"']*/impl/subjects/adapters/`)

// withoutFolders removes the path at which the adapters are installed on this
// machine.
func withoutFolders(s string) string {
	return adapterFolder.ReplaceAllString(s, "impl/subjects/adapters/")
}
