package spec_test

import (
	"strings"
	"testing"

	"github.com/repcheck/repcheck/spec"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"x": true, "python-urllib": true, "a_b.c-9": true, "a..b": true, "reference@rfc9309+tie=disallow": true, strings.Repeat("x", 200): true,
		"": false, ".": false, "..": false, ".hidden": false, "../../escaped": false, "a/b": false, `a\b`: false,
		"A": false, "é": false, "a b": false, "a\n": false, "a\x00": false, "a\xff": false, "@a": false, "+a": false, "=a": false, strings.Repeat("x", 201): false,
	} {
		err := spec.CheckName(name)
		if (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "use 1 to 200 lower-case letters") || len(err.Error()) > 300) {
			t.Errorf("%q: the error does not say what to change, or is too long: %v", name, err)
		}
	}
}

func TestSubjectInfoValidate(t *testing.T) {
	t.Parallel()
	full := spec.SubjectInfo{Name: "x", Package: "@scope/x y", Version: "v1.2.3+é", Language: "c++", Lineage: "x", Features: []string{"line"}}
	if err := full.Validate(); err != nil {
		t.Error(err)
	}
	set := map[string]func(*spec.SubjectInfo, string){
		"package":  func(s *spec.SubjectInfo, text string) { s.Package = text },
		"version":  func(s *spec.SubjectInfo, text string) { s.Version = text },
		"language": func(s *spec.SubjectInfo, text string) { s.Language = text },
		"lineage":  func(s *spec.SubjectInfo, text string) { s.Lineage = text },
		"feature":  func(s *spec.SubjectInfo, text string) { s.Features = []string{"time", text} },
	}
	for field, change := range set {
		for text, good := range map[string]bool{
			strings.Repeat("é", 100): true, strings.Repeat("x", 101): false,
			"1\n2": false, "\x1b[31m": false, "\u202e": false, "\u0085": false, "a\xff": false, "a\tb": false,
		} {
			info := full
			change(&info, text)
			err := info.Validate()
			if (err == nil) != good || err != nil && (!strings.HasPrefix(err.Error(), field+" ") || !strings.Contains(err.Error(), "at most 100 printable characters")) {
				t.Errorf("%s %q: %v", field, text, err)
			}
		}
	}
	full.Name = "X"
	if err := full.Validate(); err == nil || !strings.HasPrefix(err.Error(), "name ") {
		t.Error(err)
	}
}
