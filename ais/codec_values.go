package ais

// A step is the size of one unit on the air, in units of the Go value. It is 10 where tenths of a knot go as whole knots.

// sog is a speed over ground; all ones mean "not available".
func (c *codec) sog(v *SOG, width, step int) {
	none := 1<<width - 1
	tenths, ok := v.Tenths()
	switch c.direction {
	case decoding:
		*v = 0
		if raw := int(c.readBits(width)); raw != none {
			*v = SOGTenths(raw * step)
		}
	case encoding:
		raw := none
		if ok {
			raw = min((tenths+step/2)/step, none-1)
		}
		c.writeBits(uint64(raw), width)
	case showing:
		c.showSteps("sog", tenths, ok, step, none)
	}
}

// cog is a course over ground: 12 bits in tenths of a degree, or 9 bits in degrees when the step is 10.
func (c *codec) cog(v *COG, step int) {
	width, none := 12, 3600
	if step == 10 {
		width, none = 9, 511
	}
	tenths, ok := v.Tenths()
	switch c.direction {
	case decoding:
		*v = COGTenths(int(c.readBits(width)) * step)
	case encoding:
		raw := none
		if ok {
			raw = (tenths + step/2) / step % (3600 / step)
		}
		c.writeBits(uint64(raw), width)
	case showing:
		c.showSteps("cog", tenths, ok, step, none)
	}
}

// showSteps shows a number of tenths that goes over the air in steps of 1 or 10 of them.
func (w *printer) showSteps(key string, tenths int, ok bool, step, none int) {
	if step == 10 {
		w.showNumber(key, tenths/10, ok, 1, 0, none)
		return
	}
	w.showNumber(key, tenths, ok, 10, 1, none)
}

// heading is 9 bits in degrees.
func (c *codec) heading(v *Heading) {
	degrees, ok := v.Degrees()
	if !ok {
		degrees = 511
	}
	switch c.direction {
	case decoding:
		*v = HeadingDegrees(int(c.readBits(9)))
	case encoding:
		c.writeBits(uint64(degrees), 9)
	case showing:
		c.showNumber("heading", degrees, ok, 1, 0, 511)
	}
}

// rot is a rate of turn as AIS codes it in 8 bits.
func (c *codec) rot(v *ROT) {
	raw, ok := v.Raw()
	switch c.direction {
	case decoding:
		*v = RawROT(c.takeSigned(8))
	case encoding:
		c.writeBits(uint64(raw), 8) // the raw value of an unknown rate is -128
	case showing:
		c.showNumber("rot", raw, ok, 1, 0, -128)
	}
}

// place is a longitude of 28 bits and a latitude of 27, or of 18 and 17 bits when the step is 1000 (1/10 minute). Its keys
// in JSON begin with prefix.
func (c *codec) place(prefix string, v *Place, step int32) {
	lonBits, latBits, decimals := 28, 27, 7 // decimals that tell 1/600000 degree apart
	if step == 1000 {
		lonBits, latBits, decimals = 18, 17, 6
	}
	switch c.direction {
	case decoding:
		v.Lon = int32(c.takeSigned(lonBits)) * step
		v.Lat = int32(c.takeSigned(latBits)) * step
	case encoding:
		c.writeBits(uint64(roundDiv(v.Lon, step)), lonBits)
		c.writeBits(uint64(roundDiv(v.Lat, step)), latBits)
	case showing:
		lon, lat, scale := int(v.Lon/step), int(v.Lat/step), 600000/int(step)
		c.showNumber(prefix+"lon", lon, v.Known(), scale, decimals, lon)
		c.showNumber(prefix+"lat", lat, v.Known(), scale, decimals, lat)
	}
}

// roundDiv divides, to the nearest whole number, halves away from zero.
func roundDiv(v, by int32) int32 {
	if v < 0 {
		return -((-v + by/2) / by)
	}
	return (v + by/2) / by
}

// second is the UTC second of a fix. JSON leaves out 60, "not available"; 61 to 63 say what kind of position it is.
func (c *codec) second(v *Second) { optional(c, "second", 6, 60, 1, v) }

// status is a navigational status.
func (c *codec) status(v *NavStatus) {
	code(c, "nav_status", "nav_status_text", 4, v, NavStatus.String)
}

// epfd is a kind of position fixing device.
func (c *codec) epfd(v *uint8) { code(c, "epfd", "epfd_text", 4, v, EPFDText) }

// shipType is a type of ship. JSON leaves out 0, "not available".
func (c *codec) shipType(v *ShipType) {
	if c.direction != showing || *v != 0 || c.raw {
		code(c, "type_code", "type_text", 8, v, ShipType.String)
	}
}

// dimensions are 9, 9, 6 and 6 bits. JSON leaves them out when all are 0: not available.
func (c *codec) dimensions(v *Dimensions) {
	switch c.direction {
	case decoding:
		*v = dimensionsOf(c.readBits(30))
	case encoding:
		c.writeBits(uint64(min(v.Bow, 511)), 9)
		c.writeBits(uint64(min(v.Stern, 511)), 9)
		c.writeBits(uint64(min(v.Port, 63)), 6)
		c.writeBits(uint64(min(v.Starboard, 63)), 6)
	case showing:
		if *v != (Dimensions{}) || c.raw {
			c.showInt("to_bow", int(v.Bow))
			c.showInt("to_stern", int(v.Stern))
			c.showInt("to_port", int(v.Port))
			c.showInt("to_starboard", int(v.Starboard))
		}
	}
}

func dimensionsOf(raw uint64) Dimensions {
	return Dimensions{uint16(raw >> 21), uint16(raw >> 12 & 511), uint16(raw >> 6 & 63), uint16(raw & 63)}
}

// eta is the time of arrival that the crew expects.
func (c *codec) eta(v *ETA) { c.dayAndTime("eta", v) }

// dayAndTime is 4, 5, 5 and 6 bits: month, day, hour and minute.
func (c *codec) dayAndTime(key string, v *ETA) {
	switch c.direction {
	case decoding:
		*v = etaOf(c.readBits(20))
	case encoding:
		c.writeBits(uint64(v.Month&15)<<16|uint64(v.Day&31)<<11|uint64(v.Hour&31)<<6|uint64(v.Minute&63), 20)
	case showing:
		c.showETA(key, *v)
	}
}

func etaOf(raw uint64) ETA {
	return ETA{uint8(raw >> 16), uint8(raw >> 11 & 31), uint8(raw >> 6 & 31), uint8(raw & 63)}
}
