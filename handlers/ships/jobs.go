package ships

import (
	"context"
	"errors"
	"net/http"
	"time"

	"quaywatch/handlers/call"
	"quaywatch/jobs"
	"quaywatch/rule"
)

// What the interface says of jobs.
const (
	areaLimit     = 2 * time.Minute
	unfetchedKeep = 15 * time.Minute
	areaRetry     = 7 * time.Second // what a 202 advises
	trackRetry    = time.Minute
)

// runningAnswer says that a job still runs.
type runningAnswer struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

type jobAnswer struct {
	ID int64 `json:"id"`
}

// noJob is the answer about a job that is not there, or not there for this caller.
func noJob() error {
	return call.NotFound(rule.New("no_job", "no such job, or its result was fetched or dropped"))
}

// fetchJob gives the result of a caller's job, for which it waits a short time. The error of a job that is not done is a problem, but
// jobs.ErrRunning.
func fetchJob[T any](s *Server, c *call.Call, kind *jobs.Kind[T], id int64) (result T, found int64, err error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), s.JobWait)
	defer cancel()
	result, found, err = kind.Fetch(ctx, c.Caller.Key, id)
	switch {
	case errors.Is(err, jobs.ErrTimedOut):
		err = &call.Problem{Status: http.StatusRequestTimeout, Code: call.CodeTimeout, Rule: rule.New("job_timeout", "not done within two minutes; the job is gone")}
	case errors.Is(err, jobs.ErrNone):
		err = noJob()
	}
	return result, found, err
}

func (s *Server) sendRunning(c *call.Call, id int64, retry time.Duration) error {
	c.Writer.Header().Set("Retry-After", call.Seconds(retry))
	return c.SendJSON(http.StatusAccepted, runningAnswer{id, "running"})
}

// tooManyJobs makes the problem of a job that could not be started.
func (s *Server) tooManyJobs(err error) error {
	switch {
	case errors.Is(err, jobs.ErrOwnerFull):
		return call.TooMany(rule.New("too_many_jobs", "at most {max} jobs and results that were not fetched", "max", s.deps.Jobs.Limits().PerOwner), areaRetry)
	case errors.Is(err, jobs.ErrFull):
		return call.TooMany(rule.New("jobs_full", "the server has too many jobs"), trackRetry)
	}
	return err
}
