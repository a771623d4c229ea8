package live

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/klauspost/compress/flate"

	"quaywatch/handlers/wire"
	"quaywatch/sight"
)

// mostShared is how many ships one change event tells to all. Where more changed in a second, each stream works out its own, a part after the other. An event
// for all is held whole, 300 bytes a ship.
const mostShared = 20_000

// castCaller takes the turns of what is told to all: so nobody waits for the turns of the caller who came first.
const castCaller = "all live"

// packLevel is how hard news are compressed. Level 5 makes a tenth less bytes of 6,000 changes a second, and costs three points more of a processor.
const packLevel = flate.BestSpeed

// news is what a change event says of the whole picture: the text from its time on, and the same compressed by itself. All streams that are told of every ship
// share it.
type news struct {
	after, next  uint64 // it tells the changes after a number, up to the next
	made         time.Time
	text, packed []byte
}

// broadcast makes the news of one picture, at most once a second: for all streams whose callers see every ship of it. The streams take turns to make it, and the
// others take what was made.
type broadcast struct {
	streams int           // that take part, by broadcasts
	turn    chan struct{} // of the stream that may look at what follows
	latest  *news
	packer  *flate.Writer
}

// broadcasts are those of the pictures that streams show, by the epoch of their changes.
type broadcasts struct {
	mu sync.Mutex
	of map[uint64]*broadcast
}

// joinPicture returns the broadcast of a picture, for one stream more.
func (all *broadcasts) joinPicture(epoch uint64) *broadcast {
	all.mu.Lock()
	defer all.mu.Unlock()
	b := all.of[epoch]
	if b == nil {
		b = &broadcast{turn: make(chan struct{}, 1), latest: &news{}}
		all.of[epoch] = b
	}
	b.streams++
	return b
}

// leaveBroadcast ends the part of a stream; with the last one the broadcast goes.
func (all *broadcasts) leaveBroadcast(epoch uint64) {
	all.mu.Lock()
	defer all.mu.Unlock()
	b := all.of[epoch]
	if b.streams--; b.streams == 0 {
		delete(all.of, epoch)
	}
}

// next returns the news with which a stream goes on that was told all up to a number. It may be told of some changes twice. Nil without a wait says that there
// are none for it. A wait says after what time there will be.
func (b *broadcast) next(ctx context.Context, at uint64, v *sight.Viewer, entry wire.RegisterLookup) (n *news, wait time.Duration, err error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	switch {
	case at < b.latest.after:
		return nil, 0, nil // it is behind: its own changes leave out what is between
	case at < b.latest.next:
		return b.latest, 0, nil
	}
	if wait = ChangeEvery - time.Since(b.latest.made); wait > 0 {
		return nil, wait, nil
	}
	from := b.latest.next
	if from == 0 {
		from = at // the first stream of all
	}
	changes, ok := v.Changes(from)
	if !ok || changes.Len() > mostShared {
		b.latest = &news{after: changes.Next, next: changes.Next} // each stream goes on by itself
		return nil, 0, nil
	}
	if changes.Next == from {
		return nil, 0, nil
	}
	changes.InTurnsOf(castCaller)
	n = &news{after: from, next: changes.Next, made: time.Now()}
	if n.text, err = changesText(ctx, &changes, v, entry); err != nil {
		return nil, 0, err
	}
	if n.packed, err = b.packText(n.text); err != nil {
		return nil, 0, err
	}
	b.latest = n
	return n, 0, nil
}

// changesText makes the text of a change event of every ship, from its time on.
func changesText(ctx context.Context, changes *sight.ChangedShips, v *sight.Viewer, entry wire.RegisterLookup) ([]byte, error) {
	r := records{Object: &wire.Object{Entry: entry}}
	r.beginRecords(v.Now())
	err := changes.Each(ctx, always, func(c *sight.ChangedShip) {
		if c.Ship == nil {
			r.gone = append(r.gone, c.MMSI)
			return
		}
		r.putShip(c, true)
	})
	return r.endEvent(), err
}

// packText compresses a text so that it can stand anywhere in a compressed stream. It ends at a whole byte, and refers to nothing before it.
func (b *broadcast) packText(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	packed.Grow(len(text) / 5)
	if b.packer == nil {
		packer, err := flate.NewWriter(&packed, packLevel)
		if err != nil {
			return nil, err
		}
		b.packer = packer
	} else {
		b.packer.Reset(&packed)
	}
	if _, err := b.packer.Write(text); err != nil {
		return nil, err
	}
	err := b.packer.Flush()
	return packed.Bytes(), err
}
