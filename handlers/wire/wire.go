// Package wire writes ships and tracks as the interface has them: JSON records, GeoJSON, CSV, GPX and KML.
//
// It promises that no text heard on the air comes out unescaped. It decides nothing: which ships and fixes may be written is settled before.
package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/registry"
)

// addStatic appends what the ship is and what its crew typed.
func (o *Object) addStatic(s *ship.State) {
	o.Integer(`"mmsi":`, int64(s.MMSI))
	var k ship.Static
	if s.Static != nil {
		k = *s.Static
	}
	o.addKnown(`,"imo":`, int64(k.IMO))
	o.knownText(`,"name":`, k.Name)
	o.knownText(`,"callsign":`, k.CallSign)
	o.addKind(s, &k)
	o.addWord(`,"class":`, s.Class.String())
	o.dimensions(k.Dimensions)
	o.addVoyage(s)
	country, code := s.Country()
	o.knownText(`,"country":`, country)
	o.knownWord(`,"country_code":`, code)
	o.source(s)
	if at := s.StaticChanged(); at != 0 {
		o.Time(`,"updated":`, at)
	} else {
		o.addUnknown(`,"updated":`)
	}
}

// addKind appends the type of the ship or aid.
func (o *Object) addKind(s *ship.State, k *ship.Static) {
	if s.Class == ship.ClassAtoN && s.Static != nil {
		o.Integer(`,"aid_type":`, int64(k.AidType))
		o.addTruth(`,"virtual":`, k.Virtual)
		o.addUnknown(`,"type":`, `,"type_code":`, `,"mother_ship":`)
		return
	}
	o.knownWord(`,"type":`, ship.TypeText(k.Type))
	o.addKnown(`,"type_code":`, int64(k.Type))
	o.addKnown(`,"mother_ship":`, int64(k.MotherShip))
	o.addUnknown(`,"aid_type":`, `,"virtual":`)
}

func (o *Object) dimensions(d ais.Dimensions) {
	o.addKnown(`,"length":`, int64(d.Length()))
	o.addKnown(`,"width":`, int64(d.Width()))
	if d.Bow == 0 && d.Port == 0 { // the reference point is unknown, only the sums count
		o.addUnknown(`,"dim_a":`, `,"dim_b":`, `,"dim_c":`, `,"dim_d":`)
		return
	}
	o.Integer(`,"dim_a":`, int64(d.Bow))
	o.Integer(`,"dim_b":`, int64(d.Stern))
	o.Integer(`,"dim_c":`, int64(d.Port))
	o.Integer(`,"dim_d":`, int64(d.Starboard))
}

// addVoyage appends what the crew typed.
func (o *Object) addVoyage(s *ship.State) {
	var v ship.VoyageData
	if s.Voyage != nil {
		v = *s.Voyage
	}
	if draught := v.Centimetres(); draught != 0 {
		o.Key(`,"draught":`)
		o.B = appendHundredths(o.B, draught)
	} else {
		o.addUnknown(`,"draught":`)
	}
	o.knownText(`,"destination":`, v.Destination)
	o.destinationPort(v.Destination)
	if eta, ok := v.ETA.At(ship.Time(v.At)); ok {
		o.Key(`,"eta":`)
		o.appendETA(eta, v.ETA.HasHour())
	} else {
		o.addUnknown(`,"eta":`)
	}
}

// destinationPort appends the port that a destination names.
func (o *Object) destinationPort(destination string) {
	if o.Bound == nil || destination == "" {
		return
	}
	port := o.Bound(destination)
	if port == nil {
		return
	}
	o.Key(`,"destination_port":{"id":`)
	o.B = strconv.AppendUint(o.B, port.ID, 10)
	o.knownWord(`,"locode":`, port.LOCODE)
	o.Text(`,"name":`, port.Name)
	o.B = append(o.B, '}')
}

// appendETA appends a time in quotes as ship.ETAText returns it: to the minute and without a zone, or the date alone.
func (o *Object) appendETA(eta time.Time, hasHour bool) {
	year, month, day := eta.Date()
	hour, minute, _ := eta.Clock()
	o.B = append(o.B, '"')
	o.B = strconv.AppendInt(o.B, int64(year), 10)
	o.B = append(o.B, '-')
	o.B = append2(o.B, int64(month))
	o.B = append(o.B, '-')
	o.B = append2(o.B, int64(day))
	if !hasHour {
		o.B = append(o.B, '"')
		return
	}
	o.B = append(o.B, 'T')
	o.B = append2(o.B, int64(hour))
	o.B = append(o.B, ':')
	o.B = append2(o.B, int64(minute))
	o.B = append(o.B, `:00"`...)
}

// addMotion appends the ship's place and motion.
func (o *Object) addMotion(s *ship.State) {
	if !s.HasFix {
		o.addUnknown(`,"position":`) // a place entered by hand may be taken back
		return
	}
	o.attitude(s)
	o.Key(`,"position":`)
	o.extended(s.Fix)
}

