package fuzz

import (
	"cmp"
	"context"
	"crypto/sha256"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A rewinder is a source that can be read twice. Rewind returns
// corpus.ErrRewind if it turns out that it cannot.
type rewinder interface{ Rewind() error }

// A measured source reports how much of it has been read, in any unit; total is 0
// if that is unknown. Progress is called while Next runs.
type measured interface {
	Progress() (done, total int64)
}

// ScanOptions are the settings of a scan. The zero value works.
type ScanOptions struct {
	// Limit is how many files to scan; 0 means all.
	//
	// They are a fair sample: those with the lowest hash of body and Seed.
	// Choosing it takes an additional pass over the source, and some bytes of
	// memory for each file. If a source cannot be read twice, its first files are
	// used instead, which may not be a fair sample; the result says which it was.
	Limit int
	// Seed determines the sample and the queries.
	Seed uint64
	// Agents and URLs limit the queries about one file to Agents × URLs; see
	// Derivation. 0 means 5 and 40.
	Agents, URLs int
	// Queries are the kinds of queries that are asked; nil means NaturalQueries.
	Queries []QueryKind
	// Jobs is how many files are processed at once. 0 means one for each
	// processor, or 16 if a subject is a process: the others then wait for
	// answers, and all processors are busy.
	Jobs int
	// Causes also finds the choices of the subjects that make them disagree on
	// natural queries; see ScanQueries.Causes. It takes some seconds for each
	// subject, whose fingerprint is found first.
	Causes bool
	// Choices also counts, for each choice of the reference that differs from RFC
	// 9309, the files in which it shows; see ScanQueries.Choices. It takes about
	// as long as a hundred subjects that are as fast as the reference.
	Choices bool
	// Source is the name of the source in the result; "" if it has none.
	Source string
	// Progress, unless nil, is called five times a second and a last time at the
	// end, from one goroutine at a time.
	Progress func(ScanProgress)
	// File, unless nil, is called for every file after all subjects have
	// answered, in no particular order. It is called from several goroutines, one
	// at a time.
	File func(*ScanFile)
}

const (
	// Five crawlers and forty URLs make 40 queries about a real file, as most
	// have few rules: 80,000 files and seven subjects take three to five minutes
	// on two processors.
	scanAgents = 5
	scanURLs   = 40

	// processJobs keeps an adapter's window filled and two processors busy; that
	// many of the largest known files take 60 MB.
	processJobs = 16

	progressEvery = 200 * time.Millisecond

	// heavy is the size, in bytes, above which files are processed one at a time.
	// Parsers take up to a hundred times a file's size. Of 80,000 real files 34
	// are larger.
	heavy = 256 << 10

	// memory is the soft limit of this process's memory while a scan runs,
	// unless GOMEMLIMIT or the program set one. Without it the garbage of a few
	// wasteful parsers doubles what they need.
	memory = 640 << 20

	// slow is the time for one file above which a subject's slowness is a
	// finding. Real files take milliseconds.
	slow = time.Second

	// sourceGrace is how long an interrupted scan waits for a source that is
	// being read. A terminal may never provide another line.
	sourceGrace = time.Second
)

// ScanProgress reports how far a scan has got.
type ScanProgress struct {
	// Fingerprints is how many fingerprints were found. Until there is one for each
	// of Subjects, no file is read. Both are 0 if none are needed.
	Fingerprints, Subjects int
	// Choosing is set while the source is read for the first time, to choose a
	// sample.
	Choosing bool
	// Files is how many files all subjects have answered about; while Choosing,
	// how many were read.
	Files int64
	// Octets is the size of these files.
	Octets int64
	// Queries counts the queries to each subject, of all kinds.
	Queries int64
	// Done of Total is how much of the work is done, in no particular unit. Total
	// is 0 if that is unknown.
	Done, Total int64
	Elapsed     time.Duration
}

// Scan queries all subjects about every file of the source, and counts where they
// disagree and where one fails to answer.
//
// The queries are made from a file's own lines, see Natural and Derive. They depend
// only on the file's body and o.Seed, not on its position. So the result is the same
// for any order of the files and any number of jobs, except times and anything
// that depends on them: timeouts, the loss of a subject, and fingerprints that are
// not found in time.
//
// Its memory does not grow with the collection, but parsers may take much for one
// file. So large files are processed one at a time, and a soft memory limit makes
// the garbage collector of the whole program stay below 640 MiB if it can.
//
// When ctx ends, the result holds everything finished until then and says so.
// When the source fails, the error comes with such a result. The subjects must
// have different names.
func Scan(ctx context.Context, source corpus.Source, subjects []impl.Subject, o ScanOptions) (*ScanResult, error) {
	o.Agents = cmp.Or(o.Agents, scanAgents)
	o.URLs = cmp.Or(o.URLs, scanURLs)
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
		for _, s := range subjects {
			if s.Kind() == impl.InOwnProcess {
				o.Jobs = max(o.Jobs, processJobs)
			}
		}
	}
	defer limitMemory()()
	s := newScan(source, subjects, o)
	if o.Progress != nil {
		stop := every(progressEvery, func() { o.Progress(s.progress()) })
		defer func() { stop(); o.Progress(s.progress()) }()
	}
	s.findFingerprints(ctx, subjects)
	take, err := s.choose(ctx)
	if err == nil {
		err = s.run(ctx, take)
	}
	return s.finish(ctx), err
}

