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

// FindingsSources are what a [FindingsReport] is made from, apart from the
// findings. Everything except Data may be missing.
type FindingsSources struct {
	// Dir is the folder of the findings as a command names it, "" for the default.
	Dir string
	// Campaign made the findings.
	Campaign *fuzz.CampaignRecord
	// Scan is of real files, Run of the suite.
	Scan *fuzz.ScanResult
	Run  *conformance.Result
	// Data says what points and requirements are.
	Data *spec.Data
	// Root leads from the report to the folder that positions in Data are relative
	// to, with slashes: ".." for reports/parsers.md; "" is that folder itself.
	Root string
	// Version is repcheck's.
	Version string
}

// A FindingsReport is a folder of findings as it is shown. All of its texts are
// printable: bytes of parsers and files that are not are in octet notation.
type FindingsReport struct {
	Title string `json:"title"`
	// Date is that of the latest result in the report, not the current time.
	Date time.Time `json:"date"`
	// CaseSet is the hash of the specification's cases.
	CaseSet string `json:"case_set"`
	// Sources say what it was made from: versions, seeds, dates.
	Sources []FindingsSource `json:"sources"`
	// Notes are what a reader must know to judge it.
	Notes []string `json:"notes,omitempty"`
	// State is a row for each parser, nil if neither scan nor run is given.
	State []StateRow `json:"state,omitempty"`
	// Asked are the parsers that answered, sorted.
	Asked []AskedSubject `json:"asked"`
	// Kinds counts all findings.
	Kinds []KindCount `json:"kinds"`
	// Clusters are the findings in the order given, except the disagreements that
	// only several choices explain, which are Sets.
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

// A KindCount is how many findings are of a kind.
type KindCount struct {
	Kind     fuzz.Kind `json:"kind"`
	Findings int       `json:"findings"`
}

// A Cluster is one finding in full.
type Cluster struct {
	ID    string    `json:"id"`
	Kind  fuzz.Kind `json:"kind"`
	Title string    `json:"title"`
	// Choices are those that explain a disagreement.
	Choices []ClusterChoice `json:"choices,omitempty"`
	// Wild is on how many real files the choice matters, nil if that is not known.
	Wild *Wild `json:"wild,omitempty"`
	// Answers counts the answers that showed it, Beyond those of them that the
	// parsers' fingerprints did not expect, Hits both by parser, the most first.
	Answers  int          `json:"answers"`
	Beyond   int          `json:"beyond"`
	Hits     []ClusterHit `json:"hits"`
	Lineages []string     `json:"lineages"`
	// Robots, Agent and URL are the witness, in octet notation; Octets is the
	// size of the file.
	Robots string `json:"robots"`
	Agent  string `json:"agent"`
	URL    string `json:"url"`
	Octets int    `json:"octets"`
	// Expected is the reference's verdict on the witness, Votes the lineages by
	// verdict, Said every answer.
	Expected spec.Verdict  `json:"expected"`
	Votes    []Vote        `json:"votes"`
	Said     []ClusterSaid `json:"said"`
	First    time.Time     `json:"first"`
	Last     time.Time     `json:"last"`
	// Seed and Input say which input of a campaign the witness was minimized from.
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

// A Vote is the lineages that gave one verdict, sorted. One whose parsers
// disagree is listed with each verdict that they gave.
type Vote struct {
	Verdict  spec.Verdict `json:"verdict"`
	Lineages []string     `json:"lineages"`
}

// Wild is on how many of the examined real files a choice matters.
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
	// Causes are the sets of choices that explain it; Unexplained: none does.
	Causes      []string `json:"causes,omitempty"`
	Unexplained bool     `json:"unexplained,omitempty"`
}

// NewFindingsReport joins findings, in the order of [fuzz.Store.List], with what
// is known of them.
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

// cluster shows a finding by itself.
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

// wildChoices are what a scan has counted of each choice.
func wildChoices(scan *fuzz.ScanResult) map[string]*Wild {
	of := map[string]*Wild{}
	if scan != nil {
		for _, c := range scan.Choices {
			of[c.Point+"="+c.Choice] = &Wild{c.Files, scan.ChoiceFiles}
		}
	}
	return of
}

// String is "in 12 of 2,000 real files".
func (w *Wild) String() string {
	return fmt.Sprintf("in %s of %s", thousands(w.Files), countOf(w.Of, "real file", "real files"))
}

// askedSubjects are those of the answers.
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

// withoutFolders leaves out where on the machine the adapters are installed.
func withoutFolders(s string) string {
	return adapterFolder.ReplaceAllString(s, "impl/subjects/adapters/")
}
