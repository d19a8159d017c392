package process

import (
	"bytes"
	"cmp"
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
	plural  bool          // allows was present: answers has one element for each URL
	answers []spec.Answer // otherwise one element
	whole   bool          // that element is a reject, unsupported or error for every URL of the request
	library time.Duration // the ns field
}

// decodeHello reads the adapter's answer to hello. The error says what to
// change in the adapter.
func decodeHello(line []byte) (wireHello, error) {
	var h wireHello
	if err := decodeObject(line, &h, helloFields); err != nil {
		return h, err
	}
	if h.Hello != Version {
		return h, fmt.Errorf(`answered hello with %s — send "hello":%d, the protocol version`, excerpt(line), Version)
	}
	if err := h.Validate(); err != nil {
		return h, fmt.Errorf("sent a hello whose %w", err)
	}
	if h.Window != nil && *h.Window < 1 {
		return h, fmt.Errorf("sent a hello with a window of %d — set it to at least 1, or omit it", *h.Window)
	}
	return h, nil
}

// decodeAnswer reads an answer line. With an error, the id is set if it could be
// read, else 0, which no request has.
func decodeAnswer(line []byte) (answer, error) {
	var w wireAnswer
	err := decodeObject(line, &w, answerFields)
	if w.ID == nil {
		if err == nil {
			err = fmt.Errorf("sent an answer without an id: %s — repeat the id of the request", excerpt(line))
		}
		return answer{}, err
	}
	a := answer{id: *w.ID, library: time.Duration(w.NS)}
	if err != nil {
		return a, err
	}
	if w.NS < 0 {
		return a, fmt.Errorf("sent ns %d — send the nanoseconds spent inside the library, or omit ns", w.NS)
	}
	if w.Allows != nil {
		if w.wireOutcome != (wireOutcome{}) {
			return a, fmt.Errorf("sent more than one verdict: %s — send one of allow, allows, reject, unsupported, error", excerpt(line))
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

// several sets the answers from allows, lines and patterns.
func (a *answer) several(w *wireAnswer) error {
	n := len(w.Allows)
	if w.Lines != nil && len(w.Lines) != n || w.Patterns != nil && len(w.Patterns) != n {
		return fmt.Errorf("sent %d allows, %d lines and %d patterns — send one line and one pattern for each URL, or omit lines and patterns",
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

// answer checks that there is exactly one verdict and translates it.
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
		return a, errors.New("sent no verdict — send one of allow, allows, reject, unsupported, error")
	case given > 1:
		return a, errors.New("sent more than one verdict — send one of allow, allows, reject, unsupported, error")
	case line < 0:
		return a, fmt.Errorf("sent line %d — lines count from 1, and 0 means none", line)
	}
	return a, nil
}

// The names of the fields that an adapter may send. Any other field is ignored.
var (
	helloFields   = fieldsOf[wireHello]()
	answerFields  = fieldsOf[wireAnswer]()
	outcomeFields = fieldsOf[wireOutcome]()
)

// fieldsOf returns the names of the JSON fields of T. There are at most 32.
func fieldsOf[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// decodeObject decodes a line that must be a JSON object with these fields.
func decodeObject(line []byte, into any, fields []string) error {
	line = bytes.TrimSpace(line)
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(line, into); {
	case errors.As(err, &syntax), !bytes.HasPrefix(line, []byte("{")):
		return fmt.Errorf("printed a line that is not a JSON object: %s — write logs to stderr, because stdout carries answers only", excerpt(line))
	case err != nil:
		return fmt.Errorf("printed a field of the wrong type: %s — %s", excerpt(line), wrongType(err))
	}
	if field := repeated(line, fields); field != "" {
		return fmt.Errorf("sent the field %q twice: %s — send each field once", field, excerpt(line))
	}
	return nil
}

// repeated returns the first of fields that occurs twice in object, which is a
// valid JSON object: json.Unmarshal would silently use the last value. It matches
// names as json.Unmarshal does, ignoring case, and does not descend into nested
// values.
func repeated(object []byte, fields []string) string {
	seen, depth, isName := uint32(0), 0, false
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '{', '[':
			depth++
			isName = depth == 1
		case '}', ']':
			depth--
		case ',':
			isName = depth == 1
		case '"':
			start, escaped := i, false
			for i++; object[i] != '"'; i++ {
				if object[i] == '\\' {
					escaped = true
					i++
				}
			}
			if !isName {
				continue
			}
			isName = false
			name := object[start+1 : i]
			if escaped {
				var text string
				_ = json.Unmarshal(object[start:i+1], &text) // cannot fail: object is valid
				name = []byte(text)
			}
			if at := fieldAt(name, fields); at >= 0 {
				if seen&(1<<at) != 0 {
					return fields[at]
				}
				seen |= 1 << at
			}
		}
	}
	return ""
}

// fieldAt returns the index of name in fields, or -1.
func fieldAt(name []byte, fields []string) int {
	for i, f := range fields {
		if string(name) == f {
			return i
		}
	}
	for i, f := range fields {
		if strings.EqualFold(string(name), f) {
			return i
		}
	}
	return -1
}

// wrongType names the field that has the wrong type, in the terms of the protocol.
func wrongType(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return err.Error()
	}
	field := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
	want := map[reflect.Kind]string{
		reflect.Int: "an integer", reflect.Int64: "an integer", reflect.Bool: "true or false",
		reflect.String: "a string", reflect.Slice: "a list",
	}[wrong.Type.Kind()]
	if field == "id" {
		want = "the number from the request"
	}
	got := map[string]string{"bool": "true or false", "string": "a string", "array": "a list", "object": "an object"}[wrong.Value]
	return fmt.Sprintf("%q must be %s, not %s", field, cmp.Or(want, "of another type"), cmp.Or(got, "the "+wrong.Value))
}

// excerpt quotes the beginning of an adapter's output.
func excerpt(line []byte) string {
	const most = 100
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}

// clip bounds the text that is kept and printed for one URL.
func clip(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
