package sight

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// ErrTooLong says that a track has more fixes than were asked for at most.
var ErrTooLong = errors.New("the track has too many fixes")

// Track returns the fixes of a ship with begin <= time < end at which the user might have seen the ship. It returns one each resolution, or all if that is 0.
// It reads day by day, in turns with other callers, so that no reading of the store is long, and thins while it reads. Of more than most fixes it returns
// ErrTooLong.
func (v *Viewer) Track(ctx context.Context, of *ship.State, begin, end time.Time, resolution time.Duration, most int) (ship.Track, error) {
	if of.MMSI > ship.LargestMMSI { // the register keeps no past
		return nil, nil
	}
	begin, end, err := v.Recorded(of, begin, end)
	if err != nil {
		return nil, err
	}
	var whole ship.Track
	pace := v.from.pace.Thin(of, v.from.present())
	take := func(part ship.Track) error {
		shown, err := v.ShownFixes(ctx, of, part)
		if err != nil {
			return err
		}
		whole = joinThinned(whole, shown, resolution)
		if len(whole) > most {
			return ErrTooLong
		}
		return nil
	}
	for from := begin; from.Before(end); {
		to := from.Add(24 * time.Hour)
		if to.After(end) {
			to = end
		}
		var part ship.Track
		err := v.read(ctx, func() (err error) {
			part, err = v.sight.config.DB.Track(ctx, of.MMSI, from, to)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("track of %d: %w", of.MMSI, err)
		}
		part = part.Within(from, to)
		if v.from.paced != nil {
			part = pace.Next(part)
		}
		if err := take(part); err != nil {
			return nil, err
		}
		from = to
	}
	if v.from.paced == nil {
		return whole, nil
	}
	return whole, take(pace.Rest())
}

// Recorded cuts begin <= time < end to what the store may hold of a ship. So a question costs nothing for times without any.
func (v *Viewer) Recorded(of *ship.State, begin, end time.Time) (from, to time.Time, err error) {
	from, to, err = v.sight.config.DB.Recorded(of.MMSI)
	if err != nil {
		return from, to, fmt.Errorf("times of the track of %d: %w", of.MMSI, err)
	}
	if begin.After(from) {
		from = begin
	}
	if end.Before(to) {
		to = end
	}
	return from, to, nil
}

// UnreadSpan is a time of which positions of a ship could not be read. There may have been none.
type UnreadSpan struct{ From, To time.Time }

// Holes returns the times within begin <= time < end of which the track of a ship may lack positions, because the store was damaged.
func (v *Viewer) Holes(of *ship.State, begin, end time.Time) (holes []UnreadSpan) {
	if now := v.Now(); end.After(now) {
		end = now
	}
	for _, d := range v.sight.config.DB.Missing(of.MMSI, begin, end) {
		holes = append(holes, UnreadSpan{d.From, d.To})
	}
	return holes
}

// joinThinned appends a later part to a track that is thinned already.
func joinThinned(whole, part ship.Track, resolution time.Duration) ship.Track {
	part = part.Thin(resolution)
	if resolution > 0 && len(whole) > 0 && len(part) > 0 {
		last := whole[len(whole)-1]
		if len((ship.Track{last, part[0]}).Thin(resolution)) == 1 {
			part = part[1:] // the interval spans the border of two parts, and its first fix is there already
		}
	}
	return append(whole, part...)
}

// ShownFixes keeps the fixes at which the user might have seen the ship. A filter by place hides the ship where it was outside, and a filter by feed when no
// feed of the user's heard it. A user without satellites is not given a fix that a satellite heard first. Of a fix that does not tell its feeds, as an imported
// one, the feeds that hear the ship now count. A segment that began with a hidden fix begins with the next one that is shown. It works in turns with other
// callers, and fails when ctx ends.
func (v *Viewer) ShownFixes(ctx context.Context, of *ship.State, track ship.Track) (ship.Track, error) {
	if v.view.Everything() {
		return track, nil
	}
	w, err := v.beginWork(ctx)
	if err != nil {
		return nil, err
	}
	defer w.End()
	shown := track[:0:0]
	then := *of
	var begun ship.Mark
	for i, f := range track {
		if err := w.countLook(ctx); err != nil {
			return nil, err
		}
		begun |= f.Mark & ship.NewSegment
		if i == 0 || f.Feeds != then.Fix.Feeds {
			then.Feed, then.Feeds = v.heardThen(of, f.Feeds)
		}
		then.HasFix, then.Fix = true, f
		if v.view.ShowsFix(&f) && v.view.Shows(&then, f.Time()) {
			f.Mark |= begun
			shown, begun = append(shown, f), 0
		}
	}
	return shown, nil
}

// heardThen returns the feeds that heard a ship at the time of a fix, and one of them.
func (v *Viewer) heardThen(of *ship.State, set ship.FeedSet) (single string, all ais.Feeds) {
	if all = v.sight.config.DB.Feeds(set); all.Set == 0 {
		return of.Feed, of.Feeds
	}
	all.Any(func(feed string) bool { single = feed; return true })
	return single, all
}
