package process

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/repcheck/repcheck/spec"
)

func protocolSchema(t *testing.T, part string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../spec/schema/protocol.json#/$defs/" + part)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate returns the error of the schema for a line.
func validate(schema *jsonschema.Schema, line []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// A wiretap is a Transport that records the lines that pass through it.
type wiretap struct {
	Transport
	sent, read bytes.Buffer
}

func (w *wiretap) Write(b []byte) (int, error) {
	w.sent.Write(b)
	return w.Transport.Write(b)
}

func (w *wiretap) Read(b []byte) (int, error) {
	n, err := w.Transport.Read(b)
	w.read.Write(b[:n])
	return n, err
}

// TestSchema validates a whole conversation, in which every form of request and
// answer occurs, against the published schema.
func TestSchema(t *testing.T) {
	t.Parallel()
	opts := self(t, "serve", 8).withDefaults()
	var tap *wiretap
	opts.Launch = func(context.Context) (Transport, error) {
		p, err := startProcess(&opts)
		tap = &wiretap{Transport: p}
		return tap, err
	}
	c, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, robots := range []string{"", "echo", "echo\xff", "User-agent: *\n\x00\u2028"} {
		for _, agent := range []string{"FooBot", "\xfe"} {
			for _, urls := range [][]string{{"/yes"}, {"/no"}, {"/\xff"}, {"/yes", "/no"}, {"/\xff", "/no\xff"}} {
				var probes []spec.Probe
				for _, u := range urls {
					probes = append(probes, spec.Probe{Agent: agent, URL: u})
				}
				c.Ask(t.Context(), []byte(robots), probes)
			}
		}
	}
	c.Close()
	for part, lines := range map[string][]byte{"fromHarness": tap.sent.Bytes(), "fromAdapter": tap.read.Bytes()} {
		schema := protocolSchema(t, part)
		n := 0
		for line := range bytes.Lines(lines) {
			n++
			if err := validate(schema, line); err != nil {
				t.Errorf("%s: %s: %v", part, line, err)
			}
		}
		if n < 40 {
			t.Errorf("%s: %d lines, want all of the conversation", part, n)
		}
	}
	if text := tap.sent.String(); !strings.Contains(text, `,"hash":"`) || !strings.Contains(text, `"robots_b64"`) {
		t.Error("the conversation has no hash or no base64")
	}
}

// TestSchemaAgrees compares the schema with the decoder: both accept a line, or
// neither does.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	schema := protocolSchema(t, "fromAdapter")
	for line, good := range map[string]bool{
		`{"id":1,"allow":true}`:                         true,
		`{"id":1,"allow":true,"line":2,"later":{}}`:     true,
		`{"id":1,"allows":[true,{"error":"x"}],"ns":1}`: true,
		`{"id":1,"reject":"no"}`:                        true,
		`{"id":1}`:                                      false,
		`{"id":"1","allow":true}`:                       false,
		`{"id":1,"allow":"true"}`:                       false,
		`{"id":1,"allow":true,"error":"x"}`:             false,
		`{"id":1,"allow":true,"ns":-1}`:                 false,
		`{"id":1,"allows":[1]}`:                         false,
		`{"id":1,"allows":[{}]}`:                        false,
		`{"id":1,"allow":true,"line":-1}`:               false,
		`{"allow":true}`:                                false,
		`[]`:                                            false,
	} {
		_, err := decodeAnswer([]byte(line))
		if (err == nil) != good {
			t.Errorf("%s: the decoder says %v", line, err)
		}
		if err := validate(schema, []byte(line)); (err == nil) != good {
			t.Errorf("%s: the schema says %v", line, err)
		}
	}
	hello := protocolSchema(t, "hello")
	for line, good := range map[string]bool{
		`{"hello":1,"name":"x","window":9}`:                                       true,
		`{"hello":1,"name":"a_b.c-9"}`:                                            true,
		`{"hello":1,"name":"` + strings.Repeat("x", 200) + `"}`:                   true,
		`{"hello":1,"name":"reference@rfc9309+tie=disallow"}`:                     true,
		`{"hello":1,"name":"@x"}`:                                                 false,
		`{"hello":1,"name":"x","version":"é (1)","package":"@a/b","lineage":"x"}`: true,
		`{"hello":1,"name":"x","features":["line"]}`:                              true,
		`{"hello":2,"name":"x"}`:                                                  false,
		`{"hello":1,"name":"X"}`:                                                  false,
		`{"hello":1,"name":""}`:                                                   false,
		`{"hello":1,"name":".x"}`:                                                 false,
		`{"hello":1,"name":"a/b"}`:                                                false,
		`{"hello":1,"name":"x\n"}`:                                                false,
		`{"hello":1,"name":"` + strings.Repeat("x", 201) + `"}`:                   false,
		`{"hello":1,"name":"x","version":"1\n2"}`:                                 false,
		`{"hello":1,"name":"x","package":"\u001b[2J"}`:                            false,
		`{"hello":1,"name":"x","language":"\u202e"}`:                              false,
		`{"hello":1,"name":"x","lineage":"` + strings.Repeat("x", 101) + `"}`:     false,
		`{"hello":1,"name":"x","features":["\u0085"]}`:                            false,
		`{"hello":1,"name":"x","window":0}`:                                       false,
	} {
		_, err := decodeHello([]byte(line))
		if (err == nil) != good || (validate(hello, []byte(line)) == nil) != good {
			t.Errorf("%s: decoder: %v, schema: %v", line, err, validate(hello, []byte(line)))
		}
	}
}
