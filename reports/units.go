package reports

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

type integer interface{ ~int | ~int64 | ~uint64 }

// count returns n with its noun: "1 query", "1,234 queries".
func count[N integer](n N, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case y:
		return countOf(n, noun, stem+"ies")
	case strings.HasSuffix(noun, "sh"):
		return countOf(n, noun, noun+"es")
	}
	return countOf(n, noun, noun+"s")
}

// countOf is like count, for a noun with a verb: "1 case is", "2 cases are".
func countOf[N integer](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands formats a number with its digits in groups of three.
func thousands[N integer](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

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

// rate formats queries per second, such as "1,234,567", or – if no time was
// measured.
func rate(queries int, in time.Duration) string {
	if in <= 0 || queries == 0 {
		return "–"
	}
	perSecond := float64(queries) / in.Seconds()
	if perSecond < 10 {
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return thousands(int64(perSecond))
}

// byteSize formats a number of bytes for human readers.
func byteSize(bytes int64) string {
	switch {
	case bytes < 10_000:
		return count(bytes, "byte")
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
