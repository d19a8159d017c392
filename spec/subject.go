package spec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxInfo is the length limit for each text of a SubjectInfo except the name, in
	// characters. Reports print these texts in tables.
	maxInfo = 100
	// maxName is the length limit for a name. File systems limit names to 255 bytes.
	maxName = 200
)

// CheckName reports whether name can name a subject. Names become file names, so a
// name consists of 1 to 200 ASCII lower-case letters, digits, ".", "_", "-", "@",
// "+" and "=", and starts with a letter or digit. The error says what to change.
func CheckName(name string) error {
	foreign := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-.@+=", r) }
	if name == "" || len(name) > maxName || strings.ContainsAny(name[:1], "_-.@+=") || strings.ContainsFunc(name, foreign) {
		return fmt.Errorf(`name %s is invalid: use 1 to %d lower-case letters, digits, or any of _-.@+=, and start with a letter or digit`,
			quoteInfo(name), maxName)
	}
	return nil
}

// Validate returns an error if the information cannot be shown safely. The name must
// satisfy [CheckName], and every other text must be printable and at most 100
// characters long. The error names the field and how to change it.
func (s SubjectInfo) Validate() error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	type field struct{ name, text string }
	fields := []field{{"version", s.Version}, {"package", s.Package}, {"language", s.Language}, {"lineage", s.Lineage}}
	for _, f := range s.Features {
		fields = append(fields, field{"feature", f})
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	for _, f := range fields {
		if utf8.RuneCountInString(f.text) > maxInfo || !utf8.ValidString(f.text) || strings.ContainsFunc(f.text, hidden) {
			return fmt.Errorf("%s %s is invalid: use at most %d printable characters", f.name, quoteInfo(f.text), maxInfo)
		}
	}
	return nil
}

// quoteInfo quotes a text and shortens it if it is long.
func quoteInfo(text string) string {
	if len(text) > maxInfo {
		return fmt.Sprintf("%+.60q… (%d bytes)", text, len(text))
	}
	return fmt.Sprintf("%+q", text)
}
