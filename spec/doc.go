// Package spec defines the basic types of repcheck and contains its data. The data
// are the requirements of the documents of the Robots Exclusion Protocol, the points
// that these documents leave open, and the cases with the answers that parsers must
// give.
//
// The package imports no other package of this module. The data are YAML files next
// to the code. They are embedded, so that the repcheck binary contains the whole
// specification.
package spec
