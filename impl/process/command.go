package process

import (
	"errors"
	"fmt"
	"strings"
)

// SplitCommand splits a command line into words by the quoting rules of the POSIX
// shell: blanks separate; '…' is literal; in "…" a backslash escapes " \ $ ` and
// the line end; elsewhere it escapes any character.
//
// No shell is run, so nothing is expanded. Characters with a meaning to a shell
// (| & ; < > ( ) $ `) are an error unless quoted, rather than passed on
// unchanged. Wildcards, braces and ~ are ordinary characters.
func SplitCommand(s string) ([]string, error) {
	var (
		words []string
		word  strings.Builder
		open  bool // a word has begun, though it may be empty: ''
		quote byte // the quote we are in, or 0
	)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\':
			i++
			if i == len(s) {
				return nil, fmt.Errorf("command ends in a backslash: %s", s)
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", rune(s[i])) {
				word.WriteByte('\\')
			}
			if s[i] != '\n' { // an escaped line end continues the line
				word.WriteByte(s[i])
				open = true
			}
		case c == '$' || c == '`' || quote == 0 && strings.IndexByte("|&;<>()", c) >= 0:
			return nil, fmt.Errorf("command has a %q outside of single quotes, but no shell is run: quote it, or run sh -c '…'", c)
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("command has an unclosed %c: %s", quote, s)
	}
	if open {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("command is empty")
	}
	return words, nil
}

// joinCommand joins argv so that SplitCommand or a shell splits it into the same
// words.
func joinCommand(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if w == "" || strings.ContainsAny(w, " \t\r\n'\"\\|&;<>()$`*?[]#~{}!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
