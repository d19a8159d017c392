package corpus

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// lines reads JSON Lines.
type lines struct {
	path  string
	in    *input
	limit int // of a line, in bytes, without the line feed
	from  io.Reader
	file  *os.File // from, if it can be read again

	r    *bufio.Reader // nil before the first line
	line int
	long []byte // a line that does not fit into r
}

const (
	// bufferSize is enough for nearly every line, so that lines need not be copied.
	bufferSize = 256 << 10
	// keepLong is the largest buffer that is kept for the next long line.
	keepLong = 8 << 20
)

var (
	magic = []byte{0x1F, 0x8B} // RFC 1952 section 2.3.1
	mark  = []byte("\xEF\xBB\xBF")
)

// begin creates the reader, which decompresses if the input is compressed.
func (l *lines) begin() error {
	counted := bufio.NewReaderSize(&counter{l.from, l.in}, bufferSize)
	l.r = counted
	// Reading the first line returns errors of Peek again, including io.EOF.
	if head, _ := counted.Peek(len(magic)); bytes.Equal(head, magic) {
		unpacked, err := gzip.NewReader(counted)
		if err != nil {
			return fmt.Errorf("%s: %w", l.path, unexpected(err))
		}
		l.r = bufio.NewReaderSize(unpacked, bufferSize)
	}
	if head, _ := l.r.Peek(len(mark)); bytes.Equal(head, mark) {
		l.r.Discard(len(mark))
	}
	return nil
}

func (l *lines) next() (File, error) {
	if l.r == nil {
		if err := l.begin(); err != nil {
			return File{}, err
		}
	}
	for {
		line, err := l.read()
		switch {
		case errors.Is(err, errLong):
			return File{}, &LineError{l.path, l.line, err}
		case errors.Is(err, io.EOF):
			return File{}, err
		case err != nil:
			return File{}, fmt.Errorf("%s:%d: %w", l.path, l.line, unexpected(err))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		f, err := decode(line)
		if err != nil {
			return File{}, &LineError{l.path, l.line, err}
		}
		if f.Name == "" {
			f.Name = fmt.Sprintf("line-%d", l.line)
		}
		return f, nil
	}
}

var errLong = fmt.Errorf("the line is longer than %d MiB: take it out, it holds no robots.txt", MaxLine>>20)

// read returns the next line, which is valid until the next call, or io.EOF at
// the end. A line that is too long is skipped.
func (l *lines) read() ([]byte, error) {
	l.line++
	if cap(l.long) > keepLong {
		l.long = nil
	}
	l.long = l.long[:0]
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if err == nil && len(l.long) == 0 && !tooLong {
			return part, nil
		}
		if tooLong = tooLong || len(l.long)+len(bytes.TrimSuffix(part, []byte{'\n'})) > l.limit; tooLong {
			l.long = nil
		} else {
			l.long = append(l.long, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case tooLong:
			return nil, errLong
		case err != nil && len(l.long) == 0:
			return nil, io.EOF
		default:
			return l.long, nil
		}
	}
}

// unexpected replaces errors about damaged input with messages that name a fix.
func unexpected(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the compressed data ends early: fetch it again (%w)", io.ErrUnexpectedEOF)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the compressed data is damaged: fetch it again (%w)", err)
	}
	return err
}

// An entry is the JSON object of a line.
type entry struct {
	Host   string  `json:"host"`
	Base64 []byte  `json:"body_base64"` // nil if missing
	Text   *string `json:"body"`
}

// decode reads one line.
func decode(line []byte) (File, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return File{}, fmt.Errorf(`not an object with "host" and "body_base64": %w`, err)
	}
	f := File{Name: e.Host, Robots: e.Base64}
	switch {
	case e.Base64 == nil && e.Text == nil:
		return File{}, errors.New(`there is no body: give it as "body_base64", or as text in "body"`)
	case e.Base64 != nil && e.Text != nil:
		return File{}, errors.New(`there are two bodies: leave out "body" or "body_base64"`)
	case e.Text == nil:
	case altered(line, *e.Text):
		return File{}, errors.New(`the text of "body" is not Unicode: give the octets as "body_base64"`)
	default:
		f.Robots = []byte(*e.Text)
	}
	return f, nil
}

// altered reports whether text may differ from the text in the line, because
// encoding/json silently replaces invalid characters with U+FFFD.
func altered(line []byte, text string) bool {
	if !utf8.Valid(line) {
		return true
	}
	surrogates := bytes.Contains(line, []byte(`\ud`)) || bytes.Contains(line, []byte(`\uD`))
	return surrogates && bytes.ContainsRune([]byte(text), utf8.RuneError)
}

func (l *lines) rewind() error {
	if l.file == nil {
		return ErrRewind
	}
	if _, err := l.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	l.r, l.line = nil, 0
	return nil
}

func (l *lines) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// A counter adds the number of bytes read to the progress.
type counter struct {
	from io.Reader
	in   *input
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.in.done.Add(int64(n))
	return n, err
}
