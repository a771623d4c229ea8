package ais

import "strconv"

// AreaNotice is DAC 1 with FI 22 (to all) or FI 23 (addressed): what holds in an area and until when (SN.1/Circ.289).
type AreaNotice struct {
	Linkage  uint16  // joins it with a text that has the same number
	Notice   uint8   // what it says, 0..127; 126 cancels, 127 is undefined
	Start    ETA     // UTC; month or day 0, hour 24 and minute 60 are not available
	Duration Reading // minutes; 0 cancels the notice
	Areas    []SubArea
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

var noticeDuration = layout{"duration", 18, false, 0, 262142, 262143, 0, 0}

func decodeAreaNotice(r applicationBits) any {
	n := &AreaNotice{Linkage: uint16(r.uint(10)), Notice: uint8(r.uint(7))}
	n.Start = ETA{Month: uint8(r.uint(4)), Day: uint8(r.uint(5)), Hour: uint8(r.uint(5)), Minute: uint8(r.uint(6))}
	n.Duration = noticeDuration.read(&r)
	if r.short {
		return nil
	}
	for r.left() >= 87 && len(n.Areas) < 10 {
		area := r
		area.bits = r.at + 87
		n.Areas = append(n.Areas, decodeSubArea(area))
		r.at += 87
	}
	return n
}

// decodeSubArea reads the 87 bits of one area.
func decodeSubArea(r applicationBits) SubArea {
	s := SubArea{Shape: uint8(r.uint(3))}
	if s.Shape == 5 {
		s.Text = r.text(14)
		return s
	}
	if s.Shape > 5 {
		return s
	}
	scale := [...]int{1, 10, 100, 1000}[r.uint(2)]
	if s.Shape == 3 || s.Shape == 4 {
		s.Points = readAreaPoints(&r, scale)
		return s
	}
	s.Place, s.Precision = r.place(false), uint8(r.uint(3))
	if s.Shape == 1 {
		s.East, s.North, s.Orientation = int(r.uint(8))*scale, int(r.uint(8))*scale, int(r.uint(9))
		return s
	}
	s.Radius = int(r.uint(12)) * scale
	if s.Shape == 2 {
		s.Left, s.Right = int(r.uint(9)), int(r.uint(9))
	}
	return s
}

// readAreaPoints reads four bearings (half degrees, 720 not available) and distances (0: no point).
func readAreaPoints(r *applicationBits, scale int) []SubAreaPoint {
	var out []SubAreaPoint
	for range 4 {
		bearing, distance := int(r.uint(10)), int(r.uint(10))
		if bearing < 720 && distance > 0 {
			out = append(out, SubAreaPoint{float64(bearing) / 2, distance * scale})
		}
	}
	return out
}

func (n *AreaNotice) appendJSON(dst []byte, raw bool) []byte {
	dst = appendIntField(dst, "linkage", int(n.Linkage))
	dst = appendIntField(dst, "notice", int(n.Notice))
	dst = appendTimeField(dst, "timestamp", n.Start)
	dst = n.Duration.appendField(dst, "duration", raw)
	dst = append(appendKey(dst, "areas"), '[')
	for i := range n.Areas {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"shape":`...)
		dst = strconv.AppendInt(dst, int64(n.Areas[i].Shape), 10)
		dst = append(n.Areas[i].appendJSON(dst, raw), '}')
	}
	return append(dst, ']')
}

func (s *SubArea) appendJSON(dst []byte, raw bool) []byte {
	switch s.Shape {
	case 0, 1, 2:
		dst = appendIntField(appendPlaceFields(dst, s.Place, raw), "precision", int(s.Precision))
		return s.appendExtent(dst)
	case 3:
		return s.appendPoints(dst, "waypoints")
	case 4:
		return s.appendPoints(dst, "vertices")
	case 5:
		return appendTextField(dst, "text", s.Text)
	}
	return dst
}

func (s *SubArea) appendExtent(dst []byte) []byte {
	if s.Shape == 1 {
		dst = appendIntField(appendIntField(dst, "east", s.East), "north", s.North)
		return appendIntField(dst, "orientation", s.Orientation)
	}
	dst = appendIntField(dst, "radius", s.Radius)
	if s.Shape == 2 {
		dst = appendIntField(appendIntField(dst, "left", s.Left), "right", s.Right)
	}
	return dst
}

func (s *SubArea) appendPoints(dst []byte, key string) []byte {
	dst = append(appendKey(dst, key), '[')
	for i, p := range s.Points {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"bearing":`...)
		dst = strconv.AppendFloat(dst, p.Bearing, 'f', 1, 64)
		dst = append(appendIntField(dst, "distance", p.Distance), '}')
	}
	return append(dst, ']')
}