// extended appends a fix as an extended Point. One of a receiver that lies says so.
func (o *Object) extended(f ship.Fix) {
	o.B = append(o.B, `{"type":"Point","extensions":["time","cog","sog"],"coordinates":`...)
	o.coordinate(f)
	if !f.Trusted() {
		o.B = append(o.B, `,"untrusted":true`...)
	}
	o.B = append(o.B, '}')
}

// attitude appends the status of the ship and its heading.
func (o *Object) attitude(s *ship.State) {
	if s.Class != ship.ClassAtoN && s.Class != ship.ClassBase && s.Fix.Status != ais.StatusUndefined {
		o.Integer(`,"nav_status":`, int64(s.Fix.Status))
		o.addWord(`,"nav_status_text":`, s.Fix.Status.String())
	} else {
		o.addUnknown(`,"nav_status":`, `,"nav_status_text":`)
	}
	if heading, ok := s.Fix.Heading.Degrees(); ok {
		o.Integer(`,"heading":`, int64(heading))
	} else {
		o.addUnknown(`,"heading":`)
	}
	if rot, ok := s.Fix.ROT.Raw(); ok {
		o.Integer(`,"rot":`, int64(rot))
	} else {
		o.addUnknown(`,"rot":`)
	}
}

// coordinate appends the extended coordinate of a fix.
func (o *Object) coordinate(f ship.Fix) {
	o.B = append(o.B, '[')
	o.B = appendDegrees(o.B, f.Lon)
	o.B = append(o.B, ',')
	o.B = appendDegrees(o.B, f.Lat)
	o.B = append(o.B, ',')
	o.appendTime(f.At)
	o.B = append(o.B, ',')
	if cog, ok := f.COG.Tenths(); ok {
		o.B = appendTenths(o.B, cog)
	} else {
		o.B = append(o.B, "null"...)
	}
	o.B = append(o.B, ',')
	if sog, ok := f.SOG.Tenths(); ok {
		o.B = appendTenths(o.B, sog)
	} else {
		o.B = append(o.B, "null"...)
	}
	o.B = append(o.B, ']')
}

// signal appends how the ship was received.
func (o *Object) signal(s *ship.State) {
	o.addWord(`,"signal":`, s.Age.String())
	o.Time(`,"heard":`, s.Heard)
	o.knownText(`,"feed":`, s.Feed)
	o.addKnown(`,"altitude":`, int64(s.Altitude))
	o.addTruth(`,"off_position":`, s.OffPlace)
	o.conflict(s.Conflict)
}

// conflict appends the two places of a number that two transmitters use.
func (o *Object) conflict(c *ship.Conflict) {
	if c == nil {
		o.addUnknown(`,"conflict":`)
		return
	}
	o.Key(`,"conflict":`)
	for i := range c.Places {
		place := &c.Places[i]
		o.B = append(o.B, "[,"[i])
		o.B = append(o.B, `{"position":{"type":"Point","extensions":["time","cog","sog"],"coordinates":`...)
		o.coordinate(place.Fix)
		o.Key(`},"feeds":[`)
		place.Feeds.Any(func(feed string) bool {
			o.B = appendText(o.B, feed)
			o.B = append(o.B, ',')
			return false
		})
		o.B = append(bytes.TrimSuffix(o.B, []byte{','}), ']')
		if place.Station != "" {
			o.Text(`,"station":`, place.Station)
		}
		o.B = append(o.B, '}')
	}
	o.B = append(o.B, ']')
}

// Ship returns the static record of one ship, with the port of its destination if bound is not nil.
func Ship(s *ship.State, warnings []string, entry RegisterLookup, bound BoundPort) []byte {
	o := Object{B: []byte{'{'}, Entry: entry, Bound: bound}
	o.addStatic(s)
	o.conflict(s.Conflict)
	o.warnings(warnings)
	return append(o.B, '}')
}

// warnings writes a list of texts, nothing for none.
func (o *Object) warnings(list []string) {
	if len(list) == 0 {
		return
	}
	o.Key(`,"warnings":`)
	for i, w := range list {
		o.B = append(o.B, "[,"[min(i, 1)])
		o.B = appendText(o.B, w)
	}
	o.B = append(o.B, ']')
}

// areaRecord appends the flat record of one ship, static and dynamic.
func (o *Object) AreaRecord(s *ship.State) {
	o.B = append(o.B, '{')
	o.addStatic(s)
	o.addMotion(s)
	o.signal(s)
	o.B = append(o.B, '}')
}

// Position returns the position of one ship.
func Position(s *ship.State) []byte {
	o := Object{B: []byte{'{'}}
	o.Integer(`"mmsi":`, int64(s.MMSI))
	o.addMotion(s)
	return append(o.B, '}')
}

// recordSize is room for one ship with every field.
const recordSize = 720

