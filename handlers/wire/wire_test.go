package wire

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/sight"
)

// The structs below are the records as encoding/json would write them. The tests and the benchmark compare the encoder with them.
type plainShip struct {
	MMSI        int64    `json:"mmsi"`
	IMO         uint32   `json:"imo,omitempty"`
	Name        string   `json:"name,omitempty"`
	CallSign    string   `json:"callsign,omitempty"`
	Type        string   `json:"type,omitempty"`
	TypeCode    int      `json:"type_code,omitempty"`
	AidType     *int     `json:"aid_type,omitempty"`
	Virtual     bool     `json:"virtual,omitempty"`
	MotherShip  int64    `json:"mother_ship,omitempty"`
	Class       string   `json:"class"`
	Length      int      `json:"length,omitempty"`
	Width       int      `json:"width,omitempty"`
	DimA        *int     `json:"dim_a,omitempty"`
	DimB        *int     `json:"dim_b,omitempty"`
	DimC        *int     `json:"dim_c,omitempty"`
	DimD        *int     `json:"dim_d,omitempty"`
	Draught     *float64 `json:"draught,omitempty"`
	Destination string   `json:"destination,omitempty"`
	ETA         string   `json:"eta,omitempty"`
	Country     string   `json:"country,omitempty"`
	CountryCode string   `json:"country_code,omitempty"`
	Source      string   `json:"source"`
	Updated     string   `json:"updated,omitempty"`

	NavStatus     *int        `json:"nav_status,omitempty"`
	NavStatusText string      `json:"nav_status_text,omitempty"`
	Heading       *int        `json:"heading,omitempty"`
	ROT           *int        `json:"rot,omitempty"`
	Position      *plainPlace `json:"position,omitempty"`
	Signal        string      `json:"signal"`
	Heard         string      `json:"heard"`
	Feed          string      `json:"feed,omitempty"`
	Altitude      int         `json:"altitude,omitempty"`
	OffPosition   bool        `json:"off_position,omitempty"`
}

type plainPlace struct {
	Type        string   `json:"type"`
	Extensions  []string `json:"extensions"`
	Coordinates [5]any   `json:"coordinates"`
	Untrusted   bool     `json:"untrusted,omitempty"`
}

