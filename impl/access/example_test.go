package access_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/repcheck/repcheck/impl/access"
	"github.com/repcheck/repcheck/impl/reference"
)

func ExampleFetcher_Allowed() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /private/\n")
	}))
	defer site.Close()

	fetcher := access.New(access.Options{})
	for _, path := range []string{"/", "/private/page"} {
		decision, err := fetcher.Allowed(context.Background(), "ExampleBot", site.URL+path)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(path, decision.Allow, decision.Reason, decision.Response.Status)
	}
	// Output:
	// / true rules 200
	// /private/page false rules 200
}

func ExampleNew() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer site.Close()

	policy, err := access.Named("google")
	if err != nil {
		fmt.Println(err)
		return
	}
	fetcher := access.New(access.Options{
		Policy:         policy,
		Interpretation: reference.Google(),
		UserAgent:      "ExampleBot/1.0 (+https://example.com/bot)",
		Timeout:        10 * time.Second,
	})
	decision, err := fetcher.Allowed(context.Background(), "ExampleBot", site.URL)
	fmt.Println(decision.Allow, decision.Reason, err)
	// Output: false unreachable <nil>
}

func ExamplePolicy_Set() {
	var policy access.Policy
	if err := policy.Set("redirect-limit=more"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(policy.Deviations())
	// Output: [redirect-limit=more]
}
