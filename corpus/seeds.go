package corpus

import (
	"embed"
	"path"
)

// The seeds were written for this project. Each has a form that is common on the web.
// seeds/*.txt must keep their line ends: see .gitattributes.
//
//go:embed seeds/*.txt
var seeds embed.FS

// Seeds returns small files of typical forms, sorted by name. A fuzzing campaign
// starts with them, and users without a collection of real files can scan them.
func Seeds() []File {
	entries, err := seeds.ReadDir("seeds")
	if err != nil {
		panic("corpus: the seeds are embedded: " + err.Error())
	}
	var files []File
	for _, e := range entries {
		body, err := seeds.ReadFile(path.Join("seeds", e.Name()))
		if err != nil {
			panic("corpus: the seeds are embedded: " + err.Error())
		}
		files = append(files, File{Name: e.Name(), Robots: body})
	}
	return files
}
