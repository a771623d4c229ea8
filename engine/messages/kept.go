package messages

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/safety"
	"quaywatch/ship"
	"quaywatch/store/outage"
	"quaywatch/store/records"
)

// What is kept of texts in the store, at most.
const (
	Keep      = 30 * 24 * time.Hour
	MostTexts = 100_000
	sameFor   = time.Hour       // a repetition within it goes into the record of the first
	recallFor = 24 * time.Hour  // a restart begins with the texts of so long
	newTexts  = 600             // new ones in an hour, so that a flood of invented texts pushes out no month
	vagueOnes = newTexts / 4    // of them those of numbers that say nothing but texts
	mostDirty = 2 * newTexts    // that wait for a disk that stands still
	ofSender  = newTexts / 10   // and those of one sender
	saveEvery = 1 * time.Second // how often texts are stored
)

// Config is what a List is made of that is kept.
type Config struct {
	DB     *records.Database
	Sender *safety.Service    // nil where nothing is sent
	Heard  func(*KeptMessage) // is told of each text to one station, and must not wait; nil for nothing
	Log    *slog.Logger       // nil logs nothing
}

// kept is the texts in the store, and what goes there next. The mutex of the list guards all but the series.
type kept struct {
	config Config
	series *records.Series[row]

	saving sync.Mutex
	outage outage.Logger

	open  map[uint64]*record // by the ID of the message: those that a repetition goes into
	hour  int64              // in which new records are counted, in hours since 1970
	count int
	vague int
	of    map[ais.MMSI]int
	lost  uint64 // for want of room, since the start
	dirty []*record
}

// record is a message in the store.
type record struct {
	key   records.Key  // zero before it is stored
	first int64        // when it was heard first, in Unix milliseconds
	count int          // how often it was heard
	next  *KeptMessage // what is to be stored, nil for nothing
	saved *KeptMessage // what was to be stored last; for the holder of saving
}

// isApart reports whether a repetition at a time is a text of its own. Of one that is long before the first the clock was ahead then.
func (r *record) isApart(at int64) bool {
	return (time.Duration(at-r.first) * time.Millisecond).Abs() >= sameFor
}

// has reports whether the record is that of a hearing: one of before it, and one of while the clock was ahead, are of another.
func (r *record) has(heard int64) bool {
	return heard >= r.first && heard-r.first < 2*sameFor.Milliseconds()
}

// row is a message as it is stored.
type row struct {
	MessageContent
	Count  int         `json:"count"`
	Traits *ais.Traits `json:"traits,omitempty"`
	Heard  []witness   `json:"heard"`
}

// witness is a ship when it was heard.
type witness struct {
	Class   ship.Class   `json:"class"`
	Static  *ship.Static `json:"static,omitempty"`
	Fix     *ship.Fix    `json:"fix,omitempty"`
	First   int64        `json:"first"`
	Heard   int64        `json:"at"`
	Reports uint32       `json:"reports"`
	Feed    string       `json:"feed,omitempty"`
	Feeds   []string     `json:"feeds,omitempty"`
}

// Open makes a list that begins with the texts of the last day before now, and keeps those that come.
func Open(c Config, now time.Time) (*List, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	series, err := records.OpenSeries[row](c.DB, "texts", records.Keep{Age: Keep, Most: MostTexts})
	if err != nil {
		return nil, err
	}
	l := New()
	l.kept.config, l.kept.series, l.kept.open, l.kept.of = c, series, map[uint64]*record{}, map[ais.MMSI]int{}
	recent, err := l.lately(now)
	if err != nil {
		return nil, err
	}
	for _, text := range recent {
		l.addStored(text.KeptMessage)
	}
	l.number.Store(MostMessages + MostSent)
	for _, in := range []*list{&l.messages, &l.sent} {
		slices.Reverse(in.kept)
	}
	return l, nil
}

// lately returns the texts of the last day before a time, the latest first. Where the clock was ahead for a while, the order is that in which they were stored.
func (l *List) lately(now time.Time) (all []dated, err error) {
	from := records.KeyAt(now.Add(-recallFor))
	for _, of := range []func(from, to records.Key, wanted bool) iter.Seq2[dated, error]{l.heardThen, l.sentThen} {
		var list []dated
		for entry, err := range of(from, records.EndKey(), true) {
			if err != nil {
				return nil, err
			}
			list = append(list, entry)
		}
		slices.SortStableFunc(list, func(a, b dated) int { return cmp.Compare(b.sequence, a.sequence) })
		at := now.UnixMilli()
		for i := range list {
			at = min(at, list[i].at)
			list[i].at = at
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b dated) int { return cmp.Compare(b.at, a.at) })
	return all, nil
}

