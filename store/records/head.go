package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/layout"
)

// formatName and formatVersion are what the entry "format" says. Each build from the first release on reads every store of version 2.
const (
	formatName    = "quaywatch"
	formatVersion = 2
)

func formatEntry() []byte { return binary.BigEndian.AppendUint32([]byte(formatName), formatVersion) }

// MetaHead is what the bucket meta says.
type MetaHead struct {
	LogID     [16]byte          // of the log that belongs to the database
	KnowsLog  bool              // LogID could be read
	FirstLive uint64            // the first sequence of the log that is not wholly in the database
	HadLog    bool              // the log was made
	Open      bool              // the store was not closed
	Traces    map[string][]byte // damaged entries
}

func readMeta(file *bolt.DB) (h MetaHead, err error) {
	err = guard(file.Path(), func() error { return file.View(func(tx *bolt.Tx) error { return h.read(tx) }) })
	return h, err
}

func (h *MetaHead) read(tx *bolt.Tx) error {
	meta := tx.Bucket([]byte(layout.Meta))
	if meta == nil {
		return fmt.Errorf("not a Quaywatch database: no bucket %q", layout.Meta)
	}
	if err := h.readBucket(func(entry string) []byte { return meta.Get([]byte(entry)) }, traces(meta)); err != nil {
		return err
	}
	for _, name := range layout.OwnBuckets() {
		if tx.Bucket([]byte(name)) == nil && !layout.IsOnDemand(name) {
			return fmt.Errorf("not a Quaywatch database: no bucket %q", name)
		}
	}
	return nil
}

// traces returns the damaged values of the bucket meta by their keys.
func traces(meta *bolt.Bucket) map[string][]byte {
	found := map[string][]byte{}
	_ = meta.ForEach(func(k, v []byte) error { // this function gives no error
		if _, err := layout.Unseal(layout.Meta, k, v); err != nil {
			found[string(k)] = bytes.Clone(v)
		}
		return nil
	})
	return found
}

// Nearly reports whether one of the damaged values was this one: all but a few bits are the same.
func Nearly(traces map[string][]byte, entry string, value []byte) bool {
	const mostFlipped = 8
	want := layout.Seal(layout.Meta, []byte(entry), value)
	for _, v := range traces {
		if len(v) != len(want) {
			continue
		}
		flipped := 0
		for i := range v {
			flipped += bits.OnesCount8(v[i] ^ want[i])
		}
		if flipped <= mostFlipped {
			return true
		}
	}
	return false
}

// CheckFormat tells why this program does not read a database whose sealed entry "format" is given, and its damaged entries.
func CheckFormat(sealed []byte, traces map[string][]byte) error {
	ofDevelopment := errors.New("was written by a development build from before the first release, which no release reads; " +
		"move the data directory away and start with an empty one")
	if len(sealed) == 4 {
		return ofDevelopment
	}
	format, err := layout.Unseal(layout.Meta, []byte(layout.MetaFormat), sealed)
	name := len(formatName)
	switch {
	case err != nil && Nearly(traces, layout.MetaFormat, formatEntry()):
		return nil // it was ours
	case err != nil || len(format) != name+4 || string(format[:name]) != formatName:
		return fmt.Errorf("%w (the entry of its format cannot be read)", ErrDamaged)
	}
	switch v := binary.BigEndian.Uint32(format[name:]); {
	case v < formatVersion:
		return ofDevelopment
	case v > formatVersion:
		return fmt.Errorf("%w: it has format version %d, and this program reads version %d", ErrNewer, v, formatVersion)
	}
	return nil
}

// readBucket reads what the bucket meta says; get gives a sealed entry, and traces are those that are damaged.
func (h *MetaHead) readBucket(get func(entry string) []byte, traces map[string][]byte) error {
	h.Traces = traces
	if err := CheckFormat(get(layout.MetaFormat), traces); err != nil {
		return err
	}
	id, err := layout.Unseal(layout.Meta, []byte(layout.MetaLog), get(layout.MetaLog))
	h.KnowsLog = err == nil && len(id) == len(h.LogID)
	copy(h.LogID[:], id)
	if first, err := layout.Unseal(layout.Meta, []byte(layout.MetaFirstLive), get(layout.MetaFirstLive)); err == nil && len(first) == 8 {
		h.FirstLive = binary.BigEndian.Uint64(first)
	}
	state, err := layout.Unseal(layout.Meta, []byte(layout.MetaOpen), get(layout.MetaOpen))
	h.HadLog = err == nil || traces[layout.MetaOpen] != nil
	h.Open = traces[layout.MetaOpen] != nil || len(state) == 1 && state[0] == layout.StateOpen
	return nil
}

// mendMeta sets aside the damaged entries about the store and writes what is known of them, and keeps what the log told.
func (db *Database) mendMeta() error {
	head := &db.head
	if len(head.Traces)+len(db.unwritten) == 0 && head.KnowsLog {
		return nil
	}
	return db.Update(func(tx *Tx) error {
		for entry := range head.Traces {
			if err := tx.SetAside(ValuePlace{Bucket: layout.Meta, Key: entry}); err != nil {
				return err
			}
		}
		for _, d := range db.unwritten {
			if err := tx.keepDamage(keptDamage{Damage: d}); err != nil {
				return err
			}
		}
		meta := tx.tx.Bucket([]byte(layout.Meta))
		return errors.Join(putMeta(meta, layout.MetaFormat, formatEntry()), putMeta(meta, layout.MetaLog, head.LogID[:]))
	})
}
