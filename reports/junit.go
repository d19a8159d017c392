package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
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
	Properties []junitProperty `xml:"properties>property"`
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
	for i, tests := range testsOf(r) {
		s := junitSuite{Name: "baseline", Package: "baseline", Time: seconds(0)}
		var about []junitProperty
		if i < len(r.Subjects) {
			info := &r.Subjects[i]
			s = junitSuite{Name: doc.OneLine(info.Name), Package: className(info.Name), Time: seconds(info.Elapsed)}
			about = []junitProperty{{"package", info.Package}, {"version", info.Version}, {"language", info.Language}}
			s.SystemErr.Body = doc.Printable(strings.Join(remarks(info), "\n"))
		} else if len(tests) == 0 {
			break
		}
		s.ID, s.Timestamp, s.Host = i, r.Started.UTC().Format("2006-01-02T15:04:05"), "localhost"
		for _, p := range append(about, junitProperty{"repcheck", r.Version}, junitProperty{"case set", r.CaseSet}, junitProperty{"interpretation", r.Interpretation}) {
			if p.Value != "" {
				s.Properties = append(s.Properties, junitProperty{p.Name, doc.OneLine(p.Value)})
			}
		}
		for _, t := range tests {
			s.add(t)
		}
		all.Suites = append(all.Suites, s)
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

func (s *junitSuite) add(t test) {
	c := junitCase{Class: className(t.suite[0], t.suite[1:]...), Name: t.name, Time: seconds(t.took)}
	s.Tests++
	text := &junitText{Message: t.message, Type: t.kind, Body: t.body}
	switch {
	case t.status == conformance.Broken:
		c.Error = text
		s.Errors++
	case t.status == conformance.Fail:
		c.Failure = text
		s.Failures++
	case t.status != conformance.Pass:
		c.Skipped = text
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// className joins a subject and a section to the name of a class or package, in
// which dots separate packages. Characters other than letters, digits and hyphens
// become underscores, so that section 2.2.2 is not three packages.
func className(subject string, section ...string) string {
	name := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return '_'
			}
			return r
		}, s)
	}
	if len(section) == 0 {
		return name(subject)
	}
	return name(subject) + ".section-" + name(section[0])
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
