package traffic

import (
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Stats counts what the picture holds and what it did since it was made.
type Stats struct {
	Ships       [ship.ClassCount][3]int // by ship.Class and ship.Age
	Unconfirmed int                     // of them, heard less than ship.ConfirmedReports times
	Reports     uint64                  // merged, duplicates not counted
	Fixes       uint64                  // places that moved a ship
	Late        uint64                  // places older than the latest
	Untrusted   uint64                  // of both, those of receivers that lie (ship.Untrusted)
	Rejected    [ship.ReasonCount]uint64
	Duplicates  uint64
	Evicted     uint64        // ships that had to make room
	Behind      time.Duration // of the last report: how long it waited for the picture
	Feeds       map[string]FeedStats
}

// FeedStats counts what one feed heard.
type FeedStats struct {
	Ships      int    // of the live picture, that this feed hears; 0 for those beyond the first ais.MostFeeds
	Reports    uint64 // duplicates not counted
	Duplicates uint64 // that another feed had said within the window
	LastHeard  time.Time
	Farthest   float64 // metres to the farthest ship heard direct; 0 when none, or when the feed's place is unknown
	Bearing    float64 // from the antenna to that ship, degrees true
	FarthestAt time.Time
}

// Stats returns the counts of now.
func (p *Picture) Stats() Stats {
	p.mu.RLock()
	defer p.mu.RUnlock()
	s := Stats{
		Ships: p.counts.ships, Unconfirmed: p.unconfirmed.length,
		Reports: p.counts.reports, Fixes: p.counts.fixes, Late: p.counts.late, Untrusted: p.counts.untrusted, Rejected: p.counts.rejected,
		Duplicates: p.counts.duplicates, Evicted: p.counts.evicted, Behind: p.Behind(),
		Feeds: make(map[string]FeedStats, len(p.feeds)),
	}
	for i := range p.feeds {
		s.Feeds[p.feeds[i].name] = p.feeds[i].FeedStats
	}
	return s
}

// counts are kept under the picture's lock.
type counts struct {
	ships                                     [ship.ClassCount][3]int
	reports, fixes, late, duplicates, evicted uint64
	untrusted                                 uint64
	rejected                                  [ship.ReasonCount]uint64
}

func (c *counts) countOutcome(out *ship.Outcome) {
	if out.Reason != ship.BadMMSI {
		c.reports++
	}
	if out.Reason != ship.Accepted {
		c.rejected[out.Reason]++
	}
	if out.Change&ship.ChangedFix != 0 {
		c.fixes++
	}
	if out.Change&ship.LateFix != 0 {
		c.late++
	}
}

func (c *counts) noteTrust(u *ship.Update) {
	if u.Change&(ship.ChangedFix|ship.LateFix) != 0 && !u.Fix.Trusted() {
		c.untrusted++
	}
}

func (c *counts) removed() int {
	n := 0
	for class := range c.ships {
		n += c.ships[class][ship.Removed]
	}
	return n
}

// feedCount is what the picture knows of one feed.
type feedCount struct {
	FeedStats
	name    string
	antenna *geo.Point // nil when unknown
}

func (f *feedCount) countReport(at time.Time) {
	f.Reports++
	f.LastHeard = ship.Later(f.LastHeard, at)
}

func (f *feedCount) heardAgain(at time.Time, elsewhere bool) {
	if elsewhere {
		f.Duplicates++
	}
	f.LastHeard = ship.Later(f.LastHeard, at)
}

// feedOf returns the index of the feed with that name. Feeds come from the configuration, so they are few; reports come in
// runs of one feed. The caller does not hold the lock.
func (p *Picture) feedOf(name string) int {
	if p.feed < len(p.feeds) && p.feeds[p.feed].name == name {
		return p.feed
	}
	for i := range p.feeds {
		if p.feeds[i].name == name {
			p.feed = i
			return i
		}
	}
	f := feedCount{name: name}
	if at, ok := p.config.FeedPositions[name]; ok && at.Valid() {
		f.antenna = &at
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.feeds = append(p.feeds, f)
	p.addFeedName(name)
	p.feed = len(p.feeds) - 1
	return p.feed
}

// farthestBelieved is the longest reception by VHF that is believed, 500 nautical miles; beyond it lie wrong places and
// feeds that are not one antenna.
const farthestBelieved = 500 * 1852

// measureRange notes how far away the sender of a message was, if the feed heard it direct. A repeated message does not count, nor does
// an aid, whose place may be virtual.
func (p *Picture) measureRange(feed int, m ais.Message, f ship.Fix) {
	count := &p.feeds[feed]
	if count.antenna == nil || m.Head().Repeat > 0 || m.Head().Type == 21 || f.Mark&(ship.Doubtful|ship.Untrusted) != 0 {
		return
	}
	at := f.Point()
	// The chord on a sphere, less one hundredth, is surely shorter than the way over the ellipsoid.
	if roughChord(*count.antenna, at)*1.01 < count.Farthest {
		return
	}
	metres := geo.Distance(*count.antenna, at)
	if metres > count.Farthest && metres <= farthestBelieved {
		count.Farthest, count.Bearing, count.FarthestAt = metres, geo.Bearing(*count.antenna, at), f.Time()
	}
}

// roughChord returns the length of the straight line through the earth between two places, on a sphere. For the ranges of VHF it is up to
// one hundredth short of the way over the ellipsoid.
func roughChord(a, b geo.Point) float64 {
	const radius, radian = 6371000, math.Pi / 180
	sinLat := math.Sin((b.Lat - a.Lat) * radian / 2)
	sinLon := math.Sin((b.Lon - a.Lon) * radian / 2)
	h := sinLat*sinLat + math.Cos(a.Lat*radian)*math.Cos(b.Lat*radian)*sinLon*sinLon
	return 2 * radius * math.Sqrt(h)
}
