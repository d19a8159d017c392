package conformance_test

import (
	"strings"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// TestOwnParser is how the tests of a Go parser use the suite.
func TestOwnParser(t *testing.T) {
	t.Parallel()
	parser := reference.New(reference.RFC9309) // your own parser here
	subject := impl.InProcess(
		spec.SubjectInfo{Name: "mine"},
		func(robots []byte) (func(agent, url string) spec.Answer, error) {
			file := parser.Parse(robots)
			return func(agent, url string) spec.Answer { return spec.Bool(file.Test(agent, url).Allow) }, nil
		},
		impl.InProcessOptions{},
	)
	defer subject.Close()
	conformance.Test(t, subject)
}

// TestNullModels: a parser that always says the same, or decides by the length
// of the URL, fails at every level.
func TestNullModels(t *testing.T) {
	t.Parallel()
	models := map[string]func(agent, url string) bool{
		"always allow":    func(string, string) bool { return true },
		"always disallow": func(string, string) bool { return false },
		"by length":       func(_, url string) bool { return len(url)%2 == 0 },
	}
	data := spec.Default()
	for name, model := range models {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			subject := impl.InProcess(spec.SubjectInfo{Name: "model"}, func([]byte) (func(agent, url string) spec.Answer, error) {
				return func(agent, url string) spec.Answer { return spec.Bool(model(agent, url)) }, nil
			}, impl.InProcessOptions{})
			defer subject.Close()
			r := conformance.Run(t.Context(), data, data.Cases, []impl.Subject{subject}, conformance.Options{})
			for _, level := range []spec.Level{spec.Must, spec.Should} {
				tally := r.Subjects[0].Levels[level]
				if tally.Total == 0 || tally.Pass > tally.Total*2/3 {
					t.Errorf("%s: passes %d of %d checks", level, tally.Pass, tally.Total)
				}
			}
		})
	}
}
