package spec

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed requirements/*.yaml points/*.yaml cases/*/*.yaml sets/*.txt VERSION
var embedded embed.FS

// Data is the whole specification: requirements, points, cases and scenarios, in the
// order of the files.
type Data struct {
	Requirements []Requirement
	Points       []Point
	Cases        []Case
	Scenarios    []Scenario
	// Sets are the frozen sets of cases, the oldest first.
	Sets []Set
	// Version is the version of the case set from the file VERSION. It ends in
	// "-modified" if the cases are not those of that version, and is "" if there is
	// no such file.
	Version string
	// Hash identifies the cases: the first 12 hex digits of the SHA-256 of
	// the case files.
	Hash string

	accessHash  string // as Hash, of the files with scenarios
	requirement map[string]*Requirement
	point       map[string]*Point
	byID        map[string]*Case
}

// Requirement returns the requirement with the ID, or nil.
func (d *Data) Requirement(id string) *Requirement { return d.requirement[id] }

// Point returns the point with the ID, or nil.
func (d *Data) Point(id string) *Point { return d.point[id] }

// Case returns the case with the ID, or nil.
func (d *Data) Case(id string) *Case { return d.byID[id] }

// Problems is the error of Load for invalid data. It lists all problems.
type Problems []Problem

// Error returns the problems, one on each line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// Default returns the embedded data. The result is shared and must not be changed.
// It panics if the embedded data is invalid, which the tests of this package rule
// out.
var Default = sync.OnceValue(func() *Data {
	data, err := load(embedded, "spec", nil)
	if err != nil {
		panic(fmt.Sprintf("the embedded specification is broken:\n%v", err))
	}
	return data
})

// Load reads the folders requirements, points, cases and sets of fsys and the file
// VERSION, and checks them: IDs that are repeated or that do not exist, levels that none
// of the requirements has, and expectations that do not fit the kind of their
// case are problems like data that cannot be read. Only cases are required. If fsys has no
// requirements or no points, the embedded ones are used. Errors prefix file names
// with name. An error is of type Problems if the data is invalid; other errors mean
// that fsys has no cases or cannot be read.
func Load(fsys fs.FS, name string) (*Data, error) {
	return load(fsys, name, Default)
}

// load is Load; fallback returns the data whose requirements and points are used if
// fsys has none.
func load(fsys fs.FS, name string, fallback func() *Data) (*Data, error) {
	files, err := readAll(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the specification in %s: %w", name, err)
	}
	d := &Data{}
	isYAML := func(kind string) bool { return kind != "sets" }
	if fallback == nil {
		if c, ok := readCompiled(hashFiles(files, isYAML)); ok {
			d.Requirements, d.Points, d.Cases, d.Scenarios = c.Requirements, c.Points, c.Cases, c.Scenarios
		}
	}
	isCompiled := d.Cases != nil
	// Reading YAML is most of the work, and files do not depend on each other.
	var wg sync.WaitGroup
	for i := range files {
		if !isCompiled || !isYAML(files[i].kind) {
			wg.Go(files[i].parse)
		}
	}
	wg.Wait()
	var problems []Problem
	found := map[string]int{}
	for i := range files {
		f := &files[i]
		found[f.kind]++
		d.Requirements = append(d.Requirements, f.data.Requirements...)
		d.Points = append(d.Points, f.data.Points...)
		d.Cases = append(d.Cases, f.data.Cases...)
		d.Scenarios = append(d.Scenarios, f.data.Scenarios...)
		d.Sets = append(d.Sets, f.data.Sets...)
		problems = append(problems, f.problems...)
	}
	if found["cases"] == 0 {
		return nil, fmt.Errorf("no cases in %s: expected files cases/<section>/<topic>.yaml", name)
	}
	if found["requirements"] == 0 && fallback != nil {
		d.Requirements = fallback().Requirements
	}
	if found["points"] == 0 && fallback != nil {
		d.Points = fallback().Points
	}
	d.Hash = hashFiles(files, func(kind string) bool { return kind == "cases" })
	d.accessHash = hashFiles(files, func(kind string) bool { return kind == "scenarios" })
	d.index()
	if fallback != nil { // the embedded data is linted by the tests of this package
		problems = append(problems, Lint(d)...)
	}
	if err := d.readVersion(fsys); err != nil {
		problems = append(problems, Problem{Pos: path.Join(name, versionFile), Message: err.Error()})
	}
	if len(problems) > 0 {
		return nil, Problems(problems)
	}
	return d, nil
}

// hashFiles returns the first 12 hex digits of the SHA-256 of the files of the given
// kinds, with their paths.
func hashFiles(files []dataFile, of func(kind string) bool) string {
	hash := sha256.New()
	for _, f := range files {
		if of(f.kind) {
			fmt.Fprintf(hash, "%s %d\n", f.path, len(f.octets))
			hash.Write(f.octets)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}

// A dataFile is one file with its content and the data read from it.
type dataFile struct {
	name     string // as in errors
	path     string // within the folder
	kind     string // the folder it is in
	octets   []byte
	data     Data
	problems []Problem
}

func (f *dataFile) parse() {
	if f.kind == "sets" {
		f.loadSet()
		return
	}
	r := &reader{file: f.name, problems: &f.problems}
	if root := r.document(f.octets); root != nil {
		loaders[f.kind](&f.data, r, root)
	}
}

// readAll returns the files of the folders that contain data, sorted by path.
func readAll(fsys fs.FS, name string) ([]dataFile, error) {
	var files []dataFile
	err := fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		kind, _, _ := strings.Cut(file, "/")
		if strings.HasPrefix(file, "cases/access/") {
			kind = "scenarios"
		}
		_, known := loaders[kind]
		extension := ".yaml"
		if kind == "sets" {
			known, extension = true, ".txt"
		}
		switch {
		case entry.IsDir() && !known && file != ".":
			return fs.SkipDir
		case entry.IsDir() || !known || path.Ext(file) != extension:
			return nil
		}
		octets, err := readFile(fsys, file)
		files = append(files, dataFile{name: path.Join(name, file), path: file, kind: kind, octets: octets})
		return err
	})
	return files, err
}

// readFile reads a regular file, up to just above the size limit. An untrusted
// folder may contain a pipe or a link to a device, which might never end.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile+1))
}

// versionFile has one line: the version of the case set and the [Data.Hash] of its
// cases. CONTRIBUTING.md describes when the version must be raised.
const versionFile = "VERSION"

var versionLine = regexp.MustCompile(`^((?:(?:0|[1-9][0-9]*)\.){2}(?:0|[1-9][0-9]*)) ([0-9a-f]{12})\n$`)

func (d *Data) readVersion(fsys fs.FS) error {
	octets, err := readFile(fsys, versionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	line := versionLine.FindStringSubmatch(string(octets))
	if line == nil {
		return fmt.Errorf("not one line with a version like 1.2.3 and the hash of its cases: write the version and %s", d.Hash)
	}
	d.Version = line[1]
	if line[2] != d.Hash {
		d.Version += "-modified"
	}
	return nil
}

func (d *Data) index() {
	d.requirement = make(map[string]*Requirement, len(d.Requirements))
	for i := range d.Requirements {
		d.requirement[d.Requirements[i].ID] = &d.Requirements[i]
	}
	d.point = make(map[string]*Point, len(d.Points))
	for i := range d.Points {
		d.point[d.Points[i].ID] = &d.Points[i]
	}
	d.byID = make(map[string]*Case, len(d.Cases))
	for i := range d.Cases {
		d.byID[d.Cases[i].ID] = &d.Cases[i]
	}
}

// defaultAgent is the product token of an expectation without an agent.
const defaultAgent = "FooBot"

var loaders = map[string]func(*Data, *reader, *yaml.Node){
	"requirements": loadRequirements,
	"points":       loadPoints,
	"cases":        loadCases,
	"scenarios":    loadScenarios,
}

func loadRequirements(d *Data, r *reader, root *yaml.Node) {
	var document string
	r.mapping(root, "a requirements file", fields{
		"document": r.text(&document, "document"),
		"requirements": func(n *yaml.Node) {
			r.sequence(n, "requirements", func(n *yaml.Node) {
				q := Requirement{Document: document, Pos: r.pos(n)}
				r.subject = id(n)
				var level string
				r.mapping(n, "a requirement", fields{
					"id":       r.text(&q.ID, "id"),
					"section":  r.text(&q.Section, "section"),
					"level":    r.oneOf(&level, "level of a requirement", requirementLevels),
					"layer":    r.oneOf(&q.Layer, "layer", layers),
					"text":     r.text(&q.Text, "text"),
					"untested": r.text(&q.Untested, "untested"),
					"notes":    r.texts(&q.Notes, "notes"),
				})
				q.Level = RequirementLevel(level)
				d.Requirements = append(d.Requirements, q)
				r.subject = ""
			})
		},
	})
}

func loadPoints(d *Data, r *reader, root *yaml.Node) {
	r.mapping(root, "a points file", fields{"points": func(n *yaml.Node) {
		r.sequence(n, "points", func(n *yaml.Node) {
			p := Point{Pos: r.pos(n), Interpretations: map[string]Chosen{}}
			r.subject = id(n)
			r.mapping(n, "a point", fields{
				"id":           r.text(&p.ID, "id"),
				"stage":        r.oneOf(&p.Stage, "stage", Stages),
				"question":     r.text(&p.Question, "question"),
				"text":         r.text(&p.Text, "text"),
				"ambiguities":  r.texts(&p.Ambiguities, "ambiguities"),
				"requirements": r.texts(&p.Requirements, "requirements"),
				"links":        r.texts(&p.Links, "links"),
				"outside":      r.text(&p.Outside, "outside"),
				"choices": func(n *yaml.Node) {
					r.sequence(n, "choices", func(n *yaml.Node) {
						p.Choices = append(p.Choices, loadChoice(r, n))
					})
				},
				"interpretations": func(n *yaml.Node) {
					known := fields{}
					for _, name := range Interpretations {
						known[name] = func(n *yaml.Node) {
							var c Chosen
							r.mapping(n, name, fields{"choice": r.text(&c.Choice, "choice"), "because": r.text(&c.Because, "because")})
							p.Interpretations[name] = c
						}
					}
					r.mapping(n, "interpretations", known)
				},
			})
			d.Points = append(d.Points, p)
			r.subject = ""
		})
	}})
}

func loadChoice(r *reader, n *yaml.Node) (c Choice) {
	r.mapping(n, "a choice", fields{
		"id":        r.text(&c.ID, "id"),
		"means":     r.text(&c.Means, "means"),
		"forbidden": r.text(&c.Forbidden, "forbidden"),
		"witness": func(n *yaml.Node) {
			w := Witness{Probe: Probe{Agent: defaultAgent}}
			var url []byte
			r.mapping(n, "a witness", fields{
				"robots": r.octets(&w.Robots, "robots"),
				"url":    r.octets(&url, "url"),
				"want":   r.verdict(&w.Want, Allow, Disallow),
				"got":    r.verdict(&w.Got, Allow, Disallow, Reject),
			})
			w.URL = LongURL(string(url))
			c.Witness = &w
		},
	})
	return c
}

func loadCases(d *Data, r *reader, root *yaml.Node) {
	loadSection(r, root, "a case file", "cases", func(n *yaml.Node, section string) {
		d.Cases = append(d.Cases, loadCase(r, n, section))
	})
}

// loadSection reads a file with a section and the list key, and calls each for the
// elements of the list.
func loadSection(r *reader, root *yaml.Node, what, key string, each func(n *yaml.Node, section string)) {
	var section string
	r.mapping(root, what, fields{
		"section": r.text(&section, "section"),
		key: func(n *yaml.Node) {
			r.sequence(n, key, func(n *yaml.Node) {
				r.subject = id(n)
				each(n, section)
				r.subject = ""
			})
		},
	})
}

func loadCase(r *reader, n *yaml.Node, section string) Case {
	c := Case{Section: section, Pos: r.pos(n)}
	agent := []byte(defaultAgent)
	var level string
	var expect *yaml.Node
	hasRobots := false
	r.mapping(n, "a case", fields{
		"id":           r.text(&c.ID, "id"),
		"requirements": r.texts(&c.Requirements, "requirements"),
		"level":        r.oneOf(&level, "level of a case", []string{string(Must), string(Text), string(Should), string(May)}),
		"point":        r.text(&c.Point, "point"),
		"rationale":    r.text(&c.Rationale, "rationale"),
		"agent":        func(n *yaml.Node) { agent = nil; r.octets(&agent, "agent")(n) },
		"robots":       func(n *yaml.Node) { hasRobots = true; r.octets(&c.Robots, "robots")(n) },
		"expect":       func(n *yaml.Node) { expect = n },
	})
	c.Level = Level(level)
	if !hasRobots {
		r.fail(n, "the case has no robots: give the file's octets (\"\" for an empty file)")
	}
	if expect == nil {
		r.fail(n, "the case expects nothing: give expect a list of {url, verdict}")
		return c
	}
	r.sequence(expect, "expect", func(n *yaml.Node) {
		c.Expect = append(c.Expect, loadExpectation(r, n, string(agent)))
	})
	return c
}

func loadExpectation(r *reader, n *yaml.Node, agent string) Expectation {
	e := Expectation{Probe: Probe{Agent: agent}}
	var url []byte
	hasURL := false
	verdictsBy := func(into *map[string]Verdict, what string, keys []string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			*into = map[string]Verdict{}
			known := fields{}
			if n.Kind == yaml.MappingNode && keys == nil { // any key: lint checks the choices
				for i := 0; i < len(n.Content); i += 2 {
					keys = append(keys, n.Content[i].Value)
				}
			}
			for _, key := range keys {
				known[key] = func(n *yaml.Node) {
					var v Verdict
					r.verdict(&v, Allow, Disallow, Reject)(n)
					(*into)[key] = v
				}
			}
			r.mapping(n, what, known)
		}
	}
	r.mapping(n, "an expectation", fields{
		"agent":   func(n *yaml.Node) { var a []byte; r.octets(&a, "agent")(n); e.Agent = string(a) },
		"url":     func(n *yaml.Node) { hasURL = true; r.octets(&url, "url")(n) },
		"verdict": r.verdict(&e.Verdict, Allow, Disallow),
		"line":    r.number(&e.Line, "line"),
		"under":   verdictsBy(&e.Under, "under", Interpretations),
		"choices": verdictsBy(&e.Choices, "choices", nil),
	})
	if !hasURL {
		r.fail(n, "the expectation has no url")
	}
	e.URL = LongURL(string(url))
	return e
}

// id returns the value of the key id of a mapping, so that problems can name their
// subject before all of it is read.
func id(n *yaml.Node) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "id" {
			return n.Content[i+1].Value
		}
	}
	return ""
}
