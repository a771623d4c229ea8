package ship_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// fixAt returns a fix so many seconds after noon.
func fixAt(seconds int64, lat, lon float64, mark ship.Mark) ship.Fix {
	x, y := int32(math.Round(lon*600000)), int32(math.Round(lat*600000))
	return ship.Fix{At: noon.UnixMilli() + 1000*seconds, Lon: x, Lat: y, Mark: mark}
}

func TestTrackLength(t *testing.T) {
	mile := geo.Distance(geo.Point{Lon: 10, Lat: 54}, geo.Point{Lon: 10, Lat: 54 + 1.0/60})
	tests := []struct {
		name  string
		track ship.Track
		legs  int
		want  float64
	}{
		{"none", nil, 0, 0},
		{"one fix", ship.Track{fixAt(0, 54, 10, 0)}, 0, 0},
		{"zero length", ship.Track{fixAt(0, 54, 10, 0), fixAt(60, 54, 10, 0)}, 1, 0},
		{"a mile", ship.Track{fixAt(0, 54, 10, 0), fixAt(60, 54+1.0/60, 10, 0)}, 1, mile},
		{"a gap of 30 min", ship.Track{fixAt(0, 54, 10, 0), fixAt(1800, 54+1.0/60, 10, 0)}, 1, mile},
		{"a longer gap", ship.Track{fixAt(0, 54, 10, 0), fixAt(1801, 55, 10, 0), fixAt(1901, 55, 10, 0)}, 1, 0},
		{"a new segment", ship.Track{fixAt(0, 54, 10, 0), fixAt(10, 55, 10, ship.NewSegment), fixAt(20, 55, 10, 0)}, 1, 0},
		{"over 180°", ship.Track{fixAt(0, 0, 179.99, 0), fixAt(60, 0, -179.99, 0)}, 1, geo.Distance(geo.Point{Lon: 0}, geo.Point{Lon: 0.02})},
		{"over the pole", ship.Track{fixAt(0, 89.99, 0, 0), fixAt(60, 89.99, 180, 0)}, 1, 2 * geo.Distance(geo.Point{Lat: 89.99}, geo.Point{Lat: 90})},
	}
	for _, test := range tests {
		if got := test.track.Length(); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%s: %v metres, want %v", test.name, got, test.want)
		}
		if n := len(slices.Collect(test.track.Legs())); n != test.legs {
			t.Errorf("%s: %d legs, want %d", test.name, n, test.legs)
		}
	}
	for leg := range (ship.Track{fixAt(0, 54, 10, 0), fixAt(60, 55, 10, 0), fixAt(61, 56, 10, 0)}).Legs() {
		if leg.Duration() != time.Minute {
			t.Errorf("first leg takes %v", leg.Duration())
		}
		break
	}
	over := ship.Track{fixAt(0, 1, 179, 0), fixAt(1, 2, -179, 0)}
	if b := over.Bounds(); b != (geo.Rect{West: 179, South: 1, East: -179, North: 2}) {
		t.Errorf("bounds over 180°: %+v", b)
	}
}

func TestTrackThin(t *testing.T) {
	track := ship.Track{fixAt(0, 1, 1, 0), fixAt(59, 2, 1, 0), fixAt(61, 3, 1, 0), fixAt(62, 4, 1, 0), fixAt(600, 5, 1, 0)}
	want := ship.Track{track[0], track[2], track[4]}
	if got := track.Thin(time.Minute); !slices.Equal(got, want) {
		t.Errorf("a minute: %+v", got)
	}
	if got := track.Thin(0); !slices.Equal(got, track) {
		t.Errorf("no resolution: %+v", got)
	}
	jumped := slices.Clone(track)
	jumped[3].Mark = ship.NewSegment
	if got := jumped.Thin(time.Minute); got[0].Mark != 0 || got[1].Mark != 0 || got[2].Mark != ship.NewSegment {
		t.Errorf("the fix that began a segment is left out, and none begins: %+v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOf(rapid.Int64Range(-100000, 100000)).Draw(t, "times")
		slices.Sort(times)
		var track ship.Track
		for _, at := range times {
			track = append(track, ship.Fix{At: at})
		}
		step := rapid.Int64Range(1, 5000).Draw(t, "step")
		seen := map[float64]bool{}
		var want ship.Track
		for _, f := range track {
			if interval := math.Floor(float64(f.At) / float64(step)); !seen[interval] {
				seen[interval] = true
				want = append(want, f)
			}
		}
		if got := track.Thin(time.Duration(step) * time.Millisecond); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		cut := rapid.IntRange(0, len(track)).Draw(t, "cut")
		thinned := track[:cut].Thin(time.Duration(step) * time.Millisecond)
		if !slices.Equal(thinned, want[:len(thinned)]) {
			t.Fatal("a part is thinned otherwise than the whole")
		}
	})
}

