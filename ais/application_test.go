package ais_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"quaywatch/ais"
)

// packed writes numbers of so many bits each, left-aligned, as the tables of SN.1/Circ.236 and 289 list them.
type packed struct {
	bits []byte
	n    int
}

func (p *packed) put(width int, v int) *packed {
	for i := width - 1; i >= 0; i-- {
		if p.n%8 == 0 {
			p.bits = append(p.bits, 0)
		}
		p.bits[p.n/8] |= byte(v>>i&1) << (7 - p.n%8)
		p.n++
	}
	return p
}

// text writes six-bit characters.
func (p *packed) text(s string) *packed {
	for i := range len(s) {
		p.put(6, int(s[i])&63)
	}
	return p
}

func pack() *packed { return &packed{} }

// contentOf sends the bits as a message and returns the members that a JSONPrinter has for it, without those of each message.
func contentOf(t *testing.T, addressed bool, dac, fi uint16, p *packed, raw bool) map[string]any {
	t.Helper()
	app := ais.Application{DAC: dac, FI: fi, Bits: p.n, Data: p.bits}
	var m ais.Message = &ais.BroadcastBinary{Header: ais.Header{Type: 8, MMSI: 2655619}, Application: app}
	if addressed {
		m = &ais.AddressedBinary{Header: ais.Header{Type: 6, MMSI: 2655619}, Destination: 265000001, Application: app}
	}
	sentences, err := ais.NewEncoder("AIVDM").Sentences(nil, m, 'A')
	if err != nil {
		t.Fatal(err)
	}
	chars, fill := payloadOf(t, sentences)
	decoded, err := ais.Decode(chars, fill)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(new(ais.JSONPrinter).Append(nil, &ais.Report{Message: decoded}, raw), &out); err != nil {
		t.Fatal(err)
	}
	for key := range out {
		if strings.Contains(" class device type repeat mmsi scaled seqno dest_mmsi retransmit spare dac fid data data_bits feed hash ", " "+key+" ") {
			delete(out, key)
		}
	}
	return out
}

