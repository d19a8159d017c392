package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A standing is the result of comparing one entry of a baseline with a run.
type standing uint8

const (
	// unseen: the run did not include or did not score the expectation.
	unseen standing = iota
	// unanswered: the answer timed out or broke the protocol, so the parser's
	// verdict is unknown.
	unanswered
	// holds: the subject still fails with the known verdict.
	holds
	// changed: the subject still fails, with another verdict.
	changed
	// ended: the subject answered and does not fail.
	ended
	// missing: the case ran and has no such expectation.
	missing
)

// stand compares an entry with the answer of a subject. The returned check is nil
// if there is none.
func stand(out *Outcome, name string, known spec.Verdict) (standing, *Check) {
	if len(out.Checks) == 0 {
		return unseen, nil
	}
	i := slices.IndexFunc(out.Checks, func(c Check) bool { return spec.ProbeID(c.Probe) == name })
	if i < 0 {
		return missing, nil
	}
	check := &out.Checks[i]
	failed := check.Status >= Known
	switch {
	case check.Status == NotScored:
		return unseen, check
	case failed && check.Got.Verdict == known:
		return holds, check
	case check.Got.Verdict == spec.Timeout || check.Got.Verdict == spec.ProtocolError:
		return unanswered, check
	case failed:
		return changed, check
	}
	return ended, check
}

// applies reports whether the entries apply to the subject, including its
// version.
func (s *baselineSubject) applies(subject *SubjectResult, interpretation string) bool {
	return s.concerns(subject, interpretation) &&
		(len(s.Versions) == 0 || spec.NewSelection(s.Versions).Match(subject.Version))
}

// concerns is like applies, for any version.
func (s *baselineSubject) concerns(subject *SubjectResult, interpretation string) bool {
	return s.Subject == subject.Name && s.Interpretation == interpretation
}

// mark changes the status of failures that the baseline lists to Known. A failure of
// a transformed case is known if the baseline lists it for the original case; an
// entry that does not hold for a transformed case is not wrong.
func (b *Baseline) mark(r *Result, data *spec.Data, now time.Time) {
	if b == nil {
		return
	}
	cases := map[string][]*CaseResult{} // by the ID of the original case
	for i := range r.Cases {
		id := r.Cases[i].Original()
		cases[id] = append(cases[id], &r.Cases[i])
	}
	for at := range r.Subjects {
		b.each(&r.Subjects[at], r.Interpretation, func(_ *baselineFile, item *baselineItem) {
			if item.expired(now) {
				return
			}
			for _, key := range item.expectations() {
				verdict := item.Cases[key.id][key.name]
				for _, c := range cases[key.id] {
					out, name := &c.Outcomes[at], key.name
					if c.Transform != "" {
						name = transformedName(out, data.Case(key.id), name)
					}
					switch standing, check := stand(out, name, verdict); {
					case standing == holds:
						check.Status, check.Reason = Known, item.Reason
					case c.Transform == "" && (standing == changed || standing == ended && check.Status == Pass):
						check.Baseline, check.Reason = verdict, item.Reason
					}
					out.merge()
				}
			}
		})
	}
}

// each calls f for every entry that applies to the subject.
func (b *Baseline) each(subject *SubjectResult, interpretation string, f func(*baselineFile, *baselineItem)) {
	for _, file := range b.files {
		for _, s := range file.entries {
			if s.applies(subject, interpretation) {
				for _, item := range s.Known {
					f(file, item)
				}
			}
		}
	}
}

// merge sets the status of the outcome to the highest of its checks.
func (o *Outcome) merge() {
	o.Status = NotScored
	for _, check := range o.Checks {
		o.Status = max(o.Status, check.Status)
	}
}

// byID returns the cases of the result by their ID. A transformed case has its
// own ID, so a baseline matches only cases that ran unchanged.
func (r *Result) byID() map[string]*CaseResult {
	cases := make(map[string]*CaseResult, len(r.Cases))
	for i := range r.Cases {
		cases[r.Cases[i].ID] = &r.Cases[i]
	}
	return cases
}

// check records the problems of the baseline itself. remedy returns how to change
// an entry.
func (b *Baseline) check(r *Result, data *spec.Data, now time.Time, remedy remedy) {
	if b == nil {
		return
	}
	cases := r.byID()
	for at := range r.Subjects {
		b.checkVersions(r, &r.Subjects[at])
		b.each(&r.Subjects[at], r.Interpretation, func(file *baselineFile, item *baselineItem) {
			e := entryCheck{r: r, data: data, cases: cases, at: at, path: file.path, item: item, remedy: remedy}
			e.run(now)
		})
	}
}

