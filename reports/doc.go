// Package reports turns results into reports. For people there is one builder per
// result, which returns a [doc.Document]: [Run], [Compare], [Coverage], [Explain],
// [Profile], [Fingerprint], [Scan], [Complexity], [Campaign], [Findings] and
// [State]. The document writes itself as text, Markdown or HTML. For programs there
// are [JSON], [JSONL], [CSV], [JUnit], [CTRF] and [SARIF], and [GitHub] for a job
// of GitHub Actions.
//
// Every report is a pure function of its result: the same result gives the same
// bytes, parsers and cases keep the order of the result, and everything else is
// sorted. The only error of a writer is that of its io.Writer.
//
// A file, an agent or an answer may hold any bytes. What is written for people and
// in XML holds only visible characters, apart from the escape sequences of colors:
// the rest is in the octet notation of package spec.
//
// Counts are of two kinds: a case is one file with its rationale, an expectation
// is one query of a case with the verdict that the case expects. Passes and
// failures count expectations, and an entry of the baseline is about one of them.
package reports
