package store

// The files of a store, in its directory.
const (
	dbName  = "quaywatch.db"
	walName = "quaywatch.wal"
)

// formatVersion is the version of the schema below; a file of another version is refused.
const formatVersion = 1

// The buckets (docs/format.md draws their keys and values); each Table has one more, of its own name.
const (
	bucketMeta   = "meta"   // the entries below
	bucketShips  = "ships"  // mmsi 8 -> last state
	bucketStatic = "static" // mmsi 8 | time 8 -> static and voyage data from then on
	bucketBlocks = "blocks" // bucket 4 | mmsi 8 -> fixes of an hour

	bucketDamaged = "damaged" // bucket 4 | mmsi 8 -> a block that could not be read; only there when there was one
)

// The entries of the bucket meta.
const (
	metaFormat    = "format"    // 4 bytes: formatVersion
	metaLog       = "log"       // 16 bytes: the id of the log that belongs to this file
	metaFirstLive = "log-first" // 8 bytes: the first sequence of the log that is not wholly in this file
	metaOpen      = "open"      // there while the file is open: still there at Open means that it was not closed
	metaProbe     = "probe"     // written and deleted at once, to see whether there is room again
)

// bucketNames is the nested bucket of a Table: normalised name -> id 8.
const bucketNames = "names"
