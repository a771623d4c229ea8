package ais

import "fmt"

// content is the inside of a binary message whose application is known. All of them are decoded and shown; MetHydro is the
// one that is encoded too.
type content interface{ layout(c *codec) }

// newContent returns an empty content for the application that DAC and FI name (ITU-R M.1371-5, annex 5), or nil for one that
// is not known. FI 16 of DAC 1 has two uses: persons on board have at most 48 bits.
func (a *Application) newContent(addressed bool) content {
	switch [2]uint16{a.DAC, a.FI} {
	case [2]uint16{1, 11}, [2]uint16{1, 31}:
		return &MetHydro{FI: a.FI}
	case [2]uint16{1, 16}:
		if addressed || a.Bits < targetBits {
			return &PersonsOnBoard{}
		}
		return &Targets{}
	case [2]uint16{1, 17}:
		return &Targets{}
	case [2]uint16{1, 22}, [2]uint16{1, 23}:
		return &AreaNotice{}
	case [2]uint16{1, 26}:
		return &Environmental{FI: 26}
	case [2]uint16{1, 29}, [2]uint16{1, 30}:
		return &TextDescription{}
	case [2]uint16{200, 21}, [2]uint16{200, 22}:
		return &InlandArrival{FI: a.FI}
	case [2]uint16{200, 23}:
		return &InlandWeather{}
	case [2]uint16{200, 24}:
		return &InlandWaterLevels{}
	case [2]uint16{200, 40}:
		return &InlandSignal{}
	case [2]uint16{200, 10}:
		return &InlandStatic{}
	case [2]uint16{200, 55}:
		return &InlandPersons{}
	case [2]uint16{235, 10}, [2]uint16{250, 10}:
		return &AtoNMonitoring{}
	case [2]uint16{367, 33}:
		return &Environmental{FI: 33}
	}
	return nil
}

// content reads or shows what the data that was just visited mean. Content stays nil when the bits are too few for it.
func (a *Application) content(c *codec, addressed bool) {
	switch c.direction {
	case decoding:
		inside := a.newContent(addressed)
		if inside == nil || c.err != nil {
			return
		}
		at, end := c.at, c.end
		c.at, c.end, c.short = at-a.Bits, at, false
		if inside.layout(c); !c.short {
			a.Content = inside
		}
		c.at, c.end = at, end
	case showing:
		if inside, ok := a.Content.(content); ok {
			inside.layout(c)
		}
	}
}

// Reading is one measured or counted value of an application message. The zero Reading is unknown.
type Reading struct {
	raw    int32
	offset int16
	per    uint8
	known  bool
}

// Raw returns the value as it is on the air.
func (r Reading) Raw() (int, bool) { return int(r.raw), r.known }

// Value returns the value in the unit of its field.
func (r Reading) Value() (float64, bool) {
	return float64(int(r.raw)+int(r.offset)) / float64(max(1, r.per)), r.known
}

// NamedReading is a Reading with the key that gpsd gives its field.
type NamedReading struct {
	Key string
	Reading
}

// Readings are the values of an application message in the order of its bits; those that are not available are absent.
type Readings []NamedReading

// Value returns the value of the field that gpsd calls key, in its unit.
func (r Readings) Value(key string) (float64, bool) { return r.readingOf(key).Value() }

func (r Readings) readingOf(key string) Reading {
	for i := range r {
		if r[i].Key == key {
			return r[i].Reading
		}
	}
	return Reading{}
}

// quantity is one field of an application message: its bits and which of its values mean something.
type quantity struct {
	key       string
	bits      uint8
	signed    bool
	low, high int32 // values outside are "not available" or reserved
	none      int32 // what is sent when the value is not known
	offset    int16 // added to the value on the air
	per       uint8 // the value is (raw+offset)/per
}

// reading is one value by its quantity.
func (c *codec) reading(q *quantity, v *Reading) {
	switch c.direction {
	case decoding:
		*v = c.takeReading(q)
	case encoding:
		raw := q.none
		if v.known {
			raw = v.raw
		}
		c.writeBits(uint64(raw), int(q.bits))
	case showing:
		if v.known {
			c.showReading(q.key, *v)
		}
	}
}

