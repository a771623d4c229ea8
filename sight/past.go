package sight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/track"
	"quaywatch/traffic"
)

// mostInHour bounds the fixes that are held at once.
const mostInHour = 1_000_000

// ErrCrowded says that more ships came near a place in an hour than are looked at.
var ErrCrowded = errors.New("too many ships came near")

// Passing hands over, hour by hour in order of time, the fixes of each ship that came near a rectangle in that hour. They are those at which the user might
// have seen the ship. The ends of legs that begin before or end after begin <= time < end are among them. So fn may get a fix more than once. It is given more
// than what is near, so fn must look. The ship is as the user sees it by now. Near gives the rectangle of an hour; false is none. After each hour over is told
// its end. Both may take their time, and ask the Viewer. It fails with ErrCrowded, when ctx ends, and with the error of fn.
func (v *Viewer) Passing(ctx context.Context, near func(from, to time.Time) (geo.Rect, bool), begin, end time.Time,
	fn func(of *ship.State, part ship.Track) error, over func(time.Time) error) error {
	p := passing{viewer: v, fn: fn}
	for from := begin; from.Before(end); {
		to := from.Truncate(time.Hour).Add(time.Hour)
		if to.After(end) {
			to = end
		}
		if at, somewhere := near(from, to); somewhere {
			if err := p.readHour(ctx, at, from, to); err != nil {
				return err
			}
		}
		if err := over(to); err != nil {
			return err
		}
		from = to
	}
	return p.sendRest(ctx)
}

// passing is one reading of the ships near a place.
type passing struct {
	viewer *Viewer
	fn     func(of *ship.State, part ship.Track) error
	read   []passed             // of one hour
	paces  map[ais.MMSI]*pacing // for a user that is told late or seldom
}

// pacing is a ship on its way through a pace.
type pacing struct {
	*traffic.Thinning
	last int64 // the time of the latest fix that it got
}

// passed is the fixes of a ship in an hour.
type passed struct {
	mmsi ais.MMSI
	part ship.Track
}

// readHour reads an hour, and then hands it on: whoever reads the store waits for nothing else.
func (p *passing) readHour(ctx context.Context, near geo.Rect, from, to time.Time) error {
	p.read = p.read[:0]
	held := 0
	err := p.viewer.read(ctx, func() error {
		return p.viewer.sight.config.DB.Passing(ctx, near, from, to, func(m ais.MMSI, part ship.Track) error {
			if held += len(part); held > mostInHour {
				return ErrCrowded
			}
			p.read = append(p.read, passed{m, slices.Clone(part)})
			return nil
		})
	})
	for _, read := range p.read {
		if err == nil {
			err = p.sendHour(ctx, read.mmsi, read.part)
		}
	}
	return err
}

// sendHour hands on an hour of a ship.
func (p *passing) sendHour(ctx context.Context, m ais.MMSI, part ship.Track) error {
	v := p.viewer
	of, err := v.Ship(m)
	if errors.Is(err, ErrUnknown) {
		return nil
	} else if err != nil {
		return err
	}
	if v.from.paced != nil {
		pace := p.paces[m]
		if pace == nil {
			if p.paces == nil {
				p.paces = map[ais.MMSI]*pacing{}
			}
			pace = &pacing{Thinning: v.from.pace.Thin(&of, v.from.present())}
			p.paces[m] = pace
		}
		fresh := slices.IndexFunc(part, func(f ship.Fix) bool { return f.At > pace.last })
		if fresh < 0 {
			return nil
		}
		pace.last = part[len(part)-1].At
		part = pace.Next(part[fresh:])
	}
	return p.hand(ctx, &of, part)
}

func (p *passing) hand(ctx context.Context, of *ship.State, part ship.Track) error {
	shown, err := p.viewer.ShownFixes(ctx, of, part)
	if err != nil || len(shown) == 0 {
		return err
	}
	return p.fn(of, shown)
}

// sendRest hands on what a pace held back until it was certain.
func (p *passing) sendRest(ctx context.Context) error {
	for m, pace := range p.paces {
		last := pace.Rest()
		if len(last) == 0 {
			continue
		}
		of, err := p.viewer.Ship(m)
		if errors.Is(err, ErrUnknown) {
			continue
		}
		if err = errors.Join(err, p.hand(ctx, &of, last)); err != nil {
			return err
		}
	}
	return nil
}

// Sampled reports whether the user gets the positions of ships at an interval.
func Sampled(v *Viewer) bool { return v.from.pace.Interval != nil }

// LeftOut returns how many fixes the store left out between two of a track, and until when it may have done so, in Unix milliseconds. A user that is told
// seldom would have got none of them.
func (v *Viewer) LeftOut(kept, next ship.Fix) (count int, until int64) {
	if v.from.pace.Interval != nil {
		return 0, kept.At
	}
	return int(next.LeftOut), track.LeftOut(kept, next)
}

