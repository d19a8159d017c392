package conformance

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A ProfileStatus describes how well the answers determine the choice at a point.
type ProfileStatus string

const (
	// Clear: exactly one choice gives every answer.
	Clear ProfileStatus = "clear"
	// Undistinguished: several choices give every answer, or no case is about
	// the point.
	Undistinguished ProfileStatus = "undistinguished"
	// Inconsistent: no choice gives every answer. The subject contradicts itself,
	// or behaves in a way that no choice describes.
	Inconsistent ProfileStatus = "inconsistent"
	// Masked: because of the subject's choices at other points, no query shows
	// which choice it makes. For example, a parser that ignores allow lines never
	// has a tie to break.
	Masked ProfileStatus = "masked"
	// Unanswered: on every such query the subject crashed, timed out, or rejected
	// the file or the URL.
	Unanswered ProfileStatus = "unanswered"
)

// Profiles holds the choices of several subjects at every point.
type Profiles struct {
	// Format is the version of this format, 1.
	Format  int      `json:"format"`
	Version string   `json:"version"`
	Command []string `json:"command,omitempty"`
	// CaseSet is the hash of all cases.
	CaseSet string `json:"case_set"`
	// Cases and Questions count the cases and queries for each subject.
	Cases     int `json:"cases"`
	Questions int `json:"questions"`
	// Elapsed is the time of all queries and of profiling, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Points are the points, stage by stage. The points of every subject have the
	// same order.
	Points   []ProfiledPoint  `json:"points"`
	Subjects []SubjectProfile `json:"subjects"`
}

// A ProfiledPoint is a point with all of its choices.
type ProfiledPoint struct {
	ID      string   `json:"id"`
	Stage   string   `json:"stage"`
	Choices []string `json:"choices"`
	// Named is the choice of each named interpretation.
	Named map[string]string `json:"named"`
}

// A SubjectProfile holds the choices that a subject's answers show.
type SubjectProfile struct {
	spec.SubjectInfo
	// Verdicts counts the subject's answers.
	Verdicts map[spec.Verdict]int `json:"verdicts"`
	// Elapsed is the time of profiling alone, in nanoseconds.
	Elapsed time.Duration  `json:"elapsed_ns"`
	Points  []PointProfile `json:"points"`
	// Interpretation holds the choices, by point, that predict most of the
	// subject's answers. Among equally good ones it has the fewest deviations
	// from rfc9309.
	Interpretation map[string]string `json:"interpretation"`
	// Asked counts the queries that the subject supports: all except those it
	// answered with Unsupported. Predicted counts the answers that the reference
	// also gives under Interpretation.
	Asked     int `json:"asked"`
	Predicted int `json:"predicted"`
	// Unexplained are answers that the reference gives neither under
	// Interpretation nor with any single choice changed that the subject shows
	// elsewhere. Each is a defect, or a point that is not described yet.
	Unexplained []Witness `json:"unexplained,omitempty"`
	// Distances are the distances to the named interpretations, the nearest
	// first.
	Distances []Distance `json:"distances"`
	// Lost is the reason why the subject did not get all queries.
	Lost string `json:"lost,omitempty"`
}

// A PointProfile holds the behaviour of a subject at one point.
//
// The witnesses of a point are the queries to which its choices give different
// answers, with the subject's own choices at all other points.
type PointProfile struct {
	Point  string        `json:"point"`
	Status ProfileStatus `json:"status"`
	// Choices are the choices that give the most answers, in the order of the
	// point; none if the point is masked or unanswered.
	Choices []string `json:"choices,omitempty"`
	// Agree counts the answers to witnesses that each of Choices gives, Total all
	// answers that count. An answer that a change at another point explains
	// better counts there, and one that no change explains is in Unexplained.
	Agree int `json:"agree"`
	Total int `json:"total"`
	// Silent counts witnesses whose answer is a verdict that no choice gives.
	Silent int `json:"silent,omitempty"`
	// MaskedBy is the first point at which the choice of rfc9309 would restore
	// witnesses; empty if several points must change.
	MaskedBy string `json:"masked_by,omitempty"`
	// Decisive are a few witnesses that distinguish Choices from all other
	// choices.
	Decisive []Witness `json:"decisive,omitempty"`
	// Against are all answers that Choices do not give.
	Against []Witness `json:"against,omitempty"`
}

// Takes reports whether the choice is among the best-fitting choices.
func (p *PointProfile) Takes(choice string) bool { return slices.Contains(p.Choices, choice) }

// settled reports whether the answers agree with each other.
func (p *PointProfile) settled() bool { return p.Status == Clear || p.Status == Undistinguished }

// String returns the choices, such as "exact" or "keep or refuse-line", or the
// reason why there are none, in brackets.
func (p *PointProfile) String() string {
	switch {
	case p.Status == Masked && p.MaskedBy != "":
		return "(masked by " + p.MaskedBy + ")"
	case p.Status == Masked:
		return "(masked)"
	case p.Status == Unanswered:
		return "(no answer)"
	case p.Total == 0:
		return "(no case)"
	}
	return strings.Join(p.Choices, " or ")
}

