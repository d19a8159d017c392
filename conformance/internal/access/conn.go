package access

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// maxRequest is the size of a request, with its body. Requests of crawlers have a few
// hundred octets; servers in use allow 8 to 32 KiB.
const maxRequest = 64 << 10

// A conn is a connection to a server of the origin.
type conn struct {
	net.Conn          // with TLS on the tls server
	tcp      net.Conn // without
	limits   *Limits
}

// listen serves the connections of l. The caller holds o.mu.
func (o *Origin) listen(s *server, l net.Listener) {
	s.listener = l
	o.running.Go(func() {
		for {
			tcp, err := l.Accept()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil: // out of descriptors, for example
				time.Sleep(10 * time.Millisecond)
			case !o.admit(s, l, tcp):
				tcp.Close()
			}
		}
	})
}

// admit serves a new connection to l, if the limits allow it.
func (o *Origin) admit(s *server, l net.Listener, tcp net.Conn) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed || s.listener != l: // closed since
		return false
	case len(o.log) >= o.limits.Requests:
		o.exceed("requests")
		return false
	case len(o.conns) >= o.limits.Connections:
		o.exceed("connections")
		return false
	}
	o.conns[tcp] = s
	o.running.Go(func() {
		c := &conn{Conn: tcp, tcp: tcp, limits: &o.limits}
		if s.name == tlsServer {
			c.Conn = tls.Server(tcp, o.ca.config)
		}
		o.serve(s, c)
		c.Close()
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.conns, tcp)
	})
	return true
}

// serve answers the requests on a connection, until it is to be closed.
func (o *Origin) serve(s *server, c *conn) {
	limited := &io.LimitedReader{R: c}
	in := bufio.NewReader(limited)
	for first := true; ; first = false {
		limited.N = maxRequest
		c.SetReadDeadline(time.Now().Add(c.limits.Idle))
		if _, err := in.Peek(1); err != nil {
			if first {
				o.noRequest(s, 0)
			}
			return
		}
		req, err := http.ReadRequest(in)
		if err != nil {
			o.noRequest(s, http.StatusBadRequest)
			c.write([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			return
		}
		r := o.choose(s, req)
		if r == nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			req.Close = true
		}
		out := &sender{conn: c, left: c.limits.Bytes}
		keep := out.send(r, req, o.now())
		if out.left < 0 {
			o.mu.Lock()
			o.exceed("bytes")
			o.mu.Unlock()
		}
		if !keep {
			return
		}
	}
}

func (o *Origin) noRequest(s *server, status int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.record(Request{Server: s.name, Status: status})
}

// write sends p, and reports whether that succeeded. A client that does not read makes
// it fail.
func (c *conn) write(p []byte) bool {
	const most = 64 << 10 // so that a slow client is given the time for each part
	for len(p) > 0 {
		c.SetWriteDeadline(time.Now().Add(c.limits.Idle))
		n, err := c.Write(p[:min(len(p), most)])
		if err != nil {
			return false
		}
		p = p[n:]
	}
	return true
}

// wait ignores what the client sends for some time. It returns early and reports false
// if the connection ends.
func (c *conn) wait(d time.Duration) bool {
	c.SetReadDeadline(time.Now().Add(d))
	_, err := io.Copy(io.Discard, c)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// reset ends the connection without the regular exchange.
func (c *conn) reset() {
	if tcp, ok := c.tcp.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.tcp.Close()
}
