package reports

import (
	"fmt"
	"strconv"
	"time"
)

// percent formats a share with two decimals; – if of is 0.
func percent(part, of int64) string {
	switch {
	case of == 0:
		return "–"
	case part == 0:
		return "0"
	case part*20000 < of:
		return "<0.01"
	}
	return strconv.FormatFloat(100*float64(part)/float64(of), 'f', 2, 64)
}

// thousands formats a number with its digits in groups of three.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// countOf returns n with its noun.
func countOf(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// byteSize formats a number of bytes for human readers.
func byteSize(bytes int64) string {
	switch {
	case bytes < 10_000:
		return countOf(bytes, "byte", "bytes")
	case bytes < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// duration formats a time for human readers.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
