// Package subjects provides the parsers that come with repcheck: Go parsers that run
// in this process, and adapters of parsers in other languages. Only the command line
// imports it, so that programs that test their own parser do not compile the others.
package subjects

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/impl/subjects/goparsers"
)

// Names returns the names of the in-process subjects, the reference first.
func Names() []string {
	names := []string{impl.ReferenceName}
	for _, p := range goparsers.All() {
		names = append(names, p.Info.Name)
	}
	return names
}

// Canonical returns the name under which an in-process subject runs. It differs from
// name for the reference under an interpretation (see [impl.Interpreted]) whose changed
// choices have another order. ok is false if there is no such subject, and err says what is wrong
// with such a name.
func Canonical(name string) (canonical string, ok bool, err error) {
	if impl.IsInterpreted(name) {
		r, err := impl.ParseInterpreted(name)
		return r.Name, err == nil, err
	}
	return name, slices.Contains(Names(), name), nil
}

// Open returns the in-process subjects with these names in this order, or all of
// them if names is empty. The reference gets the named interpretation, unless
// its name has one. An unknown name is an error that lists the known names.
func Open(names []string, interpretation string, timeout time.Duration) ([]impl.Subject, error) {
	if len(names) == 0 {
		names = Names()
	}
	parsers := goparsers.All()
	var subjects []impl.Subject
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		if impl.IsInterpreted(name) {
			r, err := impl.ParseInterpreted(name)
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, r.Subject(impl.InProcessOptions{Timeout: timeout}))
			continue
		}
		if name == impl.ReferenceName {
			s, err := impl.Reference(interpretation, impl.InProcessOptions{Timeout: timeout})
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, s)
			continue
		}
		at := slices.IndexFunc(parsers, func(p goparsers.Parser) bool { return p.Info.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("no subject is named %q: there are %s; a parser of your own comes in with --adapter", name, strings.Join(Names(), ", "))
		}
		subjects = append(subjects, impl.InProcess(parsers[at].Info, parsers[at].Parse, impl.InProcessOptions{Timeout: timeout}))
	}
	return subjects, nil
}

// OpenAdapter starts an adapter of package adapters, which must be ready in home.
func OpenAdapter(ctx context.Context, home adapters.Home, a *adapters.Adapter, o impl.ProcessOptions) (impl.Subject, error) {
	place := home.Options(a, o.Env...)
	o.Command, o.Dir, o.Env, o.Known = place.Command, place.Dir, place.Env, a.Info()
	return impl.StartProcess(ctx, o)
}
