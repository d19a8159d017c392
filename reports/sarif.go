package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// GitHub shows the 5,000 most severe results of a run and rejects one with more
// than 25,000, or a file of more than 10 MB compressed.
// https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
const (
	sarifResults = 5000
	// sarifMessage bounds a message, in runes: 5,000 of them are 2.5 MB.
	sarifMessage = 500
)

// Locations select the file in which a failure is shown.
type Locations struct {
	// Robots is a folder, relative to the root of the repository, that contains
	// the file of each case as ID.txt. A failure is then located in that file, at
	// the deciding line. If Robots is "", a failure is located where the case is
	// defined.
	Robots string
}

// of returns the file and the line of a failure.
func (l Locations) of(f *failure) (file string, line int) {
	if l.Robots == "" {
		return position(f.c.Pos)
	}
	id, line := f.c.ID, 1
	if f.c.Transform != "" { // a line of the changed file
		id = strings.TrimSuffix(id, "+"+f.c.Transform)
	} else if lines := f.deciding(); len(lines) > 0 {
		line = lines[0]
	}
	return path.Join(filepath.ToSlash(l.Robots), id) + ".txt", line
}

// position splits "file:line". The line is 1 if there is none.
func position(pos string) (file string, line int) {
	if i := strings.LastIndexByte(pos, ':'); i >= 0 {
		if n, err := strconv.Atoi(pos[i+1:]); err == nil {
			return pos[:i], max(1, n)
		}
	}
	return pos, 1
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	Properties  map[string]string `json:"properties"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID         string         `json:"id"`
	Short      sarifText      `json:"shortDescription"`
	Help       sarifText      `json:"help"`
	Properties sarifRuleExtra `json:"properties"`
}

type sarifRuleExtra struct {
	Tags []string `json:"tags"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

// SARIF writes the unexpected failures and the problems of the baseline as SARIF
// 2.1.0. A rule is a case, and an error is a failure that counts against the run.
// A fingerprint depends only on parser and case, so that an alert stays the same
// while case files and parsers change. At most 5,000 results are written, errors
// first, because code hosts show no more.
func SARIF(w io.Writer, r *conformance.Result, l Locations) error {
	s := sarifBuilder{rules: map[string]int{}}
	s.run = sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "repcheck", Version: r.Version, InformationURI: "https://github.com/repcheck/repcheck", Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: !r.Lost()}},
		Results:     []sarifResult{},
		Properties:  map[string]string{"caseSet": r.CaseSet, "interpretation": r.Interpretation},
	}
	var minor []failure
	for _, p := range r.Baseline {
		s.addProblem(p)
	}
	for _, failures := range unexpected(r) {
		for _, f := range failures {
			if f.excused != "" {
				minor = append(minor, f)
				continue
			}
			s.addFailure(&f, "error", l)
		}
	}
	for i := range minor {
		s.addFailure(&minor[i], "note", l)
	}
	for _, remark := range remarks(r, false) {
		level := "warning"
		if remark.lost {
			level = "error"
		}
		s.notify(level, remark.text)
	}
	if s.dropped > 0 {
		s.notify("warning", count(s.dropped, "result")+" left out: code hosts show "+strconv.Itoa(sarifResults)+" of a run")
	}
	return WriteJSONLine(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{s.run},
	})
}

// A sarifBuilder builds a run.
type sarifBuilder struct {
	run     sarifRun
	rules   map[string]int // the index of each rule
	dropped int
}

func (s *sarifBuilder) addFailure(f *failure, level string, l Locations) {
	file, line := l.of(f)
	s.add(sarifRule{
		ID: f.c.ID, Short: sarifText{doc.OneLine(f.c.Rationale)}, Help: sarifText{f.explainCommand()},
		Properties: sarifRuleExtra{Tags: slices.Concat([]string{string(f.c.Level)}, f.c.Requirements)},
	}, level, f.subject+": "+failureMessage(f), file, line, f.subject, f.c.ID)
}

func (s *sarifBuilder) addProblem(p conformance.BaselineProblem) {
	file, line := position(p.Pos)
	s.add(sarifRule{
		ID: "baseline/" + p.Kind, Short: sarifText{"An entry of the baseline is " + p.Kind}, Help: sarifText{"repcheck run --help"},
		Properties: sarifRuleExtra{Tags: []string{"baseline"}},
	}, "error", p.Subject+": "+p.Message, file, line, p.Kind, p.Subject, p.Case, p.Expectation)
}

// add adds a result. Its identity distinguishes it from others.
func (s *sarifBuilder) add(rule sarifRule, level, message, file string, line int, identity ...string) {
	if len(s.run.Results) == sarifResults {
		s.dropped++
		return
	}
	rules := &s.run.Tool.Driver.Rules
	index, ok := s.rules[rule.ID]
	if !ok {
		index = len(*rules)
		s.rules[rule.ID] = index
		*rules = append(*rules, rule)
	}
	sum := sha256.Sum256([]byte(strings.Join(identity, "\x00")))
	s.run.Results = append(s.run.Results, sarifResult{
		RuleID: rule.ID, RuleIndex: index, Level: level, Message: sarifText{doc.Cut(doc.OneLine(message), sarifMessage)},
		Locations: []sarifLocation{{sarifPhysical{sarifArtifact{fileURI(file)}, sarifRegion{line}}}},
		// GitHub reads the fingerprint of this name. Without it, GitHub would
		// compute one from the line of the file, and merge the failures of two
		// parsers in one case.
		Fingerprints: map[string]string{"primaryLocationLineHash": hex.EncodeToString(sum[:8]) + ":1"},
	})
}

func (s *sarifBuilder) notify(level, text string) {
	n := &s.run.Invocations[0].Notifications
	*n = append(*n, sarifNotification{level, sarifText{doc.Cut(doc.OneLine(text), sarifMessage)}})
}

// fileURI returns the URI of a file, relative if the path is.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}
