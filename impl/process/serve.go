package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// flushEvery is how long an answer may be delayed to be written together with
// others: much less than any timeout of the harness, much more than a usual
// answer takes.
const flushEvery = 10 * time.Millisecond

// An Asker has the methods of a subject that Serve needs; every impl.Subject is
// one.
type Asker interface {
	Info() spec.SubjectInfo
	Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer
}

// Serve runs an adapter: it reads requests from in and writes the subject's
// answers to out, one after another, until in ends. It adds the features "time"
// and "hash". A verdict that only a harness can give (crash, timeout,
// protocol-error) is sent as error.
//
// It returns nil at the end of in, and ctx's error if ctx ends between two
// requests. Otherwise the error says why in or out failed or which line is not a
// request.
func Serve(ctx context.Context, in io.Reader, out io.Writer, subject Asker) error {
	r := bufio.NewReaderSize(in, pipeBuffer)
	w := bufio.NewWriterSize(out, pipeBuffer)
	var flushed time.Time
	var last wireFile
	for {
		line, err := r.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			if err == io.EOF {
				err = nil
			} else {
				err = fmt.Errorf("read requests: %w", err)
			}
			return errors.Join(err, w.Flush())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		answer, err := serveLine(ctx, line, subject, &last)
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		w.Write(append(answer, '\n'))
		if r.Buffered() > 0 && time.Since(flushed) < flushEvery {
			continue // more requests are buffered: their answers are written together
		}
		flushed = time.Now()
		if err := w.Flush(); err != nil {
			return fmt.Errorf("write answers: %w", err)
		}
	}
}

// A wireRequest is any line that an adapter reads.
type wireRequest struct {
	Hello *int   `json:"hello"`
	ID    *int64 `json:"id"`
	wireFile
	wireQuestion
}

// serveLine answers one line. last is the file that was sent last.
func serveLine(ctx context.Context, line []byte, subject Asker, last *wireFile) ([]byte, error) {
	var req wireRequest
	err := json.Unmarshal(line, &req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("request %s: %w", excerpt(bytes.TrimSpace(line)), err)
	case req.Hello != nil:
		return json.Marshal(helloOf(subject.Info()))
	case req.ID == nil:
		return nil, fmt.Errorf("request %s: neither hello nor id", excerpt(bytes.TrimSpace(line)))
	}
	switch {
	case req.Robots != nil || req.RobotsB64 != nil:
		*last = req.wireFile
	case req.Hash == "":
		return nil, fmt.Errorf("request %d: neither a file nor the hash of one", *req.ID)
	case req.Hash != last.Hash:
		return nil, fmt.Errorf("request %d: the hash %s is not that of the last file, %s", *req.ID, req.Hash, last.Hash)
	default:
		req.wireFile = *last
	}
	probes, several := req.probes()
	if len(probes) == 0 {
		return nil, fmt.Errorf("request %d: no url", *req.ID)
	}
	start := time.Now()
	answers := subject.Ask(ctx, octets(req.Robots, req.RobotsB64), probes)
	took := time.Since(start)
	return json.Marshal(encodeAnswer(*req.ID, answers, several, took))
}

func helloOf(info spec.SubjectInfo) wireHello {
	info.Features = slices.Clone(info.Features)
	for _, ours := range []string{"time", "hash"} {
		if !slices.Contains(info.Features, ours) {
			info.Features = append(info.Features, ours)
		}
	}
	return wireHello{Hello: Version, SubjectInfo: info, Window: new(MaxWindow)}
}

// probes returns the queries of a request; several reports whether it has a list
// of URLs.
func (r *wireQuestion) probes() (probes []spec.Probe, several bool) {
	agent := string(octets(r.Agent, r.AgentB64))
	urls := r.URLs
	for _, u := range r.URLsB64 {
		urls = append(urls, string(u))
	}
	several = urls != nil
	if !several && (r.URL != nil || r.URLB64 != nil) {
		urls = []string{string(octets(r.URL, r.URLB64))}
	}
	for _, u := range urls {
		probes = append(probes, spec.Probe{Agent: agent, URL: u})
	}
	return probes, several
}

func octets(text *string, b64 []byte) []byte {
	if text != nil {
		return []byte(*text)
	}
	return b64
}

// encodeAnswer is the inverse of decodeAnswer, for verdicts of subjects.
func encodeAnswer(id int64, answers []spec.Answer, several bool, took time.Duration) wireAnswer {
	w := wireAnswer{ID: &id, NS: took.Nanoseconds()}
	if !several {
		w.wireOutcome, w.Line, w.Pattern = outcomeOf(answers[0]), answers[0].Line, answers[0].Pattern
		return w
	}
	var lines, patterns bool
	for _, a := range answers {
		w.Allows = append(w.Allows, wireElement{outcomeOf(a)})
		w.Lines = append(w.Lines, a.Line)
		w.Patterns = append(w.Patterns, a.Pattern)
		lines, patterns = lines || a.Line != 0, patterns || a.Pattern != ""
	}
	if !lines {
		w.Lines = nil
	}
	if !patterns {
		w.Patterns = nil
	}
	return w
}

func outcomeOf(a spec.Answer) wireOutcome {
	switch a.Verdict {
	case spec.Allow, spec.Disallow:
		return wireOutcome{Allow: new(a.Verdict == spec.Allow)}
	case spec.Reject:
		return wireOutcome{Reject: &a.Detail}
	case spec.Unsupported:
		return wireOutcome{Unsupported: &a.Detail}
	case spec.Crash:
		return wireOutcome{Error: &a.Detail}
	}
	return wireOutcome{Error: new(string(a.Verdict) + ": " + a.Detail)}
}
