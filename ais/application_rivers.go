package ais

import (
	"fmt"
	"slices"
)

// InlandArrival is DAC 200, FI 21, with which an inland ship asks a lock, bridge or terminal for a time. It is also FI 22, the answer of that.
type InlandArrival struct {
	FI         uint16
	Country    string  // UN code, 2 characters
	Location   string  // UN/LOCODE without the country, 3 characters
	Section    string  // of the fairway, 5 characters
	Terminal   string  // 5 characters
	Hectometre string  // of the fairway, 5 characters
	At         ETA     // when the ship expects to arrive, or FI 22: when it is asked to
	Tugs       Reading // FI 21: that assist, 0..6
	AirDraught Reading // FI 21: metres, to a centimetre
	Status     Reading // FI 22: 0 operational, 1 limited, 2 out of order
}

func (a *InlandArrival) layout(c *codec) {
	c.text("country", &a.Country, 2)
	c.text("locode", &a.Location, 3)
	c.text("section", &a.Section, 5)
	c.text("terminal", &a.Terminal, 5)
	c.text("hectometre", &a.Hectometre, 5)
	if a.FI == 22 {
		c.dayAndTime("rta", &a.At)
		c.reading(&quantity{"status", 2, false, 0, 2, 3, 0, 1}, &a.Status)
		return
	}
	c.dayAndTime("eta", &a.At)
	c.reading(&quantity{"tugs", 3, false, 0, 6, 7, 0, 1}, &a.Tugs)
	c.reading(&quantity{"airdraught", 12, false, 1, 4000, 0, 0, 100}, &a.AirDraught)
}

// InlandWeather is DAC 200, FI 23: a warning of the weather on a part of a fairway (EMMA).
type InlandWeather struct {
	Start, End  InlandDate
	StartPlace  Place
	EndPlace    Place
	Kind        uint8   // 0 is not available, 1 wind, 2 rain, … 9 forest fire
	Least, Most Reading // of what the kind says, −254..254
	Intensity   Reading // 1 slight, 2 medium, 3 strong
	Wind        Reading // from where: 1 north, 2 north-east, … 8 north-west
}

// InlandDate is a date and a time as they are on the air. Year 0 (else since 2000), month 0, day 0, hour 24 and minute 60 are not available.
type InlandDate struct {
	Year, Month, Day, Hour, Minute uint8
}

func (w *InlandWeather) layout(c *codec) {
	for _, d := range []*InlandDate{&w.Start, &w.End} {
		integer(c, "", 8, &d.Year)
		integer(c, "", 4, &d.Month)
		integer(c, "", 5, &d.Day)
	}
	for _, d := range []*InlandDate{&w.Start, &w.End} {
		integer(c, "", 5, &d.Hour)
		integer(c, "", 6, &d.Minute)
	}
	c.inlandDate("start", w.Start)
	c.inlandDate("end", w.End)
	c.place("start_", &w.StartPlace, 1)
	c.place("end_", &w.EndPlace, 1)
	code(c, "warning", "warning_text", 4, &w.Kind, inlandWarning)
	c.signedMagnitude(&quantity{"min", 9, true, -254, 254, 255, 0, 1}, &w.Least)
	c.signedMagnitude(&quantity{"max", 9, true, -254, 254, 255, 0, 1}, &w.Most)
	c.reading(&quantity{"intensity", 2, false, 1, 3, 0, 0, 1}, &w.Intensity)
	c.reading(&quantity{"wind", 4, false, 1, 8, 0, 0, 1}, &w.Wind)
}

func inlandWarning(kind uint8) string {
	names := [...]string{"", "Wind", "Rain", "Snow and ice", "Thunderstorm", "Fog", "Low temperature", "High temperature", "Flood", "Forest fire"}
	if int(kind) >= len(names) {
		return ""
	}
	return names[kind]
}

// inlandDate shows "2026-11-20T09:30Z", the day alone without a time, and nothing without a day.
func (c *codec) inlandDate(key string, d InlandDate) {
	if c.direction != showing || d.Year == 0 || d.Month < 1 || d.Month > 12 || d.Day < 1 || int(d.Day) > daysOf(2000+int(d.Year), int(d.Month)) {
		return
	}
	c.json = fmt.Appendf(c.withKey(key), `"%d-%02d-%02d`, 2000+int(d.Year), d.Month, d.Day)
	if d.Hour < 24 && d.Minute < 60 {
		c.json = fmt.Appendf(c.json, "T%02d:%02dZ", d.Hour, d.Minute)
	}
	c.json = append(c.json, '"')
}

// InlandWaterLevels is DAC 200, FI 24: the level of the water at up to four gauges.
type InlandWaterLevels struct {
	Country string // UN code, 2 characters
	Gauges  []Gauge
}

// Gauge is the level of the water at one place of a river.
type Gauge struct {
	ID    uint16  // in its country
	Level Reading // metres above or below the local reference, to a centimetre
}

func (l *InlandWaterLevels) layout(c *codec) {
	c.text("country", &l.Country, 2)
	list(c, "gauges", &l.Gauges, 25, 4, (*Gauge).layout)
	if c.direction == decoding {
		l.Gauges = slices.DeleteFunc(l.Gauges, func(g Gauge) bool { return g.ID == 0 })
	}
}

func (g *Gauge) layout(c *codec) {
	integer(c, "id", 11, &g.ID)
	c.signedMagnitude(&quantity{"level", 14, true, -8191, 8191, 0, 0, 100}, &g.Level)
	if raw, _ := g.Level.Raw(); raw == 0 {
		g.Level = Reading{}
	}
}

// signedMagnitude is a value whose first bit is 1 for positive and 0 for negative numbers.
func (c *codec) signedMagnitude(q *quantity, v *Reading) {
	if c.direction == showing {
		c.reading(q, v)
		return
	}
	positive := c.readBits(1) == 1
	raw := int32(c.readBits(int(q.bits) - 1))
	if !positive {
		raw = -raw
	}
	*v = Reading{}
	if !c.short && raw >= q.low && raw <= q.high {
		*v = Reading{raw: raw, offset: q.offset, per: q.per, known: true}
	}
}

// InlandSignal is DAC 200, FI 40: the lights of a signal station.
type InlandSignal struct {
	Place     Place
	Form      uint8   // of the signal, by the Inland AIS standard, annex C; 0 and 15 are unknown
	Facing    Reading // degrees true
	Direction Reading // of the traffic that it means: 1 upstream, 2 downstream, 3 to the left bank, 4 to the right bank
	Lights    uint32  // a decimal digit for each of up to nine lights, by annex C
}

func (s *InlandSignal) layout(c *codec) {
	c.place("", &s.Place, 1)
	integer(c, "form", 4, &s.Form)
	c.reading(&quantity{"facing", 9, false, 0, 359, 511, 0, 1}, &s.Facing)
	c.reading(&quantity{"direction", 3, false, 1, 4, 0, 0, 1}, &s.Direction)
	integer(c, "status", 30, &s.Lights)
}
