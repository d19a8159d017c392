package reports

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/repcheck/repcheck/impl/subjects/adapters"
)

// TestJUnitSchema validates reports against a schema that is as strict as the
// two that tools use, see testdata/junit.xsd.
func TestJUnitSchema(t *testing.T) {
	t.Parallel()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		if os.Getenv(adapters.RequireVariable) == "1" {
			t.Fatalf("%s=1 demands xmllint: install libxml2-utils", adapters.RequireVariable)
		}
		t.Skip("xmllint is not installed (Debian: libxml2-utils), so reports are not validated against a schema")
	}
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "report.xml")
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := JUnit(file, result.result()); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(xmllint, "--noout", "--nonet", "--schema", "testdata/junit.xsd", path).CombinedOutput(); err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

func TestClassName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ parser, section, want string }{
		{"temoto", "2.2.2", "temoto.section-2_2_2"},
		{"python-urllib", "koster-rep-00", "python-urllib.section-koster-rep-00"},
		{"my.parser v1", "1994", "my_parser_v1.section-1994"},
	} {
		if got := className(test.parser, test.section); got != test.want {
			t.Errorf("class of section %s in %s: %s, want %s", test.section, test.parser, got, test.want)
		}
	}
}
