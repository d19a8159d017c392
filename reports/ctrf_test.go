package reports

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestCTRF validates reports against testdata/ctrf.schema.json. That file is the
// part of the official schema that is used here, because no Go module contains
// the schema.
func TestCTRF(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("testdata/ctrf.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := CTRF(&out, result.result()); err != nil {
				t.Fatal(err)
			}
			visible(t, out.String())
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Error(err)
			}
			var report struct {
				Results struct {
					Summary map[string]int64
					Tests   []ctrfTest
				}
			}
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			got := report.Results.Summary
			counted := map[string]int64{
				"tests": int64(len(report.Results.Tests)), "passed": 0, "failed": 0, "skipped": 0, "pending": 0, "other": 0,
				"start": got["start"], "stop": got["start"] + 310, "duration": 310,
			}
			suites := map[string]bool{}
			for _, test := range report.Results.Tests {
				suites[test.Suite[0]] = true
				counted[test.Status]++
			}
			counted["suites"] = int64(len(suites))
			if diff := cmp.Diff(counted, got); diff != "" {
				t.Errorf("the summary differs from the tests (-want +got):\n%s", diff)
			}
		})
	}
}
