package usage

// A Credit limits how much of a run one parser may spend on failures: answers
// earn credit, failures spend it. A parser that answers thousands of queries may
// fail on some dozens; one that answers next to nothing is given up soon. The
// zero value is the credit that a parser starts with.
type Credit struct {
	spent  int // in excess of the earned credit
	earned int // URLs answered towards one more unit
}

const (
	// firstCredit is for parsers that fail at once, mostCredit for those that
	// fail after a long time of answering. A unit costs about as much as a start,
	// a fraction of a second.
	firstCredit = 20
	mostCredit  = 100
	// urlsAUnit is how many URLs answered earn a unit.
	urlsAUnit = 5
)

// Earn counts URLs that were answered.
func (c *Credit) Earn(urls int) {
	c.earned += urls
	c.spent = max(c.spent-c.earned/urlsAUnit, firstCredit-mostCredit)
	c.earned %= urlsAUnit
}

// Spend takes units.
func (c *Credit) Spend(units int) { c.spent += units }

// Over reports whether the credit is used up.
func (c *Credit) Over() bool { return c.spent >= firstCredit }
