package ships

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
	"unsafe"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// mostFixes is how many fixes one track may have.
const mostFixes = 500000

// trackAnswer is the result of a track job.
type trackAnswer struct {
	ship     ship.State
	warnings []string
	parts    []trackPart // in order of time
	lacks    []string    // times of which positions could not be read
}

// trackPart is the track of a transmitter while it was that of the ship.
type trackPart struct {
	ship  ship.State
	track ship.Track
}

// Bytes tells how much memory the result holds.
func (a trackAnswer) Bytes() (n int64) {
	for i := range a.parts {
		n += int64(cap(a.parts[i].track)) * int64(unsafe.Sizeof(ship.Fix{}))
	}
	return n
}

// track returns the parts as one track, in which each part begins a segment.
func (a *trackAnswer) track() (whole ship.Track) {
	if len(a.parts) == 1 {
		return a.parts[0].track
	}
	for i := range a.parts {
		begins := len(whole)
		if whole = append(whole, a.parts[i].track...); begins < len(whole) {
			whole[begins].Mark |= ship.NewSegment
		}
	}
	return whole
}

// lacks says of which times the track lacks positions.
func lacks(holes []sight.UnreadSpan) (list []string) {
	for _, h := range holes {
		from, to := wire.TimeText(h.From.UnixMilli()), wire.TimeText(h.To.UnixMilli())
		list = append(list, fmt.Sprintf("positions from %s to %s could not be read, and some may be missing", from, to))
	}
	return list
}

// startTrack starts a job that reads the recorded track of a ship.
func (s *Server) startTrack(c *request.Request) error {
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	midnight := s.deps.Desk.Sight.Now().UTC().Truncate(24 * time.Hour)
	q := f.Identity()
	who := c.Caller.User
	begin, end := s.trackTime(who, f, midnight)
	resolution := f.Duration("resolution", 0)
	if f.Err() == nil && !begin.Before(end) {
		f.Refuse(request.TimeOrder(begin, end, f.Given("begin"), f.Given("end")))
	}
	if err := f.Err(); err != nil {
		return err
	}
	if err := errors.Join(request.MayReport(who, access.ReportTrack), s.deps.Desk.LookBack(who, begin)); err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	found, had, warnings, err := resolve.Hull(c.HTTP.Context(), v, q, begin, begin, end)
	if err != nil {
		return err
	}
	most := mostFixes
	if limit := who.ReportLimit(); limit > 0 {
		most = min(most, limit)
	}
	return s.tracks.Start(c, http.StatusAccepted, v, func(ctx context.Context) (trackAnswer, error) {
		answer := trackAnswer{ship: found, warnings: slices.Concat(warnings, otherNumbers(&found, had))}
		err := answer.read(ctx, v, had, resolution, most)
		if errors.Is(err, sight.ErrTooLong) {
			err = tooLong(begin, end, most)
		}
		return answer, err
	})
}

// otherNumbers says under which other numbers the ship sailed.
func otherNumbers(found *ship.State, had []sight.Tenure) (warnings []string) {
	for i := range had {
		if m := had[i].Ship.MMSI; m != found.MMSI {
			warnings = append(warnings, fmt.Sprintf("a part was sent under the MMSI %d", m))
		}
	}
	return warnings
}

// read reads the track of the ship from the transmitters that it had.
func (a *trackAnswer) read(ctx context.Context, v *sight.Viewer, had []sight.Tenure, resolution time.Duration, most int) error {
	for i := range had {
		of := &had[i].Ship
		for _, span := range had[i].Spans {
			begin, end, err := v.Recorded(of, span.From, span.To)
			if err != nil {
				return err
			}
			if !begin.Before(end) {
				continue
			}
			track, err := v.Track(ctx, of, begin, end, resolution, most)
			if err != nil {
				return err
			}
			if most -= len(track); most < 0 {
				return sight.ErrTooLong
			}
			a.lacks = append(a.lacks, lacks(v.Holes(of, begin, end))...)
			if len(track) > 0 {
				a.parts = append(a.parts, trackPart{*of, track})
			}
		}
	}
	slices.SortStableFunc(a.parts, func(x, y trackPart) int { return cmp.Compare(x.track[0].At, y.track[0].At) })
	return nil
}

