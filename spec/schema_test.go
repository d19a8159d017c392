package spec

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

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
		schema := compileSchema(t, name)
		err := fs.WalkDir(embedded, folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(file) != ".yaml" {
				return err
			}
			octets, err := fs.ReadFile(embedded, file)
			if err != nil {
				return err
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

// TestSchemaRefuses breaks a valid case in ways that an editor with the schema must
// underline.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "case")
	if err := schema.Validate(asJSON(t, []byte(goodCase))); err != nil {
		t.Fatalf("the good case: %v", err)
	}
	for _, broken := range []struct{ old, new string }{
		{"rationale:", "rationael:"},
		{"level: MUST", "level: must"},
		{"level: MUST", "point: tie\n    level: MUST"},
		{"verdict: disallow", "verdict: alow"},
		{"id: topic/one", "id: one"},
		{"{google:", "{gogle:"},
		{"line: 2", "line: 0"},
		{"    level: MUST\n", ""},
	} {
		if err := schema.Validate(asJSON(t, []byte(strings.Replace(goodCase, broken.old, broken.new, 1)))); err == nil {
			t.Errorf("%q for %q is accepted", broken.new, broken.old)
		}
	}
}
