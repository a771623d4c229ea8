package records

import (
	"bytes"
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
	"quaywatch/store/layout"
	"quaywatch/store/mend"
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

// MostDamages is how many are kept and listed, the newest. mostWaiting is how many that readers found wait to be set aside.
const (
	MostDamages = 1000
	mostWaiting = 10000
)

// ValuePlace is where a value stands: the bucket, the bucket nested in it or "", the key.
type ValuePlace struct{ Bucket, Nested, Key string }

// bucketPath is that of the bucket in the checksum of the value.
func (p ValuePlace) bucketPath() string {
	if p.Nested != "" {
		return p.Bucket + "/" + p.Nested
	}
	return p.Bucket
}

// placeAt returns the place of a key in the bucket with that path.
func placeAt(path []string, key []byte) ValuePlace {
	p := ValuePlace{Bucket: path[0], Key: string(key)}
	if len(path) > 1 {
		p.Nested = path[1]
	}
	return p
}

// bucketIn returns the bucket of the place, nil when there is none.
func (p ValuePlace) bucketIn(tx *bolt.Tx) *bolt.Bucket {
	if p.Nested != "" {
		return copies.BucketAt(tx, []string{p.Bucket, p.Nested})
	}
	return copies.BucketAt(tx, []string{p.Bucket})
}

// placeOf returns the place of a key by the path of its bucket.
func placeOf(path string, key []byte) ValuePlace {
	table, nested := strings.CutSuffix(path, "/"+layout.Names)
	if nested && !layout.IsSeries(path) {
		return ValuePlace{table, layout.Names, string(key)}
	}
	return ValuePlace{Bucket: path, Key: string(key)}
}

// isReadable reports whether a value can be read.
func (p ValuePlace) isReadable(sealed []byte) bool {
	var judge layout.Verifier
	return judge.Value(p.bucketPath(), []byte(p.Key), sealed) == nil
}

// damages is what is known of damage.
type damages struct {
	mu      sync.Mutex
	list    []Damage              // the newest last
	counts  map[string]int        // by kind
	waiting map[ValuePlace]Damage // found and told, not yet set aside
}

// Damages lists what could not be read, the newest last, at most a thousand.
func (db *Database) Damages() []Damage {
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	return slices.Clone(db.damage.list)
}

// DamageCounts returns how many damages were told, by kind.
func (db *Database) DamageCounts() map[string]int {
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	return maps.Clone(db.damage.counts)
}

// Unread lists what cannot be read and still stands where it was.
func (db *Database) Unread() []Damage {
	db.damage.mu.Lock()
	defer db.damage.mu.Unlock()
	return slices.Collect(maps.Values(db.damage.waiting))
}

// Missing lists the damage for which a ship may lack fixes with from <= time < to.
func (db *Database) Missing(m ais.MMSI, from, to time.Time) []Damage {
	return slices.DeleteFunc(db.Damages(), func(d Damage) bool {
		return d.Ship != 0 && d.Ship != m || d.From.IsZero() || !d.From.Before(to) || !d.To.After(from)
	})
}

// loadDamages reads what was set aside before.
func (db *Database) loadDamages() error {
	exists := false
	err := db.View(func(tx *bolt.Tx) error { exists = tx.Bucket([]byte(layout.Damaged)) != nil; return nil })
	if err != nil || !exists {
		return err
	}
	for kept, err := range setAsideSeries(db).Forward(Key{}, EndKey()) {
		if err == nil { // one that is damaged in its turn is passed over
			db.damage.remember(kept.Value.Damage)
		}
	}
	return nil
}

// setAsideSeries is the bucket damaged as a series.
func setAsideSeries(db *Database) *Series[keptDamage] {
	return &Series[keptDamage]{db, layout.Damaged, Keep{Most: MostDamages}}
}

// ForgetDamages drops what was set aside, and the list of it. It is for a copy that is to be whole.
func (db *Database) ForgetDamages() error {
	err := db.Update(func(tx *Tx) error {
		b := tx.tx.Bucket([]byte(layout.Damaged))
		if b == nil {
			return nil
		}
		var keys [][]byte
		err := b.ForEach(func(k, _ []byte) error { keys = append(keys, bytes.Clone(k)); return nil })
		for _, k := range keys {
			err = errors.Join(err, tx.Delete(layout.Damaged, k))
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

func (l *damages) remember(d Damage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[d.Kind]++
	l.list = append(l.list, d)
	if n := len(l.list) - MostDamages; n > 0 {
		l.list = slices.Delete(l.list, 0, n)
	}
}

// tellDamage says once that something is damaged.
func (db *Database) tellDamage(d Damage) {
	db.damage.remember(d)
	db.logger.Error("damage in the store: "+d.What, "kind", d.Kind, "where", d.Where)
}

// TellUnwritten tells damage of which no bytes are set aside, and has it listed after a restart too.
func (db *Database) TellUnwritten(d Damage) {
	db.tellDamage(d)
	db.unwritten = append(db.unwritten, d)
}

// NoteUnreadable notes a value that a reader could not read, and tells it once. The keeper sets it aside.
func (db *Database) NoteUnreadable(tx *bolt.Tx, p ValuePlace) {
	db.noteDamaged(p, func() Damage { return describeDamage(tx, p) })
}

// noteDamaged is found for a place of which words tells what it means.
func (db *Database) noteDamaged(p ValuePlace, words func() Damage) {
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
		db.wakeKeeper()
	}
}

// mendWiped mends pages that were wiped, of tracks and of what can be done without, and tells what was on them. It reports whether there were any.
func (db *Database) mendWiped() bool {
	keys := map[string]int{layout.Blocks: 12, "tracks": 8, "approaches": 8, "eta_errors": 8}
	lost, err := mend.Wiped(copies.PathNow(db.bolt, layout.DBName), pageSize, keys, new(layout.Verifier).Value)
	for _, l := range lost {
		d := Damage{Kind: DamagedPage, Where: fmt.Sprintf("bucket %s, page %d", l.Bucket, l.Page), What: "a page that was wiped, with what stood " +
			layout.DescribeSpan(l.Bucket, l.From, l.To), Found: time.Now().UTC()}
		if l.Bucket == layout.Blocks {
			d.noteHours(l.From, l.To)
		}
		db.TellUnwritten(d)
	}
	return err == nil && len(lost) > 0
}