func TestIdentify(t *testing.T) {
	known := []ship.State{
		{MMSI: 211000001, Static: &ship.Static{IMO: 9321483, Name: "ANNA", CallSign: "DABC"}},
		{MMSI: 211000002, Static: &ship.Static{Name: "ANNA", CallSign: "DXYZ"}},
		{MMSI: 211000003, Static: &ship.Static{IMO: 9074729, Name: "BERTA"}},
		{MMSI: 211000004},
	}
	each := func(yield func(*ship.State) bool) {
		for i := range known {
			if !yield(&known[i]) {
				return
			}
		}
	}
	tests := []struct {
		name       string
		q          ship.Identity
		want       []ais.MMSI
		contradict []string
	}{
		{"by MMSI", ship.Identity{MMSI: 211000004}, []ais.MMSI{211000004}, nil},
		{"by name, any case and padding", ship.Identity{Name: " berta@@"}, []ais.MMSI{211000003}, nil},
		{"several of one name", ship.Identity{Name: "ANNA"}, []ais.MMSI{211000001, 211000002}, nil},
		{"more fields win", ship.Identity{Name: "ANNA", CallSign: "DXYZ"}, []ais.MMSI{211000002}, nil},
		{"two fields before MMSI", ship.Identity{MMSI: 211000003, Name: "ANNA", CallSign: "DXYZ"}, []ais.MMSI{211000002}, []string{"mmsi"}},
		{"MMSI before IMO", ship.Identity{MMSI: 211000003, IMO: 9321483}, []ais.MMSI{211000003}, []string{"imo"}},
		{"IMO before call sign", ship.Identity{IMO: 9321483, CallSign: "DXYZ"}, []ais.MMSI{211000001}, []string{"callsign"}},
		{"call sign before name", ship.Identity{CallSign: "DXYZ", Name: "BERTA"}, []ais.MMSI{211000002}, []string{"name"}},
		{"nobody", ship.Identity{Name: "CARLA"}, nil, nil},
		{"nothing given", ship.Identity{Draught: 6}, nil, nil},
		{"unknown is no contradiction", ship.Identity{MMSI: 211000004, Name: "ANNE"}, []ais.MMSI{211000004}, nil},
	}
	for _, test := range tests {
		best, contradict := ship.Identify(test.q, each)
		var got []ais.MMSI
		for _, s := range best {
			got = append(got, s.MMSI)
		}
		if !slices.Equal(got, test.want) || !slices.Equal(contradict.Names(), test.contradict) {
			t.Errorf("%s: %v against %v, want %v against %v", test.name, got, contradict.Names(), test.want, test.contradict)
		}
		if test.q.Empty() != (test.name == "nothing given") {
			t.Errorf("%s: empty is %v", test.name, test.q.Empty())
		}
	}
}

func TestValidIMO(t *testing.T) {
	for n, want := range map[uint32]bool{9074729: true, 9321483: true, 9074728: false, 907472: false, 90747290: false, 0: false} {
		if ship.ValidIMO(n) != want {
			t.Errorf("%d: %v", n, !want)
		}
	}
}

