package ship_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// A Friday night, 23:30 UTC.
var night = time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)

func place(lat, lon float64) (int32, int32) {
	return int32(lon*600000 + 0.5), int32(lat*600000 + 0.5)
}

// nordicHav is a Danish tanker of 228 m under way northward off Aarhus.
func nordicHav() *ship.State {
	lon, lat := place(56.14, 10.24)
	return &ship.State{
		MMSI: 219018765, Class: ship.ClassA, HasFix: true, Feed: "roof", Reports: 9,
		Heard: night.Add(-40 * time.Second).UnixMilli(),
		Fix: ship.Fix{
			Lon: lon, Lat: lat, SOG: ais.SOGTenths(125), COG: ais.COGTenths(3580), Heading: ais.HeadingDegrees(359),
			ROT: ais.RawROT(-3), Status: ais.StatusUnderWayEngine,
		},
		Static: &ship.Static{
			IMO: 9321483, Name: "NORDIC HAV", CallSign: "OWKN2", Type: 80,
			Dimensions: ais.Dimensions{Bow: 200, Stern: 28, Port: 16, Starboard: 16},
		},
		Voyage: &ship.VoyageData{Destination: "SE GOT", Draught: 112},
	}
}

// trawler is a Norwegian class B fishing boat of unknown place.
func trawler() *ship.State {
	return &ship.State{
		MMSI: 257000123, Class: ship.ClassB, Feed: "roof", Feeds: ais.Feeds{Set: 5, Names: &[]string{"roof", "sky", "pier"}},
		Static: &ship.Static{Name: "HAVGLIMT", Type: 30, Dimensions: ais.Dimensions{Bow: 100, Stern: 20, Port: 4, Starboard: 4}},
	}
}

// unnamed is a ship of which nothing but the number is known.
func unnamed() *ship.State { return &ship.State{MMSI: 2190001, ByHand: true} }

func environment() ship.Lookup {
	tugs := func(s *ship.State) bool { return s.MMSI == 219018765 }
	return ship.Lookup{
		ShipList: func(name string) (func(*ship.State) bool, bool) {
			return tugs, name == "Tugs" || name == "Pilot boats"
		},
		Shape: func(name string) (*geo.Area, bool) {
			return geo.NewArea(geo.Circle{Center: geo.Point{Lon: 10.24, Lat: 56.14}, Radius: 2000}), name == "Aarhus outer"
		},
		Port: func(name string) (func(*ship.State, time.Time) bool, bool) {
			return func(s *ship.State, _ time.Time) bool { return tugs(s) }, name == "DKAAR"
		},
	}
}

