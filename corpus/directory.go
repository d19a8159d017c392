package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A directory reads files one after the other.
type directory struct {
	root  string
	names []string         // relative to root, with slashes
	bad   map[string]error // entries that could not be listed
	in    *input
	at    int
}

// newDirectory lists the files. walk is filepath.WalkDir.
func newDirectory(root string, in *input, walk func(string, fs.WalkDirFunc) error) (*directory, error) {
	d := &directory{root: root, in: in, bad: map[string]error{}}
	in.total = 0
	err := walk(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil && path == root {
			return err
		}
		if err == nil && !e.Type().IsRegular() {
			return nil
		}
		name, relErr := filepath.Rel(root, path)
		if relErr != nil {
			return relErr
		}
		name = filepath.ToSlash(name)
		d.names = append(d.names, name)
		if err != nil {
			d.bad[name] = err
			return nil
		}
		if info, err := e.Info(); err == nil {
			in.total += info.Size()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(d.names)
	if len(d.names) == 0 {
		return nil, fmt.Errorf("%s holds no files", root)
	}
	return d, nil
}

func (d *directory) next() (File, error) {
	if d.at == len(d.names) {
		return File{}, io.EOF
	}
	name := d.names[d.at]
	d.at++
	path := filepath.Join(d.root, filepath.FromSlash(name))
	body, err := d.read(name, path)
	if err != nil {
		return File{}, &LineError{Path: path, Err: err}
	}
	return File{Name: name, Robots: body}, nil
}

func (d *directory) read(name, path string) ([]byte, error) {
	if err := d.bad[name]; err != nil {
		return nil, reason(err)
	}
	if isLines(path) {
		return nil, errors.New("a collection within a directory is not read: name it itself")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, MaxLine+1))
	d.in.done.Add(int64(len(body)))
	if err != nil {
		return nil, reason(err)
	}
	if len(body) > MaxLine {
		return nil, fmt.Errorf("the file is larger than %d MiB: take it out, it is no robots.txt", MaxLine>>20)
	}
	return body, nil
}

// reason returns the error without the path, which the LineError already has.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (d *directory) rewind() error { d.at = 0; return nil }

func (d *directory) close() error { return nil }
