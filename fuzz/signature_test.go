package fuzz

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

func TestSignature(t *testing.T) {
	t.Parallel()
	infos := []spec.SubjectInfo{{Name: "d"}, {Name: "b", Lineage: "google"}, {Name: "a"}, {Name: "c", Lineage: "google"}}
	tests := []struct {
		name     string
		verdicts string
		want     string
		voices   []int
	}{
		{"all alike", "allow allow allow allow", "", nil},
		{"all reject", "reject reject reject reject", "", nil},
		{"one against the rest", "allow disallow allow allow", "allow: a c d | disallow: b", []int{3, 1}},
		{"one lineage is one voice", "allow disallow allow disallow", "allow: a d | disallow: b c", []int{2, 1}},
		{"one lineage apart is two", "allow disallow allow allow", "allow: a c d | disallow: b", []int{3, 1}},
		{"three verdicts", "reject disallow allow allow", "allow: a c | disallow: b | reject: d", []int{2, 1, 1}},
		{"unsupported is left out", "unsupported disallow allow disallow", "allow: a | disallow: b c", []int{1, 1}},
		{"alike but for unsupported", "unsupported allow allow unsupported", "", nil},
		{"nobody was asked", "unsupported unsupported unsupported unsupported", "", nil},
		{"a crash is a crash", "crash disallow allow allow", "crash: d", []int{1}},
		{"all crash", "crash crash crash crash", "crash: a b c d", []int{3}},
		{"crash and timeout", "crash timeout allow timeout", "crash: d | timeout: b c", []int{1, 1}},
		{"protocol error", "protocol-error allow allow allow", "protocol-error: d", []int{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var answers []spec.Answer
			for _, v := range strings.Fields(tt.verdicts) {
				answers = append(answers, spec.Answer{Verdict: spec.Verdict(v)})
			}
			s := signatureOf(infos, []int{2, 1, 3, 0}, answers)
			var voices []int
			for _, c := range s.Classes {
				voices = append(voices, c.Voices)
			}
			if diff := cmp.Diff(tt.want, s.String()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.voices, voices); diff != "" {
				t.Error("voices", diff)
			}
			if s.None() != (tt.want == "") {
				t.Error("None is", s.None())
			}
			for _, v := range spec.Verdicts {
				if want := strings.Contains(" "+tt.want, " "+string(v)+":"); s.Has(v) != want {
					t.Errorf("Has(%s) is %v", v, s.Has(v))
				}
			}
		})
	}
}

// IDs are the names of files that people keep.
func TestSignatureID(t *testing.T) {
	t.Parallel()
	s := Signature{Classes: []Class{{Verdict: spec.Allow, Subjects: []string{"a"}}, {Verdict: spec.Disallow, Subjects: []string{"b", "c"}}}}
	if got, want := s.ID(), "9f88d1819c28"; got != want {
		t.Errorf("the ID of %q is %s, want %s", s, got, want)
	}
}

// subject makes a subject of a reference parser.
func subject(t *testing.T, name string, in reference.Interpretation) impl.Subject {
	s := impl.InProcess(spec.SubjectInfo{Name: name, Version: "v1"}, impl.ParseReference(reference.New(in)), impl.InProcessOptions{})
	t.Cleanup(func() { s.Close() })
	return s
}

// answering makes a subject that reads no file.
func answering(t *testing.T, name string, answer func(agent, url string) spec.Answer) impl.Subject {
	parse := func([]byte) (func(agent, url string) spec.Answer, error) { return answer, nil }
	s := impl.InProcess(spec.SubjectInfo{Name: name}, parse, impl.InProcessOptions{Timeout: 50 * time.Millisecond})
	t.Cleanup(func() { s.Close() })
	return s
}

func TestDifferAsk(t *testing.T) {
	t.Parallel()
	d := NewDiffer([]impl.Subject{
		subject(t, "reference", reference.RFC9309),
		answering(t, "panics", func(_, url string) spec.Answer {
			if url == "http://foo.test/b" {
				panic("b")
			}
			return spec.Answer{Verdict: spec.Disallow}
		}),
	})
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://foo.test/a"}, {Agent: "FooBot", URL: "http://foo.test/b"}, {Agent: "FooBot", URL: "http://foo.test/c"}}
	answers := d.Ask(t.Context(), []byte("User-agent: *\nDisallow: /a\n"), probes)
	var got []string
	for _, a := range answers {
		got = append(got, d.Signature(a).String())
	}
	want := []string{"", "crash: panics", "allow: reference | disallow: panics"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answers := d.Ask(ctx, nil, probes); answers != nil {
		t.Error("an interrupted Ask answers", answers)
	}
}

// lostSubject can answer no more.
type lostSubject struct{ impl.Subject }

func (lostSubject) Err() error { return errors.New("gone") }

func TestDifferLeavesOutTheLost(t *testing.T) {
	t.Parallel()
	d := NewDiffer([]impl.Subject{subject(t, "reference", reference.RFC9309), lostSubject{subject(t, "lost", reference.RFC9309)}})
	signature, answers := d.SignatureOf(t.Context(), Witness{Robots: []byte("User-agent: *\n"), Probe: spec.Probe{Agent: "a", URL: "/"}})
	if !signature.None() {
		t.Error("signature", signature)
	}
	want := []spec.Answer{{Verdict: spec.Allow}, {Verdict: spec.Unsupported, Detail: "gone"}}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Error(diff)
	}
}
