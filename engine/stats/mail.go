package stats

import (
	"errors"
	"slices"
	"time"

	"quaywatch/internal/rule"
)

// Deliver takes what has the result of a statistic mailed to its targets. It is called once, before anything runs. What it was asked for it may be asked for
// again after a crash. An error that is a rule says why nothing is mailed; after any other it is asked again.
func (s *Statistics) Deliver(mail func(*Job) error) { s.mail = mail }

// mailDue has those results mailed that wait for it.
func (s *Statistics) mailDue(now time.Time) {
	for _, j := range s.mailing(now) {
		err := s.mail(&j)
		var why *rule.Rule
		if err != nil && !errors.As(err, &why) {
			s.config.Log.Error("mail the result of a statistic", "id", j.ID, "error", err)
			continue
		}
		if why != nil {
			s.config.Log.Warn("the result of a statistic is not mailed", "id", j.ID, "name", j.Name, "error", why)
		}
		err = s.changeJob(j.ID, func(j *Job) error {
			if j.Mail = false; why != nil {
				j.Warnings = append(slices.Clone(j.Warnings), *noteOf(rule.New("stat_unsent", "its table was not mailed: {problem}", "problem", why)))
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrUnknown) {
			s.config.Log.Error("keep that a result was mailed", "id", j.ID, "error", err)
		}
	}
}

// mailing returns the statistics whose results wait to be mailed.
func (s *Statistics) mailing(now time.Time) (all []Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || s.mail == nil {
		return nil
	}
	for _, j := range s.jobs {
		if j.Mail && j.isOver() && !j.Gone && now.Sub(j.asked).Abs() >= stepping {
			j.asked = now
			all = append(all, j.copyOf())
		}
	}
	return all
}
