package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/repcheck/repcheck/spec"
)

// oneOf refuses a flag's value that is not among those allowed.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	hint := ""
	if near := spec.Nearest(value, allowed); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return fmt.Errorf("--%s %q is not one of %s%s", flag, value, strings.Join(allowed, ", "), hint)
}

// colors reports whether w is to have colours: if asked for, or if it is a
// terminal and NO_COLOR is not set (https://no-color.org).
func (e *env) colors(w io.Writer) (bool, error) {
	if err := oneOf("color", e.color, "auto", "always", "never"); err != nil {
		return false, err
	}
	if e.color != "auto" {
		return e.color == "always", nil
	}
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", nil
}

// columns is the width of the terminal that w is, 0 if it is none.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// write renders into the file at path, or onto the standard output if path is
// empty. A file is replaced only when all of it is there; what is no regular
// file, such as a device or a pipe, is written to and never replaced.
func (e *env) write(path string, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	if path == "" {
		_, err := e.stdout.Write(b.Bytes())
		return err
	}
	path = throughLinks(path)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, b.Bytes())
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".repcheck-*")
	if err != nil {
		return fmt.Errorf("cannot write -o %s: %w", path, err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(b.Bytes())
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temporary.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cannot write -o %s: %w", path, err)
	}
	return nil
}

// throughLinks returns what a symbolic link leads to, be it there or not.
func throughLinks(path string) string {
	for range 40 { // as many as Linux follows
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return path
}

// writeTo writes to what is there already.
func writeTo(path string, octets []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cannot write -o %s: %w", path, err)
	}
	_, err = file.Write(octets)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("cannot write -o %s: %w", path, err)
	}
	return nil
}

// readRegular reads a regular file of at most limit bytes. A pipe or a device, or
// a link to one, may never end.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // checked before opening, which can block
		return nil, fmt.Errorf("%s is not a regular file: copy what it holds into one", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var octets []byte
	if info.Size() <= limit {
		if octets, err = io.ReadAll(io.LimitReader(file, limit+1)); err != nil {
			return nil, err
		}
	}
	if info.Size() > limit || int64(len(octets)) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB: select fewer cases or parsers", path, limit>>20)
	}
	return octets, nil
}
