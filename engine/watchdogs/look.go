package watchdogs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/ship/watchdog"
	"quaywatch/store/records"
	"quaywatch/users/library"
)

// BoxFigures is what watchdogs go by that watch no ships.
type BoxFigures struct {
	Feeds   []FeedFigures
	Notices []BoxNotice // all that an operator must know now
}

// FeedFigures is how a receiver is now.
type FeedFigures struct {
	Name  string
	Last  time.Time // of the last message, zero for none since the start
	Ships int       // that it hears
}

// BoxNotice is something that an operator must know of the box.
type BoxNotice struct {
	*rule.Rule
	Feed  string // of the feed that it is about, "" for the whole box
	Since time.Time
}

// about names what the notice is about.
func (n *BoxNotice) about() string { return n.Word + "/" + n.Feed }

// FeedOfEvent is the receiver of an event.
type FeedOfEvent struct {
	Name    string `json:"name"`
	Silence int    `json:"silence,omitempty"` // seconds
	Ships   int    `json:"ships,omitempty"`   // that it heard
	Usual   int    `json:"usual,omitempty"`   // that it usually hears at this hour
}

// NoticeOfEvent is what an operator must know, as it was then.
type NoticeOfEvent struct {
	Word   string         `json:"rule"`
	Text   string         `json:"detail"`
	Params map[string]any `json:"params,omitempty"`
	Feed   string         `json:"feed,omitempty"` // that it is about
}

const (
	mostHearings = 128              // receivers that are remembered
	graceTime    = 15 * time.Minute // after the start what stood before is not over yet: its cause may be seen again
)

// looks are the watchdogs that watch no ships. They are used with Watch.mu held, but for what is said.
type looks struct {
	watch    *Watch
	rows     *records.Table[hearing]
	hearings map[string]*hearing
	row      map[string]uint64 // where each is stored
	unsaved  map[string]bool
	began    time.Time
	dogs     []*dog // in the order of their numbers
	untold   int    // of the last look: what is so and was not told, for want of room
}

// read takes what is stored.
func (l *looks) read(w *Watch) error {
	table, rows, err := records.ReadTable[hearing](w.config.DB.Database, "hearings")
	if err != nil {
		return err
	}
	l.watch, l.rows = w, table
	l.hearings, l.row, l.unsaved = map[string]*hearing{}, map[string]uint64{}, map[string]bool{}
	for i := range rows {
		l.hearings[rows[i].Value.Feed], l.row[rows[i].Value.Feed] = &rows[i].Value, rows[i].ID
	}
	return nil
}

// Look takes how receivers and the box are at a moment. Moments come in their order, often.
func (w *Watch) Look(now time.Time, f BoxFigures) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &w.looks
	if l.untold = 0; l.began.IsZero() {
		l.began = now
	}
	for _, feed := range f.Feeds {
		is, learned := l.hearing(feed.Name).addSample(now, feed.Last, feed.Ships)
		if learned {
			l.unsaved[feed.Name] = true
			w.kick.Wake()
		}
		for _, d := range l.dogs {
			if d.watchesFeed(feed.Name) {
				l.checkReceiver(d, now, feed.Name, &is)
			}
		}
	}
	for _, d := range l.dogs {
		if d.of.Watchdog.Type == watchdog.Box {
			l.raiseNotices(d, f.Notices)
		}
	}
	l.endGone(now, &f)
}

// useWatchdogs takes the watchdogs of now.
func (l *looks) useWatchdogs(dogs map[uint64]*dog) {
	l.dogs = nil
	for _, d := range dogs {
		if t := d.of.Watchdog.Type; t == watchdog.Feed || t == watchdog.Box {
			l.dogs = append(l.dogs, d)
		}
	}
	slices.SortFunc(l.dogs, func(a, b *dog) int { return cmp.Compare(a.id, b.id) })
}

// watchesFeed reports whether a watchdog watches a receiver.
func (d *dog) watchesFeed(name string) bool {
	w := d.of.Watchdog
	return w.Type == watchdog.Feed && (w.Feed == name || w.Feed == library.AllFeeds)
}

// endGone ends what stood of receivers that are no longer there or that the watchdog no longer watches. It also ends what stood of the box and is no longer so.
// It goes once through all that stands, whatever the number of watchdogs.
func (l *looks) endGone(now time.Time, f *BoxFigures) {
	for of, standing := range l.watch.situations.all {
		d := l.watch.dogs[of.watchdog]
		if d == nil || !standing.active {
			continue
		}
		var over bool
		switch d.of.Watchdog.Type {
		case watchdog.Feed:
			name, _, _ := strings.Cut(of.about, aboutEnd)
			over = !d.watchesFeed(name) || !slices.ContainsFunc(f.Feeds, func(f FeedFigures) bool { return f.Name == name })
		case watchdog.Box:
			over = (standing.since >= l.began.UnixMilli() || now.Sub(l.began) >= graceTime) &&
				!slices.ContainsFunc(f.Notices, func(n BoxNotice) bool { return n.about() == of.about })
		}
		if over {
			l.stands(d, of.about, now, false, true, nil)
		}
	}
}