func (c *codec) takeReading(q *quantity) Reading {
	var raw int
	if q.signed {
		raw = c.takeSigned(int(q.bits))
	} else {
		raw = int(c.readBits(int(q.bits)))
	}
	if c.short || raw < int(q.low) || raw > int(q.high) {
		return Reading{}
	}
	return Reading{raw: int32(raw), offset: q.offset, per: q.per, known: true}
}

// showReading shows a value with as many decimals as it has on the air, or the raw integer.
func (w *printer) showReading(key string, v Reading) {
	if w.raw {
		w.showInt(key, int(v.raw))
		return
	}
	value, _ := v.Value()
	w.showFloat(key, value, decimalsOf(int(v.per)))
}

// decimalsOf tells how many decimals show a value in steps of 1/per: 1, 10, 20 or 100.
func decimalsOf(per int) int {
	switch {
	case per <= 1:
		return 0
	case per == 10:
		return 1
	}
	return 2
}

// readings are values by their quantities, one after the other. A quantity without a key is spare.
func (c *codec) readings(v *Readings, quantities []quantity) {
	if c.direction == decoding {
		c.takeReadings(v, quantities)
		return
	}
	for i := range quantities {
		q := &quantities[i]
		value := v.readingOf(q.key)
		c.reading(q, &value)
	}
}

func (c *codec) takeReadings(v *Readings, quantities []quantity) {
	list := *v
	if list == nil {
		list = make(Readings, 0, len(quantities))
	}
	for i := range quantities {
		q := &quantities[i]
		if value := c.takeReading(q); value.known && q.key != "" {
			list = append(list, NamedReading{q.key, value})
		}
	}
	*v = list
}

// mapPlace is a longitude of 25 bits and a latitude of 24 bits, in either order, in thousandths of a minute.
func (c *codec) mapPlace(v *Place, latitudeFirst bool) {
	if c.direction == showing {
		c.showPlace(*v)
		return
	}
	if latitudeFirst {
		c.thousandths(&v.Lat, 24)
	}
	c.thousandths(&v.Lon, 25)
	if !latitudeFirst {
		c.thousandths(&v.Lat, 24)
	}
}

func (c *codec) thousandths(v *int32, width int) {
	if c.direction == decoding {
		*v = int32(c.takeSigned(width)) * 10
		return
	}
	c.writeBits(uint64(roundDiv(*v, 10)), width)
}

// showPlace shows a place that is known: degrees, or thousandths of a minute when raw.
func (w *printer) showPlace(p Place) {
	switch lon, lat := p.Degrees(); {
	case !p.Known():
	case w.raw:
		w.showInt("lon", int(p.Lon/10))
		w.showInt("lat", int(p.Lat/10))
	default:
		w.showFloat("lon", lon, 6)
		w.showFloat("lat", lat, 6)
	}
}

// moment is a time in UTC, without a year and, where month is nil, without a month. JSON has it as gpsd does,
// "11-20T17:15Z" or "20T17:15Z", and leaves it out when the day or the time is not known.
func (c *codec) moment(month, day, hour, minute *uint8) {
	if c.direction == showing {
		c.showMoment(month, *day, *hour, *minute)
		return
	}
	if month != nil {
		integer(c, "", 4, month)
	}
	integer(c, "", 5, day)
	integer(c, "", 5, hour)
	integer(c, "", 6, minute)
}

func (w *printer) showMoment(month *uint8, day, hour, minute uint8) {
	if day < 1 || day > 31 || hour > 23 || minute > 59 {
		return
	}
	w.json = append(w.withKey("timestamp"), '"')
	if month != nil && *month >= 1 && *month <= 12 {
		w.json = fmt.Appendf(w.json, "%02d-", *month)
	}
	w.json = fmt.Appendf(w.json, `%02dT%02d:%02dZ"`, day, hour, minute)
}