// HeardThen returns the feeds that heard a ship at a fix of its track, and one of them. It returns what the user may hear of.
func (v *Viewer) HeardThen(of *ship.State, f *ship.Fix) (feed string, all ais.Feeds) {
	then := *of
	then.Feed, then.Feeds = v.heardThen(of, f.Feeds)
	v.view.Tell(&then)
	return then.Feed, then.Feeds
}

// Description is what was known of a ship from a time on.
type Description struct {
	From   int64 // Unix milliseconds
	Static *ship.Static
	Voyage *ship.VoyageData
}

// Descriptions returns what was known of a ship in begin <= time < end, as far as the user may be told. It is what held at the beginning, and each change
// since. What the register says counts from the last change of the entry on, as with StaticAt.
func (v *Viewer) Descriptions(ctx context.Context, of *ship.State, begin, end time.Time) (all []Description, err error) {
	err = v.read(ctx, func() error {
		all, err = v.descriptions(ctx, of, begin, end)
		return err
	})
	return all, err
}

// descriptions is Descriptions for a caller that has its turn.
func (v *Viewer) descriptions(ctx context.Context, of *ship.State, begin, end time.Time) (all []Description, err error) {
	if of.MMSI > ship.LargestMMSI { // the register keeps no past
		return nil, nil
	}
	turn := v.toldUntil(of)
	if end.After(turn) {
		end = turn.Add(time.Millisecond)
	}
	changes, err := v.sight.config.DB.StaticChanges(ctx, of.MMSI, begin, end)
	if err != nil {
		return nil, fmt.Errorf("what ship %d was: %w", of.MMSI, err)
	}
	for _, c := range changes {
		all = append(all, Description{c.At.UnixMilli(), c.Static, c.Voyage})
	}
	if newest := of.StaticChanged(); newest != 0 && newest < end.UnixMilli() && (len(all) == 0 || all[len(all)-1].From < newest) {
		all = append(all, Description{newest, of.Static, of.Voyage}) // the store may not have it yet
	}
	e, ok := v.sight.config.Register.Get(int64(of.MMSI))
	if !ok || e.Updated.After(turn) {
		return all, nil
	}
	return overlaid(all, e.Entry(), of, e.Updated.UnixMilli()), nil
}

// Revisions returns what Descriptions gives the user of v, without what became known where the user could not have seen the ship. Its last fix of half an hour
// before tells where that was. What held at the beginning stays.
func Revisions(ctx context.Context, v *Viewer, of *ship.State, begin, end time.Time) ([]Description, error) {
	all, err := v.Descriptions(ctx, of, begin, end)
	if err != nil || len(all) == 0 || v.view.Everything() {
		return all, err
	}
	var track ship.Track
	err = v.read(ctx, func() (err error) {
		track, err = v.sight.config.DB.Track(ctx, of.MMSI, begin.Add(-ship.GapLimit), end)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("where ship %d was described: %w", of.MMSI, err)
	}
	shown, err := v.ShownFixes(ctx, of, track)
	return slices.DeleteFunc(all, func(d Description) bool {
		return d.From > begin.UnixMilli() && !madeAt(d.From, track, shown)
	}), err
}

// madeAt reports whether the last fix of a track up to a time is one of those that are shown, and not long before it.
func madeAt(at int64, track, shown ship.Track) bool {
	last, ok := lastUpTo(track, at)
	same, seen := lastUpTo(shown, at)
	return ok && seen && last.At == same.At && at-last.At <= ship.GapLimit.Milliseconds()
}

// lastUpTo returns the last fix of a track at a time or before it.
func lastUpTo(track ship.Track, at int64) (f ship.Fix, ok bool) {
	n := sort.Search(len(track), func(i int) bool { return track[i].At > at })
	if n == 0 {
		return f, false
	}
	return track[n-1], true
}

// overlaid lays an entry over the descriptions from a time on.
func overlaid(all []Description, e *ship.ManualEntry, of *ship.State, from int64) []Description {
	n := sort.Search(len(all), func(i int) bool { return all[i].From > from })
	was := Description{}
	if n > 0 {
		was = all[n-1]
	}
	was.From = max(was.From, from)
	if n > 0 && all[n-1].From == from {
		n--
		all = slices.Delete(all, n, n+1)
	}
	all = slices.Insert(all, n, was)
	for i := range all[n:] {
		d := &all[n+i]
		then := *of
		then.Static, then.Voyage = d.Static, d.Voyage
		then = e.Overlay(&then)
		d.Static, d.Voyage = then.Static, then.Voyage
	}
	return all
}
