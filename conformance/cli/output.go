package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"golang.org/x/term"

	"github.com/repcheck/repcheck/spec/file"
)

// colors reports whether to write colors to w: if --color is always, or if w is a
// terminal and NO_COLOR is not set (https://no-color.org).
func (e *env) colors(w *textWriter) bool {
	if e.color != "auto" {
		return e.color == "always"
	}
	return w.terminal() != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// columns returns the width of the terminal, 0 if w is not a terminal.
func columns(w *textWriter) int {
	f := w.terminal()
	if f == nil {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// write renders text into the file at path, or onto the standard output if path
// is empty. A file is replaced only when the text is complete, and keeps its
// mode; a device or a pipe is written to and never replaced.
func (e *env) write(path string, render func(io.Writer) error) error {
	return writeThrough(e.stdout, path, render)
}

// writeAs is like write, for a report in a format. Programs must read the same
// values from the standard output, so JSON is escaped rather than changed; the
// writers of CSV and of commands for GitHub Actions escape their output
// themselves.
func (e *env) writeAs(format, path string, render func(io.Writer) error) error {
	switch {
	case format == "csv" || format == "github":
		return writeThrough(e.stdout.raw, path, render)
	case format == "json" || format == "jsonl" || format == "sarif" || format == "ctrf":
		return writeThrough(e.stdout.raw, path, func(w io.Writer) error {
			var b bytes.Buffer
			if err := render(&b); err != nil {
				return err
			}
			_, err := w.Write(logCommand.ReplaceAll(b.Bytes(), []byte(`${1}\u005b`)))
			return err
		})
	}
	return e.write(path, render)
}

// logCommand matches text that a CI service treats as a command anywhere in a
// line. In JSON it occurs only in strings, and no string begins a line.
var logCommand = regexp.MustCompile(`(##[A-Za-z]*)\[`)

func writeThrough(stdout io.Writer, path string, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	if path == "" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	if err := writeFile(path, b.Bytes()); err != nil {
		return fmt.Errorf("cannot write -o %s: %w", path, err)
	}
	return nil
}

// writeFile replaces the file at path. If it exists and is not a regular file,
// such as /dev/stderr, writeFile writes to it instead.
func writeFile(path string, octets []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, octets)
	}
	return file.Replace(path, octets)
}

// writeTo writes to an existing file.
func writeTo(path string, octets []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(octets)
	return errors.Join(err, file.Close())
}
