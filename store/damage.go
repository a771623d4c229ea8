package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/store/copies"
	"quaywatch/store/mend"
	"quaywatch/store/pages"
	"quaywatch/store/track"
)

// The kinds of damage: stable words, by which Status counts.
const (
	DamagedHour   = "hour"   // the fixes of a ship in an hour
	DamagedState  = "state"  // the last state of a ship
	DamagedStatic = "static" // what a ship was from a time on
	DamagedFeeds  = "feeds"  // the names of a set of feeds
	DamagedRecord = "record" // a record of a table
	DamagedName   = "name"   // the entry of a name, which is made anew from the records
	DamagedLine   = "line"   // a record of a series, as a line of the audit log
	DamagedEntry  = "entry"  // an entry about the store itself
	DamagedLog    = "log"    // frames of the append log
	DamagedPage   = "page"   // a page of the database, with all that it led to
)

// Damage is one thing that could not be read. Its bytes are set aside where there are any.
type Damage struct {
	Kind  string    `json:"kind"`
	Where string    `json:"where"`          // bucket and key, or segment and frames of the log
	What  string    `json:"what"`           // what it means, in words
	Ship  ais.MMSI  `json:"ship,omitempty"` // 0 when it is not of one ship
	From  time.Time `json:"from,omitzero"`  // fixes are missing from here on; zero when none are
	To    time.Time `json:"to,omitzero"`    // up to here
	Found time.Time `json:"found"`
}

// keptDamage is how the bucket damaged holds one.
type keptDamage struct {
	Damage
	Raw []byte `json:"raw,omitempty"` // the value with its checksum, as it was found
}

// mostDamages is how many are kept and listed, the newest. mostWaiting is how many that readers found wait to be set aside.
const (
	mostDamages = 1000
	mostWaiting = 10000
)

// place is where a value stands.
type place struct{ bucket, nested, key string }

// bucketPath is that of the bucket in the checksum of the value.
func (p place) bucketPath() string {
	if p.nested != "" {
		return p.bucket + "/" + p.nested
	}
	return p.bucket
}

// placeAt returns the place of a key in the bucket with that path.
func placeAt(path []string, key []byte) place {
	p := place{bucket: path[0], key: string(key)}
	if len(path) > 1 {
		p.nested = path[1]
	}
	return p
}

// bucketIn returns the bucket of the place, nil when there is none.
func (p place) bucketIn(tx *bolt.Tx) *bolt.Bucket {
	if p.nested != "" {
		return copies.BucketAt(tx, []string{p.bucket, p.nested})
	}
	return copies.BucketAt(tx, []string{p.bucket})
}

// placeOf returns the place of a key by the path of its bucket.
func placeOf(path string, key []byte) place {
	table, nested := strings.CutSuffix(path, "/"+bucketNames)
	if nested && !isSeries(path) {
		return place{table, bucketNames, string(key)}
	}
	return place{bucket: path, key: string(key)}
}

// isReadable reports whether a value can be read.
func (p place) isReadable(sealed []byte) bool {
	var judge Verifier
	return judge.Value(p.bucketPath(), []byte(p.key), sealed) == nil
}

// damages is what is known of damage.
type damages struct {
	mu      sync.Mutex
	list    []Damage         // the newest last
	counts  map[string]int   // by kind
	waiting map[place]Damage // found and told, not yet set aside
}

// Damages lists what could not be read, the newest last, at most a thousand.
func (db *DB) Damages() []Damage {
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	return slices.Clone(db.damage.list)
}

// Unread lists what cannot be read and still stands where it was.
func (db *DB) Unread() []Damage {
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	return slices.Collect(maps.Values(db.damage.waiting))
}

// Missing lists the damage for which a ship may lack fixes with from <= time < to.
func (db *DB) Missing(m ais.MMSI, from, to time.Time) []Damage {
	return slices.DeleteFunc(db.Damages(), func(d Damage) bool {
		return d.Ship != 0 && d.Ship != m || d.From.IsZero() || !d.From.Before(to) || !d.To.After(from)
	})
}

// loadDamages reads what was set aside before.
func (db *DB) loadDamages() error {
	exists := false
	err := db.view(func(tx *bolt.Tx) error { exists = tx.Bucket([]byte(bucketDamaged)) != nil; return nil })
	if err != nil || !exists {
		return err
	}
	for kept, err := range setAsideSeries(db).Forward(Key{}, EndKey()) {
		if err == nil { // one that is damaged in its turn is passed over
			db.rememberDamage(kept.Value.Damage)
		}
	}
	return nil
}

