package impl

import (
	"context"
	"fmt"

	"github.com/repcheck/repcheck/spec"
)

// NotStarted returns a subject in place of one that could not be started, so that
// a run can continue with the others. Its Err returns the reason from the
// beginning, and every answer is a ProtocolError.
func NotStarted(info spec.SubjectInfo, why error) Subject {
	return notStarted{info, fmt.Errorf("not started: %w", why)}
}

type notStarted struct {
	info spec.SubjectInfo
	why  error
}

func (s notStarted) Info() spec.SubjectInfo { return s.info }
func (s notStarted) Kind() Kind             { return InManyProcesses }
func (s notStarted) Parallel() int          { return 1 }
func (s notStarted) Stats() Stats           { return Stats{} }
func (s notStarted) Err() error             { return s.why }
func (s notStarted) Close() error           { return nil }

func (s notStarted) Ask(_ context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	return fill(nil, len(probes), spec.ProtocolError, s.why.Error())
}
