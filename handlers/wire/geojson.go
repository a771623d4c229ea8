package wire

import (
	"io"
	"slices"
	"strconv"

	"quaywatch/ship"
)

// addFeature appends one ship as a GeoJSON feature: its place, and all else as flat properties. A ship without a place has no
// geometry.
func (o *Object) addFeature(s *ship.State) {
	o.B = append(o.B, `{"type":"Feature","id":`...)
	o.B = appendInt(o.B, int64(s.MMSI))
	o.B = append(o.B, `,"geometry":`...)
	if s.HasFix {
		o.B = append(o.B, `{"type":"Point","coordinates":`...)
		o.appendPlace(s.Fix)
		o.B = append(o.B, '}')
	} else {
		o.B = append(o.B, "null"...)
	}
	o.B = append(o.B, `,"properties":{`...)
	o.addStatic(s)
	if s.HasFix {
		o.attitude(s)
		o.Time(`,"time":`, s.Fix.At)
		if cog, ok := s.Fix.COG.Tenths(); ok {
			o.addTenths(`,"cog":`, cog)
		}
		if sog, ok := s.Fix.SOG.Tenths(); ok {
			o.addTenths(`,"sog":`, sog)
		}
		o.addTruth(`,"untrusted":`, isUntrusted(s.Fix))
	}
	o.signal(s)
	o.B = append(o.B, "}}"...)
}

// appendPlace appends [longitude, latitude].
func (o *Object) appendPlace(f ship.Fix) {
	o.B = append(o.B, '[')
	o.B = appendDegrees(o.B, f.Lon)
	o.B = append(o.B, ',')
	o.B = appendDegrees(o.B, f.Lat)
	o.B = append(o.B, ']')
}

// ShipGeoJSON returns a ship as a feature.
func ShipGeoJSON(s *ship.State) []byte {
	var o Object
	o.addFeature(s)
	return o.B
}

// ShipsGeoJSON writes ships as a collection of features.
func ShipsGeoJSON(w io.Writer, ships []ship.State) {
	o := Object{To: w}
	o.B = append(o.B, `{"type":"FeatureCollection","features":[`...)
	for i := range ships {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		o.addFeature(&ships[i])
		o.drainBytes(part)
	}
	o.B = append(o.B, "]}"...)
	o.drainBytes(0)
}

// TrackGeoJSON returns a track as one feature. The line is cut at gaps, and at the meridian of 180° (RFC 7946, 3.1.9). Times, cogs
// and sogs are those of the fixes in order; cuts do not count. A track with times of a wrong clock, or with untrusted fixes, tells which these are.
func TrackGeoJSON(w io.Writer, s *ship.State, track ship.Track) {
	o := Object{To: w}
	o.B = append(o.B, `{"type":"Feature","id":`...)
	o.B = appendInt(o.B, int64(s.MMSI))
	o.B = append(o.B, `,"geometry":`...)
	o.addLines(track)
	o.B = append(o.B, `,"properties":{`...)
	o.addStatic(s)
	o.column(`,"times":`, track, func(f ship.Fix) bool { o.appendTime(f.At); return true })
	o.column(`,"cogs":`, track, func(f ship.Fix) bool { return o.known10(f.COG.Tenths()) })
	o.column(`,"sogs":`, track, func(f ship.Fix) bool { return o.known10(f.SOG.Tenths()) })
	if slices.ContainsFunc(track, wrongClock) {
		o.column(`,"wrong_clock":`, track, func(f ship.Fix) bool {
			o.B = strconv.AppendBool(o.B, wrongClock(f))
			return true
		})
	}
	if slices.ContainsFunc(track, isUntrusted) {
		o.column(`,"untrusted":`, track, func(f ship.Fix) bool {
			o.B = strconv.AppendBool(o.B, isUntrusted(f))
			return true
		})
	}
	o.B = append(o.B, "}}"...)
	o.drainBytes(0)
}

