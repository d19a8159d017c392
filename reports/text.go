package reports

// TextOptions say how a text is written. The zero value suits a file.
type TextOptions struct {
	// Color allows ANSI escape sequences.
	Color bool
	// Width is the widest line in runes; 0 means 100, and less than 60 means
	// 60, as the tables have no room below that.
	Width int
	// Verbose shows everything.
	Verbose bool
	// Failures is not used.
	Failures int
}

const (
	defaultWidth = 100
	leastWidth   = 60
	// gap stands between two columns.
	gap = "  "
)