// limitMemory sets the soft limit and returns the function that restores it.
func limitMemory() (restore func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(memory)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}

// A scan is the state of a running scan.
type scan struct {
	options ScanOptions
	source  corpus.Source
	started time.Time
	workers []*worker
	heavy   chan struct{} // held while a heavy file is processed
	kinds   []scanKind
	// lineageOf is the index in ScanQueries.Lineages, by subject.
	lineageOf []int
	// fingerprints are the deviations of each subject from RFC 9309; nil if causes
	// are not looked for.
	fingerprints []Cause

	// tolerate is set if unreadable entries were counted when the sample was
	// chosen.
	tolerate bool

	mu       sync.Mutex // guards the fields below
	found    int        // fingerprints
	choosing bool
	done     int64 // files read while choosing
	sample   int   // files chosen; 0 means all
	result   ScanResult
}

// run queries the subjects about every file for which take returns true.
func (s *scan) run(ctx context.Context, take func(hash uint64) bool) error {
	jobs := make(chan scanJob)
	failed := make(chan error, 1)
	go func() {
		taken := 0
		defer close(jobs)
		failed <- corpus.Each(ctx, s.source, func(f corpus.File) bool {
			j := scanJob{f, sha256.Sum256(f.Robots)}
			if !take(sampleHash(s.options.Seed, j.sum)) {
				return true
			}
			taken++
			select {
			case jobs <- j:
				return taken != s.options.Limit
			case <-ctx.Done():
				return false
			}
		}, s.unreadable)
	}()
	impl.Each(s.options.Jobs, s.options.Jobs, func(int) {
		for {
			select {
			case j, ok := <-jobs:
				if !ok {
					return
				}
				s.ask(ctx, j)
			case <-ctx.Done():
				return
			}
		}
	})
	if ctx.Err() == nil {
		return <-failed
	}
	select {
	case err := <-failed:
		return err
	case <-time.After(sourceGrace):
		return nil
	}
}

// A scanJob is a file to query the subjects about.
type scanJob struct {
	file corpus.File
	sum  [sha256.Size]byte
}

// ask queries every subject about one file. A file that is not finished when ctx
// ends is not counted.
func (s *scan) ask(ctx context.Context, j scanJob) {
	o := s.options
	batches := s.batchesOf(j)
	var probes []spec.Probe
	for _, b := range batches {
		probes = append(probes, b.probes...)
	}
	if len(j.file.Robots) > heavy {
		select {
		case s.heavy <- struct{}{}:
			defer func() { <-s.heavy }()
		case <-ctx.Done():
			return
		}
	}
	replies := make([]reply, len(s.workers))
	for i, w := range s.workers {
		replies[i] = w.ask(ctx, j.file.Robots, probes)
		if ctx.Err() != nil {
			return
		}
	}
	from := 0
	for i := range batches {
		b := &batches[i]
		to := from + len(b.probes)
		for _, r := range replies {
			b.answers = append(b.answers, r.Answers[from:to])
		}
		from = to
		if s.fingerprints != nil && b.kind == NaturalQueries {
			b.causes, b.examined = s.causesOf(ctx, j, b)
		}
		if o.Choices {
			b.shown = choicesShown(ctx, j.file.Robots, b.probes)
		}
		if ctx.Err() != nil {
			return
		}
	}
	var file *ScanFile
	if o.File != nil {
		file = fileOf(j, batches)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if file != nil {
		o.File(file)
	}
	s.add(j, batches, replies)
}

func (s *scan) unreadable(err *corpus.LineError) {
	if s.tolerate {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.result
	if r.Unreadable++; r.Unreadable <= maxUnreadable {
		r.UnreadableFirst = append(r.UnreadableFirst, excerptText(err.Error()))
	}
}

func (s *scan) progress() ScanProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.result
	p := ScanProgress{Fingerprints: s.found, Subjects: len(s.fingerprints), Choosing: s.choosing, Files: r.Files, Octets: r.Octets, Elapsed: time.Since(s.started)}
	for _, k := range s.kinds {
		p.Queries += k.Queries
	}
	if s.choosing {
		p.Files = s.done
	}
	if s.sample > 0 {
		p.Done, p.Total = r.Files, int64(s.sample)
	} else if m, ok := s.source.(measured); ok {
		p.Done, p.Total = m.Progress()
	}
	return p
}
