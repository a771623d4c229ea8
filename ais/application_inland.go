package ais

// InlandStatic is DAC 200, FI 10: what an inland ship is and carries, sent beside message 5.
type InlandStatic struct {
	VIN           string  // European vessel identification number (ENI), 8 characters
	Length        Reading // metres, to a decimetre
	Beam          Reading // metres, to a decimetre
	ShipType      uint16  // ERI code 8000..8370, 0 is not available
	Hazard        Reading // blue cones or lights 0..3, 4 is the B flag
	Draught       Reading // metres, to a centimetre
	Loaded        Reading // 1 unloaded, 2 loaded
	SpeedQuality  bool    // the speed comes from a better sensor than GNSS
	CourseQuality bool
	HeadingSensor bool // the heading comes from a certified gyro
}

// InlandPersons is DAC 200, FI 55: the number of persons on board of an inland ship.
type InlandPersons struct {
	Crew, Passengers, Personnel Reading
}

// AtoNMonitoring is DAC 235 (United Kingdom) or 250 (Ireland), FI 10: the state of an aid to navigation.
type AtoNMonitoring struct {
	Supply, Analogue1, Analogue2 Reading // volts, in steps of 0.05 V; unknown where not used
	Racon                        uint8   // 0 none, 1 not monitored, 2 operational, 3 error
	Light                        uint8   // 0 none or not monitored, 1 on, 2 off, 3 error
	Alarm                        bool
	External                     uint8 // eight digital inputs
	OffPosition                  bool
}

var (
	inlandLength    = layout{"length", 13, false, 1, 8000, 0, 0, 1}
	inlandBeam      = layout{"beam", 10, false, 1, 1000, 0, 0, 1}
	inlandHazard    = layout{"hazard", 3, false, 0, 4, 5, 0, 0}
	inlandDraught   = layout{"draught", 11, false, 1, 2000, 0, 0, 2}
	inlandLoaded    = layout{"loaded", 2, false, 1, 2, 0, 0, 0}
	inlandCrew      = layout{"crew", 8, false, 0, 254, 255, 0, 0}
	inlandPassenger = layout{"passengers", 13, false, 0, 8190, 8191, 0, 0}
	inlandPersonnel = layout{"personnel", 8, false, 0, 254, 255, 0, 0}
	atonVoltage     = layout{"", 10, false, 1, 1023, 0, 0, 0}
)

func decodeInlandStatic(r applicationBits) any {
	s := &InlandStatic{VIN: r.text(8), Length: inlandLength.read(&r), Beam: inlandBeam.read(&r)}
	s.ShipType = uint16(r.uint(14))
	s.Hazard, s.Draught, s.Loaded = inlandHazard.read(&r), inlandDraught.read(&r), inlandLoaded.read(&r)
	s.SpeedQuality, s.CourseQuality, s.HeadingSensor = r.bool(), r.bool(), r.bool()
	if r.short {
		return nil
	}
	return s
}

func (s *InlandStatic) appendJSON(dst []byte, raw bool) []byte {
	dst = appendTextField(dst, "vin", s.VIN)
	dst = s.Length.appendField(dst, "length", raw)
	dst = s.Beam.appendField(dst, "beam", raw)
	if s.ShipType != 0 {
		dst = appendIntField(dst, "shiptype", int(s.ShipType))
	}
	dst = s.Hazard.appendField(dst, "hazard", raw)
	dst = s.Draught.appendField(dst, "draught", raw)
	dst = s.Loaded.appendField(dst, "loaded", raw)
	dst = appendBoolField(dst, "speed_q", s.SpeedQuality)
	dst = appendBoolField(dst, "course_q", s.CourseQuality)
	return appendBoolField(dst, "heading_q", s.HeadingSensor)
}

func decodeInlandPersons(r applicationBits) any {
	p := &InlandPersons{inlandCrew.read(&r), inlandPassenger.read(&r), inlandPersonnel.read(&r)}
	if r.short {
		return nil
	}
	return p
}

func (p *InlandPersons) appendJSON(dst []byte, raw bool) []byte {
	dst = p.Crew.appendField(dst, "crew", raw)
	dst = p.Passengers.appendField(dst, "passengers", raw)
	return p.Personnel.appendField(dst, "personnel", raw)
}

func decodeAtoNMonitoring(r applicationBits) any {
	m := &AtoNMonitoring{Supply: readVoltage(&r), Analogue1: readVoltage(&r), Analogue2: readVoltage(&r)}
	m.Racon, m.Light, m.Alarm = uint8(r.uint(2)), uint8(r.uint(2)), r.bool()
	m.External, m.OffPosition = uint8(r.uint(8)), r.bool()
	if r.short {
		return nil
	}
	return m
}

// readVoltage reads a voltage in steps of 0.05 V as hundredths, so that it prints as a decimal number.
func readVoltage(r *applicationBits) Reading {
	v := atonVoltage.read(r)
	v.raw, v.decimals = v.raw*5, 2
	return v
}

func (m *AtoNMonitoring) appendJSON(dst []byte, raw bool) []byte {
	dst = appendBoolField(dst, "off_pos", m.OffPosition)
	dst = appendBoolField(dst, "alarm", m.Alarm)
	dst = appendIntField(dst, "stat_ext", int(m.External))
	for i, v := range []Reading{m.Supply, m.Analogue1, m.Analogue2} {
		if raw {
			v.raw /= 5
		}
		dst = v.appendField(dst, [...]string{"ana_int", "ana_ext1", "ana_ext2"}[i], raw)
	}
	dst = appendIntField(dst, "racon", int(m.Racon))
	dst = appendTextField(dst, "racon_text",
		[...]string{"No RACON installed", "RACON not monitored", "RACON operational", "RACON ERROR"}[m.Racon&3])
	dst = appendIntField(dst, "light", int(m.Light))
	return appendTextField(dst, "light_text",
		[...]string{"No light or no monitoring", "Light ON", "Light OFF", "Light ERROR"}[m.Light&3])
}

// appendField appends a reading that is known under key.
func (r Reading) appendField(dst []byte, key string, raw bool) []byte {
	if !r.known {
		return dst
	}
	return r.appendNumber(appendKey(dst, key), raw)
}
