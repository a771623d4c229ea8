package handlers

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// object appends the fields of JSON objects to a buffer by hand: a list of ten thousand ships is encoded several times
// faster than by reflection. Every string is escaped as encoding/json does it, < > and & included.
type object struct {
	b     []byte
	nulls bool           // unknown fields are null instead of left out: a change record says what is no longer known
	day   int64          // of dayText, in days since 1970
	entry registryLookup // nil where the register is not asked
	dayText
}

// dayText is the part of a time that most fixes share, "2026-11-20T".
type dayText [11]byte

const dayMillis = 24 * 60 * 60 * 1000

// key begins a field. It is given as it is written, as `,"name":`, so that it is one copy of bytes; only the first field
// of an object has no comma.
func (o *object) key(written string) { o.b = append(o.b, written...) }

func (o *object) integer(name string, v int64) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, v, 10)
}

// known appends an integer unless it is 0, which stands for unknown.
func (o *object) known(name string, v int64) {
	if v != 0 {
		o.integer(name, v)
	} else {
		o.unknown(name)
	}
}

// unknown leaves the field out, or says null.
func (o *object) unknown(names ...string) {
	if !o.nulls {
		return
	}
	for _, name := range names {
		o.key(name)
		o.b = append(o.b, "null"...)
	}
}

func (o *object) text(name, v string) {
	o.key(name)
	o.b = appendText(o.b, v)
}

// knownText appends a text unless it is empty, which stands for unknown.
func (o *object) knownText(name, v string) {
	if v != "" {
		o.text(name, v)
	} else {
		o.unknown(name)
	}
}

func (o *object) tenths(name string, v int) {
	o.key(name)
	o.b = appendTenths(o.b, v)
}

func (o *object) truth(name string, v bool) {
	if v {
		o.key(name)
		o.b = append(o.b, "true"...)
	} else {
		o.unknown(name)
	}
}

func (o *object) time(name string, millis int64) {
	o.key(name)
	o.appendTime(millis)
}