// aboutEnd ends the name of a receiver in what a situation is about. No name has it.
const aboutEnd = "\x00"

// hearing returns what is remembered of a receiver. Where there are too many, the one that learned longest ago gives way.
func (l *looks) hearing(feed string) *hearing {
	h := l.hearings[feed]
	if h != nil {
		return h
	}
	if len(l.hearings) >= mostHearings {
		var oldest *hearing
		for _, heard := range l.hearings {
			if oldest == nil || cmp.Or(cmp.Compare(heard.Last, oldest.Last), strings.Compare(heard.Feed, oldest.Feed)) < 0 {
				oldest = heard
			}
		}
		delete(l.hearings, oldest.Feed)
		l.unsaved[oldest.Feed] = true
	}
	h = &hearing{Feed: feed}
	l.hearings[feed] = h
	return h
}

// checkReceiver raises and ends what a watchdog tells of a receiver.
func (l *looks) checkReceiver(d *dog, now time.Time, feed string, is *heardOf) {
	of := FeedOfEvent{Name: feed, Silence: int(is.silence.Seconds())}
	l.stands(d, feed+aboutEnd+"silent", now, is.isSilent, !is.isSilent && is.any, func(e *Event) {
		e.Kind, e.Feed = watchdog.FeedSilent, &of
	})
	few := FeedOfEvent{Name: feed, Ships: is.ships, Usual: int(is.usual + 0.5)}
	l.stands(d, feed+aboutEnd+"few", now, is.isFew, is.accepted || is.fewJudged && !is.isFew && float64(is.ships) >= is.usual/5, func(e *Event) {
		e.Kind, e.Feed = watchdog.FeedFew, &few
	})
}

// raiseNotices raises what a watchdog tells of the box.
func (l *looks) raiseNotices(d *dog, notices []BoxNotice) {
	for i := range notices {
		n := &notices[i]
		l.stands(d, n.about(), n.Since, true, false, func(e *Event) {
			e.Kind, e.Notice = watchdog.Told, &NoticeOfEvent{n.Word, n.Error(), n.Params, n.Feed}
		})
	}
}

// stands raises an event when something begins, and ends it when it is over. Where it is neither, what stood stands.
func (l *looks) stands(d *dog, about string, at time.Time, is, over bool, fill func(*Event)) {
	s, of := &l.watch.situations, subject{d.id, about}
	stood := s.active(of) != nil
	switch {
	case is && !stood && !s.hasRoom(of, d.of.Owner): // it would be told again at each look
		l.untold++
	case is && !stood:
		e := Event{Watchdog: d.id, Name: d.of.Name, Owner: d.of.Owner, Type: d.of.Watchdog.Type, Severity: d.of.Watchdog.Severity, Time: at.UnixMilli(),
			About: about}
		fill(&e)
		s.beginSituation(of, e, l.watch.isMute(pair{watchdog: d.id, about: about}, at.UnixMilli()))
	case over && stood:
		s.endSituation(of, at.UnixMilli())
		s.dropSituation(of)
	}
}

// savedHearings is what is to be stored of receivers.
type savedHearings struct {
	list []hearing
	gone []string
}

// takeUnsaved takes out what is to be stored.
func (l *looks) takeUnsaved() (u savedHearings) {
	for feed := range l.unsaved {
		if h := l.hearings[feed]; h != nil {
			u.list = append(u.list, hearing{Feed: h.Feed, Hours: h.Hours, Last: h.Last})
		} else {
			u.gone = append(u.gone, feed)
		}
	}
	clear(l.unsaved)
	return u
}

func (u *savedHearings) isEmpty() bool { return len(u.list)+len(u.gone) == 0 }

// write stores it, with Watch.writing held and without Watch.mu. The rows are those of the writer alone.
func (l *looks) write(tx *records.Tx, u *savedHearings) error {
	for _, h := range u.list {
		row, err := l.rows.SetIn(tx, l.row[h.Feed], "", h)
		if err != nil {
			return err
		}
		l.row[h.Feed] = row
	}
	for _, feed := range u.gone {
		if err := l.rows.FreeIn(tx, l.row[feed]); err != nil {
			return err
		}
		delete(l.row, feed)
	}
	return nil
}

// putBack takes what could not be stored.
func (l *looks) putBack(u *savedHearings) {
	for _, h := range u.list {
		l.unsaved[h.Feed] = true
	}
	for _, feed := range u.gone {
		l.unsaved[feed] = true
	}
}