// List writes {"records":[...]} of ships, each appended by one.
func List(w io.Writer, ships []ship.State, entry RegisterLookup, write func(*Object, *ship.State)) {
	o := listOf(w, ships, entry, write)
	o.B = append(o.B, '}')
	o.drainBytes(0)
}

// Page is a List that also says how many records there are in all, or at least.
func Page(w io.Writer, ships []ship.State, entry RegisterLookup, write func(*Object, *ship.State), total int, atLeast bool) {
	o := listOf(w, ships, entry, write)
	o.Integer(`,"total":`, int64(total))
	if atLeast {
		o.B = append(o.B, `,"at_least":true`...)
	}
	o.B = append(o.B, '}')
	o.drainBytes(0)
}

// listOf begins an object with its records.
func listOf(w io.Writer, ships []ship.State, entry RegisterLookup, write func(*Object, *ship.State)) *Object {
	o := &Object{To: w, Entry: entry, B: make([]byte, 0, 64+recordSize*min(len(ships), fetchedAtOnce))}
	o.B = append(o.B, `{"records":[`...)
	between := false
	for some := range slices.Chunk(ships, fetchedAtOnce) {
		o.fetched += touchShips(some)
		for i := range some {
			if between {
				o.B = append(o.B, ',')
			}
			between = true
			write(o, &some[i])
		}
		o.drainBytes(part)
	}
	o.B = append(o.B, ']')
	return o
}

// fetchedAtOnce is how many ships fetch reads before they are written. What it reads must fit into the processor's cache.
const fetchedAtOnce = 64

// touchShips reads a byte of each part of what is known of some ships. These parts lie scattered in memory, and each read waits for memory. In
// a loop that does nothing else the processor waits for several ships at once. Writing a list of ships that were not read lately then
// takes half the time. The sum means nothing; it keeps the compiler from leaving the reads out.
func touchShips(ships []ship.State) (sum byte) {
	for i := range ships {
		if s := ships[i].Static; s != nil {
			sum += byte(s.IMO) + byte(s.At)
		}
		if v := ships[i].Voyage; v != nil {
			sum += byte(v.At)
		}
	}
	for i := range ships {
		if s := ships[i].Static; s != nil {
			sum += firstByte(s.Name) + firstByte(s.CallSign)
		}
		if v := ships[i].Voyage; v != nil {
			sum += firstByte(v.Destination)
		}
	}
	return sum
}

func firstByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}

// staticRecord appends the static record of one ship of a list.
func (o *Object) StaticRecord(s *ship.State) {
	o.B = append(o.B, '{')
	o.addStatic(s)
	o.B = append(o.B, '}')
}

// OptionalTime is TimeText of a time, "" of none.
func OptionalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return TimeText(t.UnixMilli())
}

// PointJSON is a GeoJSON point.
type PointJSON struct {
	Type        string     `json:"type"`
	Coordinates [2]float64 `json:"coordinates"`
}

// At writes a place as a GeoJSON point.
func At(p geo.Point) *PointJSON { return &PointJSON{"Point", [2]float64{p.Lon, p.Lat}} }

// BoundPort returns the port that a destination names, nil for none.
type BoundPort func(destination string) *chart.Port

// RegisterLookup returns what the register knows of a ship.
type RegisterLookup func(mmsi int64) (registry.Registered, bool)

// source appends the source of the ship's data, and what only the register holds.
func (o *Object) source(s *ship.State) {
	if s.ByHand {
		o.addWord(`,"source":`, "register")
	} else {
		o.addWord(`,"source":`, "ais")
	}
	if o.Entry == nil {
		return
	}
	if e, ok := o.Entry(int64(s.MMSI)); ok {
		o.registeredFields(&e)
	} else {
		o.addUnknown(`,"dwt":`, `,"gt":`, `,"displacement":`, `,"note":`)
	}
}

// registeredFields are those that no AIS message has, appended to a static record.
func (o *Object) registeredFields(e *registry.Registered) {
	o.addKnown(`,"dwt":`, e.Deadweight)
	o.addKnown(`,"gt":`, e.GrossTonnage)
	if e.Displacement > 0 {
		if text, err := json.Marshal(e.Displacement); err == nil {
			o.Key(`,"displacement":`)
			o.B = append(o.B, text...)
		}
	} else {
		o.addUnknown(`,"displacement":`)
	}
	o.knownText(`,"note":`, e.Note)
}

// changeRecord appends the MMSI and what may have changed.
func (o *Object) ChangeRecord(c *sight.ChangedShip) {
	s := c.Ship
	o.nulls = true
	o.B = append(o.B, '{')
	if c.Static {
		o.addStatic(s)
	} else {
		o.Integer(`"mmsi":`, int64(s.MMSI))
	}
	if c.Motion {
		o.addMotion(s)
	}
	// What only few classes have is not said to be unknown of all others each second.
	o.nulls = c.Static || s.Class == ship.ClassSAR || s.Class == ship.ClassAtoN
	o.signal(s)
	o.B = append(o.B, '}')
	o.nulls = false
}
