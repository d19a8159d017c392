package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/spec/file"
)

// maxFile bounds what is read of a file, in bytes. The largest finding has a
// witness somewhat above the parsing limit, of which each byte takes up to nine.
const maxFile = 8 << 20

// readFile reads a regular file of the store.
func readFile(path string) ([]byte, error) { return file.Read(path, maxFile, "remove it") }

// read reads the file of one finding.
func read(path string) (f Finding, err error) {
	text, err := readFile(path)
	if err != nil {
		return f, err
	}
	if err = json.Unmarshal(text, &f); err == nil && filepath.Base(path) != f.ID()+".json" {
		err = fmt.Errorf("the file of finding %s has another name", f.ID())
	}
	if err != nil {
		return f, fmt.Errorf("%s is broken: %w; delete the file, and fuzzing will find it again, or put back what was changed", path, err)
	}
	return f, nil
}

// List returns all findings: those that nothing explains, then failures, then
// the rest, each sorted by hits. An error may tell of several files that are
// broken; the other findings are returned all the same.
func (s *Store) List() ([]Finding, error) {
	flushed := s.Flush()
	found, err := s.readAll("")
	return found, errors.Join(flushed, err)
}

// Get returns the finding whose ID begins with the prefix. None and several are
// errors.
func (s *Store) Get(idPrefix string) (Finding, error) {
	s.Flush() // what it cannot write is told of by List
	found, err := s.readAll(idPrefix)
	switch {
	case len(found) == 1 && err == nil:
		return found[0], nil
	case err != nil:
		return Finding{}, err
	case len(found) == 0:
		return Finding{}, fmt.Errorf("no finding in %s begins with %q", s.dir, idPrefix)
	}
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].ID()
	}
	slices.Sort(ids)
	return Finding{}, fmt.Errorf("several findings in %s begin with %q: %s", s.dir, idPrefix, strings.Join(ids, ", "))
}

// readAll reads the findings whose IDs begin with the prefix.
func (s *Store) readAll(idPrefix string) ([]Finding, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read findings: %w", err)
	}
	var found []Finding
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || filepath.Ext(name) != ".json" || !strings.HasPrefix(name, idPrefix) {
			continue
		}
		f, err := read(filepath.Join(s.dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
		case err != nil:
			errs = append(errs, err)
		default:
			found = append(found, f)
		}
	}
	slices.SortFunc(found, compareFindings)
	return found, errors.Join(errs...)
}
