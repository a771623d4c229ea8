package ais

// AreaNotice is DAC 1 with FI 22 (to all) or FI 23 (addressed): what holds in an area and until when (SN.1/Circ.289).
type AreaNotice struct {
	Linkage  uint16  // joins it with a text that has the same number
	Notice   uint8   // what it says, 0..127; 126 cancels, 127 is undefined
	Start    ETA     // UTC; month or day 0, hour 24 and minute 60 are not available
	Duration Reading // minutes; 0 cancels the notice
	Areas    []SubArea
}

func (n *AreaNotice) layout(c *codec) {
	integer(c, "linkage", 10, &n.Linkage)
	integer(c, "notice", 7, &n.Notice)
	c.moment(&n.Start.Month, &n.Start.Day, &n.Start.Hour, &n.Start.Minute)
	c.reading(&quantity{"duration", 18, false, 0, 262142, 262143, 0, 1}, &n.Duration)
	list(c, "areas", &n.Areas, 87, 10, (*SubArea).layout)
}

// SubArea is one part of an area notice. Which fields have a meaning depends on Shape.
type SubArea struct {
	Shape       uint8 // 0 circle or point, 1 rectangle, 2 sector, 3 polyline, 4 polygon, 5 text
	Place       Place // centre of a circle or sector, south-west corner of a rectangle
	Precision   uint8 // decimals of the place that mean something
	Radius      int   // metres, circle and sector; 0 is a point
	East, North int   // metres, sides of a rectangle
	Orientation int   // degrees clockwise, rectangle
	Left, Right int   // degrees true, limits of a sector
	Points      []SubAreaPoint
	Text        string // up to 14 characters
}

// SubAreaPoint is a further point of a polyline or polygon, seen from the one before it.
type SubAreaPoint struct {
	Bearing  float64 // degrees true
	Distance int     // metres
}

func (s *SubArea) layout(c *codec) {
	integer(c, "shape", 3, &s.Shape)
	switch s.Shape {
	case 0, 1, 2:
		s.extent(c)
	case 3:
		s.points(c, "waypoints")
	case 4:
		s.points(c, "vertices")
	case 5:
		c.fullText("text", &s.Text, 14)
	}
}

func (s *SubArea) extent(c *codec) {
	scale := c.takeScale()
	c.mapPlace(&s.Place, false)
	integer(c, "precision", 3, &s.Precision)
	if s.Shape == 1 {
		c.length("east", 8, scale, &s.East)
		c.length("north", 8, scale, &s.North)
		integer(c, "orientation", 9, &s.Orientation)
		return
	}
	c.length("radius", 12, scale, &s.Radius)
	if s.Shape == 2 {
		integer(c, "left", 9, &s.Left)
		integer(c, "right", 9, &s.Right)
	}
}

// takeScale reads the unit of the lengths of an area in metres: 1, 10, 100 or 1000.
func (c *codec) takeScale() int {
	if c.direction == showing {
		return 1
	}
	return [...]int{1, 10, 100, 1000}[c.readBits(2)&3]
}

// length is a length in metres, in units of scale.
func (c *codec) length(key string, width, scale int, v *int) {
	if integer(c, key, width, v); c.direction == decoding {
		*v *= scale
	}
}

// points are four bearings in half degrees (720 is not available) and distances (0: no point).
func (s *SubArea) points(c *codec, key string) {
	if c.direction == showing {
		s.showPoints(c, key)
		return
	}
	scale := c.takeScale()
	for range 4 {
		bearing, distance := int(c.readBits(10)), int(c.readBits(10))
		if bearing < 720 && distance > 0 {
			s.Points = append(s.Points, SubAreaPoint{float64(bearing) / 2, distance * scale})
		}
	}
}

func (s *SubArea) showPoints(c *codec, key string) {
	c.openArray(key)
	for _, p := range s.Points {
		c.openObject()
		c.showFloat("bearing", p.Bearing, 1)
		c.showInt("distance", p.Distance)
		c.closeObject()
	}
	c.closeArray()
}
