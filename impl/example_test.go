package impl_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A parser that panics can be queried like any other.
func ExampleFunc() {
	subject := impl.Func("naive", func(robots []byte, agent, url string) (bool, error) {
		if len(robots) == 0 {
			panic("no file")
		}
		return !bytes.Contains(robots, []byte("Disallow: /\n")), nil
	})
	defer subject.Close()
	query := []spec.Probe{{Agent: "FooBot", URL: "http://example.com/"}}
	for _, robots := range []string{"User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /a\n", ""} {
		fmt.Println(subject.Ask(context.Background(), []byte(robots), query)[0].Verdict)
	}
	// Output:
	// disallow
	// allow
	// crash
}