// setAsideSeries is the bucket damaged as a series.
func setAsideSeries(db *DB) *Series[keptDamage] {
	return &Series[keptDamage]{db, bucketDamaged, Keep{Most: mostDamages}}
}

// ForgetDamages drops what was set aside, and the list of it. It is for a copy that is to be whole.
func (db *DB) ForgetDamages() error {
	err := db.update(func(tx *writeTx) error {
		b := tx.tx.Bucket([]byte(bucketDamaged))
		if b == nil {
			return nil
		}
		var keys [][]byte
		err := b.ForEach(func(k, _ []byte) error { keys = append(keys, bytes.Clone(k)); return nil })
		for _, k := range keys {
			err = errors.Join(err, tx.deleteKey(bucketDamaged, k))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget damage: %w", err)
	}
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	db.damage.list, db.damage.counts = nil, map[string]int{}
	return nil
}

func (db *DB) rememberDamage(d Damage) {
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	db.damage.counts[d.Kind]++
	db.damage.list = append(db.damage.list, d)
	if n := len(db.damage.list) - mostDamages; n > 0 {
		db.damage.list = slices.Delete(db.damage.list, 0, n)
	}
}

// tellDamage says once that something is damaged.
func (db *DB) tellDamage(d Damage) {
	db.rememberDamage(d)
	db.logger.Error("damage in the store: "+d.What, "kind", d.Kind, "where", d.Where)
}

// tellUnwritten tells damage of which no bytes are set aside, and has it listed after a restart too.
func (db *DB) tellUnwritten(d Damage) {
	db.tellDamage(d)
	db.unwritten = append(db.unwritten, d)
}

// noteUnreadable notes a value that a reader could not read, and tells it once. The keeper sets it aside.
func (db *DB) noteUnreadable(tx *bolt.Tx, p place) {
	db.noteDamaged(p, func() Damage { return describeDamage(tx, p) })
}

// noteDamaged is found for a place of which words tells what it means.
func (db *DB) noteDamaged(p place, words func() Damage) {
	db.damage.mu.Lock()
	_, known := db.damage.waiting[p]
	full := len(db.damage.waiting) >= mostWaiting
	db.damage.mu.Unlock()
	if known || full {
		return
	}
	d := words()
	db.damage.mu.Lock()
	_, known = db.damage.waiting[p]
	db.damage.waiting[p] = d
	db.damage.mu.Unlock()
	if !known {
		db.tellDamage(d)
		db.wantKeeper.Wake()
	}
}

// Vital says what is done with records of which none may be missing, when they cannot be read.
type Vital uint8

const (
	RefuseVital   Vital = iota // the store is not opened: rights would change unseen
	PassVitalOver              // they stay where they are, and the others are given
	SetVitalAside              // they are set aside as all others are
)

// checkVital refuses a store in which a record is damaged of which none may be missing, before anything is written to it.
func (db *DB) checkVital() error {
	if db.options.Vital != RefuseVital {
		return nil
	}
	for _, table := range vitalTables() {
		var records []place
		err := db.view(func(tx *bolt.Tx) error {
			records = unsealed(tx, []string{table})
			for _, p := range records {
				db.noteUnreadable(tx, p)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(records) > 0 {
			return db.checkTable(table)
		}
	}
	return nil
}

// checkTable tells which records of a table cannot be read.
func (db *DB) checkTable(table string) error {
	var all []string
	for _, d := range db.Damages() {
		if d.Kind == DamagedRecord && strings.HasPrefix(d.Where, "bucket "+table+",") {
			all = append(all, d.What)
		}
	}
	return vitalError(strings.Join(all, ", ") + " cannot be read; rights depend on it, so the service does not start without it: put a backup in place " +
		"with 'quaywatch restore', or go on without it with 'quaywatch user forget-damaged'")
}

// vitalError is ErrDamaged of a record of which none may be missing.
type vitalError string

func (e vitalError) Error() string { return string(e) }
func (e vitalError) Unwrap() error { return ErrDamaged }

// foundAll notes what a check at the start found.
func (db *DB) foundAll(damaged []pages.Suspect) error {
	if len(damaged) == 0 {
		return nil
	}
	return db.view(func(tx *bolt.Tx) error {
		for _, s := range damaged {
			p := placeOf(s.Path, s.Key)
			if b := p.bucketIn(tx); p.bucket != bucketMeta && b != nil {
				db.noteDamaged(p, func() Damage { return describeSuspect(tx, p, &s) })
			}
		}
		return nil
	})
}

// setAsideFound sets aside what readers found.
func (db *DB) setAsideFound() error {
	db.damage.mu.Lock()
	waiting := maps.Clone(db.damage.waiting)
	db.damage.mu.Unlock()
	places := slices.Collect(maps.Keys(waiting))
	places = slices.DeleteFunc(places, func(p place) bool { return isVital(p.bucket) && p.nested == "" && db.options.Vital != SetVitalAside })
	for part := range slices.Chunk(places, 100) {
		err := db.update(func(tx *writeTx) error {
			for _, p := range part {
				if err := tx.keepDamaged(p, waiting[p]); err != nil {
					return err
				}
			}
			return tx.mendNames(part)
		})
		if err != nil {
			return fmt.Errorf("set damage aside: %w", err)
		}
		db.damage.mu.Lock()
		for _, p := range part {
			delete(db.damage.waiting, p)
		}
		db.damage.mu.Unlock()
	}
	return nil
}

// setAside moves a damaged value out of the way. It is told after the commit.
func (tx *writeTx) setAside(p place) error {
	tx.aside[p] = describeDamage(tx.tx, p)
	return tx.keepDamaged(p, tx.aside[p])
}

// tellAside tells what a commit has set aside, but what a reader had found and told before.
func (db *DB) tellAside(aside map[place]Damage) {
	for p, d := range aside {
		db.damage.mu.Lock()
		_, told := db.damage.waiting[p]
		delete(db.damage.waiting, p)
		db.damage.mu.Unlock()
		if !told {
			db.tellDamage(d)
		}
	}
}

// keepDamaged moves a value that is still damaged into the bucket damaged.
func (tx *writeTx) keepDamaged(p place, d Damage) error {
	b := p.bucketIn(tx.tx)
	if b == nil {
		return nil
	}
	raw, misplaced := p.copyValue(b)
	if raw == nil || p.isReadable(raw) {
		return nil // it was written anew meanwhile
	}
	if err := tx.keepDamage(keptDamage{d, raw}); err != nil {
		return err
	}
	tx.touched.add(p.bucket, p.nested, []byte(p.key))
	if misplaced {
		return tx.sortAnew(p)
	}
	err := b.Delete([]byte(p.key))
	if again := b.Get([]byte(p.key)); err == nil && again != nil && !p.isReadable(again) {
		return tx.sortAnew(p) // several stand under this key
	}
	return err
}

// copyValue copies what stands in a place of the bucket, nil when nothing does. misplaced tells that no search finds it there.
func (p place) copyValue(b *bolt.Bucket) (sealed []byte, misplaced bool) {
	if sealed = bytes.Clone(b.Get([]byte(p.key))); sealed == nil {
		return findMisplaced(b, []byte(p.key)), true
	}
	return sealed, false
}

// findMisplaced looks for a key that no search finds, because a bit of it was flipped and it stands in a wrong place. It returns nil in a large database.
func findMisplaced(b *bolt.Bucket, key []byte) (value []byte) {
	if b.Tx().Size() > checkedAtStart {
		return nil
	}
	_ = b.ForEach(func(k, v []byte) error { // this function gives no error
		if bytes.Equal(k, key) {
			value = bytes.Clone(v)
		}
		return nil
	})
	return value
}

// sortAnew writes a bucket anew without a key that stands in a wrong place. While it is there, a search may miss the keys beside it.
func (tx *writeTx) sortAnew(p place) error {
	in, name := tx.tx.Bucket([]byte(p.bucket)), p.nested
	if p.nested == "" {
		in, name = nil, p.bucket
	}
	b := p.bucketIn(tx.tx)
	sequence := b.Sequence()
	var all []keyValue
	err := b.ForEach(func(k, v []byte) error {
		if v != nil && string(k) != p.key {
			all = append(all, keyValue{bytes.Clone(k), bytes.Clone(v)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if in == nil {
		err = tx.tx.DeleteBucket([]byte(name))
	} else {
		err = in.DeleteBucket([]byte(name))
	}
	if err != nil {
		return err
	}
	path := []string{p.bucket}
	if p.nested != "" {
		path = append(path, p.nested)
	}
	if b, err = copies.MakeBucket(tx.tx, path); err != nil {
		return err
	}
	for _, kv := range all {
		if err := b.Put(kv.key, kv.value); err != nil {
			return err
		}
	}
	return b.SetSequence(sequence)
}

// mendNames makes the names of the tables anew of which values were set aside.
func (tx *writeTx) mendNames(aside []place) error {
	done := map[string]bool{}
	for _, p := range aside {
		if done[p.bucket] || slices.Contains(ownBuckets(), p.bucket) || isSeries(p.bucket) {
			continue
		}
		done[p.bucket] = true
		if err := tx.nameAnew(p.bucket); err != nil {
			return err
		}
	}
	return nil
}

// keepDamage writes what was found into the bucket damaged.
func (tx *writeTx) keepDamage(kept keptDamage) error {
	if _, err := tx.tx.CreateBucketIfNotExists([]byte(bucketDamaged)); err != nil {
		return err
	}
	tx.touched.addBucket(bucketDamaged)
	_, err := setAsideSeries(nil).AppendIn(&Tx{tx}, kept.Found, kept)
	return err
}

// describeDamage says what it means that the value in a place cannot be read.
func describeDamage(tx *bolt.Tx, p place) Damage {
	d := Damage{Where: fmt.Sprintf("bucket %s, key %x", p.bucketPath(), p.key), Found: time.Now().UTC()}
	if b := p.bucketIn(tx); b != nil {
		sealed, _ := p.copyValue(b)
		if was, ok := p.provedKey(sealed); ok {
			p.key = was
			d.Where += fmt.Sprintf(", which was %x", was)
		}
	}
	key := []byte(p.key)
	switch p.bucket {
	case bucketBlocks:
		d.describeHour(key)
	case bucketShips:
		m, _ := readShipKey(key)
		d.Kind, d.Ship, d.What = DamagedState, m, fmt.Sprintf("the last state of the ship %d; the ship appears again with its next report", m)
	case bucketStatic:
		m, at, _ := readStaticKey(key)
		d.Kind, d.Ship, d.What = DamagedStatic, m, fmt.Sprintf("what the ship %d was from %s on; what was known before counts", m, inWords(at))
	case bucketFeeds:
		d.Kind, d.What = DamagedFeeds, fmt.Sprintf("the names of the feeds in the set %x; of fixes with it no feed is known", key)
	case bucketMeta:
		d.Kind, d.What = DamagedEntry, fmt.Sprintf("the entry %q about the store; it was made anew as far as that goes", p.key)
	default:
		d.describeRecord(tx, p)
	}
	return d
}

// describeSuspect is describe for a value that a check found. One whose key is damaged too is named by those between which it stands.
func describeSuspect(tx *bolt.Tx, p place, s *pages.Suspect) Damage {
	sealed, _ := p.copyValue(p.bucketIn(tx))
	if _, proved := p.provedKey(sealed); !s.Unsure() || s.Count == 1 && proved {
		return describeDamage(tx, p)
	}
	d := Damage{Kind: kindOf(p), Found: time.Now().UTC(), What: DescribeSuspect(s.Path, s),
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
	from, _, _ := readBlockKey(low)
	d.From, d.To = time.UnixMilli(track.HourStart(from)).UTC(), d.Found
	if to, _, ok := readBlockKey(high); ok {
		d.To = time.UnixMilli(track.HourStart(to) + track.HourMillis).UTC()
	}
}

// mendWiped mends pages that were wiped, of tracks and of what can be done without, and tells what was on them. It reports whether there were any.
func (db *DB) mendWiped() bool {
	keys := map[string]int{bucketBlocks: 12, "tracks": 8, "approaches": 8, "eta_errors": 8}
	lost, err := mend.Wiped(copies.PathNow(db.bolt, dbName), pageSize, keys, new(Verifier).Value)
	for _, l := range lost {
		d := Damage{Kind: DamagedPage, Where: fmt.Sprintf("bucket %s, page %d", l.Bucket, l.Page), What: "a page that was wiped, with what stood " +
			DescribeSpan(l.Bucket, l.From, l.To), Found: time.Now().UTC()}
		if l.Bucket == bucketBlocks {
			d.noteHours(l.From, l.To)
		}
		db.tellUnwritten(d)
	}
	return err == nil && len(lost) > 0
}

// kindOf returns of which kind the damage of a value in a place is.
func kindOf(p place) string {
	switch {
	case p.nested != "":
		return DamagedName
	case isSeries(p.bucket):
		return DamagedLine
	}
	kind, own := map[string]string{bucketBlocks: DamagedHour, bucketShips: DamagedState, bucketStatic: DamagedStatic, bucketFeeds: DamagedFeeds,
		bucketMeta: DamagedEntry}[p.bucket]
	if !own {
		return DamagedRecord
	}
	return kind
}

// astray returns the folded names of a table that lead to records which are not there, among those that a suspect may be.
func astray(tx *bolt.Tx, p place, s *pages.Suspect) (list []string) {
	names := copies.BucketAt(tx, []string{p.bucket, bucketNames})
	if p.nested != "" || names == nil {
		return nil
	}
	there := map[string]bool{} // a search may miss keys beside one that stands in a wrong place
	_ = p.bucketIn(tx).ForEach(func(k, _ []byte) error { there[string(k)] = true; return nil })
	_ = names.ForEach(func(k, v []byte) error { // this function gives no error
		id, err := unseal(namesPath(p.bucket), k, v)
		if err == nil && bytes.Compare(id, s.From) >= 0 && (s.To == nil || bytes.Compare(id, s.To) < 0) && !there[string(id)] {
			list = append(list, string(k))
		}
		return nil
	})
	return list
}

// provedKey returns the key under which a value was written, when one bit of that key was flipped since: the checksum proves it.
func (p place) provedKey(sealed []byte) (was string, ok bool) {
	key := []byte(p.key)
	for i := range 8 * len(key) {
		key[i/8] ^= 1 << (i % 8)
		if _, err := unseal(p.bucketPath(), key, sealed); err == nil {
			return string(key), true
		}
		key[i/8] ^= 1 << (i % 8)
	}
	return "", false
}

func (d *Damage) describeHour(key []byte) {
	hour, m, _ := readBlockKey(key)
	from := track.HourStart(hour)
	d.Kind, d.Ship = DamagedHour, m
	d.From, d.To = time.UnixMilli(from).UTC(), time.UnixMilli(from+track.HourMillis).UTC()
	d.What = fmt.Sprintf("the track of the ship %d from %s to %s", m, inWords(from), inWords(from+track.HourMillis))
}

// describeRecord says which record of a table or a series it is. The name of a record is taken from the names of its table.
func (d *Damage) describeRecord(tx *bolt.Tx, p place) {
	key := []byte(p.key)
	switch {
	case isSeries(p.bucket):
		at, _ := readKey(key)
		d.Kind, d.What = DamagedLine, fmt.Sprintf("one line of %s from %s", strings.TrimPrefix(p.bucket, seriesPrefix), inWords(at.At))
	case p.nested != "":
		d.Kind, d.What = DamagedName, fmt.Sprintf("where the name %q in %s leads; it was made anew from the records", p.key, p.bucket)
	case len(key) != 8:
		d.Kind, d.What = DamagedRecord, fmt.Sprintf("one record of %s", p.bucket)
	default:
		d.Kind, d.What = DamagedRecord, fmt.Sprintf("the record %d of %s", binary.BigEndian.Uint64(key), p.bucket)
		if name := nameOf(tx, p.bucket, key); name != "" {
			d.What += fmt.Sprintf(", named %q", name)
		}
	}
}

// setAsideText tells what a value of the bucket damaged says.
func setAsideText(sealed []byte) string {
	var kept keptDamage
	_ = json.Unmarshal(sealed[:max(0, len(sealed)-sealSize)], &kept) // one that cannot be read is damaged in its turn
	return fmt.Sprintf("%s (set aside on %s)", kept.What, kept.Found.Format(time.DateOnly))
}

// nameOf returns the folded name of a record of a table, as the names tell it.
func nameOf(tx *bolt.Tx, table string, id []byte) (name string) {
	names := copies.BucketAt(tx, []string{table, bucketNames})
	if names == nil {
		return ""
	}
	_ = names.ForEach(func(k, v []byte) error { // this function gives no error
		if owner, err := unseal(namesPath(table), k, v); err == nil && bytes.Equal(owner, id) {
			name = string(k)
		}
		return nil
	})
	return name
}

// inWords returns a time for people.
func inWords(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC") }
