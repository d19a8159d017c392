package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

const (
	// exitGrace is how long a process whose stdout ended may take to exit, so
	// that its exit status can be reported.
	exitGrace = time.Second
	// killGrace is how long to wait for a killed process. If it takes longer, the
	// kernel cannot end it, and the client stops waiting.
	killGrace = 5 * time.Second
	// pipeBuffer holds about a hundred usual requests or answers for one system
	// call.
	pipeBuffer = 64 << 10
)

// A child is one run of the adapter that has sent its hello. It has a goroutine
// for each direction, so that a full pipe one way never stops the other way.
type child struct {
	t     Transport
	in    lineReader
	hello wireHello
	// out is closed when there is nothing more to send. Its
	// capacity is more than can be in flight, so that a send never blocks.
	out chan []outgoing
	wg  sync.WaitGroup // the two goroutines

	// The fields below belong to the client.
	firstID  int64  // ids below were given to earlier children
	lastFile []byte // the hash of the file sent last
	asked    int    // requests sent
	answered int    // answers accepted
}

// outgoing is a request line to be sent.
type outgoing struct {
	id       int64
	file     [2][]byte // the members of the file; the second may be empty
	question []byte
}

// launch starts the adapter and waits for its hello. If want is not nil, the
// hello must be the same. The error says what the adapter did and how to fix it;
// it is written to follow "the adapter".
func launch(ctx context.Context, o *Options, want *wireHello) (*child, error) {
	t, err := o.Launch(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %w — check the command and its path", err)
	}
	ch := &child{t: t, in: lineReader{bufio.NewReaderSize(t, pipeBuffer), o.MaxLine},
		out: make(chan []outgoing, MaxWindow+1)}
	stop := killLate(ctx, t, o.StartTimeout)
	line, err := ch.shake()
	inTime := stop()
	if err == nil && inTime {
		ch.hello, err = decodeHello(line)
		if err == nil && want != nil && !ch.hello.same(want) {
			err = fmt.Errorf("says it is %s %s, but was %s %s before — one command, one subject",
				ch.hello.Name, ch.hello.Version, want.Name, want.Version)
		}
		if err == nil {
			return ch, nil
		}
	}
	defer context.AfterFunc(ctx, t.Kill)() // reap waits no longer than ctx
	grace := time.Duration(0)
	if errors.Is(err, io.EOF) {
		grace = exitGrace
	}
	state := reap(t, grace)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		err = errors.New("was interrupted before its hello")
	case !inTime || ctx.Err() != nil:
		err = fmt.Errorf("%w within %v — answer the line %.11s with a hello, and flush stdout", errNoHello, o.StartTimeout, helloLine)
	case errors.Is(err, errLongLine):
		err = fmt.Errorf("sent a hello longer than %d bytes: %s — send only the fields of the protocol, and logs to stderr", MaxHello, excerpt(line))
	case errors.Is(err, io.EOF) && state != "":
		err = fmt.Errorf("ended (%s) before its hello — start it by hand and type %.11s", state, helloLine)
	case errors.Is(err, io.EOF):
		err = errors.New("closed its stdout before its hello — answer until stdin ends, then exit")
	}
	return nil, fmt.Errorf("%w%s", err, stderrNote(t.Stderr()))
}

// killLate kills the process if ctx ends or the process takes longer than limit
// to start. stop disables that, and reports whether it was in time.
func killLate(ctx context.Context, t Transport, limit time.Duration) (stop func() bool) {
	patience := patienceWith(t, limit)
	patience.Restart(time.Now())
	ended, late := make(chan struct{}), make(chan bool)
	go func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		for {
			select {
			case <-ended:
				late <- false
				return
			case <-timer.C:
				if left := patience.Left(time.Now()); left > 0 {
					timer.Reset(max(left, lookAgain))
					continue
				}
			case <-ctx.Done():
			}
			t.Kill()
			<-ended
			late <- true
			return
		}
	}()
	return func() bool { close(ended); return !<-late }
}

// errNoHello means that the adapter did not start in time.
var errNoHello = errors.New("sent no hello")