func plainTime(millis int64) string {
	t := time.UnixMilli(millis).UTC()
	if millis%1000 == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func pointer[T any](v T) *T { return &v }

func plainDegrees(units int32) float64 {
	micro := (int64(units)*10 + 3) / 6
	if units < 0 {
		micro = -((-int64(units)*10 + 3) / 6)
	}
	return float64(micro) / 1e6
}

func plain(s *ship.State) plainShip {
	p := plainShip{MMSI: int64(s.MMSI), Class: s.Class.String(), Source: "ais", Signal: s.Age.String(), Heard: plainTime(s.Heard),
		Feed: s.Feed, Altitude: int(s.Altitude), OffPosition: s.OffPlace}
	p.Country, p.CountryCode = s.Country()
	if k := s.Static; k != nil {
		p.IMO, p.Name, p.CallSign = k.IMO, k.Name, k.CallSign
		if s.Class == ship.ClassAtoN {
			p.AidType, p.Virtual = pointer(int(k.AidType)), k.Virtual
		} else {
			p.Type, p.TypeCode, p.MotherShip = ship.TypeText(k.Type), int(k.Type), int64(k.MotherShip)
		}
		d := k.Dimensions
		p.Length, p.Width = d.Length(), d.Width()
		if d.Bow != 0 || d.Port != 0 {
			p.DimA, p.DimB, p.DimC, p.DimD = pointer(int(d.Bow)), pointer(int(d.Stern)), pointer(int(d.Port)), pointer(int(d.Starboard))
		}
	}
	if v := s.Voyage; v != nil {
		if metres, ok := v.Draught.Metres(); ok {
			p.Draught = &metres
		}
		p.Destination, p.ETA = v.Destination, ship.ETAText(v.ETA, ship.Time(v.At))
	}
	if at := s.StaticChanged(); at != 0 {
		p.Updated = plainTime(at)
	}
	if s.HasFix {
		plainMotion(&p, s)
	}
	return p
}

func plainMotion(p *plainShip, s *ship.State) {
	f := s.Fix
	if s.Class != ship.ClassAtoN && s.Class != ship.ClassBase && f.Status != ais.StatusUndefined {
		p.NavStatus, p.NavStatusText = pointer(int(f.Status)), f.Status.String()
	}
	if heading, ok := f.Heading.Degrees(); ok {
		p.Heading = &heading
	}
	if rot, ok := f.ROT.Raw(); ok {
		p.ROT = &rot
	}
	at := &plainPlace{Type: "Point", Extensions: []string{"time", "cog", "sog"}}
	at.Untrusted = f.Mark&ship.Untrusted != 0
	at.Coordinates = [5]any{plainDegrees(f.Lon), plainDegrees(f.Lat), plainTime(f.At), nil, nil}
	if cog, ok := f.COG.Degrees(); ok {
		at.Coordinates[3] = cog
	}
	if sog, ok := f.SOG.Knots(); ok {
		at.Coordinates[4] = sog
	}
	p.Position = at
}

// anyState draws a state with all that may be known and unknown, hostile names among them.
func anyState(t *rapid.T) ship.State {
	text := rapid.OneOf(rapid.StringMatching(`[ -~]{0,20}`), rapid.String(), rapid.SampledFrom(hostileNames()))
	s := ship.State{
		MMSI: ais.MMSI(rapid.Int64Range(1, 9900000100).Draw(t, "mmsi")), Class: ship.Class(rapid.IntRange(0, ship.ClassCount-1).Draw(t, "class")),
		Age: ship.Age(rapid.IntRange(0, 2).Draw(t, "age")), HasFix: rapid.Bool().Draw(t, "fix"), Heard: anyTime(t), Feed: text.Draw(t, "feed"),
		Altitude: int16(rapid.IntRange(-10, 4094).Draw(t, "altitude")), OffPlace: rapid.Bool().Draw(t, "off"),
	}
	if s.HasFix {
		s.Fix = anyFix(t)
	}
	if rapid.Bool().Draw(t, "static") {
		d := rapid.Uint16Range(0, 511)
		s.Static = &ship.Static{IMO: uint32(rapid.IntRange(0, 9999999).Draw(t, "imo")), Name: text.Draw(t, "name"), CallSign: text.Draw(t, "callsign"),
			Type: ais.ShipType(rapid.IntRange(0, 255).Draw(t, "type")), AidType: uint8(rapid.IntRange(0, 31).Draw(t, "aid")), Virtual: rapid.Bool().Draw(t, "virtual"),
			MotherShip: ais.MMSI(rapid.IntRange(0, 1).Draw(t, "mother") * 219000001), At: anyTime(t),
			Dimensions: ais.Dimensions{Bow: d.Draw(t, "a"), Stern: d.Draw(t, "b"), Port: d.Draw(t, "c"), Starboard: d.Draw(t, "d")}}
	}
	if rapid.Bool().Draw(t, "voyage") {
		small := rapid.Uint8Range(0, 60)
		s.Voyage = &ship.VoyageData{Destination: text.Draw(t, "destination"), Draught: ais.Decimetres(rapid.IntRange(0, 255).Draw(t, "draught")), At: anyTime(t),
			ETA: ais.ETA{Month: small.Draw(t, "month"), Day: small.Draw(t, "day"), Hour: small.Draw(t, "hour"), Minute: small.Draw(t, "minute")}}
	}
	return s
}

func anyTime(t *rapid.T) int64 { return rapid.Int64Range(-1e12, 2e14).Draw(t, "time") }

func anyFix(t *rapid.T) ship.Fix {
	return ship.Fix{
		At: anyTime(t), Lon: rapid.Int32Range(-108000000, 108000000).Draw(t, "lon"), Lat: rapid.Int32Range(-54000000, 54000000).Draw(t, "lat"),
		SOG: ais.SOGTenths(rapid.IntRange(-1, 1022).Draw(t, "sog")), COG: ais.COGTenths(rapid.IntRange(-1, 3600).Draw(t, "cog")),
		Heading: ais.HeadingDegrees(rapid.IntRange(-1, 360).Draw(t, "heading")), ROT: ais.RawROT(rapid.IntRange(-128, 127).Draw(t, "rot")),
		Status: ais.NavStatus(rapid.IntRange(0, 15).Draw(t, "status")),
		Mark:   rapid.SampledFrom([]ship.Mark{0, ship.NewSegment, ship.Untrusted}).Draw(t, "mark"),
	}
}

func hostileNames() []string {
	return []string{`<SCRIPT SRC=//A.CO>`, `=CMD|' /C calc'!A0`, `A"B\C`, "TAB\tNAME", "Ø\u2028Y", "\xff\xfe", "&<>'"}
}

func TestAreaRecordEqualsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.Custom(anyState), 0, 4).Draw(t, "ships")
		records := make([]plainShip, len(states))
		for i := range states {
			records[i] = plain(&states[i])
		}
		want, err := json.Marshal(map[string]any{"records": records})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if List(&got, states, nil, (*Object).AreaRecord); !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("got  %s\nwant %s", got.Bytes(), want)
		}
	})
}

