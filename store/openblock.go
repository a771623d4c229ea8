package store

import (
	"cmp"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
	"quaywatch/store/wal"
)

// openBlock is a block that is not yet in the database. It holds the kept fixes of a ship in a bucket, coded as they will be there, and the late ones beside
// them.
type openBlock struct {
	bucket  uint32
	first   uint64 // the log segment that holds its first fix
	sealed  bool   // on its way to the database: takes no more fixes
	hasLead bool
	lead    ship.Fix // the last kept fix before its first, when known
	rows    []byte   // only ever appended to, so a copy of the slice is a snapshot
	coder   track.Coder
	box     track.Bounds // of lead and rows
	late    []ship.Fix
}

func (b *openBlock) add(f ship.Fix) {
	b.rows = b.coder.Append(b.rows, f)
	b.box.Add(f)
}

// vessel is what the store holds in memory of one ship.
type vessel struct {
	mmsi     ais.MMSI
	state    ship.State
	dirty    bool   // state differs from the one in the database
	since    uint64 // the log segment of the first change that made it dirty
	lastAt   int64  // time of the latest fix, -1 before the first
	held     uint64 // the log segment of the fix that the thinner holds back
	forced   bool   // the fix held back was kept by a flush: the next record must say so
	thin     track.Thinner
	stream   wal.Stream
	blocks   []*openBlock
	statics  []staticChange
	departed bool // it left the picture
	owed     bool // static data changed while there was no room to take it
}

// staticChange is a change of static or voyage data that is not yet in the database.
type staticChange struct {
	at     int64
	static *ship.Static
	voyage *ship.VoyageData
	late   *ship.LateStatic // in place of both: what was told of then; nil for a change in full
}

func (c staticChange) compare(other staticChange) int { return cmp.Compare(c.at, other.at) }

// onto returns the change in full, where before was known until then.
func (c staticChange) onto(before staticChange) staticChange {
	if c.late != nil {
		c.static, c.voyage = c.late.Over(before.static, before.voyage)
		c.late = nil
	}
	return c
}

// blockFor returns the ship's open block for a bucket, a new one when there is none.
func (v *vessel) blockFor(bucket uint32, sequence uint64) *openBlock {
	for i := len(v.blocks) - 1; i >= 0; i-- {
		if b := v.blocks[i]; b.bucket == bucket && !b.sealed {
			return b
		}
	}
	b := &openBlock{bucket: bucket, first: sequence, coder: track.StartAt(track.HourStart(bucket))}
	v.blocks = append(v.blocks, b)
	return b
}

// putFix puts a fix that the thinner has kept into its block; before is the fix kept before it.
func (v *vessel) putFix(f, before ship.Fix, hasBefore bool, sequence uint64) int {
	b := v.blockFor(track.HourOf(f.At), sequence)
	n := len(b.rows)
	if n == 0 && !b.hasLead && hasBefore && track.HourOf(before.At)+1 >= b.bucket {
		b.setLead(before)
	}
	b.add(f)
	return len(b.rows) - n
}

// setLead gives a block its lead, before its first row.
func (b *openBlock) setLead(f ship.Fix) {
	b.lead, b.hasLead = f, true
	b.box = track.Bounds{}
	b.box.Add(f)
}

// thinFix moves the thinner on by verdict k on f and puts what is kept into blocks. It returns the bytes added.
func (v *vessel) thinFix(f ship.Fix, k track.Keeping, sequence uint64) (added int) {
	if f.At < v.lastAt { // as the log says after a restart
		v.restart()
	}
	f = v.thin.Count(f, k)
	before, had := v.thin.Kept, v.thin.HasKept
	if k&track.KeepPrevious != 0 && v.thin.Held {
		pending := v.thin.Pending
		added += v.putFix(pending, before, had, v.held)
		before, had = pending, true
	}
	if k&track.KeepThis != 0 {
		added += v.putFix(f, before, had, sequence)
	} else {
		v.held = sequence
	}
	v.thin.Apply(f, k)
	v.lastAt = f.At
	return added
}

// restart forgets the time of the latest fix, which was wrong: the next one begins anew. What was heard stays stored.
func (v *vessel) restart() {
	v.keepHeld()
	v.thin, v.forced, v.lastAt = track.Thinner{}, false, -1
}

// has reports whether the open block for a time has rows of that time or later.
func (v *vessel) has(at int64) bool {
	for _, b := range v.blocks {
		if b.bucket == track.HourOf(at) && !b.sealed && len(b.rows) > 0 && b.coder.LastAt() >= at {
			return true
		}
	}
	return false
}

// takeLate puts a fix that is older than the last one into the bucket of its time. If it is the last of that bucket, it becomes the lead
// of the bucket after.
func (v *vessel) takeLate(f ship.Fix, sequence uint64) {
	b := v.blockFor(track.HourOf(f.At), sequence)
	b.late = append(b.late, f)
	for _, next := range v.blocks {
		if next.bucket == b.bucket+1 && next.hasLead && next.lead.At < f.At && !next.sealed {
			next.lead = f
			next.box = widen(f, next)
		}
	}
}

// widen returns the bounds of a block that has got another lead.
func widen(lead ship.Fix, b *openBlock) track.Bounds {
	var box track.Bounds
	box.Add(lead)
	coder := track.StartAt(track.HourStart(b.bucket))
	fixes, _ := track.DecodeRows(nil, coder, b.rows)
	for _, f := range fixes {
		box.Add(f)
	}
	return box
}

// keepHeld keeps the fix that is held back, as every fix of a bucket must be before the bucket is flushed.
func (v *vessel) keepHeld() {
	if !v.thin.Held {
		return
	}
	f := v.thin.Pending
	v.putFix(f, v.thin.Kept, v.thin.HasKept, v.held)
	v.thin.Keep(f)
	v.forced = true
}

// oldest returns the first log segment that the ship still needs, or none.
func (v *vessel) oldest() (sequence uint64, some bool) {
	need := func(s uint64) {
		if !some || s < sequence {
			sequence, some = s, true
		}
	}
	for _, b := range v.blocks {
		need(b.first)
	}
	if v.thin.Held {
		need(v.held)
	}
	if v.dirty || len(v.statics) > 0 {
		need(v.since)
	}
	return sequence, some
}
