package fuzz

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// DefaultStore is where findings are kept, seen from the root of the module.
// Seen from a test of this package it is "findings".
const DefaultStore = "fuzz/findings"

// writeEvery is how long hits may wait in memory. A finding is hit a thousand
// times a second.
const writeEvery = time.Second

// A Store keeps findings in a directory, one JSON file each. It
// is safe for concurrent use, and several processes may write to one directory:
// a file is always whole, though of hits counted at one time in two processes
// those of one may be lost.
type Store struct {
	dir string

	files sync.Mutex // held while files are read and written; locked before mu

	mu   sync.Mutex // guards what follows, and every sight
	seen map[string]*sight
	kept time.Time // when keepUp was last called
}

// A sight is what this process knows of a finding.
type sight struct {
	id   string
	kind Kind
	// pending is what was not written yet, nothing if it has no hits. It is
	// only counts until the finding is recorded.
	pending  Finding
	recorded bool // by this process or another
	open     bool // it was claimed, and forgotten
	claims   int
	written  time.Time

	last lastWritten // guarded by files
}

// lastWritten is what a file holds, so that it need not be read again only to
// count.
type lastWritten struct {
	info    fs.FileInfo // nil if it is not known
	finding Finding
}

// maxInMemory bounds, in octets, the files of which that is kept.
const maxInMemory = 64 << 10

// maxClaims is how often a finding is claimed that could not be shown again.
const maxClaims = 3

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

// Hit counts one more answer of the subject that is as the finding says, beyond
// what its fingerprint expects or not. claimed reports that nobody has recorded
// it and this process does not yet try to: the caller is to do it, with Record
// or Forget.
//
// What it counts is written every second: here, unless a campaign does it.
func (s *Store) Hit(f *Finding, subject string, beyond bool) (claimed bool, err error) {
	known, claimed, due := s.count(f, subject, beyond)
	if !due {
		return claimed, nil
	}
	s.files.Lock()
	defer s.files.Unlock()
	_, err = s.write(known)
	return claimed, err
}

// count is Hit in memory. due says that it is time to write.
func (s *Store) count(f *Finding, subject string, beyond bool) (known *sight, claimed, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := f.ID()
	known = s.seen[id]
	if known == nil {
		known = &sight{id: id, kind: f.Kind}
		s.seen[id] = known
		_, err := os.Stat(s.file(id))
		known.recorded = err == nil
		claimed = !known.recorded
	} else if known.open {
		known.open, claimed = false, true
	}
	p := &known.pending
	p.Last = time.Now()
	if p.Hits == nil {
		p.First, p.Hits = p.Last, map[string]int{}
	}
	p.Hits[subject]++
	if beyond {
		if p.Beyond == nil {
			p.Beyond = map[string]int{}
		}
		p.Beyond[subject]++
	}
	due = known.recorded && p.Last.Sub(known.written) >= writeEvery && p.Last.Sub(s.kept) >= writeEvery
	return known, claimed, due
}

// Record keeps a finding. If it is known already, the counts are added up and
// the smaller witness of the two is kept. isNew says that no process had
// recorded it before. The finding need not count what Hit has counted.
func (s *Store) Record(f Finding) (isNew bool, err error) {
	s.files.Lock()
	defer s.files.Unlock()
	return s.write(s.take(f))
}

// take is Record in memory.
func (s *Store) take(f Finding) *sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := f.ID()
	known := s.seen[id]
	if known == nil {
		known = &sight{id: id, kind: f.Kind}
		s.seen[id] = known
	}
	f.Hits, f.Beyond = maps.Clone(f.Hits), maps.Clone(f.Beyond)
	known.pending, known.recorded = withCounts(f, known.pending), true
	return known
}

// withCounts is merge where the second may be only counts, or nothing.
func withCounts(f, counts Finding) Finding {
	if counts.Kind == "" {
		if counts.Hits == nil {
			return f
		}
		counts.Witness = f.Witness
	}
	if f.First.IsZero() {
		f.First, f.Last = counts.First, counts.Last
	}
	return merge(f, counts)
}

