package mutant

import (
	"hash/fnv"
	"io"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// sleeper is the time that the null model "sleep" takes, and patience its limit. On a
// busy machine it may answer before the limit is noticed, so its answer is not a
// verdict.
const (
	sleeper  = 100 * time.Millisecond
	patience = time.Millisecond
)

// Nulls returns the null models, which do not read the file. A case that one of the
// first two passes tests little unless a mutant fails it.
func Nulls() []Mutant {
	return []Mutant{
		null("always-allow", "Everything is allowed.", func(_ []byte, _, _ string) spec.Answer { return spec.Allowed(true) }),
		null("always-disallow", "Nothing is allowed.", func(_ []byte, _, _ string) spec.Answer { return spec.Allowed(false) }),
		null("by-length", "URLs of an even length are allowed.", func(_ []byte, _, url string) spec.Answer { return spec.Allowed(len(url)%2 == 0) }),
		null("random", "A hash of file, agent and URL decides.", random),
		null("crash", "Every query panics.", func([]byte, string, string) spec.Answer { panic("as it always does") }),
		null("garbage", "The answer is no verdict.", func([]byte, string, string) spec.Answer { return spec.Answer{Verdict: "perhaps"} }),
		sleep(),
	}
}

func null(id, means string, answer func(robots []byte, agent, url string) spec.Answer) Mutant {
	return Mutant{ID: id, Means: means, Parse: func(robots []byte) (func(agent, url string) spec.Answer, error) {
		return func(agent, url string) spec.Answer { return answer(robots, agent, url) }, nil
	}}
}

// random gives the same answer to the same query in every run.
func random(robots []byte, agent, url string) spec.Answer {
	h := fnv.New64a()
	h.Write(robots)
	io.WriteString(h, "\x00"+agent+"\x00"+url)
	sum := h.Sum64()
	return spec.Allowed((sum>>32^sum)&1 == 0)
}

func sleep() Mutant {
	m := null("sleep", "Reading a file takes longer than the limit.", nil)
	m.Timeout = patience
	m.Parse = func([]byte) (func(agent, url string) spec.Answer, error) {
		time.Sleep(sleeper)
		return func(string, string) spec.Answer { return spec.Answer{Verdict: "late"} }, nil
	}
	return m
}
