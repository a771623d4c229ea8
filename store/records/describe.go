package records

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/copies"
	"quaywatch/store/layout"
	"quaywatch/store/pages"
	"quaywatch/store/track"
)

// describeDamage says what it means that the value in a place cannot be read.
func describeDamage(tx *bolt.Tx, p ValuePlace) Damage {
	d := Damage{Where: fmt.Sprintf("bucket %s, key %x", p.bucketPath(), p.Key), Found: time.Now().UTC()}
	if b := p.bucketIn(tx); b != nil {
		sealed, _ := p.copyValue(b)
		if was, ok := p.provedKey(sealed); ok {
			p.Key = was
			d.Where += fmt.Sprintf(", which was %x", was)
		}
	}
	key := []byte(p.Key)
	switch p.Bucket {
	case layout.Blocks:
		d.describeHour(key)
	case layout.Ships:
		m, _ := layout.ReadShipKey(key)
		d.Kind, d.Ship, d.What = DamagedState, m, fmt.Sprintf("the last state of the ship %d; the ship appears again with its next report", m)
	case layout.Static:
		m, at, _ := layout.ReadStaticKey(key)
		d.Kind, d.Ship, d.What = DamagedStatic, m, fmt.Sprintf("what the ship %d was from %s on; what was known before counts", m, layout.InWords(at))
	case layout.Feeds:
		d.Kind, d.What = DamagedFeeds, fmt.Sprintf("the names of the feeds in the set %x; of fixes with it no feed is known", key)
	case layout.Meta:
		d.Kind, d.What = DamagedEntry, fmt.Sprintf("the entry %q about the store; it was made anew as far as that goes", p.Key)
	default:
		d.describeRecord(tx, p)
	}
	return d
}

// describeSuspect is describe for a value that a check found. One whose key is damaged too is named by those between which it stands.
func describeSuspect(tx *bolt.Tx, p ValuePlace, s *pages.Suspect) Damage {
	sealed, _ := p.copyValue(p.bucketIn(tx))
	if _, proved := p.provedKey(sealed); !s.Unsure() || s.Count == 1 && proved {
		return describeDamage(tx, p)
	}
	d := Damage{Kind: kindOf(p), Found: time.Now().UTC(), What: layout.DescribeSuspect(s.Path, s),
		Where: fmt.Sprintf("bucket %s, keys from %x to %x", s.Path, s.From, s.To)}
	if d.Kind == DamagedHour {
		d.noteHours(s.From, s.To)
	}
	if names := astray(tx, p, s); len(names) > 0 {
		d.What += fmt.Sprintf(", among them what is named %q", names)
	}
	return d
}

// noteHours notes the hours between the keys of two blocks.
func (d *Damage) noteHours(low, high []byte) {
	from, _, _ := layout.ReadBlockKey(low)
	d.From, d.To = time.UnixMilli(track.HourStart(from)).UTC(), d.Found
	if to, _, ok := layout.ReadBlockKey(high); ok {
		d.To = time.UnixMilli(track.HourStart(to) + track.HourMillis).UTC()
	}
}

// kindOf returns of which kind the damage of a value in a place is.
func kindOf(p ValuePlace) string {
	switch {
	case p.Nested != "":
		return DamagedName
	case layout.IsSeries(p.Bucket):
		return DamagedLine
	}
	kind, own := map[string]string{layout.Blocks: DamagedHour, layout.Ships: DamagedState, layout.Static: DamagedStatic, layout.Feeds: DamagedFeeds,
		layout.Meta: DamagedEntry}[p.Bucket]
	if !own {
		return DamagedRecord
	}
	return kind
}

// astray returns the folded names of a table that lead to records which are not there, among those that a suspect may be.
func astray(tx *bolt.Tx, p ValuePlace, s *pages.Suspect) (list []string) {
	names := copies.BucketAt(tx, []string{p.Bucket, layout.Names})
	if p.Nested != "" || names == nil {
		return nil
	}
	there := map[string]bool{} // a search may miss keys beside one that stands in a wrong place
	_ = p.bucketIn(tx).ForEach(func(k, _ []byte) error { there[string(k)] = true; return nil })
	_ = names.ForEach(func(k, v []byte) error { // this function gives no error
		id, err := layout.Unseal(layout.NamesPath(p.Bucket), k, v)
		if err == nil && bytes.Compare(id, s.From) >= 0 && (s.To == nil || bytes.Compare(id, s.To) < 0) && !there[string(id)] {
			list = append(list, string(k))
		}
		return nil
	})
	return list
}

// provedKey returns the key under which a value was written, when one bit of that key was flipped since: the checksum proves it.
func (p ValuePlace) provedKey(sealed []byte) (was string, ok bool) {
	key := []byte(p.Key)
	for i := range 8 * len(key) {
		key[i/8] ^= 1 << (i % 8)
		if _, err := layout.Unseal(p.bucketPath(), key, sealed); err == nil {
			return string(key), true
		}
		key[i/8] ^= 1 << (i % 8)
	}
	return "", false
}

func (d *Damage) describeHour(key []byte) {
	hour, m, _ := layout.ReadBlockKey(key)
	from := track.HourStart(hour)
	d.Kind, d.Ship = DamagedHour, m
	d.From, d.To = time.UnixMilli(from).UTC(), time.UnixMilli(from+track.HourMillis).UTC()
	d.What = fmt.Sprintf("the track of the ship %d from %s to %s", m, layout.InWords(from), layout.InWords(from+track.HourMillis))
}

// describeRecord says which record of a table or a series it is. The name of a record is taken from the names of its table.
func (d *Damage) describeRecord(tx *bolt.Tx, p ValuePlace) {
	key := []byte(p.Key)
	switch {
	case layout.IsSeries(p.Bucket):
		at, _ := readKey(key)
		d.Kind, d.What = DamagedLine, fmt.Sprintf("one line of %s from %s", strings.TrimPrefix(p.Bucket, layout.SeriesPrefix), layout.InWords(at.At))
	case p.Nested != "":
		d.Kind, d.What = DamagedName, fmt.Sprintf("where the name %q in %s leads; it was made anew from the records", p.Key, p.Bucket)
	case len(key) != 8:
		d.Kind, d.What = DamagedRecord, fmt.Sprintf("one record of %s", p.Bucket)
	default:
		d.Kind, d.What = DamagedRecord, fmt.Sprintf("the record %d of %s", binary.BigEndian.Uint64(key), p.Bucket)
		if name := nameOf(tx, p.Bucket, key); name != "" {
			d.What += fmt.Sprintf(", named %q", name)
		}
	}
}

// setAsideText tells what a value of the bucket damaged says.
func setAsideText(sealed []byte) string {
	var kept keptDamage
	_ = json.Unmarshal(sealed[:max(0, len(sealed)-layout.SealSize)], &kept) // one that cannot be read is damaged in its turn
	return fmt.Sprintf("%s (set aside on %s)", kept.What, kept.Found.Format(time.DateOnly))
}

// nameOf returns the folded name of a record of a table, as the names tell it.
func nameOf(tx *bolt.Tx, table string, id []byte) (name string) {
	names := copies.BucketAt(tx, []string{table, layout.Names})
	if names == nil {
		return ""
	}
	_ = names.ForEach(func(k, v []byte) error { // this function gives no error
		if owner, err := layout.Unseal(layout.NamesPath(table), k, v); err == nil && bytes.Equal(owner, id) {
			name = string(k)
		}
		return nil
	})
	return name
}
