package ais

import "strconv"

// Environmental is DAC 367, FI 33: up to eight reports of sensors ashore and afloat, of the US Coast Guard.
type Environmental struct {
	Reports []SensorReport
}

// SensorReport is one report of a sensor. Readings holds its values under gpsd's keys for the same report of DAC 1, FI 26,
// and where gpsd has none under a key of the same make.
type SensorReport struct {
	// Kind is 0 location, 1 station, 2 wind, 3 water level, 4 and 5 current, 6 horizontal flow, 7 sea state, 8 salinity,
	// 9 weather, 10 air gap or 11 wind.
	Kind              uint8
	Day, Hour, Minute uint8 // UTC; day 0, hour 24, minute 60 are not available
	Site              uint8
	Place             Place  // location only
	Name              string // station only
	Readings
}

const sensorReportBits = 112

// environmentLayouts are the 85 bits after the head of each kind of report; location and station are read apart.
var environmentLayouts = [12][]layout{
	2: {
		{"wspeed", 7, false, 0, 121, 122, 0, 0}, {"wgust", 7, false, 0, 121, 122, 0, 0},
		{"wdir", 9, false, 0, 359, 360, 0, 0}, {"wgustdir", 9, false, 0, 359, 360, 0, 0}, sensorType("sensortype"),
		{"fwspeed", 7, false, 0, 121, 122, 0, 0}, {"fwgust", 7, false, 0, 121, 122, 0, 0}, {"fwdir", 9, false, 0, 359, 360, 0, 0},
		forecastDay, forecastHour, forecastMinute, forecastDuration,
	},
	3: {
		{"absolute", 1, false, 0, 1, 0, 0, 0}, {"level", 16, true, -32767, 32767, -32768, 0, 2},
		{"leveltrend", 2, false, 0, 2, 3, 0, 0}, {"datum", 5, false, 0, 13, 14, 0, 0}, sensorType("sensortype"),
		{"fabsolute", 1, false, 0, 1, 0, 0, 0}, {"flevel", 16, true, -32767, 32767, -32768, 0, 2},
		forecastDay, forecastHour, forecastMinute, forecastDuration,
	},
	4: {
		currentSpeed("cspeed1"), direction("cdir1"), measuredDepth("cdepth1"),
		currentSpeed("cspeed2"), direction("cdir2"), measuredDepth("cdepth2"),
		currentSpeed("cspeed3"), direction("cdir3"), measuredDepth("cdepth3"), sensorType("sensortype"),
	},
	5: {
		currentVector("cnorth1"), currentVector("ceast1"), currentVector("cup1"), measuredDepth("cdepth1"),
		currentVector("cnorth2"), currentVector("ceast2"), currentVector("cup2"), measuredDepth("cdepth2"), sensorType("sensortype"),
	},
	6: {
		direction("bearing"),
		measuredDepth("distance1"), currentSpeed("speed1"), direction("direction1"), measuredDepth("depth1"),
		measuredDepth("distance2"), currentSpeed("speed2"), direction("direction2"), measuredDepth("depth2"), sensorType("sensortype"),
	},
	7: {
		currentSpeed("swheight"), {"swperiod", 6, false, 0, 60, 61, 0, 0}, direction("swelldir"), {"seastate", 4, false, 0, 12, 13, 0, 0},
		sensorType("swelltype"), {"watertemp", 10, true, -100, 500, 501, 0, 1}, {"distance1", 7, false, 0, 121, 122, 0, 1},
		sensorType("depthtype"), currentSpeed("waveheight"), {"waveperiod", 6, false, 0, 60, 61, 0, 0}, direction("wavedir"),
		sensorType("wavetype"), {"salinity", 9, false, 0, 501, 502, 0, 1},
	},
	8: {
		{"watertemp", 10, false, 0, 600, 601, -100, 1}, {"conductivity", 10, false, 0, 701, 703, 0, 2},
		{"pressure", 16, false, 0, 60001, 60003, 0, 1}, {"salinity", 9, false, 0, 501, 502, 0, 1},
		{"salinitytype", 2, false, 0, 2, 3, 0, 0}, sensorType("sensortype"),
	},
	9: {
		{"temperature", 11, true, -600, 600, -1024, 0, 1}, sensorType("sensortype"), {"preciptype", 2, false, 0, 3, 3, 0, 0},
		{"visibility", 8, false, 0, 241, 243, 0, 1}, {"dewpoint", 10, false, 0, 700, 701, -200, 1}, sensorType("dewtype"),
		{"pressure", 9, false, 0, 402, 403, 799, 0}, {"pressuretend", 2, false, 0, 2, 3, 0, 0}, sensorType("pressuretype"),
		{"salinity", 9, false, 0, 501, 502, 0, 1},
	},
	10: {
		{"airdraught", 13, false, 1, 8191, 0, 0, 2}, {"airgap", 13, false, 1, 8191, 0, 0, 2},
		{"gaptrend", 2, false, 0, 2, 3, 0, 0}, {"fairgap", 13, false, 1, 8191, 0, 0, 2},
		forecastDay, forecastHour, forecastMinute, sensorType("sensortype"),
	},
	11: {
		{"wspeed", 7, false, 0, 121, 122, 0, 0}, {"wgust", 7, false, 0, 121, 122, 0, 0}, direction("wdir"),
		{"averaging", 6, false, 1, 60, 0, 0, 0}, sensorType("sensortype"),
		{"fwspeed", 7, false, 0, 121, 122, 0, 0}, {"fwgust", 7, false, 0, 121, 122, 0, 0}, direction("fwdir"),
		forecastHour, forecastMinute, forecastDuration,
	},
}