// Forget takes back a claim: what was hit could not be shown again. After three
// times nobody may claim it any more.
func (s *Store) Forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.seen[id]; known != nil && !known.recorded {
		known.claims++
		known.open = known.claims < maxClaims
	}
}

// unsteady reports whether a finding was claimed and could not be shown again.
func (s *Store) unsteady(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.seen[id]
	return known != nil && !known.recorded && known.claims > 0
}

// Delete removes a finding. What is met again is found again.
func (s *Store) Delete(id string) error {
	s.files.Lock()
	defer s.files.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, id)
	if err := os.Remove(s.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot delete finding %s: %w", id, err)
	}
	return nil
}

// kinds counts the findings that this process met and that are recorded.
func (s *Store) kinds() map[Kind]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[Kind]int{}
	for _, known := range s.seen {
		if known.recorded {
			n[known.kind]++
		}
	}
	return n
}

// Flush writes what is only in memory.
func (s *Store) Flush() error { return s.writeAll(s.unwritten(0)) }

// keepUp writes what would soon be in memory alone for a second. A campaign calls
// it every half of that.
func (s *Store) keepUp() error {
	s.mu.Lock()
	s.kept = time.Now()
	s.mu.Unlock()
	return s.writeAll(s.unwritten(writeEvery / 2))
}

// unwritten returns the recorded findings that have hits which are so old and
// not written yet.
func (s *Store) unwritten(age time.Duration) (all []*sight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.seen {
		if known.recorded && known.pending.Hits != nil && time.Since(known.pending.First) >= age {
			all = append(all, known)
		}
	}
	return all
}

func (s *Store) writeAll(due []*sight) error {
	s.files.Lock()
	defer s.files.Unlock()
	var errs []error
	for _, known := range due {
		_, err := s.write(known)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// write merges what is pending with what the directory holds. The caller holds
// files.
func (s *Store) write(known *sight) (isNew bool, err error) {
	s.mu.Lock()
	f := known.pending
	known.pending, known.written = Finding{}, time.Now() // a failure waits as well
	s.mu.Unlock()
	if isNew, err = s.put(known, f); err != nil {
		s.mu.Lock()
		known.pending = withCounts(f, known.pending)
		s.mu.Unlock()
	}
	return isNew, err
}

// put merges f, which may be only counts, with what the directory holds.
func (s *Store) put(known *sight, f Finding) (isNew bool, err error) {
	file := s.file(known.id)
	old, err := known.read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		isNew = true
	case err != nil:
		return false, err
	default:
		f = withCounts(old, f)
	}
	if f.Kind == "" { // its file was deleted: what is met again is found again
		s.mu.Lock()
		known.recorded, known.open, known.claims = false, true, 0
		s.mu.Unlock()
		return false, nil
	}
	text, err := encodeJSON(f, "  ")
	if err != nil {
		return false, fmt.Errorf("cannot write finding %s: %w", known.id, err)
	}
	info, err := replace(file, text)
	if err != nil {
		return false, fmt.Errorf("cannot keep finding %s: %w", known.id, err)
	}
	known.last = lastWritten{}
	if len(text) <= maxInMemory {
		known.last = lastWritten{info, f}
	}
	return isNew, nil
}

// read reads the finding's file, unless it is the one that was written last.
func (known *sight) read(file string) (Finding, error) {
	if last := known.last.info; last != nil {
		now, err := os.Stat(file)
		if err == nil && os.SameFile(now, last) && now.ModTime().Equal(last.ModTime()) && now.Size() == last.Size() {
			return known.last.finding, nil
		}
	}
	return read(file)
}

func (s *Store) file(id string) string { return filepath.Join(s.dir, id+".json") }

// replace puts text in the place of the file, whole or not at all, and returns
// what that file then is.
func replace(file string, text []byte) (fs.FileInfo, error) {
	dir, name := filepath.Split(file)
	f, err := os.CreateTemp(dir, "."+name+".*"+temporary)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o777); err == nil {
			f, err = os.CreateTemp(dir, "."+name+".*"+temporary)
		}
	}
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644))
	info, statErr := f.Stat()
	err = errors.Join(err, statErr, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return info, err
}