func TestWords(t *testing.T) {
	words := []struct{ got, want string }{
		{ship.ClassA.String(), "A"}, {ship.ClassEPIRB.String(), "epirb"}, {ship.ClassCoast.String(), "coast"}, {ship.Class(99).String(), "unknown"},
		{ship.Live.String(), "live"}, {ship.Lost.String(), "lost"}, {ship.Removed.String(), "removed"},
		{ship.Accepted.String(), "accepted"}, {ship.LateJump.String(), "late_jump"}, {ship.Reason(99).String(), "unknown"},
		{ship.MMSIText(2190001), "002190001"}, {ship.MMSIText(9900000001), "9900000001"},
		{ship.TypeText(0), ""}, {ship.TypeText(30), ais.ShipType(30).String()},
		{ship.ETAText(ais.ETA{Month: 1, Day: 2, Hour: 18, Minute: 30}, noon), "2027-01-02T18:30:00"},
		{ship.ETAText(ais.ETA{Hour: 24, Minute: 60}, noon), ""},
	}
	for _, w := range words {
		if w.got != w.want {
			t.Errorf("%q, want %q", w.got, w.want)
		}
	}
	if name, code := (&ship.State{MMSI: 219000001}).Country(); name != "Denmark" || code != "DK" {
		t.Errorf("country %q %q", name, code)
	}
	if name, code := (&ship.State{MMSI: 100000001}).Country(); name != "" || code != "" {
		t.Errorf("no country: %q %q", name, code)
	}
}

// TestFormerNamesOfCountries: filters that are kept hold the names that answers had once.
func TestFormerNamesOfCountries(t *testing.T) {
	for name, mmsi := range map[string]ais.MMSI{
		"St. Helena": 665000001, "U.S. Virgin Islands": 379000001, "Virgin Islands, U.S.": 379000001, "Cocos Islands": 523000001, "Turkey": 271000001,
		"Wallis & Futuna": 578000001, "Falkland Islands": 740000001, "South Korea": 440000001, "Tanzania, United Republic of": 674000001,
		"Cape Verde": 617000001, "Saint Helena": 665000001, "United States Virgin Islands": 379000001, "Falkland Islands (Malvinas)": 740000001,
	} {
		f, err := ship.ParseFilter(`country = "`+name+`"`, ship.Lookup{})
		if err != nil || !f.Match(&ship.State{MMSI: mmsi}, time.Now()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTermRanks(t *testing.T) {
	s := &ship.State{MMSI: 219018765, Static: &ship.Static{Name: "Ærø Færge", CallSign: "OWKN2", IMO: 9321483}}
	tests := []struct {
		term string
		want ship.Rank
	}{
		{"ærø færge", ship.FoundExact}, {"ÆRØ", ship.FoundPrefix}, {"ø f", ship.FoundInside}, {"RGE", ship.FoundInside},
		{"*F?RGE", ship.FoundInside}, {"F?RGE", ship.NotFound}, {"219018765", ship.FoundExact}, {"2190", ship.FoundPrefix},
		{"8765", ship.FoundInside}, {"21*5", ship.FoundInside}, {"9321483", ship.FoundExact}, {"owkn", ship.FoundPrefix},
		{"aero", ship.FoundPrefix}, {"faerge", ship.FoundInside}, {"?r? f?rge", ship.FoundInside}, {"a*ge", ship.FoundInside}, {"aeroe", ship.NotFound},
		{"", ship.NotFound}, {"@@ ", ship.NotFound}, {`\*`, ship.NotFound}, {"*", ship.FoundInside}, {"OWKN22", ship.NotFound},
	}
	for _, test := range tests {
		term := ship.ParseTerm(test.term)
		if got := term.Rank(s); got != test.want {
			t.Errorf("%q: %d, want %d", test.term, got, test.want)
		}
	}
}

// Matching with wildcards against the plainest way there is.
func TestTermAgainstModel(t *testing.T) {
	var model func(pattern, text string) bool
	model = func(pattern, text string) bool {
		switch {
		case pattern == "":
			return text == ""
		case pattern[0] == '*':
			return model(pattern[1:], text) || text != "" && model(pattern, text[1:])
		case text == "":
			return false
		}
		return (pattern[0] == '?' || pattern[0] == text[0]) && model(pattern[1:], text[1:])
	}
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[AB*?]{0,8}[*?]`).Draw(t, "pattern")
		text := rapid.StringMatching(`[AB]{1,10}`).Draw(t, "text")
		term := ship.ParseTerm(pattern)
		got := term.Rank(&ship.State{MMSI: 1, Static: &ship.Static{Name: text}}) != ship.NotFound
		if want := model(pattern, text) || model(pattern, "000000001"); got != want {
			t.Fatalf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}
