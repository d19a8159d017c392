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
	"sync"
	"time"

	"github.com/repcheck/repcheck/spec/file"
)

// A Store keeps findings in a folder, one JSON file each. It is safe for
// concurrent use. Several processes may use one folder: a file is always
// complete, but if two processes count at the same moment, the counts of one may
// be lost.
type Store struct {
	dir string

	mu      sync.Mutex        // guards entries, and the writing of files
	entries map[string]*entry // by ID
}

// An entry is the state of a finding that this process encountered.
type entry struct {
	kind Kind
	// recorded is set if some process has written the finding, or this one is
	// about to.
	recorded bool
	// pending is what the file does not contain yet. It has no kind if that is
	// only counts.
	pending Finding
}

// OpenStore returns the store in that folder, which is created with the first
// finding.
func OpenStore(dir string) (*Store, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("cannot keep findings: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("cannot keep findings in %s: it is a file", dir)
	}
	sweep(dir)
	return &Store{dir: dir, entries: map[string]*entry{}}, nil
}

// sweep removes the temporary files of processes that were killed while writing.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, file.Temporary))
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(name)
		}
	}
}

// Hit counts another answer of the subject that shows the finding; beyond says
// whether the subject's fingerprint does not predict it. known reports whether
// the finding is recorded; if it is not, the caller is to minimize its witness
// and Record it. Counts are kept in memory until Flush.
func (s *Store) Hit(f *Finding, subject string, beyond bool) (known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.record(f)
	p := &e.pending
	p.Last = time.Now()
	if p.First.IsZero() {
		p.First = p.Last
	}
	if p.Hits == nil {
		p.Hits = map[string]int{}
	}
	p.Hits[subject]++
	if beyond {
		if p.Beyond == nil {
			p.Beyond = map[string]int{}
		}
		p.Beyond[subject]++
	}
	return e.recorded
}

// record returns the entry of a finding. The caller holds mu.
func (s *Store) record(f *Finding) *entry {
	id := f.ID()
	e := s.entries[id]
	if e == nil {
		_, err := os.Stat(s.file(id))
		e = &entry{kind: f.Kind, recorded: err == nil}
		s.entries[id] = e
	}
	return e
}

// Record writes a finding. If it is known already, the counts are added up and
// the smaller witness is kept. isNew reports that no process had recorded it
// before. The finding need not include the counts of Hit.
func (s *Store) Record(f Finding) (isNew bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.record(&f)
	e.pending, e.recorded = merge(f, e.pending), true
	return s.write(f.ID())
}

// Flush writes the counts that are only in memory.
func (s *Store) Flush() error {
	s.mu.Lock()
	var ids []string
	for id, e := range s.entries {
		if e.recorded && len(e.pending.Hits) > 0 {
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	var errs []error
	for _, id := range ids {
		s.mu.Lock() // for each alone, so that no hit waits for more than one file
		_, err := s.write(id)
		s.mu.Unlock()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// write adds the pending data to the file of a finding. The caller holds mu.
func (s *Store) write(id string) (isNew bool, err error) {
	e := s.entries[id]
	if e == nil {
		return false, nil // deleted meanwhile
	}
	f := e.pending
	old, err := read(s.file(id))
	isNew = errors.Is(err, fs.ErrNotExist)
	switch {
	case isNew && f.Kind == "": // another process deleted the file: it is recorded again when next encountered
		delete(s.entries, id)
		return false, nil
	case isNew:
		err = os.MkdirAll(s.dir, 0o777)
	case err != nil:
		return false, err
	default:
		f = merge(old, f)
	}
	text, encodeErr := encodeJSON(f, "  ")
	if err = errors.Join(err, encodeErr); err == nil {
		err = file.Replace(s.file(id), text)
	}
	if err != nil {
		return false, fmt.Errorf("cannot write finding %s: %w", id, err)
	}
	e.pending = Finding{}
	return isNew, nil
}

// knows reports whether the finding is recorded.
func (s *Store) knows(f *Finding) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record(f).recorded
}

// unhit drops the counts of a subject for a finding that turned out to be another
// one, unless it is recorded.
func (s *Store) unhit(id, subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[id]; e != nil && !e.recorded {
		delete(e.pending.Hits, subject)
		delete(e.pending.Beyond, subject)
	}
}

// fold counts each disagreement with several choices under these choices if
// experiments confirmed every one of them for the same lineage, and deletes it: it
// is a mixture that was met before its parts. If the process is killed meanwhile,
// some counts may be added twice.
func (s *Store) fold() error {
	found, err := s.List()
	if err != nil {
		return err
	}
	confirmed := map[string]bool{}
	for i := range found {
		confirmed[found[i].ID()] = len(found[i].Experiments) > 0
	}
	var errs []error
	for i := range found {
		f := &found[i]
		var parts []Finding
		for _, c := range f.Cause {
			part := Finding{Kind: Disagreement, Cause: Cause{c}, Lineage: f.Lineage, Hits: f.Hits, Beyond: f.Beyond, First: f.First, Last: f.Last}
			if confirmed[part.ID()] {
				parts = append(parts, part)
			}
		}
		if f.Kind != Disagreement || len(f.Cause) < 2 || len(parts) < len(f.Cause) {
			continue
		}
		var err error
		for _, part := range parts {
			err = errors.Join(err, s.count(part))
		}
		if err == nil {
			err = s.Delete(f.ID())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// count adds the counts of a finding that is recorded.
func (s *Store) count(f Finding) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := f.ID()
	e := s.record(&f)
	f.Kind = "" // only counts
	e.pending = merge(f, e.pending)
	_, err := s.write(id)
	return err
}

// Delete removes a finding. If it is encountered again, it is recorded again.
func (s *Store) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, id)
	if err := os.Remove(s.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot delete finding %s: %w", id, err)
	}
	return nil
}

// kinds counts the recorded findings that this process encountered.
func (s *Store) kinds() map[Kind]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[Kind]int{}
	for _, e := range s.entries {
		if e.recorded {
			n[e.kind]++
		}
	}
	return n
}

// List returns all findings in the order of Kinds, and within one kind the most
// frequent first. An error may be about several broken files; the other findings
// are still returned.
func (s *Store) List() ([]Finding, error) {
	flushed := s.Flush()
	found, err := s.readAll("")
	return found, errors.Join(flushed, err)
}

// Get returns the finding whose ID begins with the prefix. It is an error if
// there is none, or more than one.
func (s *Store) Get(idPrefix string) (Finding, error) {
	s.Flush() // List reports any error of writing
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
func (s *Store) readAll(idPrefix string) (found []Finding, err error) {
	files, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read findings: %w", err)
	}
	var errs []error
	for _, file := range files {
		name := file.Name()
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

func (s *Store) file(id string) string { return filepath.Join(s.dir, id+".json") }

// maxFile bounds how much of a file is read, in bytes. The largest finding has a
// witness somewhat above the parsing limit, of which each byte takes up to nine.
const maxFile = 8 << 20

// read reads the file of one finding.
func read(path string) (f Finding, err error) {
	text, err := file.Read(path, maxFile, "remove it")
	if err != nil {
		return f, err
	}
	if err = json.Unmarshal(text, &f); err == nil && filepath.Base(path) != f.ID()+".json" {
		err = fmt.Errorf("the file of finding %s has another name", f.ID())
	}
	if err != nil {
		return f, fmt.Errorf("%s is broken: %w; delete the file, so that fuzzing finds it again, or undo the change", path, err)
	}
	return f, nil
}
