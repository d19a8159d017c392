package spec

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("schema/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// asJSON converts YAML to the values that a JSON decoder would return.
func asJSON(t *testing.T, octets []byte) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(octets, &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSchemas: all data is valid under the schemas.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for folder, name := range map[string]string{"cases": "case", "requirements": "requirement", "points": "point"} {
		schema, scenarios := compileSchema(t, name), compileSchema(t, "scenario")
		err := fs.WalkDir(embedded, folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(file) != ".yaml" {
				return err
			}
			octets, err := fs.ReadFile(embedded, file)
			if err != nil {
				return err
			}
			schema := schema
			if strings.HasPrefix(file, "cases/access/") {
				schema = scenarios
			}
			if err := schema.Validate(asJSON(t, octets)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSchemaRefuses breaks a valid case and a valid scenario in ways that an editor with
// the schema must underline.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	type change struct{ old, new string }
	for _, test := range []struct {
		name, good string
		broken     []change
	}{
		{"case", goodCase, []change{
			{"rationale:", "rationael:"},
			{"level: MUST", "level: must"},
			{"level: MUST", "point: tie\n    level: MUST"},
			{"verdict: disallow", "verdict: alow"},
			{"id: topic/one", "id: one"},
			{"{google:", "{gogle:"},
			{"line: 2", "line: 0"},
			{"    level: MUST\n", ""},
		}},
		{"scenario", goodScenario, []change{
			{"rationale:", "rationael:"},
			{"level: MUST", "level: must"},
			{"level: MUST", "point: tie\n    level: MUST"},
			{"verdict: disallow", "verdict: alow"},
			{"id: topic/one", "id: one"},
			{"server: other", "server: fourth"},
			{"target: /robots.txt", "target: robots.txt"},
			{"fault: reset", "fault: rest"},
			{"status: 503", "status: 99"},
			{"after: 25h", "after: 25"},
			{", most: 1", ""},
			{"    steps:\n", "    serve: [{status: 404}]\n    steps:\n"},
		}},
	} {
		schema := compileSchema(t, test.name)
		if err := schema.Validate(asJSON(t, []byte(test.good))); err != nil {
			t.Fatalf("the good %s: %v", test.name, err)
		}
		for _, broken := range test.broken {
			if err := schema.Validate(asJSON(t, []byte(strings.Replace(test.good, broken.old, broken.new, 1)))); err == nil {
				t.Errorf("%s: %q for %q is accepted", test.name, broken.new, broken.old)
			}
		}
	}
}

// TestScenarioSchemaWords: the schema has the same words as the loader.
func TestScenarioSchemaWords(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("schema/scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Server   struct{ Enum []string }
			Response struct {
				Properties struct{ Fault struct{ Enum []string } }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Servers, schema.Defs.Server.Enum); diff != "" {
		t.Errorf("servers differ (-loader +schema):\n%s", diff)
	}
	if diff := cmp.Diff(Faults, schema.Defs.Response.Properties.Fault.Enum); diff != "" {
		t.Errorf("faults differ (-loader +schema):\n%s", diff)
	}
}
