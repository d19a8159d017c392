package access

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A reply is a response that is ready to be sent.
type reply struct {
	*spec.Response
	headers []byte // those that do not depend on the request
	set     map[string]bool
	body    []byte // encoded
}

// newReply prepares a response. expand replaces the names of servers.
func newReply(r *spec.Response, expand func(string) string) (*reply, error) {
	headers := map[string]string{"Content-Type": "text/html"}
	if r.Target == robotsTxt {
		headers["Content-Type"] = "text/plain; charset=utf-8"
	}
	if r.Encoding != "" {
		headers["Content-Encoding"] = r.Encoding
	}
	for name, value := range r.Headers {
		// Its own spelling is sent, so the default must go.
		delete(headers, textproto.CanonicalMIMEHeaderKey(name))
		headers[name] = expand(value)
	}
	body, err := encode([]byte(expand(string(r.Body))), r.Encoding)
	if err != nil {
		return nil, err
	}
	p := &reply{Response: r, body: body, set: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		p.set[textproto.CanonicalMIMEHeaderKey(name)] = true
		if value := headers[name]; value != "" {
			p.headers = fmt.Appendf(p.headers, "%s: %s\r\n", name, value)
		}
	}
	return p, nil
}

// plainReply is a response without names of servers and encoding.
func plainReply(r *spec.Response, body string) *reply {
	p, _ := newReply(r, func(text string) string { return text })
	p.body = []byte(body)
	return p
}

// answers reports whether r sends a status.
func (r *reply) answers() bool {
	return !slices.Contains([]string{"refuse", "reset", "close", "silent", "garbage"}, r.Fault)
}

func encode(body []byte, encoding string) ([]byte, error) {
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "":
		return body, nil
	case "br":
		return brotli(body), nil
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	default:
		return nil, fmt.Errorf("unknown encoding %q", encoding)
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// brotli encodes without compressing: a window size of one bit (RFC 7932 section 9.1),
// stored blocks of up to 64 KiB (section 9.2: not last, four nibbles of length, the bit
// for uncompressed, padding), and an empty last block.
func brotli(body []byte) []byte {
	var b []byte
	shift := 1 // the bit of the window size, in the first octet only
	for block := range slices.Chunk(body, 1<<16) {
		header := uint32(len(block)-1)<<3 | 1<<19
		header <<= shift
		b = append(b, byte(header), byte(header>>8), byte(header>>16))
		b = append(b, block...)
		shift = 0
	}
	return append(b, 3<<shift)
}

// A sender sends one response.
type sender struct {
	*conn
	left int64 // how many octets may follow the head; negative if there were more
}

// body sends a part of the body and reports whether the next one can follow.
func (s *sender) body(p []byte) bool {
	allowed := p[:min(int64(len(p)), s.left)]
	s.left -= int64(len(p))
	return s.write(allowed) && s.left >= 0
}

// chunk sends a part of the body with its length.
func (s *sender) chunk(p []byte) bool {
	return len(p) == 0 || s.body(fmt.Appendf(nil, "%x\r\n%s\r\n", len(p), p))
}

// send sends the response and reports whether the connection is kept.
func (s *sender) send(r *reply, req *http.Request, now time.Time) bool {
	switch r.Fault {
	case "refuse", "reset": // refuse: the connection is older than the step
		s.reset()
		return false
	case "close":
		return false
	case "silent":
		s.wait(s.limits.Idle)
		return false
	case "garbage":
		s.write([]byte("\x00\x01\x02 no HTTP \xfe\xff\r\n\r\n"))
		return false
	}
	proto := "HTTP/1.1"
	if r.Fault == "http-1.0" {
		proto = "HTTP/1.0"
	}
	recent := req.ProtoAtLeast(1, 1)
	keep := recent && !req.Close && slices.Contains([]string{"", "chunked"}, r.Fault)
	chunked := slices.Contains([]string{"chunked", "bad-chunk", "endless"}, r.Fault) && recent
	head := fmt.Appendf(nil, "%s %d %s\r\n", proto, r.Status, http.StatusText(r.Status))
	own := func(name, value string) {
		if !r.set[name] {
			head = fmt.Appendf(head, "%s: %s\r\n", name, value)
		}
	}
	own("Date", now.UTC().Format(http.TimeFormat))
	head = append(head, r.headers...)
	empty := r.Status < 200 || r.Status == http.StatusNoContent || r.Status == http.StatusNotModified
	switch {
	case empty || r.Fault == "http-1.0":
	case chunked:
		own("Transfer-Encoding", "chunked")
	case r.Fault == "endless":
	case r.Fault == "longer-length":
		own("Content-Length", strconv.Itoa(len(r.body)+100))
	case r.Fault == "shorter-length":
		own("Content-Length", strconv.Itoa(len(r.body)/2))
	default:
		own("Content-Length", strconv.Itoa(len(r.body)))
	}
	if !keep && r.Fault != "http-1.0" {
		own("Connection", "close")
	}
	if !s.write(head) {
		return false
	}
	if r.Fault == "endless-headers" {
		for line := []byte("X-More: " + string(bytes.Repeat([]byte("a"), 1000)) + "\r\n"); s.body(line); {
		}
		return false
	}
	if !s.write([]byte("\r\n")) {
		return false
	}
	if empty || req.Method == http.MethodHead {
		return keep && r.Status >= 200
	}
	return s.sendBody(r, chunked) && keep
}

// sendBody sends the body with the fault, and reports whether it was sent completely.
func (s *sender) sendBody(r *reply, chunked bool) bool {
	half := len(r.body) / 2
	switch r.Fault {
	case "close-in-body":
		s.body(r.body[:half])
		return false
	case "reset-in-body":
		if s.body(r.body[:half]) {
			s.reset()
		}
		return false
	case "silent-in-body":
		if s.body(r.body[:half]) {
			s.wait(s.limits.Idle)
		}
		return false
	case "drip":
		s.drip(r.body)
		return false
	case "bad-chunk":
		if !chunked { // the client knows no chunks: Content-Length is wrong instead
			s.body(r.body[:half])
		} else if s.chunk(r.body[:half]) {
			s.body(fmt.Appendf(nil, "no length\r\n%s\r\n0\r\n\r\n", r.body[half:]))
		}
		return false
	case "endless":
		s.endless(r.body, chunked)
		return false
	}
	if chunked {
		return s.chunk(r.body[:half]) && s.chunk(r.body[half:]) && s.body([]byte("0\r\n\r\n"))
	}
	return len(r.body) == 0 || s.body(r.body)
}

// drip sends an octet each second, as long as a connection may be idle.
func (s *sender) drip(body []byte) {
	end := time.Now().Add(s.limits.Idle)
	for i := range body {
		if !s.body(body[i:i+1]) || !s.wait(min(time.Second, time.Until(end))) || !time.Now().Before(end) {
			return
		}
	}
}

// endless repeats the body until the limit of octets is reached.
func (s *sender) endless(body []byte, chunked bool) {
	if len(body) == 0 {
		body = []byte("# endless\n")
	}
	send := s.body
	if chunked {
		send = s.chunk
	}
	for block := bytes.Repeat(body, 1+(16<<10)/len(body)); send(block); {
	}
}