// Contradiction returns two witnesses of an inconsistent point such that no
// choice gives both answers. ok is false if there are none.
func (p *PointProfile) Contradiction() (one, other Witness, ok bool) {
	all := slices.Concat(p.Decisive, p.Against)
	for _, other := range p.Against {
		for _, one := range all {
			if !slices.ContainsFunc(one.Fits, func(c string) bool { return slices.Contains(other.Fits, c) }) {
				return one, other, true
			}
		}
	}
	return Witness{}, Witness{}, false
}

// A Witness is a query with the subject's answer.
type Witness struct {
	Case string `json:"case"`
	// Probe is the query in the format of [spec.ProbeID].
	Probe string       `json:"probe"`
	Got   spec.Verdict `json:"got"`
	// Fits are the choices of the point that give this answer.
	Fits []string `json:"fits,omitempty"`
}

// A Distance measures how far a subject is from a named interpretation.
type Distance struct {
	Interpretation string `json:"interpretation"`
	// Points are the points at which the subject is clear or undistinguished and
	// does not make the interpretation's choice.
	Points []string `json:"points"`
	// Same counts the answers, out of SubjectProfile.Asked, that the reference
	// also gives under the interpretation.
	Same int `json:"same"`
}

// ProfileOptions configure [Profile]. The zero value works.
type ProfileOptions struct {
	// Jobs bounds the number of concurrent queries to a subject; 0 means as many
	// as keep it busy.
	Jobs int
	// Progress, if not nil, is called after every case with the number of
	// finished cases and of all cases. Calls come from several goroutines, one at
	// a time.
	Progress func(done, total int)
}

// Profile sends the queries of all cases, including judging ones, to every
// subject, and determines which choices it makes.
//
// The effect of a choice is not read from the cases but computed: the reference
// answers every query under the subject's own interpretation with only that
// choice changed. Thus judging cases are evidence too. The subject's own
// interpretation is found by package fingerprint.
//
// If ctx ends early, subjects without complete answers are missing.
func Profile(ctx context.Context, data *spec.Data, subjects []impl.Subject, o ProfileOptions) *Profiles {
	started := time.Now()
	var sample []SampleFile
	for i := range data.Cases {
		c := &data.Cases[i]
		f := SampleFile{Name: c.ID, Point: c.Point, File: fingerprint.File{Robots: c.Robots}}
		for k := range c.Expect {
			f.Probes = append(f.Probes, c.Expect[k].Probe)
		}
		sample = append(sample, f)
	}
	s := newSample(sample)
	all := &Profiles{
		Format: 1, CaseSet: data.Hash, Cases: len(data.Cases), Questions: s.Queries(), Points: profiledPoints(),
	}
	eachAnswered(ctx, s.asked(), subjects, o.Jobs, o.Progress, func(info spec.SubjectInfo, verdicts [][]spec.Verdict, lost string) {
		p := s.profile(ctx, info, verdicts)
		if p.Lost = lost; ctx.Err() == nil {
			all.Subjects = append(all.Subjects, p)
		}
	})
	all.Elapsed = time.Since(started)
	return all
}

func profiledPoints() []ProfiledPoint {
	var all []ProfiledPoint
	for _, p := range reference.Points() {
		named := map[string]string{}
		for _, name := range reference.Names() {
			named[name] = mustNamed(name).Choice(p)
		}
		all = append(all, ProfiledPoint{ID: p.String(), Stage: p.Stage(), Choices: p.Choices(), Named: named})
	}
	return all
}

func mustNamed(name string) reference.Interpretation {
	in, err := reference.Named(name)
	if err != nil {
		panic(err) // the names come from the reference
	}
	return in
}

// profile computes the profile of a subject from its answers.
func (s *sample) profile(ctx context.Context, info spec.SubjectInfo, verdicts [][]spec.Verdict) SubjectProfile {
	started := time.Now()
	p := SubjectProfile{SubjectInfo: info, Verdicts: tallyVerdicts(verdicts)}
	answers := s.Outcomes(verdicts)
	p.Asked = s.Queries() - p.Verdicts[spec.Unsupported]
	v := s.find(ctx, answers)
	p.Interpretation = choices(v.In)
	p.Predicted = fingerprint.Agreement(v.Predicted, answers)
	p.Points, p.Unexplained = v.points()
	p.Distances = s.distances(answers, p.Points)
	p.Elapsed = time.Since(started)
	return p
}

func tallyVerdicts(verdicts [][]spec.Verdict) map[spec.Verdict]int {
	all := map[spec.Verdict]int{}
	for _, of := range verdicts {
		for _, v := range of {
			all[v]++
		}
	}
	return all
}

// choices returns the choices of an interpretation, by point.
func choices(in reference.Interpretation) map[string]string {
	all := map[string]string{}
	for _, p := range reference.Points() {
		all[p.String()] = in.Choice(p)
	}
	return all
}

// distances measures the distance of the subject from every named interpretation.
func (s *sample) distances(answers []fingerprint.Outcome, points []PointProfile) []Distance {
	var all []Distance
	for i, name := range reference.Names() {
		in := mustNamed(name)
		d := Distance{Interpretation: name, Points: []string{}, Same: fingerprint.Agreement(s.named()[i], answers)}
		for i, point := range reference.Points() {
			if points[i].settled() && !points[i].Takes(in.Choice(point)) {
				d.Points = append(d.Points, point.String())
			}
		}
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b Distance) int {
		return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(len(a.Points), len(b.Points)))
	})
	return all
}
