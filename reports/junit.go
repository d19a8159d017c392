package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name    string `xml:"name,attr"`
	Package string `xml:"package,attr"`
	ID      int    `xml:"id,attr"`
	junitCounts
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Host       string          `xml:"hostname,attr"`
	Properties junitProperties `xml:"properties"`
	Cases      []junitCase     `xml:"testcase"`
	SystemOut  junitText       `xml:"system-out"`
	SystemErr  junitText       `xml:"system-err"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
}

type junitText struct {
	Message string `xml:"message,attr,omitempty"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",cdata"`
}

// JUnit writes the result as JUnit XML: one suite for each subject, one test case
// for each case and, if the baseline is wrong, another suite with its problems.
// Failures of every level are JUnit failures; the message says whether they
// count.
//
// There is no single schema for JUnit XML. JUnit uses only elements and
// attributes that both strict schemas accept: junit-10.xsd of the Jenkins xUnit
// plugin and JUnit.xsd of Apache Ant. So there are no totals at the root and no
// file attributes on test cases, and there are empty elements and a host name
// where one of the two requires them.
func JUnit(w io.Writer, r *conformance.Result) error {
	var all junitSuites
	for i := range r.Subjects {
		all.Suites = append(all.Suites, subjectSuite(r, &r.Subjects[i]))
	}
	if len(r.Baseline) > 0 {
		all.Suites = append(all.Suites, baselineSuite(r))
	}
	for i := range all.Suites {
		all.Suites[i].ID = i
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func subjectSuite(r *conformance.Result, info *conformance.SubjectResult) junitSuite {
	s := newSuite(r, info.Name, info.Elapsed)
	for _, p := range []junitProperty{
		{"package", info.Package}, {"version", info.Version}, {"language", info.Language},
		{"repcheck", r.Version}, {"case set", r.CaseSet}, {"interpretation", r.Interpretation},
	} {
		if p.Value != "" {
			s.Properties.List = append(s.Properties.List, junitProperty{p.Name, doc.OneLine(p.Value)})
		}
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		k := slices.IndexFunc(c.Outcomes, func(o conformance.Outcome) bool { return o.Subject == info.Name })
		if k < 0 {
			continue
		}
		t := junitCase{Class: className(info.Name, "section-"+c.Section), Name: doc.OneLine(c.ID), Time: seconds(c.Outcomes[k].Elapsed)}
		s.Tests++
		switch o := &c.Outcomes[k]; {
		case o.Status >= conformance.Fail:
			text := failed(newFailure(r, c, o))
			if o.Status == conformance.Broken {
				t.Error = text
				s.Errors++
			} else {
				t.Failure = text
				s.Failures++
			}
		case o.Status != conformance.Pass:
			t.Skipped = &junitText{Message: doc.OneLine(whySkipped(r, c, o))}
			s.Skipped++
		}
		s.Cases = append(s.Cases, t)
	}
	var about []string
	for _, remark := range remarksOn(info, true) {
		about = append(about, doc.Printable(remark.text))
	}
	s.SystemErr.Body = strings.Join(about, "\n")
	return s
}

func newSuite(r *conformance.Result, name string, took time.Duration) junitSuite {
	return junitSuite{
		Name: doc.OneLine(name), Package: className(name), Time: seconds(took),
		Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"), Host: "localhost",
	}
}

// className joins parts into the name of a class or package, in which dots
// separate packages. Characters other than letters, digits and hyphens become
// underscores within a part, so that section 2.2.2 is not three packages.
func className(parts ...string) string {
	for i, part := range parts {
		parts[i] = strings.Map(func(r rune) rune {
			if r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return '_'
			}
			return r
		}, part)
	}
	return strings.Join(parts, ".")
}

// failed renders a failure: the first check is the message, and the whole failure
// is the text.
func failed(f failure) *junitText {
	text := &junitText{Type: "failed", Message: doc.OneLine(failureMessage(&f)), Body: failureBody(&f)}
	if len(f.checks) > 0 {
		text.Type = doc.Printable(string(f.checks[0].Got.Verdict))
	}
	return text
}

// failureMessage returns the first failed check of a failure, and the number of
// further ones.
func failureMessage(f *failure) string {
	message := "the case failed"
	if len(f.checks) > 0 {
		first := &f.checks[0]
		message = fmt.Sprintf("%s: %s", doc.Cut(spec.ProbeID(first.Probe), longestText), said(f.c.Level, first))
	}
	if more := len(f.checks) - 1; more > 0 {
		message += fmt.Sprintf(", and %s more", count(more, "check"))
	}
	if f.excused != "" {
		message += " (" + f.excused + ")"
	}
	return message
}

// failureBody returns a failure as in the text report.
func failureBody(f *failure) string {
	var body strings.Builder // never fails
	_ = doc.Document{doc.List{Items: []doc.Item{f.item(nil, true)}}}.Text(&body, doc.TextOptions{})
	return body.String()
}

// whySkipped returns the reason why a case neither failed nor passed.
func whySkipped(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome) string {
	var parts []string
	add := func(part string) {
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for i := range o.Checks {
		check := &o.Checks[i]
		if check.Status != o.Status {
			continue
		}
		switch o.Status {
		case conformance.Known:
			add(check.Reason)
		case conformance.Skipped:
			add(doc.Cut(check.Got.Detail, longestText))
		case conformance.Classified:
			choices := strings.Join(check.Choices, " or ")
			if choices == "" {
				choices = "none of the choices"
			}
			add(fmt.Sprintf("%s fits %s", doc.Cut(spec.ProbeID(check.Probe), longestText), choices))
		}
	}
	why := map[conformance.Status]string{
		conformance.Known:      "fails as the baseline knows",
		conformance.Skipped:    "the subject cannot be asked this",
		conformance.Classified: "classifies " + c.Point,
		conformance.NotScored:  "not scored under " + r.Interpretation,
	}[o.Status]
	if len(parts) > 0 {
		why += ": " + strings.Join(parts, "; ")
	}
	return why
}

// baselineSuite reports the problems of the baseline as failures, because they
// count against the run too.
func baselineSuite(r *conformance.Result) junitSuite {
	s := newSuite(r, "baseline", 0)
	for _, p := range r.Baseline {
		s.Tests++
		s.Failures++
		s.Cases = append(s.Cases, junitCase{
			Class:   "baseline",
			Time:    seconds(0),
			Name:    problemName(p),
			Failure: &junitText{Message: doc.OneLine(p.Message), Type: doc.Printable(p.Kind), Body: doc.Printable(p.String())},
		})
	}
	return s
}

// problemName returns the test name for a problem of the baseline.
func problemName(p conformance.BaselineProblem) string {
	parts := []string{p.Subject, p.Case, p.Expectation, p.Kind}
	return doc.OneLine(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
