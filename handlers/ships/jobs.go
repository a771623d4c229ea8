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

// Times of the jobs.
const (
	areaLimit     = 2 * time.Minute  // how long an area may take
	unfetchedKeep = 15 * time.Minute // how long a result waits for its caller
	areaRetry     = 7 * time.Second  // Retry-After of an area that still runs
	trackRetry    = time.Minute      // Retry-After of a track that still runs
)

// runningAnswer tells that a job still runs.
type runningAnswer struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

// jobAnswer tells the number of a job that was started.
type jobAnswer struct {
	ID int64 `json:"id"`
}

// noJob is the answer about a job that is not there, or not there for this caller.
func noJob() error {
	return call.NotFound(rule.New("no_job", "no such job, or its result was fetched or dropped"))
}

// fetchJob gives the result of a job of the caller, and waits up to JobWait for it. After that the error is jobs.ErrRunning. All other
// errors are problems.
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

// sendRunning answers that a job still runs, and when to ask again.
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