// trackTime returns the time of a track: the day before midnight where the caller does not say. What the caller did not say is cut to what
// web_max_lookback_time reaches, so that it is never refused.
func (s *Server) trackTime(who *access.User, f *form.Fields, midnight time.Time) (begin, end time.Time) {
	now := s.deps.Desk.Sight.Now()
	first, last := ship.Later(midnight.Add(-24*time.Hour), who.Earliest(now)), midnight
	if !first.Before(last) {
		last = now
	}
	return f.Time("begin", first), f.Time("end", last)
}

// tooLong is the problem of a track with too many fixes. It names a resolution with which any track of that time fits.
func tooLong(begin, end time.Time, most int) *request.Problem {
	fits := (end.Sub(begin)/time.Duration(most) + time.Second).Truncate(time.Second)
	text := form.DurationText(fits)
	why := rule.New("track_long", "the track has more than {max} fixes; with the resolution {resolution} it fits", "max", most, "resolution", text)
	if most < mostFixes {
		why = rule.New("track_long_for_you",
			"the track has more than {max} fixes, which the setting report_max_job_size allows; with the resolution {resolution} it fits",
			"max", most, "resolution", text)
	}
	return &request.Problem{Status: http.StatusBadRequest, Code: request.CodeLimitReached, Rule: why,
		Fields: form.Errors{{Pointer: "/resolution", Rule: rule.New("resolution", "must be {least} or longer", "least", text)}}}
}

// trackResult returns the track of a track job. A track as a file needs a right of its own.
func (s *Server) trackResult(c *request.Request) error {
	id, err := c.QueryNumber("id")
	if err != nil {
		return err
	}
	f, err := c.Choose(request.TrackLayouts())
	if err != nil {
		return err
	}
	if f.Extension != "" {
		if err := request.Entitled(c.Caller.User, right.DownloadHistoricalTracks); err != nil {
			return err
		}
	}
	answer, id, v, err := s.tracks.Result(c, id)
	if v == nil || err != nil {
		return err
	}
	ctx := c.HTTP.Context()
	shown, err := answer.shown(ctx, v)
	if err != nil {
		return err
	}
	return c.SendParts(f, fmt.Sprintf("track-%d", answer.ship.MMSI), func(w io.Writer) { shown.write(w, s.deps.Register.Get, f, id) })
}

// shown returns what of the result the caller may still see: the filter may have changed since the start.
func (a *trackAnswer) shown(ctx context.Context, v *sight.Viewer) (trackAnswer, error) {
	still := trackAnswer{ship: a.ship, warnings: a.warnings, lacks: a.lacks}
	if ships, err := v.Shown(ctx, []ship.State{a.ship}); err != nil || len(ships) == 0 {
		return still, cmp.Or(err, request.NoJob())
	}
	for _, part := range a.parts {
		if ships, err := v.Shown(ctx, []ship.State{part.ship}); err != nil {
			return still, err
		} else if len(ships) == 0 {
			continue
		}
		fixes, err := v.ShownFixes(ctx, &part.ship, part.track)
		if err != nil {
			return still, err
		}
		still.parts = append(still.parts, trackPart{part.ship, fixes})
	}
	return still, nil
}

// write writes the track in one of its layouts.
func (a *trackAnswer) write(w io.Writer, entry wire.RegisterLookup, l request.Layout, id int64) {
	track := a.track()
	switch l.Name {
	case "geojson":
		wire.TrackGeoJSON(w, &a.ship, track)
	case "csv":
		wire.TrackCSV(w, &a.ship, track)
	case "gpx":
		wire.TrackGPX(w, &a.ship, track)
	case "kml":
		wire.TrackKML(w, &a.ship, track)
	default:
		wire.Track(w, id, &a.ship, a.warnings, a.lacks, entry, track)
	}
}
