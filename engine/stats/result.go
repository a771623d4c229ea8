package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/internal/jobs"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// Bounds of what is written, read and removed at once.
const (
	chunkRecords = 100
	chunkBytes   = 64 << 10
	removeAtOnce = 64      // chunks
	mostRecord   = 4 << 20 // bytes of one record
	momentBytes  = 100
	callBytes    = 1000
	partRecords  = 1000    // of one part
	partBytes    = 1 << 20 // the same; one chunk more may be read
)

// Record is one record of a result, as it is kept. A reader that might not have seen one of its moments is not given it.
type Record struct {
	Moments []statistic.Moment  `json:"moments,omitempty"`
	Call    *portcalls.KeptCall `json:"call,omitempty"`  // what the record is about, in place of moments: its reader is told what it may be told of the call
	Next    *portcalls.KeptCall `json:"next,omitempty"`  // the call after it, where the record is about the way between both; as Call
	Stay    int                 `json:"stay,omitempty"`  // of Call, where the way begins at one of its stays
	Berth   int                 `json:"berth,omitempty"` // the stay of Next at which such a way ends
	// Track is what the record is about, beside its moments. Its reader is told of it those fixes that it might have seen, and gets no record without a fix.
	Track *KeptPiece      `json:"track,omitempty"`
	Bare  bool            `json:"bare,omitempty"` // no place is known of its ship then: it is for readers that see all at once
	Data  json.RawMessage `json:"data"`           // of the interface, an object; what a Call tells is not in it
}

// KeptPiece is a part of a track as a record keeps it. It is in the rows of the archive, of which a fix takes some bytes, and is read without JSON.
type KeptPiece struct {
	MMSI  ais.MMSI `json:"mmsi"`
	Count int      `json:"count"` // of its fixes
	Rows  []byte   `json:"rows"`
}

// pieceOf keeps a part of a track.
func pieceOf(m ais.MMSI, part ship.Track) *KeptPiece {
	p, rows := &KeptPiece{MMSI: m, Count: len(part)}, track.Coder{}
	for _, f := range part {
		p.Rows = rows.Append(p.Rows, f)
	}
	return p
}

// Track returns the fixes. It fails where the rows are not those that were kept.
func (p *KeptPiece) Track() (ship.Track, error) {
	room := min(p.Count, len(p.Rows)) // a row has a byte, or more
	return track.DecodeRows(make(ship.Track, 0, max(0, room)), track.Coder{}, p.Rows)
}

// chunk is some records of a result. It is kept under the number of its statistic, which is a time.
type chunk struct {
	Records []Record `json:"records"`
}

// writer writes a result in chunks. A chunk is written while the next one fills: each write waits for the disk.
type writer struct {
	stats *Statistics
	id    int64
	going *going
	most  int64
	held  chunk
	bytes int

	written chan error // of the chunk that is being written; nil for none

	latest int64 // of the moments, in Unix milliseconds; 0 for none

	failed error // no more is taken
}

// errBare says that a kind made a record that nobody could judge.
var errBare = errors.New("a record has nothing by which it can be judged")

func (w *writer) recordCount() int64 { return w.going.records.Load() }

func (w *writer) add(record Record) error {
	if len(record.Moments) == 0 && record.Call == nil && record.Track == nil && !record.Bare {
		return errBare
	}
	if w.recordCount() >= w.most {
		return errCut
	}
	if len(record.Data) > mostRecord {
		return fmt.Errorf("a record has %d bytes", len(record.Data))
	}
	for _, m := range record.Moments {
		w.latest = max(w.latest, m.Fix.At)
	}
	w.held.Records = append(w.held.Records, record)
	w.bytes += record.recordBytes()
	w.going.records.Add(1)
	if len(w.held.Records) < chunkRecords && w.bytes < chunkBytes {
		return nil
	}
	return w.writeHeld()
}

// writeHeld begins to write what is held, once what was written before is there.
func (w *writer) writeHeld() error {
	if len(w.held.Records) == 0 {
		return nil
	}
	if err := w.waitForDisk(); err != nil {
		return err
	}
	held, written := w.held, make(chan error, 1)
	w.held, w.bytes, w.written = chunk{}, 0, written
	go func() {
		written <- jobs.Guarded(func() error {
			_, err := w.stats.chunks.Append(time.UnixMilli(w.id), held)
			return err
		})
	}()
	return nil
}

