package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// An answer is a decoded and checked answer line.
type answer struct {
	id      int64
	plural  bool          // allows was given: answers has one element for each URL
	answers []spec.Answer // otherwise one element, and whole tells if it may stand for many
	whole   bool          // a reject, unsupported or error for every URL of the request
	library time.Duration // the ns field
}

// decodeHello reads the adapter's answer to hello. The error says what to
// change in the adapter.
func decodeHello(line []byte) (wireHello, error) {
	var h wireHello
	if err := decodeObject(line, &h); err != nil {
		return h, err
	}
	switch {
	case h.Hello != Version:
		return h, fmt.Errorf(`answered hello with %s — say "hello":%d, the protocol version`, excerpt(line), Version)
	case h.Name == "" || h.Name != strings.ToLower(h.Name) || strings.ContainsFunc(h.Name, blank):
		return h, fmt.Errorf("answered hello with the name %q — give a lower-case name without blanks", h.Name)
	case h.Window != nil && *h.Window < 1:
		return h, fmt.Errorf("answered hello with a window of %d — offer at least 1 or none", *h.Window)
	}
	return h, nil
}

func blank(r rune) bool { return r <= ' ' || r == 0x7f }

// decodeAnswer reads an answer line. On an error the id is set if it could be
// read, else 0, which is never asked.
func decodeAnswer(line []byte) (answer, error) {
	var w wireAnswer
	err := decodeObject(line, &w)
	if w.ID == nil {
		if err == nil {
			err = fmt.Errorf("printed an answer without an id: %s — repeat the id of the request", excerpt(line))
		}
		return answer{}, err
	}
	a := answer{id: *w.ID, library: time.Duration(max(w.NS, 0))}
	if err != nil {
		return a, err
	}
	if w.Allows != nil {
		if w.wireOutcome != (wireOutcome{}) {
			return a, fmt.Errorf("gave more than one verdict: %s — one of allow, allows, reject, unsupported, error", excerpt(line))
		}
		return a, a.several(&w)
	}
	one, err := w.answer(w.Line, w.Pattern)
	if err != nil {
		return a, fmt.Errorf("%w: %s", err, excerpt(line))
	}
	a.answers, a.whole = []spec.Answer{one}, w.Allow == nil
	return a, nil
}

// several takes over the elements of allows.
func (a *answer) several(w *wireAnswer) error {
	n := len(w.Allows)
	if w.Lines != nil && len(w.Lines) != n || w.Patterns != nil && len(w.Patterns) != n {
		return fmt.Errorf("gave %d allows, %d lines and %d patterns — lines and patterns have one element for each URL or are left out",
			n, len(w.Lines), len(w.Patterns))
	}
	a.plural, a.answers = true, make([]spec.Answer, n)
	for i, e := range w.Allows {
		line, pattern := 0, ""
		if w.Lines != nil {
			line = w.Lines[i]
		}
		if w.Patterns != nil {
			pattern = w.Patterns[i]
		}
		one, err := e.answer(line, pattern)
		if err != nil {
			return fmt.Errorf("%w: element %d of allows", err, i+1)
		}
		a.answers[i] = one
	}
	return nil
}

// answer checks that exactly one verdict is given and translates it.
func (o wireOutcome) answer(line int, pattern string) (spec.Answer, error) {
	var a spec.Answer
	given := 0
	for _, v := range []struct {
		verdict spec.Verdict
		detail  *string
	}{{spec.Reject, o.Reject}, {spec.Unsupported, o.Unsupported}, {spec.Crash, o.Error}} {
		if v.detail != nil {
			a, given = spec.Answer{Verdict: v.verdict, Detail: clip(*v.detail)}, given+1
		}
	}
	if o.Allow != nil {
		a, given = spec.Answer{Verdict: spec.Disallow, Line: line, Pattern: pattern}, given+1
		if *o.Allow {
			a.Verdict = spec.Allow
		}
	}
	switch {
	case given == 0:
		return a, errors.New("gave no verdict — one of allow, allows, reject, unsupported, error")
	case given > 1:
		return a, errors.New("gave more than one verdict — one of allow, allows, reject, unsupported, error")
	case line < 0:
		return a, fmt.Errorf("gave the line %d — lines count from 1, 0 is none", line)
	}
	return a, nil
}

// decodeObject decodes a line that must be a JSON object.
func decodeObject(line []byte, into any) error {
	line = bytes.TrimSpace(line)
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(line, into); {
	case errors.As(err, &syntax), !bytes.HasPrefix(line, []byte("{")):
		return fmt.Errorf("printed a line that is no JSON object: %s — write logs to stderr, stdout carries answers only", excerpt(line))
	case err != nil:
		return fmt.Errorf("printed a field of the wrong type: %s — %s", excerpt(line), wrongType(err))
	}
	return nil
}

// wrongType says which field is wrong in the words of the protocol.
func wrongType(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return err.Error()
	}
	want := map[reflect.Kind]string{
		reflect.Int: "a number", reflect.Int64: "a number", reflect.Bool: "true or false",
		reflect.String: "a string", reflect.Slice: "a list", reflect.Pointer: "another type",
	}[wrong.Type.Kind()]
	if want == "" {
		want = "another type"
	}
	if wrong.Field == "id" {
		want = "the number that came with the question"
	}
	return fmt.Sprintf("%q is a %s and must be %s", wrong.Field, wrong.Value, want)
}

// excerpt quotes the beginning of what an adapter printed.
func excerpt(line []byte) string {
	const most = 100
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}

// clip bounds what an adapter may make us keep and print for one URL.
func clip(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
