package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// TestUpToDate compares the generated files with spec/points.
func TestUpToDate(t *testing.T) {
	t.Parallel()
	for name, generate := range generators {
		want, err := generate(spec.Default().Points)
		if err != nil {
			t.Fatal(err)
		}
		file := "impl/" + name + "/points_gen.go"
		got, err := os.ReadFile(filepath.FromSlash("../../../" + file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate ./impl/%s (-file +spec/points):\n%s",
				file, name, cmp.Diff(string(got), string(want)))
		}
	}
}

func TestChoiceName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ point, choice, want string }{
		{"size-limit", "drop-cut-line", "SizeLimitDropCutLine"},
		{"byte-order-mark", "utf-16", "ByteOrderMarkUTF16"},
		{"nul", "line-end", "NULLineEnd"},
		{"invalid-utf8", "latin-1", "InvalidUTF8Latin1"},
		{"url-form", "rfc3986", "URLFormRFC3986"},
		{"index-html", "index-html-only", "IndexHTMLOnly"},
	} {
		if got := choiceName(&spec.Point{ID: tt.point}, tt.choice); got != tt.want {
			t.Errorf("%s/%s is %s, want %s", tt.point, tt.choice, got, tt.want)
		}
	}
}
