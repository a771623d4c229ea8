package ship

import (
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// Fix is one reported place of a ship with its motion at one time. It keeps AIS's own integers, so that what was heard is
// what is stored and answered.
type Fix struct {
	At       int64 // Unix milliseconds, UTC
	Lon, Lat int32 // in ais.PlaceUnit
	SOG      ais.SOG
	COG      ais.COG
	Heading  ais.Heading
	ROT      ais.ROT
	Status   ais.NavStatus
	Mark     Mark
	LeftOut  uint8   `json:",omitzero"` // how many were heard since the fix before and thinned out; MostLeftOut stands for more
	Feeds    FeedSet // of a fix that was stored; of one in the live picture the state tells it
}

// MostLeftOut is the largest Fix.LeftOut.
const MostLeftOut = 255

// FeedSet is the number under which the store keeps a set of feeds: those that heard the ship at the time of a fix. 0 is not known.
// store.DB.Feeds gives the feeds of a number; equal numbers are equal sets.
type FeedSet uint32

// Mark says what is special about a fix.
type Mark uint8

// The marks of a fix; they may be combined.
const (
	NewSegment  Mark = 1 << iota // the ship did not sail from the fix before to this one: a jump that was accepted
	Doubtful                     // accepted without agreement, because a frozen ship is worse than a jumping one
	BySatellite                  // a satellite heard it first: not for everybody
	WrongClock                   // our clock was known to be wrong when it was heard; so its time is wrong too
	Coarse                       // to a tenth of a minute (185 m), as message 27 tells it
	Untrusted                    // told by a receiver that lies while the ship is at rest: kept and shown, and used for nothing
)

// Trusted reports whether the ship was where the fix says. No call, watchdog, track or statistic uses a fix that is not trusted.
func (f Fix) Trusted() bool { return f.Mark&Untrusted == 0 }

// Time returns the time of the fix in UTC.
func (f Fix) Time() time.Time { return time.UnixMilli(f.At).UTC() }

// Point returns the place in degrees.
//
// A place at +180° is that at -180°: what is searched for by rectangle lies on one side of the date line.
func (f Fix) Point() geo.Point {
	if f.Lon == 180*600000 {
		f.Lon = -180 * 600000
	}
	return geo.Point{Lon: float64(f.Lon) / 600000, Lat: float64(f.Lat) / 600000}
}
