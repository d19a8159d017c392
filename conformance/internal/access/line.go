package access

import "fmt"

// String shows a request in one line. Hosts and ports are left out, as they change.
func (r Request) String() string {
	if r.Method == "" {
		return r.Server + " a connection without a request"
	}
	line := fmt.Sprintf("%s %s %s", r.Server, r.Method, r.Target)
	switch {
	case r.Status > 0:
		line += fmt.Sprintf(" → %d", r.Status)
	case r.Fault == "":
		line += " → no answer"
	}
	if r.Fault != "" {
		line += " (" + r.Fault + ")"
	}
	return line + "  " + r.UserAgent
}
