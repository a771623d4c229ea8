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

func (s *InlandStatic) layout(c *codec) {
	c.fullText("vin", &s.VIN, 8)
	c.reading(&quantity{"length", 13, false, 1, 8000, 0, 0, 10}, &s.Length)
	c.reading(&quantity{"beam", 10, false, 1, 1000, 0, 0, 10}, &s.Beam)
	if c.direction != showing || s.ShipType != 0 {
		integer(c, "shiptype", 14, &s.ShipType)
	}
	c.reading(&quantity{"hazard", 3, false, 0, 4, 5, 0, 1}, &s.Hazard)
	c.reading(&quantity{"draught", 11, false, 1, 2000, 0, 0, 100}, &s.Draught)
	c.reading(&quantity{"loaded", 2, false, 1, 2, 0, 0, 1}, &s.Loaded)
	c.flag("speed_q", &s.SpeedQuality)
	c.flag("course_q", &s.CourseQuality)
	c.flag("heading_q", &s.HeadingSensor)
}

// InlandPersons is DAC 200, FI 55: the number of persons on board of an inland ship.
type InlandPersons struct {
	Crew, Passengers, Personnel Reading
}

func (p *InlandPersons) layout(c *codec) {
	c.reading(&quantity{"crew", 8, false, 0, 254, 255, 0, 1}, &p.Crew)
	c.reading(&quantity{"passengers", 13, false, 0, 8190, 8191, 0, 1}, &p.Passengers)
	c.reading(&quantity{"personnel", 8, false, 0, 254, 255, 0, 1}, &p.Personnel)
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

func (m *AtoNMonitoring) layout(c *codec) {
	begin := c.at
	c.seek(begin + 43)
	c.flag("off_pos", &m.OffPosition)
	c.seek(begin + 34)
	c.flag("alarm", &m.Alarm)
	integer(c, "stat_ext", 8, &m.External)
	c.seek(begin)
	c.voltage("ana_int", &m.Supply)
	c.voltage("ana_ext1", &m.Analogue1)
	c.voltage("ana_ext2", &m.Analogue2)
	code(c, "racon", "racon_text", 2, &m.Racon, raconText)
	code(c, "light", "light_text", 2, &m.Light, lightText)
}

func (c *codec) voltage(key string, v *Reading) {
	c.reading(&quantity{key, 10, false, 1, 1023, 0, 0, 20}, v)
}

func raconText(v uint8) string {
	return [...]string{"No RACON installed", "RACON not monitored", "RACON operational", "RACON ERROR"}[v&3]
}

func lightText(v uint8) string {
	return [...]string{"No light or no monitoring", "Light ON", "Light OFF", "Light ERROR"}[v&3]
}
