package store

import "slices"

// The files of a store, in its directory.
const (
	dbName  = "quaywatch.db"
	walName = "quaywatch.wal"
)

// formatName and formatVersion are what the entry "format" says. Each build from the first release on reads every store of version 2.
const (
	formatName    = "quaywatch"
	formatVersion = 2
)

// The buckets (docs/format.md draws their keys and values); each Table and each Series has one more. Every value of every bucket ends
// with its checksum (seal).
const (
	bucketMeta   = "meta"   // the entries below
	bucketShips  = "ships"  // mmsi 8 -> last state
	bucketStatic = "static" // mmsi 8 | time 8 -> static and voyage data from then on
	bucketBlocks = "blocks" // hour 4 | mmsi 8 -> fixes of an hour
	bucketFeeds  = "feeds"  // number 4 -> names of the feeds of a set

	bucketDamaged = "damaged" // time 8 | sequence 8 -> a Damage with the bytes that could not be read; only there when there was one
)

// The entries of the bucket meta.
const (
	metaFormat    = "format"    // formatName, then formatVersion 4
	metaLog       = "log"       // 16 bytes: the id of the log that belongs to this file
	metaFirstLive = "log-first" // 8 bytes: the first sequence of the log that is not wholly in this file
	metaOpen      = "open"      // stateOpen while the store is open, else stateClosed; not there before the log was made
	metaProbe     = "probe"     // written and deleted at once, to see whether there is room again
)

// The states of a store.
const (
	stateClosed = 0
	stateOpen   = 1
)

// bucketNames is the nested bucket of a Table: normalised name -> id 8.
const bucketNames = "names"

// ownBuckets are the buckets that are not of a table or a series.
func ownBuckets() []string {
	return []string{bucketMeta, bucketShips, bucketStatic, bucketBlocks, bucketFeeds, bucketDamaged}
}

// isVital tells of a table of which no record may be missing: those that give and deny rights. The store knows them by name, because a record
// may be found damaged before its table is opened.
func isVital(table string) bool { return slices.Contains(vitalTables(), table) }

func vitalTables() []string { return []string{"users", "groups"} }

// onDemand tells of a bucket of the store that is made when it is needed first.
func onDemand(bucket string) bool { return bucket == bucketDamaged }
