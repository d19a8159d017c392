// Package goparsers calls the robots.txt parsers that exist as Go modules, each
// the way its own documentation tells users to.
//
// A parser is here if a Go program can import it from the public module mirror
// with a checksum to hold it to. When this was written, five could be:
// benjaminestes, grobotstxt, samclarke, slyrz and temoto. Of the others known,
// the modules of mvdahl, qingyu31, itmayziii and tamnd (meguri, kage) are not
// served, demyanovs has no entry in the checksum database, and the parser of
// lobster is in an internal package. They can be brought as processes, through
// the adapter protocol.
//
// Nothing here makes an answer better than the library gave it. Where a library
// wants a path, it gets the path and query of the URL octet for octet; where it
// wants a URL, it gets the URL. Where it returns an error, the verdict is
// [spec.Reject]. Panics are not caught here: they, and calls that never return,
// are the business of impl.InProcess. What no caller in the process survives is
// not asked: a file that a library would print about to standard output, or that
// it needs gigabytes for, is [spec.Unsupported].
package goparsers

import "github.com/repcheck/repcheck/spec"

// A Parser is one Go library, called the way its documentation tells users to.
type Parser struct {
	// Info says who answers. Version is the one that go.mod pins.
	Info spec.SubjectInfo

	// Parse reads a file once; the returned Matcher answers about it. An error
	// is one that the library returned, and means the verdict spec.Reject for
	// every probe. Parse and the Matcher may panic, or never return, where the
	// library does.
	//
	// The Matcher may read robots as long as it is used; neither changes it.
	// Parse is safe for concurrent use.
	Parse func(robots []byte) (Matcher, error)
}

// A Matcher says whether agent, a product token, may fetch the absolute URL
// url. One Matcher must not be used by several goroutines at a time.
type Matcher = func(agent, url string) spec.Answer

// All returns every parser, sorted by name.
func All() []Parser {
	return []Parser{benjaminestes, grobotstxt, samclarke, slyrz, temoto}
}

// reject is the verdict where the library returned err for one URL.
func reject(err error) spec.Answer {
	return spec.Answer{Verdict: spec.Reject, Detail: err.Error()}
}
