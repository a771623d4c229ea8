package traffic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// AgeLimits say for how long a ship may be silent.
type AgeLimits struct {
	Lost    time.Duration // from here on the ship is lost
	Removed time.Duration // from here on the ship is no longer in the live picture
}

// Config holds the numbers of a Picture.
type Config struct {
	Clock    ais.Clock // LogClock: time is what the reports say, so a recorded day gives the same at any speed
	UnderWay AgeLimits // class A under way, aircraft
	AtRest   AgeLimits // class A at anchor, moored or aground, class B, and devices in distress
	Fixed    AgeLimits // aids to navigation, base and coast stations
	Limits   ship.Limits

	DuplicateWindow time.Duration // a message heard again within this is a duplicate
	MaxShips        int           // ships that were heard at least ship.ConfirmedReports times
	MaxUnconfirmed  int           // numbers that were heard less often
	MaxNameless     int           // ships that left the picture and never told what they are, that are still found by their place

	// Spared names ships that are never evicted, beside those that were entered by hand; nil is none. It is asked under the lock of the picture, so
	// it must take no lock that is held while the picture is read.
	Spared func(ais.MMSI) bool

	FeedPositions map[string]geo.Point // of the antenna, by the name of the feed, for range figures
}

// wrongClock is ship.Limits.WrongClock where our own clock rules. It is longer than a fix may lie ahead of its reception; in
// a log, lines of any age may follow each other.
const wrongClock = 2 * time.Minute

// DefaultConfig returns the numbers that hold unless an operator sets others. They follow from the
// reporting intervals of ITU-R M.1371-5: 2 to 10 s under way, 3 min at rest.
func DefaultConfig() Config {
	return Config{
		UnderWay:        AgeLimits{Lost: 6 * time.Minute, Removed: 30 * time.Minute},
		AtRest:          AgeLimits{Lost: 15 * time.Minute, Removed: time.Hour},
		Fixed:           AgeLimits{Lost: 30 * time.Minute, Removed: 24 * time.Hour},
		Limits:          ship.DefaultLimits(),
		DuplicateWindow: 10 * time.Second,
		MaxShips:        250000,
		MaxUnconfirmed:  150000,
		MaxNameless:     250000,
	}
}

// How much memory ships take, in bytes. By the profile of the heap, DefaultConfig takes half of enoughMemory while numbers are invented. A ship takes some 1,300
// bytes with what the store and the streams keep of it, and the collector wants as much again.
const (
	enoughMemory = 1 << 30
	shipMemory   = 2800
)

// FitMemory gives ships less room where the program has less memory than they may take, in bytes. Numbers that were hardly heard, and nameless ships that left,
// get less room from 1 GiB down.
func (c *Config) FitMemory(bytes int64) {
	const least = 20000
	fit := func(most int, room float64) int { return max(min(most, least), int(min(float64(most), room))) }
	share := float64(bytes) / enoughMemory
	c.MaxShips = fit(c.MaxShips, float64(bytes)/shipMemory)
	c.MaxUnconfirmed = fit(c.MaxUnconfirmed, float64(c.MaxUnconfirmed)*share)
	c.MaxNameless = fit(c.MaxNameless, float64(c.MaxNameless)*share)
}

// spares reports whether a ship is never evicted.
func (c *Config) spares(e *entry) bool {
	return e.kept || c.Spared != nil && c.Spared(e.state.MMSI)
}

// LostAfter returns after which silence a ship is lost, by its class and status.
func (p *Picture) LostAfter(s *ship.State) time.Duration { return p.config.ages(s).Lost }

// ages returns the limits for the silence of s.
func (c *Config) ages(s *ship.State) AgeLimits {
	switch s.Class {
	case ship.ClassAtoN, ship.ClassBase, ship.ClassCoast:
		return c.Fixed
	case ship.ClassA, ship.ClassSAR:
		if !s.AtRest() {
			return c.UnderWay
		}
	}
	return c.AtRest
}
