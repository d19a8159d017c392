package reports

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

// A ScanRow is one query about one file on which parsers disagree: a line of JSON
// Lines or a row of CSV. Host, agent and URL are in octet notation.
type ScanRow struct {
	Host  string         `json:"host"`
	Hash  string         `json:"hash"`
	Bytes int            `json:"bytes"`
	Kind  fuzz.QueryKind `json:"kind"`
	Agent string         `json:"agent"`
	URL   string         `json:"url"`
	// Verdicts are by parser. A lost parser has none.
	Verdicts map[string]spec.Verdict `json:"verdicts"`
	// Causes holds, by verdict, each single choice that makes the reference give
	// that verdict; none if no single choice does.
	Causes map[spec.Verdict][]fuzz.Change `json:"causes,omitempty"`
}

// A ScanRows writes the disagreements of a scan while it runs.
type ScanRows struct {
	subjects []string
	out      *rowWriter[ScanRow]
}

// NewScanRows returns a writer of rows in the format jsonl or csv. subjects are
// the names of the subjects of the scan.
func NewScanRows(w io.Writer, format string, subjects []string) (*ScanRows, error) {
	s := &ScanRows{subjects: subjects}
	var err error
	s.out, err = newRowWriter(w, format, s.cells)
	return s, err
}

// Write writes the rows of one file.
func (s *ScanRows) Write(f *fuzz.ScanFile) error {
	for _, d := range f.Disagreements {
		row := ScanRow{
			Host: spec.EncodeInline(f.Name), Hash: f.Hash, Bytes: f.Octets, Kind: d.Kind,
			Agent: spec.EncodeInline(d.Agent), URL: spec.EncodeInline(d.URL), Verdicts: map[string]spec.Verdict{}, Causes: d.Causes,
		}
		for i, v := range d.Verdicts {
			if v != "" {
				row.Verdicts[s.subjects[i]] = v
			}
		}
		if err := s.out.write(&row); err != nil {
			return err
		}
	}
	return nil
}

// Flush writes what is buffered.
func (s *ScanRows) Flush() error { return s.out.flush() }

// cells writes verdicts as "reference=allow slyrz=disallow" in the order of the
// parsers; the verdict is what follows the last "=", since a name may contain others. It
// writes causes as "allow: nul=line-end; disallow: bom=keep, nul=ignore".
func (s *ScanRows) cells(row *ScanRow) []string {
	var verdicts, causes []string
	for _, name := range s.subjects {
		if v, ok := row.Verdicts[name]; ok {
			verdicts = append(verdicts, name+"="+string(v))
		}
	}
	for verdict, flips := range row.Causes {
		names := make([]string, len(flips))
		for i, flip := range flips {
			names[i] = flip.String()
		}
		causes = append(causes, string(verdict)+": "+strings.Join(names, ", "))
	}
	slices.Sort(causes)
	return []string{row.Host, row.Hash, strconv.Itoa(row.Bytes), string(row.Kind), row.Agent, row.URL, strings.Join(verdicts, " "), strings.Join(causes, "; ")}
}
