package doc

import "strings"

// code writes code line by line. A shell command that is too wide continues on
// the next line after a backslash. If a part of it cannot be broken, that part is
// cut and the next line says so.
func (t *textWriter) code(indent string, c Code) {
	if !c.Shell {
		for line := range strings.Lines(c.text()) {
			t.line(Span{S: indent + strings.TrimSuffix(line, "\n")})
		}
		return
	}
	command := OneLine(c.text())
	if Width(indent+command) <= t.width {
		t.line(Span{S: indent + command})
		return
	}
	room := t.width - Width(indent) - Width(" \\")
	var lines []string
	cut := false
	for _, part := range shellParts(command) {
		last := len(lines) - 1
		if last >= 0 && Width(lines[last])+1+Width(part) <= room {
			lines[last] += " " + part
			continue
		}
		if last >= 0 {
			part = "  " + part
		}
		cut = cut || Width(part) > room
		lines = append(lines, CutMiddle(part, room))
	}
	for i, line := range lines {
		if i < len(lines)-1 {
			line += " \\"
		}
		t.line(Span{S: indent + line})
	}
	if cut {
		t.line(Span{S: indent + "(cut: the command is wider than the screen)", Tone: Faint})
	}
}

// shellParts splits a shell command at the spaces before flags and pipes, outside
// of '…' and $'…'.
func shellParts(command string) (parts []string) {
	quoted, escapes, from := false, false, 0
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\\' && (!quoted || escapes):
			i++
		case c == '\'' && !quoted:
			quoted, escapes = true, i > 0 && command[i-1] == '$'
		case c == '\'':
			quoted = false
		case c == ' ' && !quoted && i+1 < len(command) && strings.IndexByte("-|", command[i+1]) >= 0:
			parts, from = append(parts, command[from:i]), i+1
		}
	}
	return append(parts, command[from:])
}
