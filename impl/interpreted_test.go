package impl_test

import (
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
)

func TestParseInterpreted(t *testing.T) {
	t.Parallel()
	google := reference.Google()
	google[reference.Tie] = reference.TieDisallow
	tie := reference.Change{Point: reference.Tie, Choice: reference.TieDisallow}
	first := reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}
	for name, want := range map[string]impl.Interpreted{
		"reference@google":              {Name: "reference@google", Base: "google", In: reference.Google()},
		"reference@google+tie=disallow": {Name: "reference@google+tie=disallow", Base: "google", In: google},
		"reference@rfc9309+tie=allow":   {Name: "reference@rfc9309+tie=allow", Base: "rfc9309", In: reference.RFC9309()},
		"reference@rfc9309+tie=disallow+precedence=first": {
			Name: "reference@rfc9309+precedence=first+tie=disallow", Base: "rfc9309", In: reference.With(first, tie)},
		"reference@rfc9309+precedence=first+tie=disallow": {
			Name: "reference@rfc9309+precedence=first+tie=disallow", Base: "rfc9309", In: reference.With(first, tie)},
	} {
		if got, err := impl.ParseInterpreted(name); got != want || err != nil {
			t.Errorf("%s: got %s, %v", name, got.Name, err)
		}
	}
	for name, want := range map[string]string{
		"reference@":                               `no interpretation is named ""`,
		"reference@rfc9390":                        `no interpretation is named "rfc9390" (did you mean "rfc9309"?): choose one of rfc9309, google, `,
		"reference@tie=disallow":                   `no interpretation is named "tie=disallow"`,
		"reference@google+tei=disallow":            `no point is named "tei" (did you mean "tie"?): choose one of `,
		"reference@google+tie":                     `the point tie has no choice ""`,
		"reference@google+tie=disalow":             `the point tie has no choice "disalow" (did you mean "disallow"?): choose one of allow, disallow, `,
		"reference@google+":                        `no point is named ""`,
		"reference@google+tie=allow+tie=disallow":  "the point tie has two choices",
		"reference@google+tie=disallow,keys=plain": `the point tie has no choice "disallow,keys=plain"`,
	} {
		if _, err := impl.ParseInterpreted(name); err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

// TestInterpreted: no two are of one lineage, so that their disagreements count.
func TestInterpreted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"reference@google", "reference@rfc9309+tie=disallow"} {
		r, err := impl.ParseInterpreted(name)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Subject(impl.InProcessOptions{})
		if info := s.Info(); info.Name != name || info.Lineage != "" || info.Validate() != nil {
			t.Errorf("info %+v: %v", info, info.Validate())
		}
	}
}
