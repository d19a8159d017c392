package complexity

import (
	"context"
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// The tests of measure run in a synctest bubble with a clock of its own, in which
// one step of a parser takes stepTime: independent of the machine, the times are
// those of the steps counted.
const stepTime = time.Microsecond

// A stepper is a parser whose steps are counted. It stops counting when enough
// reports that the time limit is reached.
type stepper func(w spec.Query, enough func(steps int) bool) (steps int)

// linear takes one step for each byte.
func linear(w spec.Query, _ func(int) bool) int { return w.Octets() }

// quadraticLines looks at all lines before it for each line.
func quadraticLines(w spec.Query, _ func(int) bool) int {
	lines := 0
	for range strings.Lines(string(w.Robots)) {
		lines++
	}
	return w.Octets() + lines*lines/2
}

// backtracking matches the last rule as a careless regular expression does.
func backtracking(w spec.Query, enough func(int) bool) int {
	robots := string(w.Robots)
	_, rule, _ := strings.Cut(robots[strings.LastIndex(robots, "Disallow:"):], " ")
	steps := 0
	var match func(rule, path string) bool
	match = func(rule, path string) bool {
		steps++
		switch {
		case enough(steps):
			return true
		case rule == "" || rule == "$" && path == "":
			return true
		case rule[0] == '*':
			for i := 0; i <= len(path); i++ {
				if match(rule[1:], path[i:]) {
					return true
				}
			}
			return false
		}
		return path != "" && rule[0] == path[0] && match(rule[1:], path[1:])
	}
	match(strings.TrimSpace(rule), strings.TrimPrefix(w.URL, spec.Origin))
	return w.Octets() + steps
}

// A slowSubject takes the time of its stepper, and is killed at its time limit,
// like a command that is run once for each query.
type slowSubject struct {
	steps  stepper
	answer func(w spec.Query) spec.Answer // nil: allow
}

func (s *slowSubject) Info() spec.SubjectInfo {
	return spec.SubjectInfo{Name: "slow", Version: "1", Lineage: "snail"}
}
func (s *slowSubject) Kind() impl.Kind   { return impl.InManyProcesses }
func (s *slowSubject) Stats() impl.Stats { return impl.Stats{} }
func (s *slowSubject) Parallel() int     { return 1 }
func (s *slowSubject) Close() error      { return nil }
func (s *slowSubject) Err() error        { return nil }

func (s *slowSubject) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	w := spec.Query{Robots: robots, Probe: probes[0]}
	deadline, _ := ctx.Deadline()
	most := int(time.Until(deadline)/stepTime) + 1
	steps := s.steps(w, func(steps int) bool { return steps > most })
	select {
	case <-time.After(time.Duration(steps) * stepTime):
	case <-ctx.Done():
		return []spec.Answer{{Verdict: spec.Timeout, Detail: "interrupted"}}
	}
	if s.answer != nil {
		return []spec.Answer{s.answer(w)}
	}
	return []spec.Answer{{Verdict: spec.Allow}}
}

// A slowProcess is a slowSubject in a process of its own.
type slowProcess struct{ *slowSubject }

func (slowProcess) Kind() impl.Kind { return impl.InOwnProcess }

// inMemory makes a parser in this process from a stepper. A call that exceeds its
// time limit keeps running until released is closed.
func inMemory(steps stepper, released <-chan struct{}) impl.Subject {
	const most = int(10 * time.Second / stepTime)
	return impl.InProcess(spec.SubjectInfo{Name: "slow"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		return func(agent, url string) spec.Answer {
			w := spec.Query{Robots: robots, Probe: spec.Probe{Agent: agent, URL: url}}
			n := steps(w, func(steps int) bool { return steps > most })
			if n > most {
				<-released
			}
			time.Sleep(time.Duration(n) * stepTime)
			return spec.Answer{Verdict: spec.Allow}
		}, nil
	}, impl.InProcessOptions{Timeout: time.Hour})
}

// unknown is the processor time in tests in which slow work only sleeps.
func unknown() time.Duration { return 0 }