// waitForDisk waits until the chunk that is being written is there. Nothing is written after the last call.
func (w *writer) waitForDisk() error {
	if w.written == nil {
		return nil
	}
	err := <-w.written
	w.written = nil
	return err
}

// ReadingPlace is where a reading of a result goes on. The zero ReadingPlace is the beginning.
type ReadingPlace struct {
	chunk records.Key
}

// Part returns some records of a result from a place on, and the place after them. More tells that there may be others. It fails where a chunk cannot be read,
// and with ErrUnknown where the statistic was deleted meanwhile. What is missing must not look like the end.
func (s *Statistics) Part(id int64, from ReadingPlace) (part []Record, next ReadingPlace, more bool, err error) {
	begin, end := records.Key{At: id}, records.Key{At: id + 1}
	if from.chunk != (records.Key{}) {
		begin = from.chunk
	}
	next, bytes := from, 0
	for e, err := range s.chunks.Forward(begin, end) {
		if err != nil {
			return nil, from, false, fmt.Errorf("read a result: %w", err)
		}
		next = ReadingPlace{chunk: records.Key{At: e.Key.At, Sequence: e.Key.Sequence + 1}}
		for _, record := range e.Value.Records {
			part = append(part, record)
			bytes += record.recordBytes()
		}
		if len(part) >= partRecords || bytes >= partBytes {
			return part, next, true, nil
		}
	}
	if _, err := s.Get(id); err != nil { // its chunks are being removed
		return nil, from, false, err
	}
	return part, next, false, nil
}

// Result returns the records of a result that a reader may have, by each moment that they are made of. Those with a Call the reader has to judge by it.
func (s *Statistics) Result(id int64, may func(statistic.Moment) bool) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for at, more := (ReadingPlace{}), true; more; {
			var part []Record
			var err error
			if part, at, more, err = s.Part(id, at); err != nil {
				yield(nil, err)
				return
			}
			for i := range part {
				if part[i].Shows(may) && !yield(&part[i], nil) {
					return
				}
			}
		}
	}
}

// recordBytes returns about how much the record takes.
func (r *Record) recordBytes() int {
	n := len(r.Data) + momentBytes*len(r.Moments)
	for _, c := range []*portcalls.KeptCall{r.Call, r.Next} {
		if c != nil {
			n += callBytes
		}
	}
	if r.Track != nil {
		n += momentBytes * r.Track.Count
	}
	return n
}

// Shows reports whether a reader may have the record, as far as its moments tell.
func (r *Record) Shows(may func(statistic.Moment) bool) bool {
	for _, m := range r.Moments {
		if !may(m) {
			return false
		}
	}
	return true
}

// removeChunks removes the chunks of a statistic, some in each commit.
func (s *Statistics) removeChunks(id int64) error {
	for {
		var keys []records.Key
		for e, err := range s.chunks.Forward(records.Key{At: id}, records.Key{At: id, Sequence: math.MaxUint64}) {
			if e.Key == (records.Key{}) {
				return err
			}
			if keys = append(keys, e.Key); len(keys) == removeAtOnce {
				break
			}
		}
		if len(keys) == 0 {
			return nil
		}
		err := s.config.DB.Together(func(tx *records.Tx) error {
			for _, key := range keys {
				if err := s.chunks.RemoveIn(tx, key); err != nil && !errors.Is(err, records.ErrNotFound) {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("remove a result: %w", err)
		}
	}
}

// purge removes what is left of statistics that were deleted, but of those that still run.
func (s *Statistics) purge() {
	ids := s.deleted()
	if len(ids) == 0 {
		return
	}
	for _, id := range ids {
		err := s.removeChunks(id)
		if err == nil {
			err = s.config.DB.Together(func(tx *records.Tx) error {
				return errors.Join(s.rows.FreeIn(tx, uint64(id)), s.bodies.FreeIn(tx, uint64(id)))
			})
		}
		s.mu.Lock()
		if err == nil {
			delete(s.jobs, id)
		} else {
			s.config.Log.Error("remove a statistic", "id", id, "error", err)
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.purging = false
	s.mu.Unlock()
}

// deleted returns the statistics to be removed, none while others remove some.
func (s *Statistics) deleted() (ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.purging {
		return nil
	}
	for id, j := range s.jobs {
		if j.Gone && !j.queued {
			ids = append(ids, id)
		}
	}
	s.purging = len(ids) > 0
	return ids
}
