package reports

import (
	"fmt"
	"regexp"
	"strings"
)

// sectionTitles names the sections of RFC 9309 that requirements come from.
var sectionTitles = map[string]string{
	"1":       "What the protocol is for",
	"1.1":     "Words that bind",
	"2.1":     "Groups and rules",
	"2.2":     "Syntax",
	"2.2.1":   "The user-agent line",
	"2.2.2":   "The allow and disallow lines",
	"2.2.3":   "Special characters",
	"2.2.4":   "Other records",
	"2.3":     "Fetching the file",
	"2.3.1":   "What fetching gives",
	"2.3.1.1": "Success",
	"2.3.1.2": "Redirects",
	"2.3.1.3": "Unavailable",
	"2.3.1.4": "Unreachable",
	"2.3.1.5": "Parsing errors",
	"2.4":     "Caching",
	"2.5":     "Limits",
	"3":       "Security",
	"5.1":     "Example: a simple file",
	"5.2":     "Example: the longest match",
}

// sectionOf returns the section of a requirement ID: "2.2.2" for RFC9309-2.2.2-4,
// "2.2" for a production of the grammar (RFC9309-ABNF-WS), and the name of the
// document for other documents.
func sectionOf(requirement string) string {
	document, rest, _ := strings.Cut(requirement, "-")
	section, _, _ := strings.Cut(rest, "-")
	switch {
	case document != "RFC9309" || section == "":
		return document
	case section == "ABNF":
		return "2.2"
	}
	return section
}

// sectionHeading returns the section with its title, such as "2.5  Limits".
func sectionHeading(section string) string {
	if title := sectionTitles[section]; title != "" {
		return section + "  " + title
	}
	return section
}

var digits = regexp.MustCompile(`[0-9]+`)

// compareNatural compares IDs with runs of digits as numbers, so that
// RFC9309-2.2.2-4 comes before RFC9309-2.2.2-18.
func compareNatural(a, b string) int {
	padded := func(s string) string {
		return digits.ReplaceAllStringFunc(s, func(n string) string { return fmt.Sprintf("%9s", n) })
	}
	return strings.Compare(padded(a), padded(b))
}