// Our own words are written without escaping; so none of them may need it.
func TestWordsNeedNoEscaping(t *testing.T) {
	for i := range 1000 {
		s := ship.State{MMSI: ais.MMSI(i * 1000000), Class: ship.Class(i % ship.ClassCount), Age: ship.Age(i % 3), HasFix: true,
			Fix: ship.Fix{Status: ais.NavStatus(i % 16)}, Static: &ship.Static{Type: ais.ShipType(i % 256)}}
		want, err := json.Marshal(plain(&s))
		if err != nil {
			t.Fatal(err)
		}
		var o Object
		if o.AreaRecord(&s); !bytes.Equal(o.B, want) {
			t.Fatalf("got  %s\nwant %s", o.B, want)
		}
	}
}

func TestTrackEqualsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		track := ship.Track(rapid.SliceOfN(rapid.Custom(anyFix), 0, 20).Draw(t, "track"))
		coordinates := make([][5]any, len(track))
		var lies []int
		for i, f := range track {
			var p plainShip
			plainMotion(&p, &ship.State{Fix: f})
			coordinates[i] = p.Position.Coordinates
			if p.Position.Untrusted {
				lies = append(lies, i)
			}
		}
		want, err := json.Marshal(struct {
			Type        string   `json:"type"`
			Extensions  []string `json:"extensions"`
			Coordinates [][5]any `json:"coordinates"`
			Untrusted   []int    `json:"untrusted,omitempty"`
		}{"LineString", []string{"time", "cog", "sog"}, coordinates, lies})
		if err != nil {
			t.Fatal(err)
		}
		var o Object
		o.appendTrack(track)
		if !bytes.Equal(o.B, want) {
			t.Fatalf("got  %s\nwant %s", o.B, want)
		}
	})
}

// A change record with everything in it, put over the record before, gives the record after: that is all a live client does.
func TestChangeRecordTurnsTheOldIntoTheNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := anyState(t), anyState(t)
		after.MMSI = before.MMSI
		if before.HasFix {
			after.HasFix = true
		}
		var was, change, want Object
		was.AreaRecord(&before)
		want.AreaRecord(&after)
		change.ChangeRecord(&sight.ChangedShip{MMSI: after.MMSI, Ship: &after, Motion: true, Static: true})
		got := merged(t, was.B, change.B)
		if wanted := merged(t, want.B); !equalJSON(got, wanted) {
			t.Fatalf("before %s\nchange %s\ngot  %v\nwant %v", was.B, change.B, got, wanted)
		}
	})
}

