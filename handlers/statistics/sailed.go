package statistics

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// Bounds of the track of a record.
const (
	trackMargin = 15 * time.Minute // before and after a passage
	mostTrack   = 10_000           // positions
	rowsBytes   = 1 << 20          // of records with their tracks that are held at once; one track more may be
)

// withTracks are the rights without which nobody asks for tracks beside the records of a kind (`tracks`). Without them a reader gets the records alone.
func withTracks() []right.Name {
	return []right.Name{right.ViewHistoricalTracks, right.DownloadHistoricalTracks}
}

// hasTracks reports whether tracks beside its records are defined for a statistic, and whether its definition asks for them.
func hasTracks(kind string, posted map[string]json.RawMessage) (defined, asked bool) {
	f := form.Of(posted)
	switch kind {
	case "area":
		defined = f.TextOr("group_by", "ungrouped") == "ungrouped"
	case "passageline", "multipassageline":
		defined = true
	}
	return defined, defined && f.Boolean("tracks", false)
}

// tracksOf reads whether the caller wants tracks beside the records. The definition says so where the query does not. The query takes their rights. Of a kind
// without tracks it means nothing, and of an area by ship list, which could have them, it is refused.
func (s *Server) tracksOf(c *request.Request, j *stats.Job) (bool, error) {
	posted, err := s.deps.Stats.Posted(j.ID)
	if err != nil {
		return false, goneProblem(err)
	}
	defined, asked := hasTracks(j.Kind, posted)
	lacks := request.Entitled(c.Caller.User, withTracks()...)
	given := c.Query("tracks") != ""
	wanted, err := c.QueryTruth("tracks", asked && lacks == nil)
	if err == nil && wanted && !defined && j.Kind == "area" {
		err = request.BadField("tracks", rule.New("stat_no_tracks", "goes only with group_by ungrouped"))
	}
	if err != nil || !defined || !wanted {
		return false, err
	}
	if given {
		err = lacks
	}
	return err == nil, err
}

// sailedTrack returns the track of a record as the caller gets tracks elsewhere. That of a visit is from border to border. Else it is that of a quarter of an hour
// before the first moment to a quarter after the last. It is empty where there is none any more. Thinned tells that the stored track has more positions.
func (r *reader) sailedTrack(ctx context.Context, record *telling.ToldRecord) (track ship.Track, thinned bool, err error) {
	first, last := record.Moments[0], record.Moments[len(record.Moments)-1]
	of := r.records.Ship(first.MMSI)
	if of == nil {
		return nil, false, nil
	}
	from, to := first.Fix.Time().Add(-trackMargin), last.Fix.Time().Add(trackMargin+time.Millisecond)
	visit := r.job.Kind == "area"
	if visit {
		from, to = first.Fix.Time().Add(time.Millisecond), last.Fix.Time()
	}
	if from.Before(to) {
		track, thinned, err = r.trackBetween(ctx, of, from, to)
	}
	if visit {
		track = append(ship.Track{first.Fix}, track...)
		if last.Fix.At > first.Fix.At {
			track = append(track, last.Fix)
		}
	}
	return track, thinned, err
}

// trackBetween returns the track of a ship at begin <= time < end, as far back as the caller may look. What it is not told yet, the viewer leaves out.
func (r *reader) trackBetween(ctx context.Context, of *ship.State, begin, end time.Time) (track ship.Track, thinned bool, err error) {
	if begin = ship.Later(begin, r.User.Earliest(r.Viewer.Now())); !begin.Before(end) {
		return nil, false, nil
	}
	track, err = r.Viewer.Track(ctx, of, begin, end, 0, mostTrack)
	if errors.Is(err, sight.ErrTooLong) {
		track, err = r.Viewer.Track(ctx, of, begin, end, end.Sub(begin)/mostTrack*2+time.Second, mostTrack)
		thinned = true
	}
	return track, thinned, err
}

// withTrack writes a record with its track. It reads in turns with other callers.
func (r *reader) withTrack(ctx context.Context, found *telling.FoundRecord) (to row, err error) {
	var told telling.ToldRecord
	shown := false
	wrong := r.Viewer.InTurns(ctx, 1, func(int) { told, shown, err = r.records.Record(found) })
	if err = errors.Join(err, wrong); err != nil || !shown || len(told.Moments) == 0 {
		return row{}, err
	}
	track, thinned, err := r.sailedTrack(ctx, &told)
	if err != nil {
		return row{}, err
	}
	wrong = r.Viewer.InTurns(ctx, 1, func(int) { to, err = r.recordRow(&told, track, thinned) })
	return to, errors.Join(err, wrong)
}