func TestApplications(t *testing.T) {
	tests := []struct {
		name      string
		addressed bool
		dac, fi   uint16
		bits      *packed
		raw       bool
		want      string
	}{
		{"persons on board", true, 1, 16, pack().put(13, 1203).put(35, 0), false, `{"persons":1203}`},
		{"persons on board, not available", true, 1, 16, pack().put(13, 0).put(35, 0), false, `{}`},
		{"targets of a VTS, one by its MMSI and one by its call sign", false, 1, 16,
			pack().put(2, 0).put(42, 240560000).put(4, 0).put(24, 2274372).put(25, 1384568).put(9, 90).put(6, 59).put(8, 12).
				put(2, 2).text("SVAB@@@").put(4, 0).put(24, 91*60000).put(25, 181*60000).put(9, 360).put(6, 60).put(8, 255), false,
			`{"targets":[{"idtype":0,"mmsi":"240560000","lon":23.076133,"lat":37.9062,"course":90,"second":59,"speed":12},{"idtype":2,"callsign":"SVAB"}]}`},
		{"an area notice: circle, rectangle, sector, line and text", false, 1, 22,
			pack().put(10, 7).put(7, 26).put(4, 11).put(5, 20).put(5, 9).put(6, 30).put(18, 120).
				put(3, 0).put(2, 1).put(25, 711600).put(24, 3461100).put(3, 4).put(12, 55).put(18, 0).
				put(3, 1).put(2, 0).put(25, -60000&(1<<25-1)).put(24, 60000).put(3, 4).put(8, 200).put(8, 100).put(9, 45).put(5, 0).
				put(3, 2).put(2, 2).put(25, 60000).put(24, 60000).put(3, 4).put(12, 3).put(9, 10).put(9, 20).
				put(3, 3).put(2, 0).put(10, 181).put(10, 500).put(10, 720).put(10, 0).put(10, 720).put(10, 0).put(10, 720).put(10, 0).put(2, 0).
				put(3, 5).text("STRONG WIND@@@"), false,
			`{"linkage":7,"notice":26,"timestamp":"11-20T09:30Z","duration":120,"areas":[
				{"shape":0,"lon":11.86,"lat":57.685,"precision":4,"radius":550},
				{"shape":1,"lon":-1,"lat":1,"precision":4,"east":200,"north":100,"orientation":45},
				{"shape":2,"lon":1,"lat":1,"precision":4,"radius":300,"left":10,"right":20},
				{"shape":3,"waypoints":[{"bearing":90.5,"distance":500}]},
				{"shape":5,"text":"STRONG WIND"}]}`},
		{"an addressed area notice without times", true, 1, 23,
			pack().put(10, 1).put(7, 126).put(4, 0).put(5, 0).put(5, 24).put(6, 60).put(18, 262143), false, `{"linkage":1,"notice":126,"areas":[]}`},
		{"inland: a ship", false, 200, 10,
			pack().text("02103547").put(13, 390).put(10, 50).put(14, 8010).put(3, 0).put(11, 204).put(2, 1).put(3, 5).put(8, 0), false,
			`{"vin":"02103547","length":39,"beam":5,"shiptype":8010,"hazard":0,"draught":2.04,"loaded":1,"speed_q":true,"course_q":false,"heading_q":true}`},
		{"inland: nothing known", false, 200, 10, pack().text("@@@@@@@@").put(13, 0).put(10, 0).put(14, 0).put(3, 5).put(11, 0).put(2, 0).put(11, 0), true,
			`{"vin":"","speed_q":false,"course_q":false,"heading_q":false}`},
		{"inland: persons", true, 200, 55, pack().put(8, 4).put(13, 120).put(8, 255).put(51, 0), false, `{"crew":4,"passengers":120}`},
		{"an aid to navigation", true, 250, 10, pack().put(10, 274).put(10, 1).put(10, 0).put(2, 2).put(2, 1).put(1, 1).put(8, 3).put(1, 1).put(4, 0), false,
			`{"off_pos":true,"alarm":true,"stat_ext":3,"ana_int":13.7,"ana_ext1":0.05,"racon":2,"racon_text":"RACON operational","light":1,"light_text":"Light ON"}`},
		{"an aid to navigation, raw", true, 235, 10, pack().put(10, 274).put(10, 0).put(10, 0).put(2, 0).put(2, 0).put(1, 0).put(8, 0).put(1, 0).put(4, 0), true,
			`{"off_pos":false,"alarm":false,"stat_ext":0,"ana_int":274,"racon":0,"racon_text":"No RACON installed","light":0,"light_text":"No light or no monitoring"}`},
		{"sensors: place, name, wind and water", false, 367, 33,
			pack().put(4, 0).put(5, 20).put(5, 9).put(6, 30).put(7, 5).put(6, 1).put(28, 7116000).put(27, 34611000).put(3, 4).put(12, -15&4095).put(4, 5).
				put(3, 2).put(2, 0).
				put(4, 1).put(5, 0).put(5, 24).put(6, 60).put(7, 5).text("NORTH PIER@@@@").put(1, 0).
				put(4, 2).put(5, 20).put(5, 9).put(6, 30).put(7, 5).put(7, 22).put(7, 122).put(9, 270).put(9, 360).put(3, 1).put(7, 122).put(7, 122).put(9, 360).
				put(5, 0).put(5, 24).put(6, 60).put(8, 255).put(3, 0).
				put(4, 3).put(5, 20).put(5, 9).put(6, 30).put(7, 5).put(1, 1).put(16, -123&65535).put(2, 3).put(5, 11).put(3, 2).put(1, 0).put(16, 32768).
				put(5, 0).put(5, 24).put(6, 60).put(8, 255).put(17, 0),
			false,
			`{"reports":[
				{"sensor":0,"timestamp":"20T09:30Z","site":5,"lon":11.86,"lat":57.685,"version":1,"alt":-1.5,"owner":5,"timeout":2},
				{"sensor":1,"site":5,"name":"NORTH PIER"},
				{"sensor":2,"timestamp":"20T09:30Z","site":5,"wspeed":22,"wdir":270,"sensortype":1},
				{"sensor":3,"timestamp":"20T09:30Z","site":5,"absolute":1,"level":-1.23,"datum":11,"sensortype":2,"fabsolute":0}]}`},
		{"a text that belongs to another message", false, 1, 29, pack().put(10, 7).text("DIVERS DOWN@@"), false, `{"linkage":7,"text":"DIVERS DOWN"}`},
		{"an addressed text", true, 1, 30, pack().put(10, 1023).text("GO TO CH 12"), true, `{"linkage":1023,"text":"GO TO CH 12"}`},
		{"sensors of SN.1/Circ.289: place, currents, sea, weather and air gap", false, 1, 26,
			pack().put(4, 0).put(5, 20).put(5, 9).put(6, 30).put(7, 5).put(28, 7116000).put(27, 34611000).put(11, 15).put(4, 5).put(3, 2).put(12, 0).
				put(4, 6).put(5, 0).put(5, 24).put(6, 60).put(7, 5).put(9, 10).put(7, 100).put(8, 12).put(9, 20).put(9, 30).put(9, 360).put(7, 122).put(8, 247).put(9, 360).put(9, 362).put(1, 0).
				put(4, 5).put(5, 0).put(5, 24).put(6, 60).put(7, 5).put(8, 11).put(8, 247).put(8, 3).put(9, 40).put(8, 247).put(8, 247).put(8, 247).put(9, 362).put(3, 1).put(16, 0).
				put(4, 9).put(5, 0).put(5, 24).put(6, 60).put(7, 5).put(11, -15&2047).put(3, 1).put(2, 0).put(8, 50).put(10, -25&1023).put(3, 0).put(9, 214).put(2, 1).put(3, 0).put(9, 502).put(25, 0).
				put(4, 10).put(5, 0).put(5, 24).put(6, 60).put(7, 5).put(13, 1234).put(13, 0).put(2, 3).put(13, 0).put(5, 0).put(5, 24).put(6, 60).put(28, 0),
			false,
			`{"reports":[
				{"sensor":0,"timestamp":"20T09:30Z","site":5,"lon":11.86,"lat":57.685,"alt":1.5,"owner":5,"timeout":2},
				{"sensor":6,"site":5,"bearing1":10,"distance1":100,"speed1":1.2,"direction1":20,"depth1":30},
				{"sensor":5,"site":5,"cnorth1":1.1,"cup1":0.3,"cdepth1":40,"sensortype":1},
				{"sensor":9,"site":5,"temperature":-1.5,"sensortype":1,"preciptype":0,"visibility":5,"dewpoint":-2.5,"pressure":1013,"pressuretend":1},
				{"sensor":10,"site":5,"airdraught":12.34}]}`},
		{"inland: a ship asks for a time at a lock", true, 200, 21,
			pack().text("NLRTM").text("00123").text("LOCK1").text("00456").put(4, 11).put(5, 20).put(5, 9).put(6, 30).put(3, 2).put(12, 650).put(5, 0), false,
			`{"country":"NL","locode":"RTM","section":"00123","terminal":"LOCK1","hectometre":"00456","eta":"11-20T09:30Z","tugs":2,"airdraught":6.5}`},
		{"inland: the lock answers", true, 200, 22,
			pack().text("NLRTM").text("00123").text("LOCK1").text("00456").put(4, 11).put(5, 31).put(5, 9).put(6, 30).put(2, 1).put(2, 0), false,
			`{"country":"NL","locode":"RTM","section":"00123","terminal":"LOCK1","hectometre":"00456","status":1}`}, // there is no 31 November
		{"inland: a warning of the weather", false, 200, 23,
			pack().put(8, 26).put(4, 11).put(5, 20).put(8, 26).put(4, 11).put(5, 21).put(5, 9).put(6, 30).put(5, 24).put(6, 60).
				put(28, 3600000).put(27, 30600000).put(28, 181*600000).put(27, 91*600000).put(4, 6).put(9, 12).put(9, 256+3).put(2, 2).put(4, 8).put(6, 0), false,
			`{"start":"2026-11-20T09:30Z","end":"2026-11-21","start_lon":6,"start_lat":51,"warning":6,"warning_text":"Low temperature","min":-12,"max":3,"intensity":2,"wind":8}`},
		{"inland: a warning that says nothing", false, 200, 23,
			pack().put(8, 0).put(4, 0).put(5, 0).put(8, 0).put(4, 0).put(5, 0).put(5, 24).put(6, 60).put(5, 24).put(6, 60).
				put(28, 181*600000).put(27, 91*600000).put(28, 181*600000).put(27, 91*600000).put(4, 0).put(9, 255).put(9, 256+255).put(2, 0).put(4, 0).put(6, 0), false,
			`{"warning":0}`},
		{"inland: levels of the water, in metres", false, 200, 24,
			pack().text("DE").put(11, 17).put(14, 1<<13+250).put(11, 18).put(14, 31).put(11, 19).put(14, 0).put(11, 0).put(14, 0), false,
			`{"country":"DE","gauges":[{"id":17,"level":2.5},{"id":18,"level":-0.31},{"id":19}]}`},
		{"inland: levels of the water, raw", false, 200, 24,
			pack().text("DE").put(11, 17).put(14, 1<<13+250).put(11, 18).put(14, 31).put(11, 0).put(14, 0).put(11, 0).put(14, 0), true,
			`{"country":"DE","gauges":[{"id":17,"level":250},{"id":18,"level":-31}]}`},
		{"inland: lights of a signal", false, 200, 40, pack().put(28, 3600000).put(27, 30600000).put(4, 3).put(9, 270).put(3, 1).put(30, 120000000).put(11, 0), false,
			`{"lon":6,"lat":51,"form":3,"facing":270,"direction":1,"status":120000000}`},
		{"too few bits are kept as data alone", false, 200, 10, pack().put(40, 1), false, `{}`},
		{"nobody's application", false, 366, 56, pack().put(40, 1), false, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, contentOf(t, tt.addressed, tt.dac, tt.fi, tt.bits, tt.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A met/hydro message with all values known gives each value, in both layouts, with the keys and units of gpsd.
func TestMetHydro(t *testing.T) {
	old := pack().put(24, 3461100).put(25, 711600).put(5, 20).put(5, 9).put(6, 30).
		put(7, 22).put(7, 31).put(9, 270).put(9, 280).put(11, 742).put(7, 50).put(10, 323).put(9, 224).put(2, 1).put(8, 153).put(9, 16).put(2, 2).
		put(8, 103).put(9, 256).put(8, 104).put(9, 257).put(5, 10).put(8, 126).put(9, 203).put(5, 20).
		put(8, 42).put(6, 35).put(9, 25).put(8, 23).put(6, 48).put(9, 124).put(4, 3).put(10, 223).put(3, 1).put(9, 53).put(2, 0).put(6, 0)
	now := pack().put(25, 711600).put(24, 3461100).put(1, 1).put(5, 20).put(5, 9).put(6, 30).
		put(7, 22).put(7, 31).put(9, 270).put(9, 280).put(11, 142).put(7, 50).put(10, 123).put(9, 225).put(2, 1).put(1, 0).put(7, 53).put(12, 160).put(2, 2).
		put(8, 103).put(9, 256).put(8, 104).put(9, 257).put(5, 10).put(8, 126).put(9, 203).put(5, 20).
		put(8, 42).put(6, 35).put(9, 25).put(8, 23).put(6, 48).put(9, 124).put(4, 3).put(10, 123).put(3, 1).put(9, 53).put(2, 0).put(10, 0)
	for fi, bits := range map[uint16]*packed{11: old, 31: now} {
		got := contentOf(t, false, 1, fi, bits, false)
		want := map[string]any{
			"lon": 11.86, "lat": 57.685, "timestamp": "20T09:30Z", "wspeed": 22.0, "wgust": 31.0, "wdir": 270.0, "wgustdir": 280.0,
			"airtemp": 14.2, "humidity": 50.0, "dewpoint": 12.3, "pressure": 1024.0, "pressuretend": "decreasing", "visibility": 15.3,
			"waterlevel": -8.4, "leveltrend": "increasing", "cspeed": 10.3, "cdir": 256.0, "cspeed2": 10.4, "cdir2": 257.0, "cdepth2": 10.0,
			"cspeed3": 12.6, "cdir3": 203.0, "cdepth3": 20.0, "waveheight": 4.2, "waveperiod": 35.0, "wavedir": 25.0, "swellheight": 2.3,
			"swellperiod": 48.0, "swelldir": 124.0, "seastate": 3.0, "watertemp": 12.3, "preciptype": 1.0, "salinity": 5.3, "ice": 0.0,
		}
		if fi == 31 {
			want["accuracy"], want["visgreater"], want["visibility"] = true, false, 5.3
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("FI %d: %s", fi, diff)
		}
	}
}

// Fields that are all "not available" give no number.
func TestMetHydroUnknown(t *testing.T) {
	ones := pack()
	for range 33 {
		ones.put(10, 1023)
	}
	ones.put(6, 63)
	got := contentOf(t, false, 1, 11, ones, false)
	delete(got, "lon")
	delete(got, "lat")
	if len(got) != 0 {
		t.Errorf("values of nothing: %v", got)
	}
}

// A value that is set comes back, rounded to the step of the field. A value that the field does not have is refused.
func TestMetHydroApplication(t *testing.T) {
	for _, fi := range []uint16{11, 31} {
		weather := &ais.MetHydro{FI: fi, Place: ais.Place{Lon: 7116000, Lat: 34611000}, Day: 20, Hour: 9, Minute: 30}
		values := map[string]float64{"wspeed": 22, "wdir": 359, "airtemp": -7.3, "pressure": 987, "waterlevel": -0.4, "watertemp": -1.9, "visibility": 9.9,
			"seastate": 0}
		for key, value := range values {
			for range 2 { // the second time replaces the first
				if !weather.Set(key, value) {
					t.Fatalf("FI %d: %s is refused", fi, key)
				}
			}
		}
		if weather.Set("wdir", 360) || weather.Set("airtemp", 61) || weather.Set("moon", 1) {
			t.Errorf("FI %d takes what it cannot say", fi)
		}
		m := &ais.BroadcastBinary{Header: ais.Header{Type: 8, MMSI: 2655619}, Application: weather.Application()}
		sentences, err := ais.NewEncoder("AIVDM").Sentences(nil, m, 'A')
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := ais.Decode(payloadOf(t, sentences))
		if err != nil {
			t.Fatal(err)
		}
		got := decoded.(*ais.BroadcastBinary).Content.(*ais.MetHydro)
		if got.Place != weather.Place || got.Day != 20 || got.Hour != 9 || got.Minute != 30 {
			t.Errorf("FI %d: %+v", fi, got)
		}
		for key, value := range values {
			if v, ok := got.Value(key); !ok || math.Abs(v-value) > 1e-9 {
				t.Errorf("FI %d: %s is %v %v, want %v", fi, key, v, ok, value)
			}
		}
		if known := len(got.Readings); known != len(values) && (fi != 31 || known != len(values)+1) {
			t.Errorf("FI %d: %d values, want %d: %v", fi, known, len(values), got.Readings)
		}
	}
}