// merged puts records over each other as a live client does: null deletes.
func merged(t interface{ Fatal(...any) }, records ...[]byte) map[string]any {
	all := map[string]any{}
	for _, r := range records {
		var one map[string]any
		if err := json.Unmarshal(r, &one); err != nil {
			t.Fatal(err, string(r))
		}
		for k, v := range one {
			if v == nil {
				delete(all, k)
			} else {
				all[k] = v
			}
		}
	}
	return all
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func TestDegreesOnTheWire(t *testing.T) {
	for _, row := range []struct {
		units int32
		want  string
	}{
		{0, "0"}, {1, "0.000002"}, {-1, "-0.000002"}, {600000, "1"}, {-600000, "-1"}, {108000000, "180"}, {-108000000, "-180"},
		{54000000, "90"}, {6184260, "10.3071"}, {-300000, "-0.5"},
	} {
		if got := string(appendDegrees(nil, row.units)); got != row.want {
			t.Errorf("appendDegrees(%d) = %s, want %s", row.units, got, row.want)
		}
	}
}

// areaShips are ten thousand ships as a busy sea has them.
func areaShips() []ship.State {
	random := rand.New(rand.NewPCG(1, 2))
	ships := make([]ship.State, 10000)
	for i := range ships {
		at := int64(1_795_000_000_000) + random.Int64N(3_600_000)
		ships[i] = ship.State{
			MMSI: ais.MMSI(219000000 + i), Class: ship.ClassA, HasFix: true, Heard: at, Feed: "roof",
			Fix: ship.Fix{At: at / 1000 * 1000, Lon: random.Int32N(6000000), Lat: 33000000 + random.Int32N(600000), SOG: ais.SOGTenths(random.IntN(200)),
				COG: ais.COGTenths(random.IntN(3600)), Heading: ais.HeadingDegrees(random.IntN(360)), ROT: ais.RawROT(random.IntN(20) - 10)},
			Static: &ship.Static{IMO: 9321483, Name: "NORDIC HAV", CallSign: "OWKN2", Type: 70, Dimensions: ais.Dimensions{Bow: 118, Stern: 16, Port: 11,
				Starboard: 11}, At: at - 7_200_000},
			Voyage: &ship.VoyageData{Destination: "DKAAR", ETA: ais.ETA{Month: 11, Day: 21, Hour: 18, Minute: 30}, Draught: 74, At: at - 3_600_000},
		}
	}
	return ships
}

// BenchmarkArea encodes 10,000 ships with the encoder and with encoding/json in one run.
func BenchmarkArea(b *testing.B) {
	ships := areaShips()
	records := make([]plainShip, len(ships))
	for i := range ships {
		records[i] = plain(&ships[i])
	}
	b.Run("hand", func(b *testing.B) {
		var buffer bytes.Buffer // used again, as the server does
		for b.Loop() {
			buffer.Reset()
			List(&buffer, ships, nil, (*Object).AreaRecord)
			b.SetBytes(int64(buffer.Len()))
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		for b.Loop() {
			body, err := json.Marshal(map[string]any{"records": records})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
		}
	})
	b.Run("encoding-json-from-states", func(b *testing.B) {
		for b.Loop() {
			for i := range ships {
				records[i] = plain(&ships[i])
			}
			body, err := json.Marshal(map[string]any{"records": records})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
		}
	})
}

// A line that crosses 180° is cut there, in GeoJSON, on both sides at the same latitude.
func TestTrackIsCutAtTheDateLine(t *testing.T) {
	at := func(minute int, lon, lat float64) ship.Fix {
		return ship.Fix{At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute).UnixMilli(), Lon: int32(lon * 600000),
			Lat: int32(lat * 600000)}
	}
	for _, row := range []struct {
		name  string
		track ship.Track
		want  string
	}{
		{"eastward", ship.Track{at(0, 179.9, 10), at(1, -179.9, 11)}, `[[[179.9,10],[180,10.5]],[[-180,10.5],[-179.9,11]]]`},
		{"westward", ship.Track{at(0, -179.9, 10), at(1, 179.9, 11)}, `[[[-179.9,10],[-180,10.5]],[[180,10.5],[179.9,11]]]`},
		{"along it", ship.Track{at(0, 180, 10), at(1, 180, 11)}, `[[[180,10],[180,11]]]`},
		{"away from it", ship.Track{at(0, -10, 10), at(1, 10, 11)}, `[[[-10,10],[10,11]]]`},
		{"at the pole", ship.Track{at(0, 100, 90), at(1, -100, 90)}, `[[[100,90],[180,90]],[[-180,90],[-100,90]]]`},
		{"no length", ship.Track{at(0, 1, 2)}, `[[[1,2],[1,2]]]`},
	} {
		var o Object
		o.addLines(row.track)
		if want := `{"type":"MultiLineString","coordinates":` + row.want + `}`; string(o.B) != want {
			t.Errorf("%s: got %s\nwant %s", row.name, o.B, want)
		}
	}
	var o Object
	if o.addLines(nil); string(o.B) != "null" {
		t.Errorf("no fix: %s", o.B)
	}
}

// No line leads to a place that a lying receiver told, or from it, and the track says which places these are.
func TestTrackIsCutAtALie(t *testing.T) {
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	track := make(ship.Track, 5)
	for i := range track {
		track[i] = ship.Fix{At: begin.Add(time.Duration(i) * time.Minute).UnixMilli(), Lon: 6000000}
	}
	track[2].Lat, track[2].Mark = 600000, ship.Untrusted
	var b bytes.Buffer
	TrackGeoJSON(&b, &ship.State{MMSI: 219000001}, track)
	for _, want := range []string{`[[[10,0],[10,0]],[[10,1],[10,1]],[[10,0],[10,0]]]`, `"untrusted":[false,false,true,false,false]`} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("%s is without %s", b.Bytes(), want)
		}
	}
	track[2].Mark = 0
	b.Reset()
	if TrackGeoJSON(&b, &ship.State{MMSI: 219000001}, track); bytes.Contains(b.Bytes(), []byte("untrusted")) {
		t.Errorf("a track without a lie: %s", b.Bytes())
	}
}

