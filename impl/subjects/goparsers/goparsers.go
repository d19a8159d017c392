// Package goparsers calls the robots.txt parsers that exist as Go modules. It calls
// each parser as its documentation tells users to.
//
// A parser is included if a Go program can import it from the public module mirror
// and verify it with the checksum database. When this was written, that was true of
// five: benjaminestes, grobotstxt, samclarke, slyrz and temoto. Of the other known
// parsers, the modules of mvdahl, qingyu31, itmayziii and tamnd (meguri, kage) are
// not served, demyanovs has no entry in the checksum database, and the parser of
// lobster is in an internal package. They can run as processes, with the adapter
// protocol.
//
// The package never corrects the answer of a library. If a library takes a path, it
// gets the path and query of the URL, octet for octet; if it takes a URL, it gets
// the URL. If it returns an error, the verdict is [spec.Reject]. Panics are not
// caught here: impl.InProcess handles them, and calls that never return. Queries that
// no caller in the process would survive are not sent. A file about which a library
// would print to standard output, or for which it needs gigabytes, is
// [spec.Unsupported].
package goparsers

import "github.com/repcheck/repcheck/spec"

// A Parser is one Go library, called as its documentation tells users to.
type Parser struct {
	// Info identifies the library. Version is the version that go.mod pins.
	Info spec.SubjectInfo

	// Parse reads a file once and returns a Matcher for it. An error is an error
	// of the library and means the verdict spec.Reject for every probe. Parse and
	// the Matcher may panic, or never return, if the library does.
	//
	// The Matcher may refer to robots while it is in use. Neither changes robots.
	// Parse is safe for concurrent use.
	Parse func(robots []byte) (Matcher, error)
}

// A Matcher returns whether agent, a product token, may fetch the absolute URL url.
// It must not be used by several goroutines at the same time.
type Matcher = func(agent, url string) spec.Answer

// All returns every parser, sorted by name.
func All() []Parser {
	return []Parser{benjaminestes, grobotstxt, samclarke, slyrz, temoto}
}

// reject returns the answer for a URL for which the library returned err.
func reject(err error) spec.Answer {
	return spec.Answer{Verdict: spec.Reject, Detail: err.Error()}
}
