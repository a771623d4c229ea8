// Package layout is what stands in the database of a store: the buckets, their keys, their values, and the checksum behind each value. It
// says whether a value is the one that was written under its key, and in words what stands under a key. docs/format.md draws it.
//
// It opens nothing, and it knows nothing of what is in memory.
package layout

import (
	"slices"
	"strings"
)

// The files of a store, in its directory.
const (
	DBName  = "quaywatch.db"
	LogName = "quaywatch.wal"
)

// The buckets (docs/format.md draws their keys and values); each Table and each Series has one more. Every value of every bucket ends
// with its checksum (Seal).
const (
	Meta   = "meta"   // the entries below
	Ships  = "ships"  // mmsi 8 -> last state
	Static = "static" // mmsi 8 | time 8 -> static and voyage data from then on
	Blocks = "blocks" // hour 4 | mmsi 8 -> fixes of an hour
	Feeds  = "feeds"  // number 4 -> names of the feeds of a set

	Damaged = "damaged" // time 8 | sequence 8 -> a Damage with the bytes that could not be read; only there when there was one
)

// The entries of the bucket meta.
const (
	MetaFormat    = "format"    // formatName, then formatVersion 4
	MetaLog       = "log"       // 16 bytes: the id of the log that belongs to this file
	MetaFirstLive = "log-first" // 8 bytes: the first sequence of the log that is not wholly in this file
	MetaOpen      = "open"      // StateOpen while the store is open, else StateClosed; not there before the log was made
	MetaProbe     = "probe"     // written and deleted at once, to see whether there is room again
)

// The states of a store.
const (
	StateClosed = 0
	StateOpen   = 1
)

// Names is the nested bucket of a Table: normalised name -> id 8.
const Names = "names"

// OwnBuckets are the buckets that are not of a table or a series.
func OwnBuckets() []string {
	return []string{Meta, Ships, Static, Blocks, Feeds, Damaged}
}

// IsVital reports whether no record of a table may be missing.
func IsVital(table string) bool { return slices.Contains(VitalTables(), table) }

// VitalTables are the tables of which no record may be missing: those that give and deny rights. The store knows them by name, because a record
// may be found damaged before its table is opened.
func VitalTables() []string { return []string{"users", "groups"} }

// IsOnDemand reports whether a bucket of the store is made when it is needed first.
func IsOnDemand(bucket string) bool { return bucket == Damaged }

// SeriesPrefix begins the name of the bucket of each Series.
const SeriesPrefix = "series/"

// IsSeries reports whether a bucket is that of a Series.
func IsSeries(bucket string) bool { return strings.HasPrefix(bucket, SeriesPrefix) }
