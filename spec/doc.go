// Package spec is the vocabulary and the data of repcheck: what the documents
// of the Robots Exclusion Protocol require (requirements), where they leave a
// choice (points), and what a parser must answer (cases).
//
// It is a leaf: it imports nothing else of this module. The data lives beside
// the code as YAML and is embedded, so a built repcheck carries its whole
// specification.
package spec
