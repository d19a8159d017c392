package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
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

// SARIF writes the unexpected failures and the problems of the baseline as SARIF
// 2.1.0. A rule is a case, and an error is a failure that counts against the run.
// A fingerprint depends only on parser and case, so that an alert stays the same
// while case files and parsers change. At most 5,000 results are written, errors
// first, because code hosts show no more.
func SARIF(w io.Writer, r *conformance.Result, l Locations) error {
	text := func(s string) object { return object{"text": doc.Cut(doc.OneLine(s), sarifMessage)} }
	all := alerts(r, l)
	results, rules, index := []object{}, []object{}, map[string]int{}
	for _, a := range all[:min(len(all), sarifResults)] {
		if _, ok := index[a.rule]; !ok {
			index[a.rule] = len(rules)
			rules = append(rules, object{
				"id": a.rule, "shortDescription": object{"text": a.about}, "help": object{"text": a.help}, "properties": object{"tags": a.tags},
			})
		}
		level := "error"
		if a.minor {
			level = "note"
		}
		sum := sha256.Sum256([]byte(strings.Join(a.identity, "\x00")))
		place := object{"artifactLocation": object{"uri": fileURI(a.file)}, "region": object{"startLine": a.line}}
		results = append(results, object{
			"ruleId": a.rule, "ruleIndex": index[a.rule], "level": level, "message": text(a.subject + ": " + a.message),
			"locations": []object{{"physicalLocation": place}},
			// GitHub reads the fingerprint of this name. Without it, GitHub would
			// compute one from the line of the file, and merge the failures of two
			// parsers in one case.
			"partialFingerprints": object{"primaryLocationLineHash": hex.EncodeToString(sum[:8]) + ":1"},
		})
	}
	invocation := object{"executionSuccessful": !r.Lost()}
	var notes []object
	notify := func(level, line string) { notes = append(notes, object{"level": level, "message": text(line)}) }
	for i := range r.Subjects {
		for k, line := range remarks(&r.Subjects[i]) {
			level := "warning"
			if k == 0 && r.Subjects[i].Lost != "" {
				level = "error"
			}
			notify(level, line)
		}
	}
	if dropped := len(all) - len(results); dropped > 0 {
		notify("warning", fmt.Sprintf("%s left out: code hosts show %s of a run", count(dropped, "result"), thousands(sarifResults)))
	}
	if notes != nil {
		invocation["toolExecutionNotifications"] = notes
	}
	driver := toolObject(r)
	driver["informationUri"], driver["rules"] = "https://github.com/repcheck/repcheck", rules
	return WriteJSONLine(w, object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool": object{"driver": driver}, "invocations": []object{invocation}, "results": results,
			"properties": object{"caseSet": r.CaseSet, "interpretation": r.Interpretation},
		}},
	})
}

// fileURI returns the URI of a file, relative if the path is.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}
