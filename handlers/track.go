package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/jobs"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// mostFixes is the longest track that is given out in one piece.
const mostFixes = 500000

// trackAnswer is the result of a track job.
type trackAnswer struct {
	ship     ship.State
	warnings []string
	track    ship.Track
	pace     string // at which the caller was told
}

// startTrack begins reading the recorded track of a ship.
func (s *Server) startTrack(c *call) error {
	f, err := bind(c.Writer, c.Request, maxBody)
	if err != nil {
		return err
	}
	midnight := s.deps.Sight.Now().UTC().Truncate(24 * time.Hour)
	q := f.Identity()
	begin, end := f.Time("begin", midnight.Add(-24*time.Hour)), f.Time("end", midnight)
	resolution := f.Duration("resolution", 0)
	if f.Err() == nil && !begin.Before(end) {
		f.Refuse("begin", rule.New("begin_before_end", "must be before end"))
	}
	if err := f.Err(); err != nil {
		return err
	}
	who := c.caller.user
	if err := errors.Join(mayReport(who, access.ReportTrack), s.lookback(who, begin)); err != nil {
		return err
	}
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	found, warnings, err := identifyShip(c.Request.Context(), v, q, begin)
	if err != nil {
		return err
	}
	most := mostFixes
	if limit := who.ReportLimit(); limit > 0 {
		most = min(most, limit)
	}
	id, err := s.tracks.Start(c.caller.key, int(who.ReportPriority()), func(ctx context.Context) (trackAnswer, error) {
		track, err := v.Track(ctx, &found, begin, end, resolution, most)
		if errors.Is(err, sight.ErrTooLong) {
			err = tooLong(begin, end, most)
		}
		return trackAnswer{found, warnings, track, v.Key().Pace}, err
	})
	if err != nil {
		return tooManyJobs(err)
	}
	c.Header("Retry-After", wait(trackRetry))
	return s.sendJSON(c, http.StatusAccepted, jobAnswer{id})
}

// tooLong names a resolution with which any track of that time fits.
func tooLong(begin, end time.Time, most int) *problem {
	fits := (end.Sub(begin)/time.Duration(most) + time.Second).Truncate(time.Second)
	text := fmt.Sprintf("%02d:%02d:%02d", int(fits.Hours()), int(fits.Minutes())%60, int(fits.Seconds())%60)
	why := rule.New("track_long", "the track has more than {max} fixes; with the resolution {resolution} it fits", "max", most, "resolution", text)
	if most < mostFixes {
		why = rule.New("track_long_for_you", "the track has more than {max} fixes, which the setting report_max_job_size allows; with the resolution {resolution} it fits",
			"max", most, "resolution", text)
	}
	return &problem{status: http.StatusBadRequest, code: codeLimitReached, rule: why,
		fields: form.Errors{{Pointer: "/resolution", Rule: rule.New("resolution", "must be {least} or longer", "least", text)}}}
}

// trackResult gives the track; a file of it needs a right of its own.
func (s *Server) trackResult(c *call) error {
	id, err := trackID(c)
	if err != nil {
		return err
	}
	f, err := chooseForm(c, trackForms())
	if err != nil {
		return err
	}
	if f.extension != "" {
		if err := entitled(c.caller.user, access.DownloadHistoricalTracks); err != nil {
			return err
		}
	}
	answer, id, err := fetchJob(s, c, s.tracks, id)
	if errors.Is(err, jobs.ErrRunning) {
		return s.sendRunning(c, id, trackRetry)
	}
	if err != nil {
		return err
	}
	v, err := s.viewer(c) // filter and pace may have changed since
	if err != nil {
		return err
	}
	if len(v.Shown([]ship.State{answer.ship})) == 0 || answer.pace != v.Key().Pace {
		return noJob()
	}
	shown := trackAnswer{answer.ship, answer.warnings, v.ShownFixes(&answer.ship, answer.track), answer.pace}
	body, err := shown.in(s.deps.Register.Find, f, id)
	if err != nil {
		return err
	}
	return s.sendForm(c, f, fmt.Sprintf("track-%d", answer.ship.MMSI), body)
}

func trackID(c *call) (int64, error) {
	text := c.Query("id")
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, badField("id", rule.New("above_zero", "must be a whole number above 0"))
	}
	return id, nil
}

// in writes the track in one of its forms.
func (a *trackAnswer) in(entry registryLookup, f layout, id int64) ([]byte, error) {
	switch f.name {
	case "geojson":
		return trackGeoJSON(&a.ship, a.track), nil
	case "csv":
		return trackCSV(&a.ship, a.track), nil
	case "gpx":
		return trackGPX(&a.ship, a.track), nil
	case "kml":
		return trackKML(&a.ship, a.track), nil
	}
	o := object{b: make([]byte, 0, 600+56*len(a.track))}
	o.b = append(o.b, '{')
	o.integer(`"id":`, id)
	o.key(`,"ship":`)
	o.b = append(o.b, shipRecord(&a.ship, a.warnings, entry)...)
	o.key(`,"track":`)
	o.appendTrack(a.track)
	return append(o.b, '}'), nil
}