func TestFilterMatches(t *testing.T) {
	const hav, fish, none = 1, 2, 4
	tests := []struct {
		filter string
		want   int // which of nordicHav, trawler, unnamed
	}{
		{"", hav | fish | none},
		{"   ", hav | fish | none},
		// Filters as users write them.
		{"MAERSK*", 0},
		{"NORDIC HAV", hav},
		{"mmsi = 219*", hav},
		{"type = tanker and length >= 200", hav},
		{`type = "tanker*" & draught > 10.5 & destination ~ "*GOT*"`, hav},
		{"(type = fishing or nav_status = 7) and sog in 0.5..5.5", 0},
		{"type = fishing or nav_status = 7", fish},
		{"country in (Denmark, Norway) and not class = B", hav | none},
		{"cog in 350..10", hav},
		{"pos within circle(56.14, 10.23, 3000)", hav},
		{`pos not within shape("Aarhus outer") and sog > 12`, 0},
		{`pos within shape("Aarhus outer") and sog > 12`, hav},
		{`shiplist = "Tugs" or shiplist = 'Pilot boats'`, hav},
		{"imo is null and length > 100", fish},
		{"hour in 22..5 and dow in (sat, sun)", 0},
		{"hour in 22..5 and dow in (fri, sun)", hav | fish | none},
		// Wildcards, case and padding.
		{"name = 'nordic*'", hav},
		{"name = n?rdic_hav", 0},
		{"name = 'n?rdic hav@@'", hav},
		{"name != NORDIC*", fish},
		{"name in (HAV*, X)", fish},
		{"name not in (HAV*, X)", hav},
		{`name = 'NORDIC\*'`, 0},
		{"name like '*HAV*'", hav | fish},
		{"name not like '*GLI*'", hav},
		{"name !~ '*GLI*'", hav},
		{"mmsi = 00219*", none},
		{"mmsi in (219*, 2570*)", hav | fish},
		{"mmsi in 200000000..220000000", hav},
		{"imo = 9321483", hav},
		{"imo = 93*", hav},
		{"type_code = 8?", hav},
		{"callsign ~ ow*", hav},
		// Quick terms.
		{"hav", hav | fish},
		{"owkn", hav},
		{"219018765", hav},
		{"9321483", hav},
		{"'NORDIC HAV'", hav},
		{"HAV*", fish},
		{"hav and not nordic", fish},
		// Unknown values are neither equal nor different.
		{"destination != X", hav},
		{"not (destination = X)", hav | fish | none},
		{"destination not in (X)", hav},
		{"sog != 3", hav},
		{"sog is null", fish | none},
		{"sog is not null", hav},
		{"pos is null", fish | none},
		{"pos is not null", hav},
		{"dwt is null", hav | fish | none},
		{"gt > 0", 0},
		{"heading != 5 or rot != 4", hav},
		{"type != cargo", hav | fish},
		{"class is null", none},
		{"nav_status is null", fish | none},
		// Ranges, names of values, time.
		{"sog = 12..13", hav},
		{"sog != 12..13", 0},
		{"sog in (1..2, 12.5)", hav},
		{"heading in 350..10", hav},
		{"rot = -3", hav},
		{"rot in -5..-1", hav},
		{"nav_status = under_way", hav},
		{"nav_status in (moored, anchored)", 0},
		{"age < 60", hav},
		{"age > 60", 0},
		{"hour = 23", hav | fish | none},
		{"dow = fri", hav | fish | none},
		{"dow in thu..sat", hav | fish | none},
		{"dow in sat..mon", 0},
		{"lat > 56 and lon < 11 and width = 32", hav},
		{"source = roof", hav | fish},
		{"source = register", none},
		{"source = ais", hav | fish},
		{"source = pier", fish},
		{"source = 'P*'", fish},
		{"source in (cellar, PIER)", fish},
		{"source != pier", hav | none},
		{"country_code = DK", hav | none},
		{"country_code = DNK", hav | none},
		{"name like'NORDIC*'", hav},
		{"country = DNK", hav | none},
		{"flag in (dnk, NOR)", hav | fish | none},
		{"country = 'D*'", hav | none},
		{"type = 'Tan*'", hav},
		{"port = DKAAR", hav},
		{"port != DKAAR", fish | none},
		{"pos within bbox(56, 10, 57, 11)", hav},
		{"pos within bbox(57, 10, 56, 11)", hav},
		{"pos within bbox(56, 11, 57, 10)", 0},
		{"pos within bbox(56, 170, 57, 11)", hav},
		// Ranks of and, or, not; AisLib's signs and prefixes.
		{"hav or 257* and nordic", hav | fish},
		{"(hav or 257*) and nordic", hav},
		{"!hav", none},
		{"not not hav", hav | fish},
		{"t.sog > 10 && m.class = a", hav},
		{"t.sog > 10 || t.name = HAV*", hav | fish},
		{"TYPE = Tanker AND SOG IN 2..80", hav},
	}
	ships := []*ship.State{nordicHav(), trawler(), unnamed()}
	for _, test := range tests {
		f, err := ship.ParseFilter(test.filter, environment())
		if err != nil {
			t.Errorf("%s: %v", test.filter, err)
			continue
		}
		got := 0
		for i, s := range ships {
			if f.Match(s, night) {
				got |= 1 << i
			}
		}
		if got != test.want {
			t.Errorf("%s: picks %03b, want %03b", test.filter, got, test.want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	tests := []struct {
		filter string
		offset int
		detail string
	}{
		// What a user mistypes often.
		{"spede > 3", 0, "unknown field 'spede'; type speed"},
		{"type = ", 7, "type a value after '='"},
		{"(a or b", 7, "type ')' after 'b'"},
		{"pos within circle(1,2)", 11, "circle takes 3 arguments, not 2"},
		{"mmsi in 1, 2 and sog > 3", 9, "type 'and' or 'or' here, or end the filter"},
		// What can go wrong elsewhere.
		{"ÆØÅ and spede > 3", 8, "unknown field 'spede'; type speed"},
		{"sog > 5,5", 7, "write decimals with a point: 5.5"},
		{"country in Denmark, tanker", 18, "type 'and' or 'or' here, or end the filter"},
		{"tanker,", 7, "type a word, a name or a condition as speed > 10 here"},
		{"sog > 5 und", 8, "type 'and' or 'or' here, or end the filter"},
		{"sog > fast", 6, "expected a number"},
		{"sog > 219*", 6, "expected a number"},
		{"mmsi > 219*", 7, "expected a number"},
		{"sog > 'NaN'", 6, "expected a number"},
		{"nav_status = asleep", 13, "unknown value 'asleep'"},
		{"country = DNX", 10, "'DNX' is no country; near are dnk"},
		{"sog > 3 and type != tankr", 20, "'tankr' is no type; near are tanker, tankers"},
		{"type = untug", 7, "'untug' is no type"},
		{"type in (tanker, 'Fishin boat')", 17, "'Fishin boat' is no type; near are fishing boat, fishing boats"},
		{"class = C", 8, "'C' is no class; near are a, b"},
		{"country_code = QQ", 15, "'QQ' is no country_code; near are aq, bq, gq"},
		{"country = Atlantis", 10, "'Atlantis' is no country"},
		{"sog in 8..2", 7, "the range of sog ends before it begins"},
		{"sog < 2..8", 4, "a range goes with =, != or in"},
		{"name < B", 5, "name is text: it takes =, !=, in, like or is"},
		{"name in A..B", 8, "name is text: it has no ranges"},
		{"name = 'open", 7, "the string is not closed"},
		{"name = and", 7, "type a value after '='"},
		{"sog in (1, 2", 12, "type ')' after '2'"},
		{"and", 0, "type a word, a name or a condition as speed > 10 here"},
		{"a or", 4, "type a word, a name or a condition as speed > 10 here"},
		{"not", 3, "type a word, a name or a condition as speed > 10 here"},
		{"a ; b", 2, "unexpected character ';'"},
		{"sog > 5 7", 8, "type 'and' or 'or' here, or end the filter"},
		{"tanker > 150", 7, "of what? Type length > 150 or > 150 m, speed > 150 or > 150 kn"},
		{"length > 150 kn", 13, "length is not measured in kn"},
		{"speed over 10m", 13, "sog is not measured in m"},
		{"> tanker", 2, "expected a number"},
		{"pos = 3", 4, "pos takes within or is null"},
		{"pos within harbour", 11, "expected circle, bbox or shape"},
		{"pos within circle(91,2,3)", 11, "circle takes latitude before longitude, within 90 and 180 degrees"},
		{"pos within circle(1,2,0)", 11, "the radius of circle must be more than 0 metres"},
		{"pos within circle(1,x,3)", 20, "expected a number"},
		{"pos within bbox(1,2,3)", 11, "bbox takes 4 arguments, not 3"},
		{"pos within shape(Nowhere)", 17, "unknown shape 'Nowhere'"},
		{"shiplist = Nobody", 11, "unknown ship list 'Nobody'"},
		{"shiplist > Tugs", 9, "shiplist takes =, != or in"},
		{"port = XXXXX", 7, "no port is called 'XXXXX': type its name or LOCODE"},
		{"sog is 3", 7, "type 'null' after 'is'"},
		{strings.Repeat("(", 32) + "a" + strings.Repeat(")", 32), 32, "nested deeper than 32"},
		{strings.Repeat("x", 4001), 4000, "a filter has at most 4000 characters, this one 4001"},
	}
	for _, test := range tests {
		_, err := ship.ParseFilter(test.filter, environment())
		var syntax *ship.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%.60s: error %v, want %q", test.filter, err, test.detail)
			continue
		}
		if syntax.Offset != test.offset || syntax.Rule.Error() != test.detail {
			t.Errorf("%.60s: %d %q, want %d %q", test.filter, syntax.Offset, syntax.Rule, test.offset, test.detail)
		}
	}
}

func TestFilterWithoutLookup(t *testing.T) {
	for _, text := range []string{"shiplist = Tugs", "port = DKAAR", "pos within shape(X)"} {
		if _, err := ship.ParseFilter(text, ship.Lookup{}); err == nil {
			t.Errorf("%s: parsed, though nobody knows the name", text)
		}
	}
	var none *ship.Filter
	if !none.Match(unnamed(), night) {
		t.Error("a nil filter does not pick every ship")
	}
}

func TestFilterDepth(t *testing.T) {
	text := strings.Repeat("(", 31) + "hav" + strings.Repeat(")", 31)
	f, err := ship.ParseFilter(text, ship.Lookup{})
	if err != nil || !f.Match(nordicHav(), night) {
		t.Errorf("31 brackets: %v", err)
	}
}

// A pattern made to backtrack must not take long: each star could be tried at each place.
func TestFilterHostilePattern(t *testing.T) {
	text := "name = '" + strings.Repeat("*a", 1900) + "b'"
	f, err := ship.ParseFilter(text, ship.Lookup{})
	if err != nil {
		t.Fatal(err)
	}
	s := &ship.State{MMSI: 1, Static: &ship.Static{Name: strings.Repeat("a", 4000)}}
	start := time.Now()
	for range 10 {
		if f.Match(s, night) {
			t.Fatal("matches without a b")
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("ten matches took %v", took)
	}
}

func TestFilterMatchAllocatesNothing(t *testing.T) {
	s := nordicHav()
	for _, text := range []string{
		"nordic", "219*", "mmsi = 219* and type = tanker", "country in (Denmark, Norway) and sog > 5", "pos within bbox(56,10,57,11)",
		"pos within circle(56.14, 10.23, 3000)", "hour in 22..5 and age < 60", "callsign = OW* or imo is null",
	} {
		f, err := ship.ParseFilter(text, ship.Lookup{})
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { f.Match(s, night) }); n != 0 {
			t.Errorf("%s: %v allocations a match", text, n)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, text := range []string{
		"MAERSK*", "(type = fishing or nav_status = 7) and sog in 0.5..5.5", `name = "a\"b\*" & t.sog != 2..8`,
		"pos not within circle(56.14, 10.23, 3000)", "pos within bbox(1,2,3,4) or shiplist in (Tugs, 'x')", "hour in 22..5 and dow in (sat, sun)",
		"not not ! a", "mmsi = 219* | imo is not null", "((((", "sog > -1.5 and x", "m.pos within shape('x y')", "\xff\\", "'\\",
		"tanker oder nicht Schlepper, in Fahrt", "nordic tanker und sog > 5", "status = festgemacht",
		"tankers over 150 m anchored", "> 150m (tug)", "name = NORDIC HAV sog > 5 kn",
	} {
		f.Add(text)
	}
	ships := []*ship.State{nordicHav(), trawler(), unnamed()}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := ship.ParseFilter(text, environment())
		if err != nil {
			var syntax *ship.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len([]rune(text)) || syntax.Rule == nil {
				t.Fatalf("%q: error %#v", text, err)
			}
			return
		}
		negated, err := ship.ParseFilter("not ("+text+")", environment())
		for _, s := range ships {
			got := filter.Match(s, night)
			if got != filter.Match(s, night) {
				t.Fatalf("%q: two answers", text)
			}
			if err == nil && strings.TrimSpace(text) != "" && negated.Match(s, night) == got {
				t.Fatalf("%q: its negation picks the same", text)
			}
		}
	})
}

func BenchmarkFilterMatch(b *testing.B) {
	for _, text := range []string{"nordic", "mmsi = 219*", "type = tanker and length >= 200", "pos within circle(56.14, 10.23, 3000)"} {
		b.Run(text, func(b *testing.B) {
			f, err := ship.ParseFilter(text, ship.Lookup{})
			if err != nil {
				b.Fatal(err)
			}
			s := nordicHav()
			b.ReportAllocs()
			for b.Loop() {
				if !f.Match(s, night) {
					b.Fatal("the ship does not match")
				}
			}
		})
	}
}
