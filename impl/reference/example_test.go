package reference_test

import (
	"fmt"

	"github.com/repcheck/repcheck/impl/reference"
)

const robots = `User-agent: *
Disallow: /shop/
Allow: /shop/offers/
`

func ExampleParser() {
	parser := reference.New(reference.RFC9309())
	rules := parser.Parse([]byte(robots)).Rules("ExampleBot")
	for _, url := range []string{"http://example.com/", "http://example.com/shop/cart", "http://example.com/shop/offers/1"} {
		fmt.Println(url, rules.Test(url).Allow)
	}
	// Output:
	// http://example.com/ true
	// http://example.com/shop/cart false
	// http://example.com/shop/offers/1 true
}

func ExampleRules_Explain() {
	rules := reference.New(reference.RFC9309()).Parse([]byte(robots)).Rules("ExampleBot")
	trace := rules.Explain("http://example.com/shop/offers/1")
	fmt.Println(trace.Why())
	// Output: line 3 decides: allow /shop/offers/, more specific than line 2 (13 octets against 6)
}
