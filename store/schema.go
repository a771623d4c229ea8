package store

// The files of a store, in its directory.
const (
	dbName  = "quaywatch.db"
	walName = "quaywatch.wal"
)

// formatName and formatVersion are what the entry "format" says. Each build from the first release on reads every store of version 1.
const (
	formatName    = "quaywatch"
	formatVersion = 1
)

// The buckets (docs/format.md draws their keys and values); each Table and each Series has one more. Every value of every bucket ends
// with its checksum (seal).
const (
	bucketMeta   = "meta"   // the entries below
	bucketShips  = "ships"  // mmsi 8 -> last state
	bucketStatic = "static" // mmsi 8 | time 8 -> static and voyage data from then on
	bucketBlocks = "blocks" // hour 4 | mmsi 8 -> fixes of an hour
	bucketFeeds  = "feeds"  // number 4 -> names of the feeds of a set

	bucketDamaged = "damaged" // hour 4 | mmsi 8 -> a block that could not be read; only there when there was one
)

// The entries of the bucket meta.
const (
	metaFormat    = "format"    // formatName, then formatVersion 4
	metaLog       = "log"       // 16 bytes: the id of the log that belongs to this file
	metaFirstLive = "log-first" // 8 bytes: the first sequence of the log that is not wholly in this file
	metaOpen      = "open"      // there while the file is open: still there at Open means that it was not closed
	metaProbe     = "probe"     // written and deleted at once, to see whether there is room again
)

// bucketNames is the nested bucket of a Table: normalised name -> id 8.
const bucketNames = "names"

// ownBuckets are the buckets that are always there, and damaged: no table has the name of one.
func ownBuckets() []string {
	return []string{bucketMeta, bucketShips, bucketStatic, bucketBlocks, bucketFeeds, bucketDamaged}
}