var (
	forecastDay      = layout{"day", 5, false, 1, 31, 0, 0, 0}
	forecastHour     = layout{"hour", 5, false, 0, 23, 24, 0, 0}
	forecastMinute   = layout{"minute", 6, false, 0, 59, 60, 0, 0}
	forecastDuration = layout{"duration", 8, false, 0, 254, 255, 0, 0}
	stationVersion   = layout{"version", 6, false, 0, 63, 0, 0, 0}
	siteAltitude     = layout{"alt", 12, true, -2000, 2001, 2002, 0, 1}
	siteOwner        = layout{"owner", 4, false, 1, 14, 0, 0, 0}
	siteTimeout      = layout{"timeout", 3, false, 1, 5, 0, 0, 0}
)

func sensorType(key string) layout { return layout{key, 3, false, 1, 6, 0, 0, 0} }

func direction(key string) layout { return layout{key, 9, false, 0, 359, 360, 0, 0} }

// currentSpeed is a speed in tenths of a knot, or the height of a wave in tenths of a metre, coded alike.
func currentSpeed(key string) layout { return layout{key, 8, false, 0, 246, 247, 0, 1} }

func currentVector(key string) layout { return layout{key, 9, true, -251, 251, 255, 0, 1} }

func measuredDepth(key string) layout { return layout{key, 9, false, 0, 361, 362, 0, 0} }

func decodeEnvironmental(r applicationBits) any {
	e := &Environmental{}
	for r.left() >= sensorReportBits && len(e.Reports) < 8 {
		one := r
		one.bits = r.at + sensorReportBits
		e.Reports = append(e.Reports, decodeSensorReport(one))
		r.at += sensorReportBits
	}
	if len(e.Reports) == 0 {
		return nil
	}
	return e
}

func decodeSensorReport(r applicationBits) SensorReport {
	s := SensorReport{Kind: uint8(r.uint(4)), Day: uint8(r.uint(5)), Hour: uint8(r.uint(5)), Minute: uint8(r.uint(6)), Site: uint8(r.uint(7))}
	s.Place = Place{Lon: 181 * 600000, Lat: 91 * 600000}
	switch {
	case s.Kind == 0:
		s.Readings = readAll(&r, []layout{stationVersion})
		s.Place = Place{Lon: int32(r.int(28)), Lat: int32(r.int(27))}
		r.uint(3) // precision of the place in decimals
		s.Readings = append(s.Readings, readAll(&r, []layout{siteAltitude, siteOwner, siteTimeout})...)
	case s.Kind == 1:
		s.Name = r.text(14)
	case int(s.Kind) < len(environmentLayouts):
		s.Readings = readAll(&r, environmentLayouts[s.Kind])
	}
	return s
}

func (e *Environmental) appendJSON(dst []byte, raw bool) []byte {
	dst = append(appendKey(dst, "reports"), '[')
	for i := range e.Reports {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(e.Reports[i].appendJSON(dst, raw), '}')
	}
	return append(dst, ']')
}

func (s *SensorReport) appendJSON(dst []byte, raw bool) []byte {
	dst = append(dst, `{"sensor":`...)
	dst = strconv.AppendUint(dst, uint64(s.Kind), 10)
	dst = appendTimeField(dst, "timestamp", ETA{Day: s.Day, Hour: s.Hour, Minute: s.Minute})
	dst = appendIntField(dst, "site", int(s.Site))
	if s.Kind == 0 {
		dst = appendPlaceFields(dst, s.Place, raw)
	}
	if s.Kind == 1 {
		dst = appendTextField(dst, "name", s.Name)
	}
	return s.Readings.appendJSON(dst, raw)
}
