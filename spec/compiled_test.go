package spec

import (
	"bytes"
	"encoding/gob"
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write compiled.gob")

// TestCompiled fails if compiled.gob was not made from the present YAML files, or does
// not hold what they hold.
func TestCompiled(t *testing.T) {
	t.Parallel()
	files, err := readAll(embedded, "spec")
	if err != nil {
		t.Fatal(err)
	}
	source := hashFiles(files, func(kind string) bool { return kind != "sets" })
	want, err := Load(embedded, "spec")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		writeCompiled(t, source, want)
		return
	}
	got, ok := readCompiled(source)
	if !ok {
		t.Fatal("compiled.gob is out of date, which makes every command start slowly: run go test ./spec -run TestCompiled -update")
	}
	same := reflect.DeepEqual(got.Requirements, want.Requirements) && reflect.DeepEqual(got.Points, want.Points) &&
		reflect.DeepEqual(got.Cases, want.Cases) && reflect.DeepEqual(got.Scenarios, want.Scenarios)
	if !same {
		t.Error("compiled.gob differs from the YAML files that it was made from")
	}
}

// TestCompiledStale reads data that was made from other files.
func TestCompiledStale(t *testing.T) {
	t.Parallel()
	if _, ok := readCompiled("000000000000"); ok {
		t.Error("compiled.gob is used for other YAML files than its own")
	}
}

func writeCompiled(t *testing.T, source string, data *Data) {
	c := compiled{Source: source, Long: map[string][]run{}}
	c.Data = Data{Requirements: data.Requirements, Points: data.Points, Cases: slices.Clone(data.Cases), Scenarios: slices.Clone(data.Scenarios)}
	for i := range c.Data.Cases {
		if one := &c.Data.Cases[i]; len(one.Robots) > 4096 {
			c.Long[one.ID] = runs(one.Robots)
			one.Robots = nil
		}
	}
	for i := range c.Data.Scenarios {
		s := &c.Data.Scenarios[i]
		s.Steps = slices.Clone(s.Steps)
		for j := range s.Steps {
			s.Steps[j].Serve = slices.Clone(s.Steps[j].Serve)
			for k := range s.Steps[j].Serve {
				if one := &s.Steps[j].Serve[k]; len(one.Body) > 4096 {
					c.Long[bodyKey(s.ID, j, k)] = runs(one.Body)
					one.Body = nil
				}
			}
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("compiled.gob", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("compiled.gob: %d bytes", b.Len())
}

// runs splits a body into repeated pieces and what stands between them.
func runs(body []byte) (all []run) {
	start := 0 // of what stands between
	for i := 0; i < len(body); {
		size, times := repeated(body[i:])
		if size*times < 256 {
			i++
			continue
		}
		if start < i {
			all = append(all, run{body[start:i], 1})
		}
		all = append(all, run{body[i : i+size], times})
		i += size * times
		start = i
	}
	if start < len(body) {
		all = append(all, run{body[start:], 1})
	}
	return all
}

// repeated returns the size of the piece of at most 256 octets that body begins with
// most often, and how often.
func repeated(body []byte) (size, times int) {
	for s := 1; s <= min(256, len(body)/2); s++ {
		n := 1
		for (n+1)*s <= len(body) && bytes.Equal(body[n*s:(n+1)*s], body[:s]) {
			n++
		}
		if n > 1 && n*s > size*times {
			size, times = s, n
		}
	}
	return size, times
}
