package reports

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Time   string       `xml:"time,attr"`
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	SystemErr  *junitText      `xml:"system-err"`
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
	File    string     `xml:"file,attr,omitempty"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
}

type junitText struct {
	Message string `xml:"message,attr,omitempty"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",cdata"`
}

// JUnit writes the result as JUnit XML: one suite for each subject, one test
// case for each case, and, where the baseline is wrong, one suite more that
// says so. A failure is a failure whatever its level, and says where it does
// not count. The times are those of suites: a result has none of single cases.
func JUnit(w io.Writer, r *conformance.Result) error {
	all := junitSuites{Name: "repcheck", Time: seconds(r.Elapsed)}
	for i := range r.Subjects {
		all.Suites = append(all.Suites, subjectSuite(r, &r.Subjects[i]))
	}
	if len(r.Baseline) > 0 {
		all.Suites = append(all.Suites, baselineSuite(r))
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
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
	s := junitSuite{Name: printable(info.Name), Time: seconds(info.Elapsed), Timestamp: timestamp(r)}
	for _, p := range []junitProperty{
		{"package", info.Package}, {"version", info.Version}, {"language", info.Language},
		{"repcheck", r.Version}, {"case set", r.CaseSet}, {"interpretation", r.Interpretation},
	} {
		if p.Value != "" {
			s.Properties = append(s.Properties, junitProperty{p.Name, printable(p.Value)})
		}
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		k := slices.IndexFunc(c.Outcomes, func(o conformance.Outcome) bool { return o.Subject == info.Name })
		if k < 0 {
			continue
		}
		file, _, _ := strings.Cut(c.Pos, ":")
		t := junitCase{Class: printable(c.Section), Name: printable(c.ID), File: printable(file)}
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
			t.Skipped = &junitText{Message: oneLine(whySkipped(r, c, o))}
			s.Skipped++
		}
		s.Cases = append(s.Cases, t)
	}
	var about []string
	for _, remark := range remarksOn(info, true) {
		about = append(about, printable(remark.text))
	}
	if len(about) > 0 {
		s.SystemErr = &junitText{Body: strings.Join(about, "\n")}
	}
	return s
}

// failed renders a failure: the first check as the message, and the whole as
// Text shows it.
func failed(f failure) *junitText {
	text := &junitText{}
	message := "the case failed"
	if len(f.checks) > 0 {
		first := &f.checks[0]
		text.Type = printable(string(first.Got.Verdict))
		message = fmt.Sprintf("%s: %s", cut(spec.ProbeID(first.Probe), longestText), said(f.c.Level, first))
	}
	if more := len(f.checks) - 1; more > 0 {
		message += fmt.Sprintf(", and %s more", count(more, "check"))
	}
	if f.excused != "" {
		message += " (" + f.excused + ")"
	}
	var body bytes.Buffer
	p := newPage(&body, defaultWidth, false)
	failureText(p, &f, nil, true)
	_ = p.close() // a buffer takes everything
	text.Message, text.Body = oneLine(message), body.String()
	return text
}

// whySkipped says why a case that did not fail did not pass either.
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
			add(cut(check.Got.Detail, longestText))
		case conformance.Classified:
			choices := strings.Join(check.Choices, " or ")
			if choices == "" {
				choices = "none of the choices"
			}
			add(fmt.Sprintf("%s fits %s", cut(spec.ProbeID(check.Probe), longestText), choices))
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

// baselineSuite makes the problems of the baseline visible, as they count
// against the run like a failure.
func baselineSuite(r *conformance.Result) junitSuite {
	s := junitSuite{Name: "baseline", Time: seconds(0), Timestamp: timestamp(r)}
	for _, p := range r.Baseline {
		s.Tests++
		s.Failures++
		s.Cases = append(s.Cases, junitCase{
			Class:   "baseline",
			Name:    oneLine(strings.Join(slices.DeleteFunc([]string{p.Subject, p.Case, p.Expectation, p.Kind}, func(s string) bool { return s == "" }), " ")),
			Failure: &junitText{Message: oneLine(p.Message), Type: printable(p.Kind), Body: printable(p.String())},
		})
	}
	return s
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func timestamp(r *conformance.Result) string { return r.Started.UTC().Format("2006-01-02T15:04:05") }
