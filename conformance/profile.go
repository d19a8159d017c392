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

// Profiles holds the choices of several subjects at every point. If files besides
// the cases were used, it also holds how much the choices predict of other
// answers, and how much the subjects differ.
//
// These files are split by a hash of each file. The search uses the cases and one
// half; the other half is held out, and all shares and distances come from it.
type Profiles struct {
	// Format is the version of this format, 2.
	Format  int      `json:"format"`
	Version string   `json:"version"`
	Command []string `json:"command,omitempty"`
	// CaseSet is the hash of all cases.
	CaseSet string `json:"case_set"`
	// Seed selected the files that are held out, and Corpus names the collection
	// of the real files; both are empty without files besides the cases.
	Seed   uint64 `json:"seed,omitempty"`
	Corpus string `json:"corpus,omitempty"`
	// Elapsed is the time of all queries and of profiling, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Sources count the files and queries by source, the cases first.
	Sources []ProfileSource `json:"sources"`
	// Points are the points, stage by stage. The points of every subject have the
	// same order.
	Points   []ProfiledPoint  `json:"points"`
	Subjects []SubjectProfile `json:"subjects"`
	// Distances holds the distance between each two subjects, in the order of
	// Subjects: of the held-out queries that both answered, the share, from 0 to
	// 1, with different answers. It is 1 if there are no such queries.
	Distances [][]float64 `json:"distances,omitempty"`
	// Tree joins the subjects by these distances; nil for fewer than two.
	Tree *Tree `json:"tree,omitempty"`
	// Lineages are the claimed lineages with at least two subjects.
	Lineages []LineageDistance `json:"lineages,omitempty"`
}

// A ProfileSource counts the files and queries from one source: those that the
// search uses, and those that are held out.
type ProfileSource struct {
	Source      fingerprint.Source `json:"source"`
	SeenFiles   int                `json:"seen_files"`
	SeenQueries int                `json:"seen_queries"`
	HeldFiles   int                `json:"held_files"`
	HeldQueries int                `json:"held_queries"`
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
	// from rfc9309. The cases weigh most, then real files, then generated ones.
	Interpretation map[string]string `json:"interpretation"`
	// Deviations are the points at which Interpretation differs from rfc9309, in
	// order, and then the changes that were refuted.
	Deviations []Deviation `json:"deviations"`
	// Asked counts the queries of the cases that the subject supports: all except
	// those it answered with Unsupported. Predicted counts the answers that the
	// reference also gives under Interpretation.
	Asked     int `json:"asked"`
	Predicted int `json:"predicted"`
	// Unexplained are answers to cases that the reference gives neither under
	// Interpretation nor with any single choice changed that the subject shows
	// elsewhere. Each is a defect, or a point that is not described yet.
	Unexplained []Witness `json:"unexplained,omitempty"`
	// Distances are the distances to the named interpretations, the nearest
	// first.
	Distances []Distance `json:"distances"`
	// Prediction says how much Interpretation predicts of other answers; nil
	// without files besides the cases.
	Prediction *Prediction `json:"prediction,omitempty"`
	// Relative is the subject at the smallest distance, empty if there is no
	// other subject, or without files besides the cases.
	Relative         string  `json:"relative,omitempty"`
	RelativeDistance float64 `json:"relative_distance,omitempty"`
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
	// Files are used besides the cases, one half to find the choices and the other
	// to measure what these predict.
	Files []fingerprint.File
	// Seed selects the files that are held out.
	Seed uint64
	// Jobs bounds the number of concurrent queries to a subject; 0 means as many
	// as keep it busy.
	Jobs int
	// Progress, if not nil, is called after every file with the number of
	// finished files and of all files. Calls come from several goroutines, one at
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
// Equal files, seeds and answers give equal profiles. If ctx ends early, subjects
// without complete answers are missing.
func Profile(ctx context.Context, data *spec.Data, subjects []impl.Subject, o ProfileOptions) *Profiles {
	started := time.Now()
	s := newSamples(data.Cases, o.Files, o.Seed)
	all := &Profiles{Format: 2, CaseSet: data.Hash, Sources: s.sources, Points: profiledPoints()}
	done := newProgress(o.Progress, len(s.files)*len(subjects))
	var held [][]fingerprint.Outcome
	for _, subject := range subjects {
		verdicts, err := fingerprint.Ask(ctx, s.files, subject, o.Jobs, done)
		if ctx.Err() != nil {
			break
		}
		p, answers := s.profile(ctx, subject.Info(), verdicts)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			p.Lost = err.Error()
		}
		all.Subjects, held = append(all.Subjects, p), append(held, answers)
	}
	if len(o.Files) > 0 {
		all.Seed = o.Seed
		all.relate(held)
	}
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

// profile computes the profile of a subject from its answers, and also returns
// those that are held out.
func (s *samples) profile(ctx context.Context, info spec.SubjectInfo, verdicts [][]spec.Verdict) (p SubjectProfile, held []fingerprint.Outcome) {
	started := time.Now()
	p = SubjectProfile{SubjectInfo: info, Verdicts: map[spec.Verdict]int{}}
	for i, of := range verdicts {
		for _, v := range of {
			p.Verdicts[v]++
			if s.files[i].Source == fingerprint.Case && v != spec.Unsupported {
				p.Asked++
			}
		}
	}
	answers := s.known.Outcomes(verdicts[:s.knownFiles])
	found := s.known.Find(ctx, answers)
	known := s.known.View(found.In, answers)
	p.Interpretation, p.Deviations = choices(found.In), s.deviations(known, found)
	if len(s.sources) > 1 {
		p.Prediction, held = s.predict(ctx, known, found, verdicts)
	}
	answers = answers[:s.cases.Queries()]
	v := view{s.cases.View(found.In, answers)}
	p.Predicted = fingerprint.Agreement(v.Predicted, answers)
	p.Points, p.Unexplained = v.points()
	p.Distances = distances(s.cases, answers, p.Points)
	p.Elapsed = time.Since(started)
	return p, held
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
func distances(s *fingerprint.Sample, answers []fingerprint.Outcome, points []PointProfile) []Distance {
	var all []Distance
	for i, name := range reference.Names() {
		in := mustNamed(name)
		d := Distance{Interpretation: name, Points: []string{}, Same: fingerprint.Agreement(s.Named()[i], answers)}
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
