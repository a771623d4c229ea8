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

// Object appends the fields of JSON objects to a buffer. That encodes a list of ten thousand ships several times faster than
// reflection. Strings are escaped as encoding/json does it, < > and & included.
type Object struct {
	B     []byte         // what is written so far, but for what To has
	To    io.Writer      // takes the parts of a long answer; nil keeps all in B
	nulls bool           // unknown fields are null instead of left out: a change record says what is no longer known
	day   int64          // of dayText, in days since 1970
	Entry RegisterLookup // nil if the register is not needed
	Bound BoundPort      // nil if no port of a destination is told
	dayText
	fetched byte // see touchShips
}

// dayText is the part of a time that most fixes share, "2026-11-20T".
type dayText [11]byte

const dayMillis = 24 * 60 * 60 * 1000

// key begins a field. It is given as it is written, as `,"name":`, so that it is one copy of bytes. Only the first field of an Object has no comma.
func (o *Object) Key(written string) { o.B = append(o.B, written...) }

func (o *Object) Integer(name string, v int64) {
	o.Key(name)
	o.B = strconv.AppendInt(o.B, v, 10)
}

// addKnown appends an integer unless it is 0, which means unknown.
func (o *Object) addKnown(name string, v int64) {
	if v != 0 {
		o.Integer(name, v)
	} else {
		o.addUnknown(name)
	}
}

// addUnknown leaves the field out, or says null.
func (o *Object) addUnknown(names ...string) {
	if !o.nulls {
		return
	}
	for _, name := range names {
		o.Key(name)
		o.B = append(o.B, "null"...)
	}
}

// Hundredths appends a number of hundredths that is not negative, in the shortest form.
func (o *Object) Hundredths(name string, v int) {
	o.Key(name)
	o.B = appendHundredths(o.B, v)
}

// Text appends a text, escaped.
func (o *Object) Text(name, v string) {
	o.Key(name)
	o.B = appendText(o.B, v)
}

// knownText appends a text unless it is empty, which means unknown.
func (o *Object) knownText(name, v string) {
	if v != "" {
		o.Text(name, v)
	} else {
		o.addUnknown(name)
	}
}

func (o *Object) addTenths(name string, v int) {
	o.Key(name)
	o.B = appendTenths(o.B, v)
}

func (o *Object) addTruth(name string, v bool) {
	if v {
		o.Key(name)
		o.B = append(o.B, "true"...)
	} else {
		o.addUnknown(name)
	}
}

func (o *Object) Time(name string, millis int64) {
	o.Key(name)
	o.appendTime(millis)
}

