package spec

import (
	"embed"
	"path"
	"strings"
)

// Each schema describes one version of a result, named in its title. A version that
// drops or changes a field of an earlier one has a higher number.
//
//go:embed schema/result/*.json
var resultSchemas embed.FS

// ResultSchemas returns the names of the JSON Schemas of results, sorted.
func ResultSchemas() (names []string) {
	entries, _ := resultSchemas.ReadDir("schema/result") // embedded, so it is there
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())))
	}
	return names
}

// ResultSchema returns the JSON Schema with the name, or nil if there is none.
func ResultSchema(name string) []byte {
	text, _ := resultSchemas.ReadFile("schema/result/" + name + ".json")
	return text
}
