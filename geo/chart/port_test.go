//go:build !race

package chart

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
	"quaywatch/internal/country"
	"quaywatch/internal/fold"
)

func loadPorts(t testing.TB) *Ports {
	t.Helper()
	ports, err := LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

func TestFindPort(t *testing.T) {
	ports := loadPorts(t)
	for ref, want := range map[string]string{
		"DKAAR": "DKAAR", "dk aar": "DKAAR", " dkaar ": "DKAAR", "22781475": "DKAAR", "aarhus": "DKAAR", " LE  havre": "FRLEH",
		"CNDAL": "CNDLC", "cn dlc": "CNDLC", "dalian": "CNDLC", // two LOCODEs, one port
		"Foochow": "CNFOC", "los angeles": "USLAX", // an alias, and a name that is another's alias
		"portland": "USPDX USPWM", "HAMILTON": "BMBDA CAHAM NZHLZ",
		"": "", "0": "", "1": "", "22781476": "", "99999999999999999999999": "", "ZZZZZ": "", "nowhere": "", "dk": "", "*": "",
	} {
		if got := codesOf(ports, ref); got != want {
			t.Errorf("Find(%q) = %s, want %s", ref, got, want)
		}
	}
}

// TestPortsByTheirOtherNames: as a person writes them without knowing the list.
func TestPortsByTheirOtherNames(t *testing.T) {
	ports := loadPorts(t)
	for ref, want := range map[string]string{
		"copenhagen": "DKCPH", "København": "DKCPH", "KØBENHAVN": "DKCPH", "Kobenhavn": "DKCPH", "Ko\u0308benhavn": "DKCPH", "Göteborg": "SEGOT", "Gothenburg": "SEGOT",
		"hook of holland": "NLHVH", "Antwerp": "BEANR", "Venice": "ITVCE", "Genoa": "ITGOA", "Naples": "ITNAP", "Lisbon": "PTLIS", "Seville": "ESSVQ", "Flushing": "NLVLI",
		"Dunkirk": "FRDKK", "Gdańsk": "PLGDN", "Danzig": "PLGDN", "Świnoujście": "PLSWI", "Saint Petersburg": "RULED", "Leningrad": "RULED", "Piraeus": "GRPIR",
		"Helsinki": "FIHEL", "Helsingfors": "FIHEL", "Turku": "FITKU", "Åbo": "FITKU", "Ghent": "BEGNE", "Suez": "EGSUZ", "Alexandria": "EGALY", "Bombay": "INBOM", "Funchal": "PTFNC",
		"IJmuiden": "NLIJM", "Velsen": "NLVEL", "Århus": "DKAAR", "Köln": "DECGN", "Málaga": "ESAGP", "İzmir": "TRIZM", "Iğdır": "",
	} {
		if got := codesOf(ports, ref); got != want {
			t.Errorf("Find(%q) = %s, want %s", ref, got, want)
		}
	}
	for pattern, code := range map[string]string{"*copenh*": "DKCPH", "*kobenh*": "DKCPH", "*københ*": "DKCPH", "*gothen*": "SEGOT", "tromsø": "NOTOS"} {
		if p, ok := ports.ByLOCODE(code); !ok || !ports.Like(pattern)(p) {
			t.Errorf("%s is not like %q", code, pattern)
		}
	}
}

// TestOtherNamesAreOfPortsOfTheList, and lead to them.
func TestOtherNamesAreOfPortsOfTheList(t *testing.T) {
	ports := loadPorts(t)
	for code, names := range otherNames() {
		p, ok := ports.ByLOCODE(code)
		if !ok {
			t.Errorf("%s is no port", code)
			continue
		}
		for _, name := range names {
			if PlainName(name) == PlainName(p.Name) || !slices.Contains(ports.Find(name), p) {
				t.Errorf("%s: %q leads to %v", code, name, ports.Find(name))
			}
		}
	}
}

// TestPortsHaveTheNamesOfTheirPeople: a port is called as its people write it, and what the lists call it leads to it still.
func TestPortsHaveTheNamesOfTheirPeople(t *testing.T) {
	ports := loadPorts(t)
	local, err := parseNames(localNames)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(portData + morePorts) {
		f := strings.Split(line, "\t")
		name := local[f[0]]
		if name == "" {
			continue
		}
		found++
		p, ok := ports.ByLOCODE(f[0])
		if !ok || p.Name != name || !slices.Contains(p.OtherNames(), f[1]) {
			t.Errorf("%s, which its people call %q, is %+v", f[0], name, p)
		}
		for _, said := range []string{name, f[1], strings.ToUpper(fold.Plain(name))} {
			if !slices.Contains(ports.Find(said), p) {
				t.Errorf("%s: %q leads to %v", f[0], said, ports.Find(said))
			}
		}
	}
	if found == 0 || found != len(local) {
		t.Errorf("%d of %d names are of ports", found, len(local))
	}
}

// TestMorePorts: the ports that the list lacks are there, by name and LOCODE, each with its source, and take no name from a port of the list.
func TestMorePorts(t *testing.T) {
	ports := loadPorts(t)
	listed, more := map[string]bool{}, 0
	local, err := parseNames(localNames)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(portData) {
		listed[line[:5]] = true
	}
	for line := range strings.Lines(morePorts) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		more++
		f := strings.Split(strings.TrimSpace(line), "\t")
		if p, ok := ports.ByLOCODE(f[0]); !ok || listed[f[0]] || !p.Placed || p.Name != cmp.Or(local[f[0]], f[1]) || f[len(f)-1] == "" {
			t.Errorf("%q is %+v", f, p)
		}
		if same := ports.Find(f[1]); len(same) != 1 || same[0].LOCODE != f[0] {
			t.Errorf("%s: %q means %d ports", f[0], f[1], len(same))
		}
	}
	if more < 400 {
		t.Errorf("%d more ports, want 400", more)
	}
	for ref, want := range map[string]string{
		"Frederikshavn": "DKFDH", "Rønne": "DKRNN", "ronne": "DKRNN", "Grenaa": "DKGRE", "Gedser": "DKGED", "Ystad": "SEYST", "Luleå": "SELLA", "lulea": "SELLA", "Visby": "SEVBY",
		"Sassnitz": "DESAS", "Stralsund": "DESTL", "Wismar": "DEWIS", "Travemünde": "DETRV", "Travemunde": "DETRV", "Ust-Luga": "RUULU", "Primorsk": "RUPRI", "Ras Tanura": "SARTA",
		"Nuuk": "GLGOH", "Godthab": "GLGOH", "CNSHG": "CNSHA", "VNCMT": "VNTOT", "PAROD": "PAPSA", "TRAMR": "TRAMB", "NLEUR": "NLRTM", "NLMSV": "NLRTM",
	} {
		if got := codesOf(ports, ref); got != want {
			t.Errorf("Find(%q) = %s, want %s", ref, got, want)
		}
	}
	for _, wrong := range []string{"DKAAR", "DKAAR\tx\ty\t1\t2\tz", "DKAAR\tx\ty\t\t\tz\tWPI 1\t"} {
		if _, err := parseMore(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}

func TestPartsOfName(t *testing.T) {
	for name, want := range map[string]string{
		"Aarhus": "", "Gent (Ghent)": "Gent|Ghent", "Mumbai (ex Bombay)": "Mumbai|Bombay", "Funchal, Madeira": "Funchal", "IJmuiden/Velsen": "IJmuiden|Velsen",
		"Kemi/Tornea (Kemi/Tornio)": "Kemi/Tornea|Kemi/Tornio|Kemi|Tornea", "Panjang (Lampung, Sumatra)": "Panjang|Lampung, Sumatra", "Broken (": "Broken", "": "",
	} {
		if got := strings.Join(partsOfName(name), "|"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestPortsOfTheList(t *testing.T) {
	ports := loadPorts(t)
	placed := 0
	for i, p := range ports.All() {
		same, ok := ports.ByID(p.ID)
		if !ok || same != p || p.ID >= FirstMadePort || p.Name == "" || len(p.LOCODE) != 5 || p.Country == "" {
			t.Errorf("%+v", p)
		}
		if i > 0 && PlainName(p.Name) < PlainName(ports.All()[i-1].Name) {
			t.Errorf("%s comes after %s", p.Name, ports.All()[i-1].Name)
		}
		if byCode, ok := ports.ByLOCODE(p.LOCODE); !ok || byCode != p {
			t.Errorf("%s is found as %+v", p.LOCODE, byCode)
		}
		if p.Placed {
			placed++
			if !p.Position.Valid() || p.Position == (geo.Point{}) {
				t.Errorf("%s lies at %v", p.LOCODE, p.Position)
			}
		}
	}
	if len(ports.All()) < 1600 || placed < 1550 {
		t.Errorf("%d ports, %d with a position", len(ports.All()), placed)
	}
}

// TestPortsTellTheirCountryAsShipsDo: the source of the list has other names than the United Nations.
func TestPortsTellTheirCountryAsShipsDo(t *testing.T) {
	for _, p := range loadPorts(t).All() {
		if want := country.Name(p.CountryCode()); p.Country != want || want == "" {
			t.Errorf("%s is in %q, want %q", p.LOCODE, p.Country, want)
		}
	}
}

// Ids outlive regenerations: they stand in histories and in other systems.
func TestPortIDs(t *testing.T) {
	for line, want := range map[string]uint64{"AA000": 10*1679616 + 10*46656, "ZZZZZ": 36*36*36*36*36 - 1, "DKAAR": 22781475} {
		p, err := parsePort(line + "\tx\t\t\t\t\t\t")
		if err != nil || p.ID != want || p.Placed {
			t.Errorf("%s: %+v, %v", line, p, err)
		}
	}
	for _, wrong := range []string{"", "DKAAR\tx", "DKAA\tx\t\t\t\t\t\t", "DKAAR\tx\t\t\tx\ty\t\t", "DKAAR\tx\t\t\t1\t\t\t"} {
		if _, err := parsePort(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}

func TestPortMatches(t *testing.T) {
	p := Port{Name: "Port of  Shantou", LOCODE: "CNSTG", Aliases: []string{"Swatow"}, Codes: []string{"CNSWA"}}
	for pattern, want := range map[string]bool{
		"*": true, "": false, "port*": true, "*SHANTOU": true, "port of shantou": true, "shantou": false, "*of*tou": true, "*tou*of*": false,
		"cnst*": true, "cnswa": true, "swa*": true, "**": true, "port*port of shantou": false,
		"cn?tg": true, "cn??tg": false, "?????": true, "*?ortx": false, "p?rt*sh?nt?u": true, "*s?at*": true, "*sw?t*": true, "sw?": false,
	} {
		if NewPorts([]*Port{&p}).Like(pattern)(&p) != want {
			t.Errorf("%q: %v", pattern, !want)
		}
	}
}

// TestGlob compares with the plainest matcher that there is.
func TestGlob(t *testing.T) {
	text := func(letters string) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.SampledFrom([]rune(letters)), 0, 12, -1)
	}
	rapid.Check(t, func(t *rapid.T) {
		pattern, name := text("aœ*?").Draw(t, "pattern"), text("aœ").Draw(t, "name")
		g := newGlob(pattern)
		if got, want := g.matchesText(name), slowGlob(pattern, name); got != want {
			t.Errorf("%q is like %q: %v, want %v", name, pattern, got, want)
		}
	})
}

// slowGlob tries each length for each star.
func slowGlob(pattern, text string) bool {
	p, letters := []rune(pattern), []rune(text)
	switch {
	case len(p) == 0:
		return text == ""
	case p[0] == '*':
		return slowGlob(string(p[1:]), text) || text != "" && slowGlob(pattern, string(letters[1:]))
	}
	return text != "" && (p[0] == '?' || p[0] == letters[0]) && slowGlob(string(p[1:]), string(letters[1:]))
}

func TestOtherNames(t *testing.T) {
	p := Port{Name: "Helsingfors (Helsinki)", Aliases: []string{"Helsingfors", "HELSINGFORS", "helsingfors  (helsinki)", "Helsinki", "Helsingfors"}}
	if got := strings.Join(p.OtherNames(), "|"); got != "Helsingfors|Helsinki" {
		t.Errorf("%s", got)
	}
}

func TestDefaultArea(t *testing.T) {
	for name, at := range map[string]geo.Point{"Aarhus": {Lon: 10.22, Lat: 56.15}, "date line": {Lon: 179.99, Lat: -16.8},
		"north": {Lon: 15.6, Lat: 78.2}, "pole": {Lon: 0, Lat: 90}} {
		p := Port{Position: at, Placed: true}
		area := p.Area()
		if p.Drawn() || !area.Contains(at) || len(area[0]) != defaultCorners+1 || area[0][0] != area[0][defaultCorners] {
			t.Errorf("%s: %v", name, area)
		}
		for _, corner := range area[0] {
			if d := geo.Distance(at, corner); math.Abs(d-DefaultRadius) > 1 {
				t.Errorf("%s: a corner lies %v m away", name, d)
			}
		}
		bounds, ok := p.Bounds()
		if !ok || !bounds.Contains(geo.Destination(at, 90, 3900)) || bounds.Contains(geo.Point{Lon: at.Lon, Lat: at.Lat - 0.1}) {
			t.Errorf("%s: bounds %v", name, bounds)
		}
	}
	if _, ok := (&Port{}).Bounds(); ok || (&Port{}).Area() != nil {
		t.Error("a port without position lies somewhere")
	}
}

// box returns a ring around west, south, east and north.
func box(w, s, e, n float64) []geo.Point {
	return []geo.Point{{Lon: w, Lat: s}, {Lon: e, Lat: s}, {Lon: e, Lat: n}, {Lon: w, Lat: n}, {Lon: w, Lat: s}}
}

func TestCheckShapes(t *testing.T) {
	at := geo.Point{Lon: 10.22, Lat: 56.15}
	outer := geo.Polygon{box(10.1, 56.1, 10.3, 56.2)}
	// A harbour with a pier: the outer border goes in from the east between 56.14 and 56.16.
	bay := geo.Polygon{{{Lon: 10.1, Lat: 56.1}, {Lon: 10.3, Lat: 56.1}, {Lon: 10.3, Lat: 56.14}, {Lon: 10.2, Lat: 56.15}, {Lon: 10.3, Lat: 56.16},
		{Lon: 10.3, Lat: 56.2}, {Lon: 10.1, Lat: 56.2}, {Lon: 10.1, Lat: 56.1}}}
	holed := geo.Polygon{outer[0], box(10.2, 56.14, 10.21, 56.16)}
	circle := make([]geo.Point, 0, 6001)
	for i := range 6000 {
		circle = append(circle, geo.Destination(at, float64(i)*0.06, 3000))
	}
	circle = append(circle, circle[0])
	for _, row := range []struct {
		name    string
		port    Port
		pointer string // "" for right
	}{
		{"nothing", Port{}, ""},
		{"outer", Port{Outer: outer, Position: at, Placed: true}, ""},
		{"inner", Port{Outer: outer, Inner: []geo.Polygon{{box(10.15, 56.12, 10.2, 56.15)}, {box(10.21, 56.12, 10.22, 56.15)}}}, ""},
		{"inner is outer", Port{Outer: bay, Inner: []geo.Polygon{bay}}, ""},
		{"inner along the border", Port{Outer: outer, Inner: []geo.Polygon{{box(10.1, 56.12, 10.2, 56.2)}}}, ""},
		{"inner on an edge between corners", Port{Outer: bay, Inner: []geo.Polygon{{{{Lon: 10.25, Lat: 56.145}, {Lon: 10.2, Lat: 56.15}, {Lon: 10.2, Lat: 56.12}, {Lon: 10.25, Lat: 56.145}}}}}, ""},
		{"inner outside", Port{Outer: outer, Inner: []geo.Polygon{{box(10.15, 56.12, 10.2, 56.15)}, {box(11, 56.12, 11.1, 56.15)}}}, "/inner/1/coordinates/0/0"},
		{"inner half outside", Port{Outer: outer, Inner: []geo.Polygon{{box(10.25, 56.12, 10.35, 56.15)}}}, "/inner/0/coordinates/0/0"},
		{"inner over the pier", Port{Outer: bay, Inner: []geo.Polygon{{box(10.15, 56.12, 10.29, 56.18)}}}, "/inner/0/coordinates/0/1"},
		{"from border to border over land", Port{Outer: bay, Inner: []geo.Polygon{{{{Lon: 10.2, Lat: 56.12}, {Lon: 10.3, Lat: 56.14}, {Lon: 10.3, Lat: 56.16}, {Lon: 10.2, Lat: 56.12}}}}}, "/inner/0/coordinates/0/1"},
		{"inner over a hole", Port{Outer: holed, Inner: []geo.Polygon{{box(10.15, 56.12, 10.25, 56.18)}}}, "/inner/0/coordinates/0"},
		{"inner with the same hole", Port{Outer: holed, Inner: []geo.Polygon{{box(10.15, 56.12, 10.25, 56.18), holed[1]}}}, ""},
		{"inner in the default circle", Port{Position: at, Placed: true, Inner: []geo.Polygon{{box(10.2, 56.14, 10.23, 56.16)}}}, ""},
		{"inner beyond the default circle", Port{Position: at, Placed: true, Inner: []geo.Polygon{{box(10.2, 56.14, 10.33, 56.16)}}}, "/inner/0/coordinates/0/0"},
		{"inner and no place", Port{Inner: []geo.Polygon{outer}}, "/outer"},
		{"far from the position", Port{Outer: geo.Polygon{box(56.1, 10.1, 56.2, 10.3)}, Position: at, Placed: true}, "/outer"},
		{"near the position", Port{Outer: geo.Polygon{box(10.5, 56.1, 10.6, 56.2)}, Position: at, Placed: true}, ""},
		{"an ocean", Port{Outer: geo.Polygon{box(-40, 10, -20, 30)}}, "/outer"},
		{"round the pole", Port{Outer: geo.Polygon{{{Lon: 0, Lat: 89}, {Lon: 90, Lat: 89}, {Lon: 179, Lat: 89}, {Lon: -90, Lat: 89}, {Lon: 0, Lat: 89}}}}, "/outer"},
		{"over the date line", Port{Outer: geo.Polygon{box(179.9, -17, -179.9, -16.5)}, Position: geo.Point{Lon: -179.99, Lat: -16.8}, Placed: true, Inner: []geo.Polygon{{box(179.95, -16.9, -179.95, -16.8)}}}, ""},
		{"inner wrong over the date line", Port{Outer: geo.Polygon{box(179.9, -17, -179.9, -16.5)}, Inner: []geo.Polygon{{box(179.95, -16.9, -179.85, -16.8)}}}, "/inner/0/coordinates/0/0"},
		{"too many points", Port{Outer: geo.Polygon{circle}, Inner: []geo.Polygon{{circle}}}, "/outer"},
	} {
		err := row.port.CheckShapes()
		var broken *geo.ShapeError
		errors.As(err, &broken)
		switch {
		case row.pointer == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.pointer != "" && (broken == nil || broken.Pointer != row.pointer):
			t.Errorf("%s: %v, want at %s", row.name, err, row.pointer)
		}
	}
}

// Against a fixture of the same form as the lists below, so that the comparison itself is tested.
func TestComparePositions(t *testing.T) {
	ports := NewPorts([]*Port{{ID: 1, LOCODE: "DKAAR", Placed: true, Position: geo.Point{Lon: 10, Lat: 56}}, {ID: 2, LOCODE: "DKCPH"},
		{ID: 3, LOCODE: "DEHAM", Placed: true}})
	known, off := comparePositions(ports, map[string][]geo.Point{"DKAAR": {{Lon: 90}, {Lon: 10, Lat: 56.1}}, "DKCPH": {{}}, "DEHAM": {{Lon: 10}}}, 50_000)
	if known != 2 || len(off) != 1 || off[0] != "DEHAM" {
		t.Errorf("%d known, off: %v", known, off)
	}
}

// comparePositions counts the placed ports that others know as well, and returns those that are farther off than so many metres.
func comparePositions(ports *Ports, others map[string][]geo.Point, metres float64) (known int, off []string) {
	for _, p := range ports.All() {
		there := others[p.LOCODE]
		if !p.Placed || len(there) == 0 {
			continue
		}
		known++
		if !slices.ContainsFunc(there, func(at geo.Point) bool { return geo.Distance(at, p.Position) <= metres }) {
			off = append(off, p.LOCODE)
		}
	}
	return known, off
}

// The World Port Index and the source itself, where they are at hand.
func TestPortsAgainstOtherLists(t *testing.T) {
	ports := loadPorts(t)
	index := map[string][]geo.Point{}
	rows := csv.NewReader(sample(t, "wpi_pub150.csv.gz"))
	head, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(head, name) }
	for row, err := rows.Read(); err == nil; row, err = rows.Read() {
		lon, lonErr := strconv.ParseFloat(row[column("Longitude")], 64)
		lat, latErr := strconv.ParseFloat(row[column("Latitude")], 64)
		if code, ok := ParseLOCODE(row[column("UN/LOCODE")]); ok && lonErr == nil && latErr == nil {
			index[code] = append(index[code], geo.Point{Lon: lon, Lat: lat})
		}
	}
	known, far := comparePositions(ports, index, 50_000)
	_, near := comparePositions(ports, index, DefaultRadius)
	t.Logf("of %d ports %d are in the World Port Index too; more than 50 km off: %v; %d lie more than 4 km off", len(ports.All()), known, far, len(near))
	// Those left are where another list agrees with ours, or two places have the name.
	if known < 900 || len(far) > 8 || len(near) > 300 {
		t.Error("the list is worse than it was")
	}

	codes := map[string][]geo.Point{}
	rows = csv.NewReader(sample(t, "ssn_locations.csv.gz"))
	for row, err := rows.Read(); err == nil; row, err = rows.Read() {
		lon, lonErr := strconv.ParseFloat(row[4], 64)
		lat, latErr := strconv.ParseFloat(row[3], 64)
		if at := (geo.Point{Lon: lon, Lat: lat}); lonErr == nil && latErr == nil && at.Valid() && at != (geo.Point{}) {
			codes[row[0]] = append(codes[row[0]], at)
		}
	}
	known, far = comparePositions(ports, codes, 50_000)
	t.Logf("%d have a position in the list of UN/LOCODE; more than 50 km off: %v", known, far)
	// Of those left most are a slip of that list by a degree or a sign. Others are no ports of the sea, or the index has another place under the code.
	if known < 700 || len(far) > 18 {
		t.Error("the list is worse than it was")
	}

	var source map[string]struct{ Unlocs []string }
	if err := json.NewDecoder(sample(t, "sea-ports.json.gz")).Decode(&source); err != nil {
		t.Fatal(err)
	}
	gone := strings.Fields(noPorts)
	for code := range source {
		if slices.Contains(gone, code) {
			continue
		}
		if p, ok := ports.ByLOCODE(code); !ok || !slices.Contains(source[code].Unlocs, p.LOCODE) {
			t.Errorf("%s is lost", code)
		}
	}
}

// noPorts are entries of the source at which no ship can call.
const noPorts = "CNSWA CNZHA ESEBO FRJAV HNTGU LCSLU PTTER RERUN THLKR USBHM USCPF USGBO USGSP USMSP USPHF USRNO USSAT USSXT"

// TestPlacesThatAreNoPorts: no airport and no inland town is in the list, and LOCODEs of airports that are taken for ports find these.
func TestPlacesThatAreNoPorts(t *testing.T) {
	ports, taken := loadPorts(t), map[string]string{"CNSWA": "CNSTG", "CNZHA": "CNZNG", "RERUN": "REREU"}
	for code := range strings.FieldsSeq(noPorts) {
		found := ""
		if p, ok := ports.ByLOCODE(code); ok {
			found = p.LOCODE
		}
		if found != taken[code] {
			t.Errorf("%s finds %q, want %q", code, found, taken[code])
		}
	}
	for _, p := range ports.All() {
		if strings.HasSuffix(p.Name, " Apt") || strings.HasSuffix(p.Name, "Airport") {
			t.Errorf("%s is called %s", p.LOCODE, p.Name)
		}
	}
	if p, ok := ports.ByLOCODE("CNBHY"); !ok || p.Name != "Beihai" {
		t.Errorf("Beihai is %+v", p)
	}
}

// sample opens a list of the development data, which is not part of the project.
func sample(t *testing.T, name string) *gzip.Reader {
	t.Helper()
	dir := os.Getenv("QUAYWATCH_TESTDATA")
	if dir == "" {
		dir = "../../../shared/data"
	}
	f, err := os.Open(filepath.Join(dir, "ports", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func BenchmarkLoadPorts(b *testing.B) {
	for b.Loop() {
		loadPorts(b)
	}
}

// The most that may be asked for: an inner shape of 5,000 points along an outer border of as many.
func BenchmarkCheckShapes(b *testing.B) {
	at := geo.Point{Lon: 10.22, Lat: 56.15}
	var ring []geo.Point
	for i := range 4999 {
		ring = append(ring, geo.Destination(at, float64(i)*360/4999, 3000))
	}
	ring = append(ring, ring[0])
	p := Port{Outer: geo.Polygon{ring}, Inner: []geo.Polygon{{ring}}}
	for b.Loop() {
		if err := p.CheckShapes(); err != nil {
			b.Fatal(err)
		}
	}
}

// codesOf returns the LOCODEs of the ports that are meant by ref, in order.
func codesOf(ports *Ports, ref string) string {
	var codes []string
	for _, p := range ports.Find(ref) {
		codes = append(codes, p.LOCODE)
	}
	slices.Sort(codes)
	return strings.Join(codes, " ")
}
