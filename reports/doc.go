// Package reports renders the result of a run: for people ([Text]), for
// programs ([JSON]), for continuous integration ([JUnit]) and for the summary
// of a GitHub job ([Markdown]).
//
// Every renderer is a pure function of the [conformance.Result]: the same
// result gives the same octets, subjects and cases keep the order of the
// result, and everything else is sorted. The only error of a renderer is its
// writer's.
//
// A file, an agent or an answer may hold any octets. What is written for people
// and in XML holds only characters that can be seen, beside the escape
// sequences of Color: the rest stands in the octet notation of package spec.
//
// Counts are of two kinds: a case is one file with its rationale, an expectation
// is one query of a case with the verdict that the case wants. Passes and
// failures are counted in expectations; the check of one is what an entry of
// the baseline explains.
//
// [CompareText] and [CompareMarkdown] render what changed between two results.
package reports
