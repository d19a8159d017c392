package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// DefaultStore is where findings are kept, seen from the root of the module.
// Seen from a test of this package it is "findings".
const DefaultStore = "fuzz/findings"

// writeEvery is how long hits may wait in memory. A finding of a fuzz target is
// hit a thousand times a second.
const writeEvery = 2 * time.Second

// A Store keeps findings in a directory, one JSON file for each signature. It
// is safe for concurrent use, and several processes may write to one directory:
// a file is always whole, though of hits counted at one time in two processes
// those of one may be lost.
type Store struct {
	dir string

	mu   sync.Mutex // held while files are read and written
	seen map[string]*sight
}

// A sight is what this process knows of a finding.
type sight struct {
	best    Witness
	pending Finding // what was not written yet; nothing if it has no hits
	written time.Time
}

// OpenStore returns the store in that directory, which is made when the first
// finding is written.
func OpenStore(dir string) (*Store, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("cannot keep findings: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("cannot keep findings in %s: it is a file", dir)
	}
	s := &Store{dir: dir, seen: map[string]*sight{}}
	s.sweep()
	return s, nil
}

// sweep removes what processes left behind that were killed while writing.
func (s *Store) sweep() {
	left, _ := filepath.Glob(filepath.Join(s.dir, ".*"+temporary))
	for _, file := range left {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(file)
		}
	}
}

// temporary ends the names of files that are being written.
const temporary = ".tmp"

// Seen reports whether this process has recorded the signature.
func (s *Store) Seen(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[id] != nil
}

// Record keeps a finding. If its signature is known already, the hits are added
// up and the smaller witness of the two is kept; such a finding may stay in
// memory for a while (see Flush). isNew says that no process had recorded the
// signature before.
func (s *Store) Record(f Finding) (isNew bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := f.ID()
	known := s.seen[id]
	if known == nil {
		known = &sight{best: f.Witness, pending: f}
		s.seen[id] = known
		return s.write(known)
	}
	smaller := f.Witness.Compare(known.best) < 0
	if smaller {
		known.best = f.Witness
	}
	if known.pending.Hits > 0 {
		f = merge(known.pending, f)
	}
	known.pending = f
	if !smaller && time.Since(known.written) < writeEvery {
		return false, nil
	}
	return s.write(known)
}

// Hit counts one more question with a signature that this process has recorded.
func (s *Store) Hit(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.seen[id]
	if known == nil {
		return fmt.Errorf("finding %s was hit before it was recorded", id)
	}
	known.pending.Last = time.Now()
	if known.pending.Hits == 0 {
		known.pending.First = known.pending.Last
	}
	known.pending.Hits++
	if time.Since(known.written) < writeEvery {
		return nil
	}
	_, err := s.write(known)
	return err
}

// Flush writes what is only in memory.
func (s *Store) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, known := range s.seen {
		if known.pending.Hits > 0 {
			_, err := s.write(known)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// write merges what is pending with what the directory holds.
func (s *Store) write(known *sight) (isNew bool, err error) {
	known.written = time.Now() // a failure waits as well
	f := known.pending
	file := s.file(f.ID())
	old, err := read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		isNew = true
	case err != nil:
		return false, err
	default:
		f = merge(old, f)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // "<" is easier to read
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return false, fmt.Errorf("cannot write finding %s: %w", f.ID(), err)
	}
	if err := replace(file, text.Bytes()); err != nil {
		return false, fmt.Errorf("cannot keep finding %s: %w", f.ID(), err)
	}
	known.best = f.Witness
	known.pending.Hits = 0
	return isNew, nil
}

func (s *Store) file(id string) string { return filepath.Join(s.dir, id+".json") }

// replace puts text in the place of the file, whole or not at all.
func replace(file string, text []byte) error {
	dir, name := filepath.Split(file)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+name+".*"+temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
