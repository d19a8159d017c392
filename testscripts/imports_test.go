package testscripts

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/repcheck/repcheck"

// mayImport lists the packages of this module that each folder may import. A
// folder that is not listed has the rules of its parent. All packages outside of
// the module are allowed, except for the folders in onlyStandard.
var mayImport = map[string][]string{
	".":                      {"conformance/cli"},
	"conformance/cli":        {"conformance", "corpus", "fuzz", "impl", "reports", "spec"},
	"conformance":            {"impl", "spec"},
	"reports":                {"conformance", "fuzz", "spec"},
	"fuzz":                   {"corpus", "impl", "spec"},
	"impl":                   {"spec"},
	"impl/access":            {"impl/reference"},
	"impl/reference":         {},
	"impl/reference/reading": {"impl/reference", "spec"},
	"impl/process":           {"impl/internal", "spec"},
	"impl/subjects":          {"impl", "spec"},
	"spec":                   {},
	"corpus":                 {},
	"testscripts":            {},
}

// onlyCommandLine is the folder that only the command line may import: the
// parsers that repcheck ships, and their libraries.
const onlyCommandLine = "impl/subjects"

// onlyStandard are the folders that can be used as libraries on their own: they
// import no other module.
var onlyStandard = []string{"impl/reference", "impl/access"}

// TestImports checks the imports of all files except tests against the layout:
// spec imports no other package, the harness imports the parsers, and no package
// imports the command line.
func TestImports(t *testing.T) {
	t.Parallel()
	top := root(t)
	err := filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && file != "." || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			checkImport(t, file, strings.Trim(spec.Path.Value, `"`))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImport(t *testing.T, file, imported string) {
	folder := path.Dir(file)
	rest, ours := strings.CutPrefix(imported, module+"/")
	for _, library := range onlyStandard {
		if folder == library && !ours && strings.Contains(imported, ".") {
			t.Errorf("%s imports %s: %s imports no other module", file, imported, library)
		}
	}
	if !ours {
		return
	}
	if within(rest, onlyCommandLine) && !within(folder, onlyCommandLine) && folder != "conformance/cli" {
		t.Errorf("%s imports %s: only conformance/cli may import %s", file, imported, onlyCommandLine)
	}
	home := folder
	for mayImport[home] == nil && home != "." {
		home = path.Dir(home)
	}
	if within(rest, home) && home != "." {
		return
	}
	for _, allowed := range mayImport[home] {
		if rest == allowed || allowed != "conformance" && within(rest, allowed) {
			return
		}
	}
	t.Errorf("%s imports %s: %s may import %v", file, imported, home, mayImport[home])
}

func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}
