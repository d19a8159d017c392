package adapters

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// googleAdapter calls Google's own code, in C++.
const googleAdapter = "python-jwm-robotstxt"

// TestGoogle compares the reference under google with Google's own code on
// generated files and queries: 20,000 of them, with -long a million. Both have
// octets of every kind that one of the two is known to have read differently.
func TestGoogle(t *testing.T) {
	t.Parallel()
	queries := 20_000
	if *longtest.Long {
		queries = 1_000_000
	}
	home, err := FindHome()
	if err != nil {
		t.Fatal(err)
	}
	a := Find(googleAdapter)
	needReady(t, home, a)
	options := home.Options(a)
	options.Timeout = time.Minute
	client, err := process.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	g := fuzz.NewGenerator(14)
	var next sync.Mutex
	var asked, differ atomic.Int64
	var inFiles, inURLs [len(oddOctets)]atomic.Int64
	impl.Each(client.Parallel(), client.Parallel(), func(int) {
		for asked.Load() < int64(queries) && differ.Load() < 10 && client.Err() == nil {
			next.Lock()
			in := g.Next()
			next.Unlock()
			file := reading.New(in.Robots)
			for i, answer := range client.Ask(t.Context(), in.Robots, in.Probes) {
				p := in.Probes[i]
				if answer.Verdict == spec.Unsupported {
					continue
				}
				asked.Add(1)
				for k, octet := range oddOctets {
					if strings.Contains(string(in.Robots), octet) {
						inFiles[k].Add(1)
					}
					if strings.Contains(p.URL, octet) {
						inURLs[k].Add(1)
					}
				}
				if want := file.Verdict(reference.Google(), p); answer.Verdict != want {
					differ.Add(1)
					t.Errorf("%s of\n%s\n%s, and the reference says %s", spec.ProbeID(p), spec.EncodeOctets(in.Robots), answer.Verdict, want)
				}
			}
		}
	})
	if err := client.Err(); err != nil {
		t.Error(err)
	}
	t.Logf("%d queries, %d differences", asked.Load(), differ.Load())
	for k, octet := range oddOctets {
		t.Logf("%q: in the files of %d queries, in %d URLs", octet, inFiles[k].Load(), inURLs[k].Load())
		if inFiles[k].Load() == 0 || inURLs[k].Load() == 0 {
			t.Errorf("no query has %q in its file, or none in its URL", octet)
		}
	}
}

// oddOctets are white space and controls that the reference and Google's code
// could read differently.
var oddOctets = [...]string{"\v", "\f", "\x00", "\xFF"}