// appendTime appends a time in quotes: UTC, milliseconds only where there are any.
func (o *Object) appendTime(millis int64) {
	day := millis / dayMillis
	rest := millis % dayMillis
	if rest < 0 {
		day, rest = day-1, rest+dayMillis
	}
	o.B = append(o.B, '"')
	if day != o.day || o.dayText[0] == 0 {
		text := time.UnixMilli(day*dayMillis).UTC().AppendFormat(nil, "2006-01-02T")
		if len(text) != len(o.dayText) { // beyond the year 9999
			o.B = append(append(o.B, text...), `00:00:00Z"`...)
			return
		}
		o.day, o.dayText = day, dayText(text)
	}
	o.B = append(o.B, o.dayText[:]...)
	seconds := rest / 1000
	o.B = append2(o.B, seconds/3600)
	o.B = append(o.B, ':')
	o.B = append2(o.B, seconds/60%60)
	o.B = append(o.B, ':')
	o.B = append2(o.B, seconds%60)
	if ms := rest % 1000; ms != 0 {
		o.B = append(o.B, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	}
	o.B = append(o.B, 'Z', '"')
}

func append2(b []byte, v int64) []byte { return append(b, byte('0'+v/10), byte('0'+v%10)) }

// timeText returns a time as the API writes it.
func TimeText(millis int64) string {
	var o Object
	o.appendTime(millis)
	return string(o.B[1 : len(o.B)-1])
}

// appendTenths appends v/10 in the shortest form.
func appendTenths(b []byte, v int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	b = strconv.AppendInt(b, int64(v/10), 10)
	if v%10 != 0 {
		b = append(b, '.', byte('0'+v%10))
	}
	return b
}

// appendHundredths appends a number that is not negative, without zeros at its end.
func appendHundredths(b []byte, v int) []byte {
	if v%10 == 0 {
		return appendTenths(b, v/10)
	}
	b = strconv.AppendInt(b, int64(v/100), 10)
	return append(b, '.', byte('0'+v/10%10), byte('0'+v%10))
}

// appendDegrees appends a place in AIS units as degrees with the six decimals that tell two units apart.
func appendDegrees(b []byte, units int32) []byte {
	size := int64(units)
	if size < 0 {
		size = -size
	}
	micro := (size*10 + 3) / 6
	if units < 0 && micro > 0 {
		b = append(b, '-')
	}
	b = strconv.AppendInt(b, micro/1e6, 10)
	rest := micro % 1e6
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for scale := int64(1e5); rest > 0; scale /= 10 {
		b = append(b, byte('0'+rest/scale))
		rest %= scale
	}
	return b
}

// The ASCII characters that stand for themselves in a JSON string, as bits. Those below '@' are all from the blank on but " & < and >. Those from it on are all
// but \ and DEL.
const (
	plainLow  = 0xFFFFFFFF_00000000 &^ (1<<'"' | 1<<'&' | 1<<'<' | 1<<'>')
	plainHigh = 0xFFFFFFFF_FFFFFFFF &^ (1<<('\\'-64) | 1<<(0x7F-64))
)

// appendText appends a JSON string. What is heard on the air is plain ASCII; anything else takes the slow way.
func appendText(b []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		set := uint64(plainLow)
		if c >= 64 {
			set = plainHigh
		}
		if c >= 128 || set>>(c&63)&1 == 0 {
			slow, err := json.Marshal(text)
			if err != nil {
				return append(b, `""`...)
			}
			return append(b, slow...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// addWord appends a text of our own, which needs no escaping: names of classes, types and statuses.
func (o *Object) addWord(name, v string) {
	o.Key(name)
	o.B = append(o.B, '"')
	o.B = append(o.B, v...)
	o.B = append(o.B, '"')
}

// knownWord appends a word unless it is empty, which means unknown.
func (o *Object) knownWord(name, v string) {
	if v != "" {
		o.addWord(name, v)
	} else {
		o.addUnknown(name)
	}
}

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

// appendTrack appends the extended LineString of a track.
func (o *Object) appendTrack(track ship.Track) {
	o.B = append(o.B, `{"type":"LineString","extensions":["time","cog","sog"],"coordinates":[`...)
	for i := range track {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		o.coordinate(track[i])
		o.drainBytes(part)
	}
	o.B = append(o.B, ']')
	o.addUntrusted(track)
	o.B = append(o.B, '}')
}

// addUntrusted appends which fixes of a track are untrusted, by their numbers from 0; nothing where all are trusted.
func (o *Object) addUntrusted(track ship.Track) {
	before := `,"untrusted":[`
	for i := range track {
		if track[i].Trusted() {
			continue
		}
		o.B = strconv.AppendInt(append(o.B, before...), int64(i), 10)
		before = ","
		o.drainBytes(part)
	}
	if before == "," {
		o.B = append(o.B, ']')
	}
}

// Line returns a track as an extended LineString.
func Line(track ship.Track) json.RawMessage {
	var o Object
	o.appendTrack(track)
	return o.B
}

// Extended returns a fix as an extended Point.
func Extended(f ship.Fix) json.RawMessage {
	var o Object
	o.extended(f)
	return o.B
}

// part is how many bytes of a long answer are handed on together.
const part = 32 << 10

// drainBytes hands on what is written, where that is so many bytes. A writer that fails takes no more, and says so itself.
func (o *Object) drainBytes(least int) {
	if o.To != nil && len(o.B) >= least {
		_, _ = o.To.Write(o.B)
		o.B = o.B[:0]
	}
}

// Track writes a track as JSON, with its ship and the number of its job. The warnings are of the ship, the lacks of the track.
func Track(w io.Writer, id int64, of *ship.State, warnings, lacks []string, entry RegisterLookup, track ship.Track) {
	o := Object{To: w}
	o.B = append(o.B, '{')
	o.Integer(`"id":`, id)
	o.Key(`,"ship":`)
	o.B = append(o.B, Ship(of, warnings, entry, nil)...)
	o.Key(`,"track":`)
	o.appendTrack(track)
	o.warnings(lacks)
	o.B = append(o.B, '}')
	o.drainBytes(0)
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
