package testscripts

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	targetFunc = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	builtLine  = regexp.MustCompile(`(?m)^compile_native_go_fuzzer \$module/(\S+) (Fuzz\w+) (\w+)$`)
	leftOut    = regexp.MustCompile(`(?m)^# left out: (\S+) (Fuzz\w+): \S`)
)

// TestFuzzersAreBuilt compares .clusterfuzzlite/build.sh with the existing fuzz
// targets: each is either built once, under its own name, or left out with a
// reason.
func TestFuzzersAreBuilt(t *testing.T) {
	t.Parallel()
	top := root(t)
	var want []string
	err := filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(top, filepath.Dir(name))
		for _, m := range targetFunc.FindAllSubmatch(text, -1) {
			want = append(want, filepath.ToSlash(dir)+" "+string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(top, ".clusterfuzzlite", "build.sh"))
	if err != nil {
		t.Fatal(err)
	}
	var got, names []string
	for _, m := range builtLine.FindAllStringSubmatch(string(script), -1) {
		got, names = append(got, m[1]+" "+m[2]), append(names, m[3])
	}
	if built := strings.Count(string(script), "\ncompile_native_go_fuzzer "); built != len(got) {
		t.Errorf("build.sh builds %d targets, of which %d lines are understood", built, len(got))
	}
	for _, m := range leftOut.FindAllStringSubmatch(string(script), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fuzz targets (-in the tree +in .clusterfuzzlite/build.sh):\n%s", diff)
	}
	slices.Sort(names)
	if slices.Contains(names, "") || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("two programs have one name: %v", names)
	}
}
