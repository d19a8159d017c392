package process

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// TestHash checks which requests carry their file, with an adapter that keeps the
// last file and with one that does not.
func TestHash(t *testing.T) {
	t.Parallel()
	probes := []spec.Probe{{Agent: "A", URL: "/1"}, {Agent: "B", URL: "/2"}, {Agent: "C", URL: "/3"}}
	for _, test := range []struct {
		name     string
		features []string
		want     []string
	}{
		{"kept", []string{"hash"}, []string{"file1+hash", "hash", "hash", "file2+hash", "hash", "dies", "file2+hash", "file1+hash", "hash", "hash"}},
		{"not kept", nil, []string{"file1", "file1", "file1", "file2", "file2", "dies", "file2", "file1", "file1", "file1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got []string
				note := func(f *fake, line string) {
					var parts []string
					for _, part := range []string{"file1", "file2", "hash"} {
						if strings.Contains(line, part) {
							parts = append(parts, part)
						}
					}
					got = append(got, strings.Join(parts, "+"))
					fmt.Fprintf(f.outW, `{"id":%d,"allow":true}`+"\n", parse([]byte(line)).ID)
				}
				dies := func(f *fake, in *bufio.Scanner) {
					for len(got) < 5 && in.Scan() {
						note(f, in.Text())
					}
					in.Scan()
					got = append(got, "dies")
				}
				lives := func(f *fake, in *bufio.Scanner) {
					for in.Scan() {
						note(f, in.Text())
					}
				}
				c := start(t, Options{Launch: launchesAs(wireHello{Hello: 1, SubjectInfo: spec.SubjectInfo{Name: "fake", Features: test.features}}, dies, lives)})
				c.Ask(t.Context(), []byte("file1"), probes)
				c.Ask(t.Context(), []byte("file2"), probes)
				c.Ask(t.Context(), []byte("file1"), probes)
				c.Close()
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}
