package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

// records parses CSV and returns its header and its rows.
func records(t *testing.T, text []byte) (header []string, rows [][]string) {
	t.Helper()
	if bytes.Count(text, []byte("\r\n")) != strings.Count(string(text), "\n") {
		t.Error("a line does not end with CR LF")
	}
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

// jsonNames are the names of the fields of a row.
func jsonNames(row any) (names []string) {
	for f := range reflect.TypeOf(row).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			r := result.result()
			var lines, table bytes.Buffer
			if err := JSONL(&lines, r); err != nil {
				t.Fatal(err)
			}
			if err := CSV(&table, r); err != nil {
				t.Fatal(err)
			}
			visible(t, lines.String())
			visible(t, strings.ReplaceAll(table.String(), "\r\n", "\n"))
			if result.full {
				golden(t, result.name+".jsonl", lines.Bytes())
			}
			header, rows := records(t, table.Bytes())
			if diff := cmp.Diff(jsonNames(RunRow{}), header); diff != "" {
				t.Errorf("the header differs from the names in JSON (-want +got):\n%s", diff)
			}
			checks := 0
			for _, c := range r.Cases {
				for _, o := range c.Outcomes {
					checks += len(o.Checks)
				}
			}
			var want [][]string
			for line := range strings.Lines(lines.String()) {
				var row RunRow
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatal(err)
				}
				cells := csvRow(row.cells()...)
				for i := range cells {
					cells[i] = strings.ReplaceAll(cells[i], "\r\n", "\n")
				}
				want = append(want, cells)
			}
			if len(want) != checks {
				t.Errorf("%d rows for %d checks", len(want), checks)
			}
			if diff := cmp.Diff(want, rows, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b string) bool {
				return a == b || strings.ToValidUTF8(strings.ReplaceAll(b, "⟦FF⟧", "\uFFFD"), "") == a
			})); diff != "" {
				t.Errorf("CSV differs from JSON Lines (-jsonl +csv):\n%s", diff)
			}
		})
	}
}

func TestCSVRow(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":               "",
		"plain":          "plain",
		"a=b":            "a=b",
		"=1+1":           "'=1+1",
		"+1":             "'+1",
		"-1":             "'-1",
		"@SUM(A1)":       "'@SUM(A1)",
		"\t=1+1":         "␉=1+1",
		"\r=1+1":         "␍=1+1",
		"\n=1+1":         "'\n=1+1",
		"a\u202eb\u009b": "a⟦U+202E⟧b⟦U+009B⟧",
	} {
		if got := csvRow(in)[0]; got != want {
			t.Errorf("cell %q: %q, want %q", in, got, want)
		}
	}
}

func TestScanRows(t *testing.T) {
	t.Parallel()
	file := &fuzz.ScanFile{Name: "=foo.test", Hash: "0123456789ab", Octets: 7, Disagreements: []fuzz.ScanDisagreement{{
		Kind: fuzz.NaturalQueries, Probe: spec.Probe{Agent: "Foo\xFF", URL: "http://foo.test/a,b"}, Verdicts: []spec.Verdict{spec.Allow, "", spec.Disallow},
		Causes: map[spec.Verdict][]fuzz.Change{spec.Disallow: {change("nul=line-end"), change("byte-order-mark=keep")}},
	}, {
		Kind: fuzz.StressQueries, Probe: spec.Probe{Agent: "Foo", URL: "http://foo.test/"}, Verdicts: []spec.Verdict{spec.Allow, spec.Crash, spec.Reject},
	}}}
	for format, want := range map[string]string{
		"jsonl": `{"host":"=foo.test","hash":"0123456789ab","bytes":7,"kind":"natural","agent":"Foo⟦FF⟧","url":"http://foo.test/a,b","verdicts":{"one":"allow","three":"disallow"},"causes":{"disallow":["nul=line-end","byte-order-mark=keep"]}}
{"host":"=foo.test","hash":"0123456789ab","bytes":7,"kind":"stress","agent":"Foo","url":"http://foo.test/","verdicts":{"one":"allow","three":"reject","two":"crash"}}
`,
		"csv": "host,hash,bytes,kind,agent,url,verdicts,causes\r\n" +
			"'=foo.test,0123456789ab,7,natural,Foo⟦FF⟧,\"http://foo.test/a,b\",one=allow three=disallow,\"disallow: nul=line-end, byte-order-mark=keep\"\r\n" +
			"'=foo.test,0123456789ab,7,stress,Foo,http://foo.test/,one=allow two=crash three=reject,\r\n",
	} {
		var out bytes.Buffer
		rows, err := NewScanRows(&out, format, []string{"one", "two", "three"})
		if err != nil {
			t.Fatal(err)
		}
		if err := rows.Write(file); err != nil {
			t.Fatal(err)
		}
		if err := rows.Flush(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}