// appendTime appends a time in quotes: UTC, milliseconds only where there are any.
func (o *object) appendTime(millis int64) {
	day := millis / dayMillis
	rest := millis % dayMillis
	if rest < 0 {
		day, rest = day-1, rest+dayMillis
	}
	o.b = append(o.b, '"')
	if day != o.day || o.dayText[0] == 0 {
		text := time.UnixMilli(day*dayMillis).UTC().AppendFormat(nil, "2006-01-02T")
		if len(text) != len(o.dayText) { // beyond the year 9999
			o.b = append(append(o.b, text...), `00:00:00Z"`...)
			return
		}
		o.day, o.dayText = day, dayText(text)
	}
	o.b = append(o.b, o.dayText[:]...)
	seconds := rest / 1000
	o.b = append2(o.b, seconds/3600)
	o.b = append(o.b, ':')
	o.b = append2(o.b, seconds/60%60)
	o.b = append(o.b, ':')
	o.b = append2(o.b, seconds%60)
	if ms := rest % 1000; ms != 0 {
		o.b = append(o.b, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	}
	o.b = append(o.b, 'Z', '"')
}

func append2(b []byte, v int64) []byte { return append(b, byte('0'+v/10), byte('0'+v%10)) }

// timeText gives a time as the API writes it.
func timeText(millis int64) string {
	var o object
	o.appendTime(millis)
	return string(o.b[1 : len(o.b)-1])
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

// The ASCII characters that stand for themselves in a JSON string, as bits: those below '@' but for " & < and >, and those
// from it on but for \ and DEL.
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

// word appends a text of our own, which needs no escaping: names of classes, types and statuses.
func (o *object) word(name, v string) {
	o.key(name)
	o.b = append(o.b, '"')
	o.b = append(o.b, v...)
	o.b = append(o.b, '"')
}

// knownWord appends a word unless it is empty, which stands for unknown.
func (o *object) knownWord(name, v string) {
	if v != "" {
		o.word(name, v)
	} else {
		o.unknown(name)
	}
}

// static appends what the ship is and what her crew typed.
func (o *object) static(s *ship.State) {
	o.integer(`"mmsi":`, int64(s.MMSI))
	var k ship.Static
	if s.Static != nil {
		k = *s.Static
	}
	o.known(`,"imo":`, int64(k.IMO))
	o.knownText(`,"name":`, k.Name)
	o.knownText(`,"callsign":`, k.CallSign)
	o.kind(s, &k)
	o.word(`,"class":`, s.Class.String())
	o.dimensions(k.Dimensions)
	o.voyage(s)
	country, code := s.Country()
	o.knownText(`,"country":`, country)
	o.knownWord(`,"country_code":`, code)
	o.source(s)
	if at := s.StaticChanged(); at != 0 {
		o.time(`,"updated":`, at)
	} else {
		o.unknown(`,"updated":`)
	}
}

// kind appends what sort of ship or aid she is.
func (o *object) kind(s *ship.State, k *ship.Static) {
	if s.Class == ship.ClassAtoN && s.Static != nil {
		o.integer(`,"aid_type":`, int64(k.AidType))
		o.truth(`,"virtual":`, k.Virtual)
		o.unknown(`,"type":`, `,"type_code":`, `,"mother_ship":`)
		return
	}
	o.knownWord(`,"type":`, ship.TypeText(k.Type))
	o.known(`,"type_code":`, int64(k.Type))
	o.known(`,"mother_ship":`, int64(k.MotherShip))
	o.unknown(`,"aid_type":`, `,"virtual":`)
}

func (o *object) dimensions(d ais.Dimensions) {
	o.known(`,"length":`, int64(d.Length()))
	o.known(`,"width":`, int64(d.Width()))
	if d.Bow == 0 && d.Port == 0 { // the reference point is unknown, only the sums count
		o.unknown(`,"dim_a":`, `,"dim_b":`, `,"dim_c":`, `,"dim_d":`)
		return
	}
	o.integer(`,"dim_a":`, int64(d.Bow))
	o.integer(`,"dim_b":`, int64(d.Stern))
	o.integer(`,"dim_c":`, int64(d.Port))
	o.integer(`,"dim_d":`, int64(d.Starboard))
}

// voyage appends what the crew typed.
func (o *object) voyage(s *ship.State) {
	var v ship.VoyageData
	if s.Voyage != nil {
		v = *s.Voyage
	}
	if _, ok := v.Draught.Metres(); ok {
		o.tenths(`,"draught":`, int(v.Draught))
	} else {
		o.unknown(`,"draught":`)
	}
	o.knownText(`,"destination":`, v.Destination)
	if eta, ok := v.ETA.At(ship.Time(v.At)); ok {
		o.key(`,"eta":`)
		o.appendETA(eta)
	} else {
		o.unknown(`,"eta":`)
	}
}

// appendETA appends a time in quotes as ship.ETAText gives it: to the minute and without a zone.
func (o *object) appendETA(eta time.Time) {
	year, month, day := eta.Date()
	hour, minute, _ := eta.Clock()
	o.b = append(o.b, '"')
	o.b = strconv.AppendInt(o.b, int64(year), 10)
	o.b = append(o.b, '-')
	o.b = append2(o.b, int64(month))
	o.b = append(o.b, '-')
	o.b = append2(o.b, int64(day))
	o.b = append(o.b, 'T')
	o.b = append2(o.b, int64(hour))
	o.b = append(o.b, ':')
	o.b = append2(o.b, int64(minute))
	o.b = append(o.b, `:00"`...)
}

// motion appends where she is and how she moves.
func (o *object) motion(s *ship.State) {
	if !s.HasFix {
		o.unknown(`,"position":`) // a place that hands wrote may be taken back
		return
	}
	o.attitude(s)
	o.key(`,"position":`)
	o.b = append(o.b, `{"type":"Point","extensions":["time","cog","sog"],"coordinates":`...)
	o.coordinate(s.Fix)
	o.b = append(o.b, '}')
}

// attitude appends what she does and where her bow points.
func (o *object) attitude(s *ship.State) {
	if s.Class != ship.ClassAtoN && s.Class != ship.ClassBase && s.Fix.Status != ais.StatusUndefined {
		o.integer(`,"nav_status":`, int64(s.Fix.Status))
		o.word(`,"nav_status_text":`, s.Fix.Status.String())
	} else {
		o.unknown(`,"nav_status":`, `,"nav_status_text":`)
	}
	if heading, ok := s.Fix.Heading.Degrees(); ok {
		o.integer(`,"heading":`, int64(heading))
	} else {
		o.unknown(`,"heading":`)
	}
	if rot, ok := s.Fix.ROT.Raw(); ok {
		o.integer(`,"rot":`, int64(rot))
	} else {
		o.unknown(`,"rot":`)
	}
}

// coordinate appends the extended coordinate of a fix.
func (o *object) coordinate(f ship.Fix) {
	o.b = append(o.b, '[')
	o.b = appendDegrees(o.b, f.Lon)
	o.b = append(o.b, ',')
	o.b = appendDegrees(o.b, f.Lat)
	o.b = append(o.b, ',')
	o.appendTime(f.At)
	o.b = append(o.b, ',')
	if cog, ok := f.COG.Tenths(); ok {
		o.b = appendTenths(o.b, cog)
	} else {
		o.b = append(o.b, "null"...)
	}
	o.b = append(o.b, ',')
	if sog, ok := f.SOG.Tenths(); ok {
		o.b = appendTenths(o.b, sog)
	} else {
		o.b = append(o.b, "null"...)
	}
	o.b = append(o.b, ']')
}

// signal appends what is known of the reception of her.
func (o *object) signal(s *ship.State) {
	o.word(`,"signal":`, s.Age.String())
	o.time(`,"heard":`, s.Heard)
	o.knownText(`,"feed":`, s.Feed)
	o.known(`,"altitude":`, int64(s.Altitude))
	o.truth(`,"off_position":`, s.OffPlace)
}

// shipRecord gives the static record of one ship.
func shipRecord(s *ship.State, warnings []string, entry registryLookup) []byte {
	o := object{b: []byte{'{'}, entry: entry}
	o.static(s)
	if len(warnings) > 0 {
		o.key(`,"warnings":`)
		o.b = append(o.b, '[')
		for i, w := range warnings {
			if i > 0 {
				o.b = append(o.b, ',')
			}
			o.b = appendText(o.b, w)
		}
		o.b = append(o.b, ']')
	}
	return append(o.b, '}')
}

// areaRecord appends the flat record of one ship, static and dynamic.
func (o *object) areaRecord(s *ship.State) {
	o.b = append(o.b, '{')
	o.static(s)
	o.motion(s)
	o.signal(s)
	o.b = append(o.b, '}')
}

// positionRecord gives the position of one ship.
func positionRecord(s *ship.State) []byte {
	o := object{b: []byte{'{'}}
	o.integer(`"mmsi":`, int64(s.MMSI))
	o.motion(s)
	return append(o.b, '}')
}

// recordSize is room for one ship with all that may be known of her.
const recordSize = 720

// list appends {"records":[...]} of ships, each appended by one.
func list(dst []byte, ships []ship.State, one func(*object, *ship.State)) []byte {
	o := object{b: slices.Grow(dst, 64+recordSize*len(ships))}
	o.b = append(o.b, `{"records":[`...)
	for i := range ships {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		one(&o, &ships[i])
	}
	return append(o.b, "]}"...)
}

// staticRecord appends the static record of one ship of a list.
func (o *object) staticRecord(s *ship.State) {
	o.b = append(o.b, '{')
	o.static(s)
	o.b = append(o.b, '}')
}

// appendTrack appends the extended LineString of a track.
func (o *object) appendTrack(track ship.Track) {
	o.b = append(o.b, `{"type":"LineString","extensions":["time","cog","sog"],"coordinates":[`...)
	for i := range track {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.coordinate(track[i])
	}
	o.b = append(o.b, "]}"...)
}
