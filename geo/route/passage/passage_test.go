package passage

import (
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

func TestTheTableIsSound(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 30 {
		t.Errorf("only %d passages", len(all))
	}
	gates := NewGates(all)
	for i, p := range all {
		if p.Limits != (Size{}) && p.Source == "" {
			t.Errorf("%s: the limit has no source", p.Name)
		}
		if (p.Small || p.Flat) && p.Limits.Draught == 0 {
			t.Errorf("%s is small, and no limit says so", p.Name)
		}
		var through PassageSet
		for k := 1; k < len(p.Chain); k++ {
			through |= gates.Of(sea.At(p.Chain[k-1]), sea.At(p.Chain[k]))
			if km := geo.Distance(p.Chain[k-1], p.Chain[k]) / 1000; km > 35 {
				t.Errorf("%s: a piece of the chain is %.0f km long", p.Name, km)
			}
		}
		if len(p.Chain) > 0 && through != 1<<i {
			t.Errorf("the chain of %s goes through the gates of %v", p.Name, gates.Names(through))
		}
	}
	if Shut(all) == 0 {
		t.Error("the Arctic is open")
	}
}

func TestGatesAreCrossed(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	gates := NewGates(all)
	for _, x := range []struct {
		lon1, lat1, lon2, lat2 float64
		want                   string
	}{
		{-6, 35.95, -5, 36, "Gibraltar"}, {-5, 36, -6, 35.95, "Gibraltar"}, {-8, 36, -6, 35.95, ""}, {1, 50.8, 2, 51.3, "Dover"}, {29.05, 41, 29.1, 41.2, "Bosporus"},
		{60, 80, 160, 75, "Northeast Passage"}, {-20, 85, -178, 84, "Northwest Passage"}, {-20, 85, 178, 84, "Northeast Passage, Northwest Passage"}, {-175, 72, 170, 72, "Northeast Passage"}, {20, 84, -170, 84, "Northeast Passage"}, {-169, 65, -168, 67, "Bering"},
		{170, 10, -170, 20, ""}, {12.7, 55.5, 12.7, 55.7, "Drogden"}, {12.85, 55.5, 12.85, 55.7, "Flintrännan"}, {-40, 10, -20, 40, ""},
		{-58, -35, 115, -32, "Antarctic"}, {179, -59, -179, -61, "Antarctic"}, {-66, -57, -60, -59, ""}, {79.67, 8.2, 79.69, 9.1, "Palk Strait"}, {111, 15.5, 112.5, 17.5, "Paracel Islands"},
	} {
		set := gates.Of(sea.At(geo.Point{Lon: x.lon1, Lat: x.lat1}), sea.At(geo.Point{Lon: x.lon2, Lat: x.lat2}))
		if got := strings.Join(gates.Names(set), ", "); got != x.want {
			t.Errorf("from %v %v to %v %v: through %q, want %q", x.lon1, x.lat1, x.lon2, x.lat2, got, x.want)
		}
	}
}

func TestBrokenTablesAreRefused(t *testing.T) {
	const sound = "Styx\n  also Acheron\n  gate 1 2, 3 4\n  draught 7.5\n  source Charon\n  shut\n  chain 1 2, 2 3\n"
	all, err := parse("# a comment\n\n" + sound)
	if err != nil || len(all) != 1 || all[0].Limits.Draught != 7.5 || !all[0].Shut || all[0].Aliases[0] != "Acheron" || len(all[0].Chain) != 2 || all[0].Source != "Charon" {
		t.Fatalf("%+v %v", all, err)
	}
	for _, text := range []string{
		"  gate 1 2, 3 4\n", "Styx\n", sound + "styx\n  gate 1 2, 3 4\n", sound + "Lethe\n  also ACHERON\n  gate 1 2, 3 4\n", "Styx\n  gate 1 2\n", "Styx\n  gate 1 2, 3\n",
		"Styx\n  gate 1 2, 3 95\n", "Styx\n  gate 1 2, x 4\n", "Styx\n  gate 1 2, 3 NaN\n", "Styx\n  gate 1 2, 3 4\n  draught deep\n", "Styx\n  gate 1 2, 3 4\n  draught -1\n",
		"Styx\n  gate 1 2, 3 4\n  draught NaN\n", "Styx\n  gate 1 2, 3 4\n  south 60\n", "Styx\n  gate 1 2, 3 4\n  depth 7\n", "Styx\n  gate 1 2, 3 4\n  beam wide\n",
	} {
		if all, err := parse(text); err == nil {
			t.Errorf("%q is taken as %+v", text, all)
		}
	}
}

// Names are found as charts, pilots and the authorities write them.
func TestPassagesAreFoundInTheirUsualSpellings(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for want, spellings := range map[string][]string{
		"Suez": {"suez", "Suez Canal", "the Suez Canal", "SUEZKANAL"}, "Panama": {"Panama Canal", "Canal de Panama"}, "Kiel": {"Kiel-Canal", "Nord-Ostsee-Kanal", "nord ostsee kanal", "NOK"},
		"Corinth": {"Corinth Canal", "Canal of Corinth"}, "Saint Lawrence Seaway": {"St. Lawrence Seaway", "St Lawrence", "Saint Lawrence"}, "Soo": {"St. Marys River", "Sault Sainte Marie", "Soo Locks"},
		"Detroit and Saint Clair": {"Detroit and St. Clair", "St. Clair River"}, "Chesapeake and Delaware Canal": {"C & D Canal", "Chesapeake & Delaware Canal", "C&D"},
		"Great Belt": {"Storebælt", "Storebaelt", "Store Bælt", "Grosser Belt"}, "Little Belt": {"Lillebaelt"}, "Øresund": {"Öresund", "Oresund", "The Sound", "Sound", "ORESUND"}, "Flintrännan": {"Flintrannan", "Flint Channel"},
		"Bosporus": {"Bosphorus", "Istanbul Strait", "Strait of Istanbul"}, "Dardanelles": {"Canakkale", "Çanakkale Strait", "The Dardanelles"}, "Gibraltar": {"Strait of Gibraltar", "Straits of Gibraltar"},
		"Dover": {"Dover Strait", "Straits of Dover", "Pas-de-Calais", "English Channel"}, "Bab-el-Mandeb": {"Bab el Mandeb", "Bab el-Mandeb", "Bab-al-Mandab", "BAB AL MANDEB", "Bab el-Mandeb Strait", "Strait of Bab el Mandeb"},
		"Hormuz": {"Strait of Hormuz", "Ormuz"}, "Malacca": {"Malacca Strait", "Strait of Malacca", "Straits of Malacca"}, "Sunda": {"Sunda Strait"}, "Torres": {"Torres Strait"}, "Magellan": {"Strait of Magellan"},
		"Bering": {"Bering Strait"}, "Kerch": {"Kerch Strait"}, "Lombok": {"Lombok Strait"}, "Northeast Passage": {"North-East Passage", "Northern Sea Route", "NSR", "north east passage"}, "Northwest Passage": {"North West Passage"},
		"Palk Strait": {"Palk", "Adams Bridge"}, "North Sea Canal": {"Noordzeekanaal"}, "Welland": {"Welland Canal"}, "Caledonian Canal": {"Caledonian"},
	} {
		for _, spelling := range spellings {
			if i, ok := Find(all, spelling); !ok || all[i].Name != want {
				t.Errorf("%q is not found as %s", spelling, want)
			}
		}
	}
	for _, none := range []string{"", "canal", "the strait", "Styx", "North Sea", "Passage"} {
		if i, ok := Find(all, none); ok {
			t.Errorf("%q is found as %s", none, all[i].Name)
		}
	}
}

// A ship that is larger than a limit does not fit, whatever else is known. Of a small passage each limit must be known to hold, but for the height.
func TestShipsFit(t *testing.T) {
	canal := Passage{Name: "Styx", Limits: Size{Draught: 7, Length: 100, Beam: 15, Air: 30}}
	small := canal
	small.Small = true
	for _, x := range []struct {
		ship        Size
		canal, tiny Fit
	}{
		{Size{}, Fits, Unsure}, {Size{Draught: 7}, Fits, Unsure}, {Size{Draught: 7.1}, TooDeep, TooDeep}, {Size{Draught: 5, Length: 100, Beam: 15}, Fits, Fits},
		{Size{Draught: 5, Length: 101}, TooLong, TooLong}, {Size{Beam: 15.5}, TooWide, TooWide}, {Size{Draught: 5, Length: 90, Beam: 12, Air: 31}, TooHigh, TooHigh},
		{Size{Draught: 5, Length: 90}, Fits, Unsure},
	} {
		if a, b := canal.Fit(x.ship), small.Fit(x.ship); a != x.canal || b != x.tiny {
			t.Errorf("%+v: %d and %d, want %d and %d", x.ship, a, b, x.canal, x.tiny)
		}
	}
	flat := Passage{Name: "Lethe", Limits: Size{Draught: 3}, Flat: true}
	for _, x := range []struct {
		ship Size
		want Fit
	}{
		{Size{}, Unsure}, {Size{Length: 51}, Unsure}, {Size{Length: 50}, Fits}, {Size{Length: 12}, Fits}, {Size{Draught: 3, Length: 90}, Fits}, {Size{Draught: 3.1}, TooDeep},
		{Size{Draught: 3.1, Length: 20}, TooDeep},
	} {
		if got := flat.Fit(x.ship); got != x.want {
			t.Errorf("%+v over a flat: %d, want %d", x.ship, got, x.want)
		}
	}
	if Flats([]Passage{canal, flat}) != 1<<1 {
		t.Error("a flat is none")
	}
	tooSmall, unsure := Closed([]Passage{canal, small, {Name: "Lethe"}}, Size{Length: 90})
	if tooSmall != 0 || unsure != 1<<1 {
		t.Errorf("closed %b, unsure %b", tooSmall, unsure)
	}
}