// checkVersions reports entries that do not apply because they are for other
// versions. It ignores the entries that repcheck ships, because a user cannot
// change them.
func (b *Baseline) checkVersions(r *Result, subject *SubjectResult) {
	if subject.Lost != "" {
		return // its version may be unknown
	}
	var others []BaselineProblem
	for _, file := range b.files {
		for _, s := range file.entries {
			switch {
			case s.applies(subject, r.Interpretation):
				return
			case !s.concerns(subject, r.Interpretation):
			case file.shipped:
				r.Notes = append(r.Notes, fmt.Sprintf("the known failures of %s in %s are for version %s, not %s: they are not applied; record your own with --baseline FILE --update-baseline",
					s.Subject, file.path, strings.Join(s.Versions, ", "), subject.Version))
			default:
				others = append(others, BaselineProblem{
					Kind: "version", Pos: fmt.Sprintf("%s:%d", file.path, lineOf(s.node, "versions")), Subject: s.Subject,
					Message: fmt.Sprintf("the entries are for version %s, and the parser %s: %sdelete versions to apply them to every version",
						strings.Join(s.Versions, ", "), describeVersion(subject.Version), addVersion(subject.Version)),
				})
			}
		}
	}
	r.Baseline = append(r.Baseline, others...)
}

func describeVersion(version string) string {
	if version == "" {
		return "reports no version"
	}
	return "has version " + version
}

func addVersion(version string) string {
	if version == "" {
		return ""
	}
	return fmt.Sprintf("add %q to versions, or ", version)
}

// A remedy returns how to drop an entry from the file at path or, if drop is not
// set, how to change it.
type remedy func(path string, drop bool) string

// onCommandLine is the remedy for repcheck run.
func onCommandLine(path string, drop bool) string {
	if drop {
		return fmt.Sprintf("run again with --baseline %s --prune-baseline to drop the entry", path)
	}
	return fmt.Sprintf("run again with --baseline %s --update-baseline --reason 'why' to change the entry", path)
}

// An entryCheck compares one entry of a baseline with a result.
type entryCheck struct {
	r      *Result
	data   *spec.Data
	cases  map[string]*CaseResult
	at     int
	path   string
	item   *baselineItem
	remedy remedy
}

func (e *entryCheck) problem(kind string, line int, id, name, format string, args ...any) {
	e.r.Baseline = append(e.r.Baseline, BaselineProblem{
		Kind: kind, Pos: fmt.Sprintf("%s:%d", e.path, line), Subject: e.r.Subjects[e.at].Name,
		Case: id, Expectation: name, Message: fmt.Sprintf(format, args...),
	})
}

func (e *entryCheck) run(now time.Time) {
	if e.item.expired(now) {
		e.problem("expired", lineOf(e.item.node, "expires"), "", "", "the entry expired on %s (%s): fix the parser and delete the entry, or set a later day",
			e.item.Expires, e.item.Reason)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(e.item.Cases)) {
		if e.data.Case(id) == nil {
			e.problem("unmatched", lineOf(e.item.node, "cases", id), id, "", "there is no case %s%s: correct the ID or delete this line", id, e.nearest(id))
			continue
		}
		if c := e.cases[id]; c != nil && e.r.Subjects[e.at].Lost == "" {
			e.expectations(&c.Outcomes[e.at], id)
		}
	}
}

// nearest suggests the case that was probably meant.
func (e *entryCheck) nearest(id string) string {
	ids := make([]string, len(e.data.Cases))
	for i := range e.data.Cases {
		ids[i] = e.data.Cases[i].ID
	}
	if near := spec.Nearest(id, ids); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

func (e *entryCheck) expectations(out *Outcome, id string) {
	expectations := e.item.Cases[id]
	for _, name := range slices.Sorted(maps.Keys(expectations)) {
		line := lineOf(e.item.node, "cases", id, name)
		standing, check := stand(out, name, expectations[name])
		switch {
		case standing == missing:
			e.problem("unmatched", line, id, name, "case %s has no expectation %q: %s", id, name, e.remedy(e.path, true))
		case standing == changed:
			e.problem("stale", line, id, name, "%s, %q: the answer is %s now, not %s: %s", id, name, check.Got.Verdict, expectations[name], e.remedy(e.path, false))
		case standing == ended && check.Status == Pass:
			e.problem("stale", line, id, name, "%s, %q passes now: %s", id, name, e.remedy(e.path, true))
		case standing == ended:
			e.problem("stale", line, id, name, "%s, %q is %s now and does not fail: %s", id, name, check.Status, e.remedy(e.path, true))
		}
	}
}
