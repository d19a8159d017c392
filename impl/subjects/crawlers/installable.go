package crawlers

import (
	"embed"
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl/subjects/adapters"
)

// The folder of every crawler has a dash in its name.
//
//go:embed *-*
var embedded embed.FS

var load = sync.OnceValues(func() ([]*adapters.Adapter, []error) {
	return adapters.Load(embedded, "impl/subjects/crawlers")
})

// Installable returns the crawlers that are not part of the binary, sorted by name. They
// are installed like adapters.
func Installable() []*adapters.Adapter { all, _ := load(); return all }

// Problems returns an error for each crawler whose meta.yaml is not valid.
func Problems() []error { _, problems := load(); return problems }

// Find returns the crawler with the name, or nil.
func Find(name string) *adapters.Adapter {
	at := slices.IndexFunc(Installable(), func(a *adapters.Adapter) bool { return a.Name == name && a.LeftOut == "" })
	if at < 0 {
		return nil
	}
	return Installable()[at]
}
