package fuzz

import (
	"testing"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// subject makes a subject of a reference parser.
func subject(t *testing.T, name string, in reference.Interpretation) impl.Subject {
	s := impl.InProcess(spec.SubjectInfo{Name: name, Version: "v1"}, impl.ParseReference(reference.New(in)), impl.InProcessOptions{})
	t.Cleanup(func() { s.Close() })
	return s
}