// Each format says in its own way which places of a track, and which place of a ship, a receiver told that lies; it says nothing of the others.
func TestExportsMarkLies(t *testing.T) {
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ship1 := ship.State{MMSI: 219000001, HasFix: true}
	track := make(ship.Track, 3)
	for i := range track {
		track[i] = ship.Fix{At: begin.Add(time.Duration(i) * time.Minute).UnixMilli(), Lon: 6000000, Status: ais.StatusMoored}
	}
	for format, one := range map[string]struct {
		write func(w *bytes.Buffer)
		says  string
	}{
		"CSV":           {func(w *bytes.Buffer) { TrackCSV(w, &ship1, track) }, ",5,true\n"},
		"GPX":           {func(w *bytes.Buffer) { TrackGPX(w, &ship1, track) }, "<qw:untrusted>true</qw:untrusted>"},
		"KML":           {func(w *bytes.Buffer) { TrackKML(w, &ship1, track) }, `<ExtendedData><Data name="untrusted"><value>true</value></Data></ExtendedData>` + "\n</gx:Track>"},
		"CSV of ships":  {func(w *bytes.Buffer) { ship1.Fix = track[1]; ShipsCSV(w, []ship.State{ship1}) }, ",5,true\n"},
		"GeoJSON":       {func(w *bytes.Buffer) { ship1.Fix = track[1]; w.Write(ShipGeoJSON(&ship1)) }, `,"untrusted":true,`},
		"GeoJSON track": {func(w *bytes.Buffer) { TrackGeoJSON(w, &ship1, track) }, `"untrusted":[false,true,false]`},
	} {
		var trusted, lies bytes.Buffer
		track[1].Mark = 0
		one.write(&trusted)
		track[1].Mark = ship.Untrusted
		one.write(&lies)
		if bytes.Contains(trusted.Bytes(), []byte("true")) || bytes.Count(lies.Bytes(), []byte(one.says)) != 1 {
			t.Errorf("%s, of a lie: %s\nof none: %s", format, lies.String(), trusted.String())
		}
	}
}