// isUntrusted reports whether a receiver told the fix that lies.
func isUntrusted(f ship.Fix) bool { return !f.Trusted() }

// wrongClock reports whether the clock of the box was known to be wrong when the fix was heard.
func wrongClock(f ship.Fix) bool { return f.Mark&ship.WrongClock != 0 }

// known10 appends tenths when they are known.
func (o *Object) known10(tenths int, ok bool) bool {
	if ok {
		o.B = appendTenths(o.B, tenths)
	}
	return ok
}

// column appends one value of each fix; one that appends nothing is null.
func (o *Object) column(name string, track ship.Track, value func(ship.Fix) bool) {
	o.Key(name)
	o.B = append(o.B, '[')
	for i, f := range track {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		if !value(f) {
			o.B = append(o.B, "null"...)
		}
		o.drainBytes(part)
	}
	o.B = append(o.B, ']')
}

// addLines appends the geometry of a track, null when there is no fix.
func (o *Object) addLines(track ship.Track) {
	if len(track) == 0 {
		o.B = append(o.B, "null"...)
		return
	}
	o.B = append(o.B, `{"type":"MultiLineString","coordinates":[`...)
	for i, line := range cutAtMeridian(trackPieces(track)) {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		if len(line) == 1 {
			line = ship.Track{line[0], line[0]} // a line needs two positions
		}
		o.B = append(o.B, '[')
		for k, f := range line {
			if k > 0 {
				o.B = append(o.B, ',')
			}
			o.appendPlace(f)
			o.drainBytes(part)
		}
		o.B = append(o.B, ']')
	}
	o.B = append(o.B, "]}"...)
}

// trackPieces cuts a track where no leg joins two fixes: over a long gap, where a new segment begins, and to and from untrusted fixes.
func trackPieces(track ship.Track) []ship.Track {
	var parts []ship.Track
	from := 0
	for i := 1; i < len(track); i++ {
		if !ship.Joins(track[i-1], track[i]) {
			parts = append(parts, track[from:i:i])
			from = i
		}
	}
	if from < len(track) {
		parts = append(parts, track[from:len(track):len(track)])
	}
	return parts
}

// Half and all of the way round, in AIS units.
const (
	halfRound = 180 * 600000
	wholeWay  = 360 * 600000
)

// cutAtMeridian cuts each part at 180°, at the latitude where the leg meets it, so that no line is drawn round the globe.
func cutAtMeridian(parts []ship.Track) []ship.Track {
	var cut []ship.Track
	for _, part := range parts {
		from := 0
		var before ship.Track // the point at 180° that the next piece begins with
		for i := 1; i < len(part); i++ {
			a, b := part[i-1], part[i]
			if step := int64(b.Lon) - int64(a.Lon); step <= halfRound && step >= -halfRound {
				continue
			}
			out, in := meridianPoints(a, b)
			cut = append(cut, append(append(before, part[from:i]...), out))
			before, from = ship.Track{in}, i
		}
		if before == nil {
			cut = append(cut, part) // without a copy of it
			continue
		}
		cut = append(cut, append(before, part[from:]...))
	}
	return cut
}

// meridianPoints returns where the leg from a to b leaves at 180° on the one side and comes in on the other.
func meridianPoints(a, b ship.Fix) (out, in ship.Fix) {
	side := int64(halfRound)
	if a.Lon < 0 {
		side = -side
	}
	toMeridian := side - int64(a.Lon)
	whole := int64(b.Lon) - int64(a.Lon) + wholeWay
	if a.Lon < 0 {
		whole -= 2 * wholeWay
	}
	out, in = a, b
	out.Lon, in.Lon = int32(side), int32(-side)
	lat := int64(a.Lat)
	if whole != 0 {
		lat += (int64(b.Lat) - int64(a.Lat)) * toMeridian / whole
	}
	out.Lat, in.Lat = int32(lat), int32(lat)
	return out, in
}