// addStored takes a message that was stored, the latest first. Of equal ones the latest counts.
func (l *List) addStored(m *KeptMessage) {
	in := &l.messages
	if m.Kind == Sent {
		in = &l.sent
	}
	if in.withID(m.ID) == nil && len(in.kept) < in.most {
		m.Number = uint64(MostMessages + MostSent - len(l.messages.kept) - len(l.sent.kept))
		in.kept = append(in.kept, m)
	}
}

// keepText takes a text that was heard, to be stored; again tells that a further feed heard the same sentence. The caller holds mu.
func (k *kept) keepText(m *KeptMessage, again bool) {
	if k.series == nil || m.Kind > Addressed {
		return
	}
	at := m.Heard[len(m.Heard)-1].Heard
	r := k.open[m.ID]
	switch {
	case r == nil && again:
		return
	case r == nil || !again && (m.Count == 1 || r.isApart(at)):
		if !k.hasRoom(m, at) {
			k.lost++
			delete(k.open, m.ID)
			return
		}
		r = &record{first: at}
		k.open[m.ID] = r
	}
	if !again {
		r.count++
		r.first = min(r.first, at) // the clock may have been set back
	}
	copied := *m
	copied.Count = r.count
	copied.Heard = slices.DeleteFunc(slices.Clone(m.Heard), func(s ship.State) bool { return !r.has(s.Heard) })
	if r.next == nil {
		k.dirty = append(k.dirty, r)
	}
	r.next = &copied
}

// hasRoom reports whether there is room for one more record in this hour.
func (k *kept) hasRoom(m *KeptMessage, at int64) bool {
	if hour := at / time.Hour.Milliseconds(); hour != k.hour {
		k.hour, k.count, k.vague = hour, 0, 0
		clear(k.of)
		maps.DeleteFunc(k.open, func(_ uint64, r *record) bool { return r.next == nil && r.isApart(at) })
	}
	if k.count >= newTexts || len(k.dirty) >= mostDirty || m.vague && k.vague >= vagueOnes || k.of[m.MMSI] >= ofSender {
		return false
	}
	k.count++
	k.of[m.MMSI]++
	if m.vague {
		k.vague++
	}
	return true
}

// Run stores the texts that are heard, until ctx is done.
func (l *List) Run(ctx context.Context) error {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			l.Save()
		}
	}
}

