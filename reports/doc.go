// Package reports turns results into reports. For human readers there is one
// builder per kind of result, which returns a [doc.Document]: [Run], [Compare],
// [Coverage], [Explain], [Profile], [Fingerprint], [Scan], [Complexity],
// [Campaign], [Findings] and [State]. The document writes itself as text,
// Markdown or HTML. For programs there are [JSON], [JSONL], [CSV], [JUnit],
// [CTRF] and [SARIF], and for GitHub Actions there is [GitHub].
//
// Every report is a pure function of its result: the same result gives the same
// bytes, parsers and cases keep the order of the result, and everything else is
// sorted. A writer returns no errors except those of its io.Writer.
//
// A file, an agent or an answer may contain any bytes. Documents and XML contain
// only visible characters, apart from the escape sequences for colors; all other
// bytes appear in the octet notation of package spec.
//
// Reports count cases and expectations. A case is one file with its rationale. An
// expectation is one query of a case with the verdict that the case expects.
// Passes and failures are counts of expectations, and each entry of a baseline is
// about one expectation.
package reports
