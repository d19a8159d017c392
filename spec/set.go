package spec

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Set is a frozen list of cases. The queries and verdicts of a case in a set never
// change. So all results for one set can be compared, regardless of cases that were
// added later.
type Set struct {
	// Name is the year and a number, "2026.2".
	Name string
	// Pos is the file that defines the set.
	Pos string
	// hashes holds the hash of each case by its ID.
	hashes map[string]string
}

// Has reports whether the case with the ID is in the set.
func (s *Set) Has(id string) bool { return s.hashes[id] != "" }

// Len returns the number of cases in the set.
func (s *Set) Len() int { return len(s.hashes) }

// Hash identifies the parts of a case that a set freezes: its file, and its queries
// with their verdicts but without lines. The wording and the level may still be
// improved, and requirements may be added.
func (c *Case) Hash() string {
	type question struct {
		Agent, URL []byte
		Verdict    Verdict
		Under      map[string]Verdict
		Choices    map[string]Verdict
	}
	asked := struct {
		Point     string
		Robots    []byte
		Questions []question
	}{Point: c.Point, Robots: c.Robots}
	for _, e := range c.Expect {
		asked.Questions = append(asked.Questions, question{[]byte(e.Agent), []byte(e.URL), e.Verdict, e.Under, e.Choices})
	}
	text, err := json.Marshal(asked)
	if err != nil {
		panic(err) // cannot happen: every field has a JSON form
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Freeze returns the text of a set file with the cases in their present form.
func Freeze(cases []Case) []byte {
	lines := make([]string, len(cases))
	for i := range cases {
		lines[i] = cases[i].ID + " " + cases[i].Hash() + "\n"
	}
	slices.Sort(lines)
	return []byte("# A frozen set: the ID and the hash of every case. Never edited.\n" + strings.Join(lines, ""))
}

// loadSet reads a set file.
func (f *dataFile) loadSet() {
	name := strings.TrimSuffix(f.path[strings.LastIndexByte(f.path, '/')+1:], ".txt")
	set := Set{Name: name, Pos: f.name, hashes: map[string]string{}}
	lines := bufio.NewScanner(bytes.NewReader(f.octets))
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		id, hash, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			f.problems = append(f.problems, Problem{Pos: fmt.Sprintf("%s:%d", f.name, n), Message: "a line of a set is the ID of a case, a blank and its hash"})
			continue
		}
		set.hashes[id] = hash
	}
	if err := lines.Err(); err != nil {
		f.problems = append(f.problems, Problem{Pos: f.name, Message: "cannot read the set: " + err.Error()})
	}
	f.data.Sets = append(f.data.Sets, set)
}

// Set returns the set with the name, or nil.
func (d *Data) Set(name string) *Set {
	for i := range d.Sets {
		if d.Sets[i].Name == name {
			return &d.Sets[i]
		}
	}
	return nil
}

// sets checks that frozen cases have not changed.
func (l *linter) sets() {
	for i := range l.Sets {
		s := &l.Sets[i]
		for _, id := range keys(s.hashes) {
			c := l.Case(id)
			switch {
			case c == nil:
				l.fail(s.Pos, id, "the case is frozen in set %s and is gone: bring it back", s.Name)
			case c.Hash() != s.hashes[id]:
				l.fail(c.Pos, id, "the case is frozen in set %s and asks something else now: leave it as it was and give the new one an id of its own", s.Name)
			}
		}
	}
}
