package fuzz

import (
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A ScanResult is the result of a scan, with everything that a report needs. It
// does not contain bodies, whose owners are other people: a file is identified by
// its name in the collection and the first digits of its SHA-256.
type ScanResult struct {
	// Format is the version of this format, ScanFormat.
	Format int `json:"format"`
	// Source is the source that was scanned, as named by the caller.
	Source string `json:"source,omitempty"`
	// Seed, Agents and URLs are the options, so that the scan can be repeated.
	Seed   uint64 `json:"seed"`
	Agents int    `json:"agents"`
	URLs   int    `json:"urls"`
	// Sample says which files were used, SampleAll, SampleHash or SampleFirst,
	// and Limit how many at most; 0 means all.
	Sample  string    `json:"sample"`
	Limit   int       `json:"limit,omitempty"`
	Started time.Time `json:"started"`
	// Elapsed is the time of the whole scan in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Interrupted is set if the scan ended before the source did.
	Interrupted bool `json:"interrupted,omitempty"`
	// Files and Octets count the files on which the subjects were queried.
	Files  int64 `json:"files"`
	Octets int64 `json:"octets"`
	// Unreadable counts entries of the source that could not be read.
	// UnreadableFirst says what was wrong with the first few.
	Unreadable      int64    `json:"unreadable,omitempty"`
	UnreadableFirst []string `json:"unreadable_first,omitempty"`
	// Subjects are in the order in which they were given to Scan.
	Subjects []ScanSubject `json:"subjects"`
	// Natural and Stress are the results of each kind of query; nil if it was not
	// asked.
	Natural *ScanQueries `json:"natural,omitempty"`
	Stress  *ScanQueries `json:"stress,omitempty"`
}

// ScanFormat is the version of the format of a ScanResult. Before version 2, natural
// and stress queries were not told apart.
const ScanFormat = 2

// ScanQueries is the result of the queries of one kind.
type ScanQueries struct {
	// Queries counts the queries to each subject.
	Queries int64 `json:"queries"`
	// FilesDiffering counts the files with a query to which two subjects gave
	// different answers, FilesDisagreeing those with one on which two lineages vote
	// differently; see ScanLineage.
	FilesDiffering   int64 `json:"files_differing"`
	FilesDisagreeing int64 `json:"files_disagreeing"`
	// Answers are those of each subject, in the order of ScanResult.Subjects.
	Answers []ScanAnswers `json:"answers"`
	// Pairs are all pairs of subjects, in the same order: the first with each
	// later one, then the second, and so on.
	Pairs []ScanPair `json:"pairs"`
	// Lineages are those of the subjects, in the same order.
	Lineages []ScanLineage `json:"lineages,omitempty"`
	// Causes are the behaviours that make lineages disagree, that of most files
	// first; none if ScanOptions.Causes was not set. CauseFiles is how many files
	// were examined for them: not large ones, for which that would take seconds.
	Causes     []ScanCause `json:"causes,omitempty"`
	CauseFiles int64       `json:"cause_files,omitempty"`
	// Choices are all choices of the reference other than those of RFC 9309, in
	// the order of the points; none if ScanOptions.Choices was not set.
	// ChoiceFiles is how many files were examined for them.
	Choices     []ScanChoice `json:"choices,omitempty"`
	ChoiceFiles int64        `json:"choice_files,omitempty"`
}

// A ScanSubject holds what is known about one subject from queries of all kinds.
type ScanSubject struct {
	spec.SubjectInfo
	// Fingerprint is the deviations from RFC 9309 that are known of it, and explain
	// its disagreements; none if causes were not looked for.
	Fingerprint Cause `json:"fingerprint,omitempty"`
	// Unfingerprinted: the search for Fingerprint did not end, because the subject was
	// lost or too slow, so no choice explains its disagreements.
	Unfingerprinted bool `json:"unfingerprinted,omitempty"`
	// Lost says why it got no more queries.
	Lost string `json:"lost,omitempty"`
	// Busy is the time its answers took, in nanoseconds. If InLibrary is set, it
	// is the time inside the library, which the subject measures, summed over
	// concurrent calls; otherwise it is the time during which a call was running,
	// transport included.
	Busy      time.Duration `json:"busy_ns"`
	InLibrary bool          `json:"in_library,omitempty"`
	// Slow counts the files that took it more than a second; Slowest is the one
	// that took longest.
	Slow    int64     `json:"slow,omitempty"`
	Slowest *ScanSlow `json:"slowest,omitempty"`
	// Faults are violations of the adapter protocol.
	Faults []string `json:"faults,omitempty"`
}

// ScanAnswers are the answers of one subject to the queries of one kind.
type ScanAnswers struct {
	// Verdicts counts its answers. VerdictFiles counts, for each verdict, the
	// files for which it was given at least once.
	Verdicts     map[spec.Verdict]int64 `json:"verdicts"`
	VerdictFiles map[spec.Verdict]int64 `json:"verdict_files"`
	// Unasked counts the queries that it did not get, as it was lost.
	Unasked int64 `json:"unasked,omitempty"`
	// Findings are the ways in which it failed to answer, sorted by Kind and
	// Cause: at most 100, of which the selection is deterministic.
	// FindingsDropped is set if there were more.
	Findings        []ScanFinding `json:"findings,omitempty"`
	FindingsDropped bool          `json:"findings_dropped,omitempty"`
}

// A ScanFinding is one way in which a subject failed to answer.
type ScanFinding struct {
	// Kind is spec.Crash, spec.Timeout or spec.ProtocolError.
	Kind spec.Verdict `json:"kind"`
	// Cause is the detail of the answers without the parts that change from file
	// to file, such as an index that is out of range.
	Cause string `json:"cause"`
	// Files and Queries count how often it happened.
	Files   int64 `json:"files"`
	Queries int64 `json:"queries"`
	// Example is the smallest file, and the first such query about it.
	Example ScanExample `json:"example"`
	// Detail is that of the answer to the example.
	Detail string `json:"detail,omitempty"`
}

// A ScanExample is a query about a file of the source.
type ScanExample struct {
	// File is its name in the source, Hash the first 12 hexadecimal digits of
	// its SHA-256, Octets its size.
	File   string `json:"file"`
	Hash   string `json:"hash"`
	Octets int    `json:"octets"`
	// Agent and URL are in octet notation, as JSON cannot hold bytes that are not
	// UTF-8. See spec.DecodeOctets.
	Agent string `json:"agent,omitempty"`
	URL   string `json:"url,omitempty"`
}

// A ScanSlow is a file for which a subject took long.
type ScanSlow struct {
	// Example has no agent and URL: all queries were sent at once.
	Example ScanExample   `json:"example"`
	Took    time.Duration `json:"took_ns"`
}

// A ScanPair compares two subjects.
//
// They are compared on the queries to which both gave an answer: allow, disallow
// or reject. An unsupported query is not compared, and a failure is a finding,
// not a disagreement.
type ScanPair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Queries is the number of queries compared, of which Differing differ.
	Queries   int64 `json:"queries"`
	Differing int64 `json:"differing"`
	// Files is the number of files with a query that was compared, of which
	// FilesDiffering have one that differs.
	Files          int64 `json:"files"`
	FilesDiffering int64 `json:"files_differing"`
	// Example is the smallest file on which they differ, with the first
	// query; nil if there is none.
	Example *ScanDifference `json:"example,omitempty"`
}

// A ScanDifference is a query with the answers of the two subjects.
type ScanDifference struct {
	ScanExample
	AnswerA spec.Answer `json:"answer_a"`
	AnswerB spec.Answer `json:"answer_b"`
}

// Rate returns the share of the queries that differ, between 0 and 1.
func (p ScanPair) Rate() float64 { return share(p.Differing, p.Queries) }

func share(part, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// Pair returns the pair of the subjects with those indexes, in either order.
func (q *ScanQueries) Pair(a, b int) *ScanPair {
	if a > b {
		a, b = b, a
	}
	return &q.Pairs[pairIndex(a, b, len(q.Answers))]
}

// pairIndex returns the index of the pair a, b in Pairs, for a < b < n.
func pairIndex(a, b, n int) int {
	return a*(2*n-a-1)/2 + b - a - 1
}
