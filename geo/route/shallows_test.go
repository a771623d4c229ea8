//go:build !race

package route

import (
	"slices"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// offshore is a way that an officer draws outside of a strip of water.
type offshore struct {
	from, to        string
	draught, length float64 // metres; 0 is unknown
	strip           string  // lines across the strip, as in the table of passages; the way may cross none
	why             string
}

// The strips stand here by themselves, not by the lines of the table: each lies on the water that the pair could be led over.
const (
	dutchFlats  = "5.40 53.38, 5.43 53.24; 5.75 53.44, 5.75 53.36; 6.20 53.48, 6.25 53.41; 6.55 53.55, 6.60 53.44"
	eastFrisian = "6.72 53.59, 7.04 53.53; 7.05 53.665, 7.10 53.60; 7.22 53.705, 7.22 53.65; 7.38 53.73, 7.40 53.68; 7.55 53.74, 7.55 53.68; 7.72 53.77, 7.72 53.70; 7.90 53.78, 7.92 53.71"
	neuwerk     = "8.50 53.92, 8.56 53.87"
	hoheWeg     = "8.15 53.72, 8.22 53.60"
	northFlats  = "8.55 54.06, 8.88 54.02; 8.68 54.54, 8.83 54.60; 8.55 54.75, 8.68 54.80; 8.57 55.28, 8.67 55.29; 8.46 55.37, 8.64 55.37"
	limfjord    = "9.28 56.95, 9.28 57.03"
	lido        = "12.39 45.42, 12.345 45.36; 12.32 45.32, 12.307 45.26"
	venice      = "12.306 45.28, 12.15 45.28"
	pamlico     = "-75.48 35.53, -75.85 35.55; -75.90 35.13, -76.20 35.35"
	coreSound   = "-76.46 34.80, -76.37 34.72"
	lagunaMadre = "-97.33 26.80, -97.50 26.80"
	mississippi = "-88.62 30.245, -88.62 30.35"
	bimini      = "-79.28 25.74, -79.12 26.02"
	bahamas     = "-78.60 24.90, -78.60 25.60; -77.00 24.00, -76.50 24.30"
	floridaBay  = "-80.60 25.12, -80.75 24.85"
	sandy       = "153.02 -25.47, 152.82 -25.52"
	indianRiver = "-80.72 28.40, -80.62 28.40; -80.37 27.60, -80.33 27.60"
	sundarbans  = "88.25 21.80, 89.40 21.90"
	peene       = "13.86 53.88, 13.80 53.84"
)

// offshores are ways round flats, each with its reason.
var offshores = []offshore{
	{"DKAAR", "NLRTM", 9, 0, dutchFlats + "; " + eastFrisian + "; " + neuwerk, "the flats fall dry behind Norderney, Borkum, Schiermonnikoog and Ameland"},
	{"DEHAM", "NLRTM", 9, 0, dutchFlats + "; " + eastFrisian + "; " + neuwerk, "the same out of the Elbe"},
	{"DEHAM", "NLRTM", 0, 180, dutchFlats + "; " + eastFrisian + "; " + neuwerk, "the same for a ship of unknown draught"},
	{"DEBRV", "NLRTM", 0, 0, dutchFlats + "; " + eastFrisian + "; " + hoheWeg, "the same for a ship of which nothing is known, out of the Weser"},
	{"DEWVN", "NLRTM", 11, 0, dutchFlats + "; " + eastFrisian, "the same out of the Jade"},
	{"DEEME", "NLDHR", 5, 0, dutchFlats, "a coaster leaves the Ems by the Westerems"},
	{"DECUX", "DEEME", 5, 0, eastFrisian + "; " + neuwerk, "the watersheds between the islands and the coast fall dry"},
	{"DEEME", "NLHAR", 4, 0, dutchFlats, "Harlingen is reached by the Vlie"},
	{"NLEEM", "NLHAR", 5, 0, dutchFlats, "the same from Eemshaven"},
	{"NLDHR", "NLHAR", 4, 0, "4.95 53.10, 5.18 52.95; 5.02 52.93, 5.40 53.08", "the flats south of Vlieland, and the dyke of the IJsselmeer"},
	{"DEBRV", "DECUX", 5, 0, neuwerk + "; 8.45 53.72, 8.55 53.72", "the flats of Wursten and Neuwerk: people walk there"},
	{"DEWVN", "DEBRV", 8, 0, hoheWeg, "the Hohe Weg between Jade and Weser falls dry"},
	{"DEHAM", "DEBRV", 9, 0, neuwerk, "as from Bremerhaven to Cuxhaven"},
	{"DKEBJ", "DEBRV", 6, 0, northFlats + "; " + neuwerk, "round the islands of North Frisia, and by the fairway of the Weser"},
	{"DEBRV", "DKEBJ", 6, 0, northFlats + "; " + neuwerk, "the same back"},
	{"DEHUS", "DKEBJ", 4, 0, "8.68 54.54, 8.83 54.60; 8.55 54.75, 8.68 54.80; 8.57 55.28, 8.67 55.29", "out by the Hever, not behind Pellworm, Föhr and Mandø"},
	{"DKSKA", "DKTHN", 4, 0, limfjord, "the Limfjord is too shallow at Løgstør"},
	{"ITVCE", "ITRAN", 6, 0, lido, "out of the lagoon by an inlet, not over the Lido and Pellestrina, which our chart lacks"},
	{"ITTRS", "12.28 45.22", 6, 0, lido + "; " + venice, "into Chioggia by its own inlet, not through the lagoon"},
	{"ITRAN", "ITTRS", 6, 0, lido + "; " + venice, "outside the delta of the Po and the lagoon"},
	{"USORF", "USCHS", 9, 0, pamlico, "round Cape Hatteras: the sounds have less than 3 m"},
	{"USMRH", "USORF", 6, 0, pamlico + "; " + coreSound, "the same from Morehead City, and not through Core Sound"},
	{"USBRO", "USCRP", 8, 0, lagunaMadre, "the Laguna Madre has about 1 m beside the barge canal"},
	{"USPGL", "USGPT", 8, 0, mississippi, "Gulfport is reached by Ship Island Pass, Pascagoula by Horn Island Pass: the sound between has 3 m"},
	{"USMIA", "BSNAS", 8, 0, bimini + "; " + bahamas, "north of Great Isaac: the Great Bahama Bank begins at Bimini"},
	{"USTPA", "USMIA", 8, 0, floridaBay, "outside of the Keys"},
	{"USPCV", "USMIA", 8, 0, indianRiver, "the Indian River has about 1 m beside the waterway"},
	{"AUBNE", "152.35 -24.80", 6, 0, sandy, "outside of K'gari (Fraser Island): the strait behind it falls dry"},
	{"INCCU", "BDCGP", 7, 0, sundarbans, "outside of the Sundarbans"},
	{"PLSZZ", "DEWOL", 5, 0, peene, "Wolgast is reached from the sea: the south of the Peenestrom has less than 3 m"},
}

// linesAcross reads lines as those of the table.
func linesAcross(t *testing.T, text string) *passage.Gates {
	t.Helper()
	gates, err := passage.Lines(text)
	if err != nil {
		t.Fatal(err)
	}
	return passage.NewGates([]passage.Passage{{Name: "strip", Gates: gates}})
}

// placeOf returns a port by its code, or a position.
func placeOf(t *testing.T, at func(string) geo.Point, text string) geo.Point {
	t.Helper()
	if len(text) == 5 {
		return at(text)
	}
	lines, err := passage.Lines(text + ", 0 0")
	if err != nil {
		t.Fatal(err)
	}
	return lines[0][0]
}

func TestShipsStayOutsideOfFlats(t *testing.T) {
	n, at := world(t)
	wrong, pairs := 0, map[string]bool{}
	for _, x := range offshores {
		q := Query{From: placeOf(t, at, x.from), To: placeOf(t, at, x.to), Draught: x.draught, Length: x.length, Closed: arctic}
		for _, q.Any = range []bool{false, true} {
			w, err := n.Find(t.Context(), q)
			if err != nil {
				t.Errorf("%s to %s: %v", x.from, x.to, err)
				continue
			}
			strip, crossed := linesAcross(t, x.strip), false
			for i := 1; i < len(w.Points); i++ {
				crossed = crossed || strip.Of(sea.At(w.Points[i-1]), sea.At(w.Points[i])) != 0
			}
			if crossed || !q.Any && len(w.Tight) > 0 {
				t.Errorf("%s to %s with %v m, any %v: the way leads over %v, but %s", x.from, x.to, x.draught, q.Any, w.Tight, x.why)
				wrong++
				pairs[x.from+x.to+x.why] = true
			}
		}
	}
	t.Logf("%d of %d pairs, and %d of their %d ways, led over flats", len(pairs), len(offshores), wrong, 2*len(offshores))
}

// Where no other way leads, the way goes over flats, over no more of them than it must, and says so. A ship that fits goes there as it likes.
func TestAHarbourBehindFlatsIsReached(t *testing.T) {
	n, at := world(t)
	lake := geo.Point{Lon: 5.3, Lat: 52.85} // in the IJsselmeer
	for _, x := range []struct {
		ship  Query
		tight []string
		over  string
	}{
		{Query{Draught: 9}, []string{"IJsselmeer"}, "IJsselmeer"}, {Query{}, []string{"IJsselmeer"}, "IJsselmeer"}, {Query{Draught: 9, Any: true}, []string{"IJsselmeer"}, "IJsselmeer"},
		{Query{Draught: 2}, nil, "Wadden Sea of the Netherlands"}, {Query{Length: 40}, nil, "Wadden Sea of the Netherlands"},
	} {
		q := x.ship
		q.From, q.To, q.Closed = at("DEEME"), lake, slices.Concat(arctic, []string{"North Sea Canal"})
		w, err := n.Find(t.Context(), q)
		var tight []string
		for _, o := range w.Tight {
			tight = append(tight, o.Passage)
		}
		if err != nil || !slices.Equal(tight, x.tight) || !slices.Contains(w.Passages, x.over) || len(w.Obstacles) > 0 {
			t.Errorf("with %+v: through %v, tight %v, obstacles %v, %v", x.ship.shipSize(), w.Passages, tight, w.Obstacles, err)
		}
	}
	q := Query{From: at("DEEME"), To: lake, Draught: 9, Closed: slices.Concat(arctic, []string{"North Sea Canal", "IJsselmeer"})}
	if _, err := n.Find(t.Context(), q); err == nil {
		t.Error("flats that the caller closes are open")
	}
	q = Query{From: at("DEEME"), To: at("NLHAR"), Draught: 4, Closed: arctic, Through: []string{"Wadden Sea of the Netherlands"}}
	if w, err := n.Find(t.Context(), q); err != nil || !slices.Contains(w.Passages, "Wadden Sea of the Netherlands") {
		t.Errorf("a ship that is said to sail over flats goes through %v, %v", w.Passages, err)
	}
}
