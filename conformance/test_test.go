package conformance_test

import (
	"path/filepath"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
)

// TestForGoParsers uses the package as the tests of a Go parser do: the
// reference passes as it is, temoto with a baseline written first.
func TestForGoParsers(t *testing.T) {
	subjects, err := impl.Open([]string{"reference", "temoto"}, "rfc9309", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		defer s.Close()
	}
	t.Run("reference", func(t *testing.T) { conformance.Test(t, subjects[0]) })

	path := filepath.Join(t.TempDir(), "known.yaml")
	t.Run("write", func(t *testing.T) {
		t.Setenv(conformance.UpdateVariable, "first run")
		conformance.TestBaseline(t, subjects[1], path)
	})
	t.Run("temoto", func(t *testing.T) { conformance.TestBaseline(t, subjects[1], path) })
	if b, err := conformance.LoadBaseline(path); err != nil || len(b.Subjects()) != 1 {
		t.Errorf("the baseline: %v, %v", b, err)
	}
}