// shake sends hello and returns the line that comes back.
func (ch *child) shake() ([]byte, error) {
	// A failed write means that the adapter ended; reading shows how.
	_, _ = io.WriteString(ch.t, helloLine)
	hello := lineReader{ch.in.r, min(MaxHello, ch.in.most)}
	return hello.next()
}

// fileOf returns the members by which the request, which is sent next, carries
// its file: only the hash if the previous request had the same file.
func (ch *child) fileOf(r *request) [2][]byte {
	hash := r.file.hash
	if hash != nil && bytes.Equal(hash, ch.lastFile) {
		return [2][]byte{hash}
	}
	ch.lastFile = hash
	return [2][]byte{r.file.body, hash}
}

// run starts the two goroutines. deliver gets answers in the order in which they
// came, and finally, once, the fault that ended them.
func (ch *child) run(deliver func([]answer, *fault)) {
	ch.wg.Go(ch.write)
	ch.wg.Go(func() { ch.read(deliver) })
}

// write sends batches until out is closed, then closes the adapter's stdin. It
// flushes when no more requests wait, so that a busy pipe costs few system calls.
func (ch *child) write() {
	w := bufio.NewWriterSize(ch.t, pipeBuffer)
	var head []byte
	for batch := range ch.out {
		for _, o := range batch {
			head = strconv.AppendInt(append(head[:0], `{"id":`...), o.id, 10)
			w.Write(head)
			for _, members := range [...][]byte{o.file[0], o.file[1], o.question} {
				if len(members) > 0 {
					w.WriteByte(',')
					w.Write(members)
				}
			}
			w.WriteString("}\n")
		}
		if len(ch.out) == 0 {
			w.Flush() // errors stick to w; the reader or the timeout notices them
		}
	}
	w.Flush()
	ch.t.CloseWrite()
}

// read decodes lines until the adapter's stdout ends, and delivers all available
// answers at once. After a fault it reads on, so that the adapter can finish, but
// delivers nothing.
func (ch *child) read(deliver func([]answer, *fault)) {
	var batch []answer
	for {
		line, err := ch.in.next()
		if err == nil {
			var a answer
			if a, err = decodeAnswer(line); err == nil {
				if batch = append(batch, a); !ch.in.more() || len(batch) == MaxWindow {
					deliver(batch, nil)
					batch = nil
				}
				continue
			}
			deliver(batch, new(broken(a.id, err)))
		} else if errors.Is(err, errLongLine) {
			deliver(batch, new(broken(0, lengthError(line, ch.in.most))))
		} else {
			deliver(batch, new(ended()))
			return
		}
		io.Copy(io.Discard, ch.t)
		return
	}
}

// finish ends the run: at once, or after grace if that is not 0. It returns how
// the process ended, or "" if it had to be killed.
func (ch *child) finish(grace time.Duration) string {
	state := reap(ch.t, grace)
	ch.wg.Wait()
	return state
}

// reap waits up to grace for t to end, then kills it. It returns how t ended, or
// "" if reap ended it.
func reap(t Transport, grace time.Duration) string {
	if grace > 0 {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-t.Done():
			return t.State()
		case <-timer.C:
		}
	}
	t.Kill()
	timer := time.NewTimer(killGrace)
	defer timer.Stop()
	select {
	case <-t.Done():
		// A busy machine may report the end of a dead process late.
		if state := t.State(); state != killed {
			return state
		}
	case <-timer.C:
	}
	return ""
}

var errLongLine = errors.New("line too long")

// A lineReader reads lines of at most most bytes, without their line ends.
type lineReader struct {
	r    *bufio.Reader
	most int
}

// next returns the next line, which is valid until the next call. With
// errLongLine it returns the line's beginning. A last line without a line end is
// unfinished and dropped.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= l.most {
			line, err = l.r.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	if err == nil {
		line = line[:len(line)-1]
	}
	switch {
	case len(line) > l.most:
		return line, errLongLine
	case err != nil:
		return nil, err
	}
	return line, nil
}

// more reports whether next will return without reading.
func (l *lineReader) more() bool {
	ready, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(ready, '\n') >= 0
}