// Save stores the texts that were heard since it was called last. What cannot be stored is tried again the next time.
func (l *List) Save() {
	l.kept.saving.Lock()
	defer l.kept.saving.Unlock()
	dirty, rows := l.takeUnsaved()
	if len(dirty) == 0 {
		return
	}
	keys := make([]records.Key, len(dirty))
	err := l.kept.config.DB.Together(func(tx *records.Tx) (err error) {
		for i, r := range dirty {
			if keys[i] = r.key; r.key == (records.Key{}) {
				keys[i], err = l.kept.series.AppendIn(tx, time.UnixMilli(r.first), rows[i])
			} else if err = l.kept.series.PutIn(tx, r.key, rows[i]); errors.Is(err, records.ErrNotFound) { // it is too old
				err = nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	l.kept.outage.Note(l.kept.config.Log, err, "texts cannot be stored; they are tried again each second", "texts are stored again")
	if err != nil {
		l.putBackUnsaved(dirty)
		return
	}
	for i, r := range dirty {
		r.key = keys[i]
	}
}

// takeUnsaved takes out what is to be stored.
func (l *List) takeUnsaved() (dirty []*record, rows []row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dirty, l.kept.dirty = l.kept.dirty, nil
	for _, r := range dirty {
		rows = append(rows, rowOf(r.next))
		r.saved, r.next = r.next, nil
	}
	return dirty, rows
}

// putBackUnsaved puts back what could not be stored, unless there is newer.
func (l *List) putBackUnsaved(dirty []*record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range dirty {
		if r.next == nil {
			r.next = r.saved
			l.kept.dirty = append(l.kept.dirty, r)
		}
	}
}

// Lost returns how many texts were not kept since the start, because there were too many.
func (l *List) Lost() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.lost
}

// Past returns the texts that are kept from a time up to another one, zero for the end, the latest first. These are those that were heard, those that we sent,
// or both. The time is that of the first hearing. An error is the last that it returns.
func (l *List) Past(begin, end time.Time, heard, sent bool) iter.Seq2[*KeptMessage, error] {
	from, to := records.KeyAt(begin), records.EndKey()
	if !end.IsZero() {
		to = records.KeyAt(end)
	}
	return func(yield func(*KeptMessage, error) bool) {
		ofHeard, stopHeard := iter.Pull2(l.heardThen(from, to, heard))
		defer stopHeard()
		ofSent, stopSent := iter.Pull2(l.sentThen(from, to, sent))
		defer stopSent()
		h, err, isHeard := ofHeard()
		s, wrong, isSent := ofSent()
		for isHeard || isSent {
			if err = errors.Join(err, wrong); err != nil {
				yield(nil, err)
				return
			}
			if isHeard && (!isSent || h.at >= s.at) {
				if !yield(h.KeptMessage, nil) {
					return
				}
				h, err, isHeard = ofHeard()
			} else {
				if !yield(s.KeptMessage, nil) {
					return
				}
				s, wrong, isSent = ofSent()
			}
		}
	}
}

// dated is a message with the time under which it is stored.
type dated struct {
	*KeptMessage
	at       int64
	sequence uint64
}

func (l *List) heardThen(from, to records.Key, wanted bool) iter.Seq2[dated, error] {
	return func(yield func(dated, error) bool) {
		if l.kept.series == nil || !wanted {
			return
		}
		for e, err := range l.kept.series.Backward(from, to) {
			if err != nil && e.Key != (records.Key{}) || err == nil && len(e.Value.Heard) == 0 {
				continue // it is damaged
			}
			if !yield(dated{e.Value.storedMessage(), e.Key.At, e.Key.Sequence}, err) {
				return
			}
		}
	}
}

func (l *List) sentThen(from, to records.Key, wanted bool) iter.Seq2[dated, error] {
	return func(yield func(dated, error) bool) {
		if l.kept.config.Sender == nil || !wanted {
			return
		}
		for m, err := range l.kept.config.Sender.Past(from, to) {
			if err != nil && m.Key != (records.Key{}) || err == nil && len(m.Steps) == 0 {
				continue
			}
			if !yield(dated{messageOfSent(m), m.Key.At, m.Key.Sequence}, err) {
				return
			}
		}
	}
}

func rowOf(m *KeptMessage) row {
	r := row{MessageContent: m.MessageContent, Count: m.Count, Traits: m.Traits}
	for i := range m.Heard {
		s := &m.Heard[i]
		w := witness{Class: s.Class, Static: s.Static, First: s.First, Heard: s.Heard, Reports: s.Reports, Feed: s.Feed, Feeds: s.Feeds.List()}
		if s.HasFix {
			fix := s.Fix
			fix.Feeds = 0 // a number of the open store
			w.Fix = &fix
		}
		r.Heard = append(r.Heard, w)
	}
	return r
}

// storedMessage returns a stored message. Its ships count as removed: where the picture has one, that counts.
func (r *row) storedMessage() *KeptMessage {
	m := &KeptMessage{MessageContent: r.MessageContent, ID: r.MessageContent.ID(), Count: r.Count, Traits: r.Traits}
	for i := range r.Heard {
		w := &r.Heard[i]
		s := ship.State{MMSI: r.MMSI, Class: w.Class, Age: ship.Removed, Static: w.Static, First: w.First, Heard: w.Heard, Reports: w.Reports, Feed: w.Feed}
		s.Fix.Status = ais.StatusUndefined
		if w.Fix != nil {
			s.HasFix, s.Fix = true, *w.Fix
		}
		names := slices.Clone(w.Feeds)
		s.Feeds.Names = &names
		for i := range min(len(names), ais.MostFeeds) {
			s.Feeds.Set |= ais.FeedBit(i)
		}
		m.vague = vague(&s)
		m.Heard = append(m.Heard, s)
	}
	return m
}
