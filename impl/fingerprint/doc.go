// Package fingerprint finds the interpretation under which the reference
// answers most like a parser. The parser's fingerprint is that interpretation
// with the share of its answers that it predicts, best measured on questions
// that the search has not seen.
package fingerprint
