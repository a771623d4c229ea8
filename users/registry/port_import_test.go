package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship/shiptest"
	"quaywatch/store/records"
	"quaywatch/users/registry/portfile"
)

// indexHead are the columns of a World Port Index that count.
const indexHead = "World Port Index Number,Main Port Name,Alternate Port Name,UN/LOCODE,Country Code,Maximum Vessel Draft (m),Latitude,Longitude\n"

// importing is a box of two ports, with what imports told its audit log.
type importing struct {
	t     *testing.T
	db    *records.Database
	ports *PortTable
	lines int
}

func newImporting(t *testing.T, listed *chart.Ports) *importing {
	t.Helper()
	i := &importing{t: t, db: opened(t)}
	i.open(listed)
	return i
}

func (i *importing) open(listed *chart.Ports) {
	i.t.Helper()
	var err error
	if i.ports, err = OpenPorts(i.db, listed, nil, nil); err != nil {
		i.t.Fatal(err)
	}
}

func (i *importing) take(dry bool, texts ...string) []PortsTaken {
	i.t.Helper()
	var files []portfile.NamedFile
	for n, text := range texts {
		files = append(files, portfile.NamedFile{Name: fmt.Sprint("file", n), Text: text})
	}
	report, err := i.ports.Import(files, dry, func([]PortsTaken) records.CommitPart {
		return func(*records.Tx) error { i.lines++; return nil }
	})
	if err != nil {
		i.t.Fatal(err)
	}
	return report
}

// index imports rows of a World Port Index and compares the counts of new, changed, unchanged and refused.
func (i *importing) index(rows, want string) []portfile.RefusedLine {
	i.t.Helper()
	return i.counts(i.take(false, indexHead+rows)[0], want)
}

// own imports features and compares the counts.
func (i *importing) own(want string, features ...string) []portfile.RefusedLine {
	i.t.Helper()
	return i.counts(i.take(false, collection(features...))[0], want)
}

func (i *importing) counts(t PortsTaken, want string) []portfile.RefusedLine {
	i.t.Helper()
	if got := fmt.Sprint(t.New, t.Changed, t.Unchanged, len(t.Refused)); got != want || t.Rows != t.New+t.Changed+t.Unchanged+len(t.Refused) {
		i.t.Errorf("new, changed, unchanged, refused: %s, want %s; of %d rows; %v", got, want, t.Rows, t.Refused)
	}
	return t.Refused
}

// edit is a change by a user.
func (i *importing) edit(code string, change func(*chart.Port)) {
	i.t.Helper()
	was := i.port(code)
	now := *was
	change(&now)
	if _, err := i.ports.Change(was, now); err != nil {
		i.t.Fatal(err)
	}
}

func (i *importing) port(ref string) *chart.Port {
	i.t.Helper()
	found := i.ports.Current().Find(ref)
	if len(found) != 1 {
		i.t.Fatalf("%d ports are %s", len(found), ref)
	}
	return found[0]
}

// kept returns all that is on the disk.
func (i *importing) kept() string {
	i.t.Helper()
	text, err := json.Marshal(i.ports.kept)
	if err != nil {
		i.t.Fatal(err)
	}
	return string(text)
}

func collection(features ...string) string {
	return `{"type":"FeatureCollection","features":[` + "\n" + strings.Join(features, ",\n") + "\n]}"
}

func feature(geometry string, properties string) string {
	return `{"type":"Feature","geometry":` + geometry + `,"properties":{` + properties + `}}`
}

func pointAt(lon, lat float64) string {
	return fmt.Sprintf(`{"type":"Point","coordinates":[%v,%v]}`, lon, lat)
}

func boxAt(w, s, e, n float64) string {
	text, _ := json.Marshal(square(w, s, e, n))
	return string(text)
}

func TestImportAnIndex(t *testing.T) {
	i := newImporting(t, twoPorts())
	const rows = `1,Arhus,Aros; Smilets By,DK AAR,Denmark,14.5,56.16,10.23
2,Skagen,,,Denmark,0,57.72,10.59
3,Grenaa,Grenå,DKGRE,Denmark,,56.41,10.92
4,Nowhere, , ,Denmark,0,-40,20
`
	before := i.kept()
	if report := i.take(true, indexHead+rows); report[0].New != 3 || report[0].Changed != 1 || i.kept() != before || i.lines != 0 ||
		len(i.ports.Current().All()) != 2 {
		t.Errorf("a dry run: %+v, %d lines, %s", report, i.lines, i.kept())
	}
	i.index(rows, "3 1 0 0")
	aarhus := i.port("smilets by")
	if aarhus.LOCODE != "DKAAR" || aarhus.Name != "Aarhus" || aarhus.MaxDraught != 14.5 || aarhus.Position != (geo.Point{Lon: 10.23, Lat: 56.16}) ||
		strings.Join(aarhus.Aliases, ",") != "Arhus,Aros,Smilets By" || aarhus.Timezone != "Europe/Copenhagen" {
		t.Errorf("%+v", aarhus)
	}
	grenaa := i.port("Grenå")
	if grenaa.LOCODE != "DKGRE" || grenaa.ID < chart.FirstMadePort || grenaa.Country != "Denmark" || grenaa.MaxDraught != 0 || !grenaa.Placed {
		t.Errorf("%+v", grenaa)
	}
	if port := i.port("nowhere"); port.LOCODE != "" { // none is invented
		t.Errorf("%+v", port)
	}
	after := i.kept()
	for range 2 {
		i.index(rows, "0 0 4 0")
		i.open(twoPorts())
	}
	if i.kept() != after || i.lines != 1 {
		t.Errorf("a second run wrote: %d lines\n%s\n%s", i.lines, after, i.kept())
	}
}

// TestAnImportLeavesWhatUsersWrote, and follows a new edition of the index in what it wrote itself.
func TestAnImportLeavesWhatUsersWrote(t *testing.T) {
	i := newImporting(t, twoPorts())
	i.edit("DKAAR", func(p *chart.Port) { p.Position, p.MaxDraught = geo.Point{Lon: 10.21, Lat: 56.14}, 9 })
	const rows = `1,Aarhus,Aros,DKAAR,Denmark,14.5,56.16,10.23
3,Grenaa,Gerrild,DKGRE,Denmark,8,56.41,10.92
`
	i.index(rows, "1 1 0 0")
	if p := i.port("DKAAR"); p.Position.Lon != 10.21 || p.MaxDraught != 9 || len(p.Aliases) != 1 {
		t.Errorf("%+v", p)
	}
	i.edit("DKAAR", func(p *chart.Port) { p.Added = nil }) // the user wants no other name
	i.index(rows, "0 0 2 0")
	if p := i.port("DKAAR"); len(p.Aliases) != 0 {
		t.Errorf("the name is back: %v", p.Aliases)
	}

	edition := strings.NewReplacer("8,56.41", "8.5,56.42", "14.5", "15").Replace(rows)
	i.index(edition, "0 1 1 0")
	if p := i.port("DKGRE"); p.Position.Lat != 56.42 || p.MaxDraught != 8.5 {
		t.Errorf("the new edition: %+v", p)
	}
	i.edit("DKGRE", func(p *chart.Port) { p.Name, p.Position.Lat = "Grenaa Havn", 56.413 })
	i.index(rows, "0 1 1 0") // the draught alone
	if p := i.port("DKGRE"); p.Position.Lat != 56.413 || p.Name != "Grenaa Havn" || p.MaxDraught != 8 {
		t.Errorf("%+v", p)
	}
	if err := i.ports.Delete(i.port("DKGRE")); err != nil {
		t.Fatal(err)
	}
	if refused := i.index(rows, "0 0 1 1"); refused[0].Line != 3 || !strings.Contains(refused[0].Why, "deleted here") {
		t.Errorf("%v", refused)
	}
	// Borders that were drawn hold the position.
	j := newImporting(t, twoPorts())
	j.edit("DKAAR", func(p *chart.Port) { p.Outer = square(10.1, 56.1, 10.3, 56.2) })
	j.index(`1,Aarhus,,DKAAR,Denmark,,56.16,10.23`+"\n", "0 0 1 0")
}

func TestWhichPortARowMeans(t *testing.T) {
	listed := chart.NewPorts([]*chart.Port{
		{ID: 1, LOCODE: "DKAAR", Name: "Aarhus", Position: geo.Point{Lon: 10.22, Lat: 56.15}, Placed: true, Codes: []string{"DKARH"}},
		{ID: 2, LOCODE: "CNTAG", Name: "Taicang", Position: geo.Point{Lon: 121.2, Lat: 31.6}, Placed: true},
		{ID: 3, LOCODE: "BRITQ", Name: "Itaqui"},
		{ID: 4, LOCODE: "DKAA1", Name: "Twin", Position: geo.Point{Lon: 1, Lat: 1}, Placed: true},
		{ID: 5, LOCODE: "DKAA2", Name: "Twin", Position: geo.Point{Lon: 1.01, Lat: 1}, Placed: true},
	})
	for name, row := range map[string]struct{ rows, want, why string }{
		"another LOCODE of ours":           {"1,Arhus,,DKARH,Denmark,,56.16,10.23\n", "0 1 0 0", ""},
		"a name near, under a new LOCODE":  {"1,Taicang,,CNTAC,China,,31.5,121.1\n", "0 1 0 0", ""},
		"the same name far away":           {"1,Taicang,,CNTAC,China,,35,121.1\n", "1 0 0 0", ""},
		"a name of the country, no place":  {"1,Itaqui,,BRIQI,Brazil,,-2.5,-44.4\n", "0 1 0 0", ""},
		"a name of another country":        {"1,Itaqui,,CNIQI,China,,30,120\n", "1 0 0 0", ""},
		"our LOCODE far away":              {"1,Arhus,,DKAAR,Denmark,,50,10\n", "0 0 0 1", "km from Aarhus"},
		"a name of two":                    {"1,Twin,,,Denmark,,1,1\n", "0 0 0 1", "2 ports near there have this name"},
		"twice ours, one of the name":      {"1,Aarhus Oil,,DKAAR,D,,56.15,10.22\n2,AARHUS,,DKAAR,D,,56.2,10.3\n", "0 1 0 1", "line 3 has DKAAR too"},
		"twice ours, the nearer one":       {"1,Oil,,DKAAR,D,,56.2,10.3\n2,Coal,,DKAAR,D,,56.16,10.2\n", "0 1 0 1", "line 3 has DKAAR too"},
		"twice a new one, one place":       {"1,Valdez,,USVDZ,U,,61.11,-146.25\n2,Valdez Terminal,,USVDZ,U,,61.08,-146.4\n", "1 0 0 1", "line 2 has USVDZ too"},
		"twice a new one, far apart":       {"1,Lynn,,USLYN,U,,39.9,-75.1\n2,Lynn,,USLYN,U,,42.6,-70.7\n", "0 0 0 2", "places far apart, in lines 2 and 3"},
		"one name for two new ones":        {"1,Newport,,,United States,,41.5,-71.3\n2,Newport,,USNPO,United States,,44.6,-124.1\n", "2 0 0 0", ""},
		"one name for three, one too many": {"1,N,,,U,,41.5,-71.3\n2,N,,,U,,44.6,-124.1\n3,N,,,U,,4.6,-12\n", "2 0 0 1", "is called N already"},
		"two new ones alike":               {"7,Masula,,,India,,16.15,81.166667\n7,Masula,Masulipatam,,India,,16.15,81.15\n", "1 0 0 1", "same port as line 2"},
		"the number twice":                 {"7,Aarhus,,DKAAR,D,,56.16,10.2\n7,Grenaa,,,D,,56.41,10.92\n", "0 1 0 1", "same port as line 2"},
	} {
		i := newImporting(t, listed)
		for run, want := range []string{row.want, "0 0 " + fmt.Sprint(strings.Count(row.rows, "\n")-int(row.want[6]-'0')) + " " + row.want[6:]} {
			refused := i.index(row.rows, want)
			if row.why != "" && (len(refused) == 0 || !strings.Contains(refused[0].Why, row.why)) {
				t.Errorf("%s: %v", name, refused)
			}
			if t.Failed() {
				t.Fatalf("%s, run %d", name, run)
			}
		}
	}
}

func TestImportOwnShapes(t *testing.T) {
	i := newImporting(t, twoPorts())
	outer, inner := boxAt(10.1, 56.1, 10.3, 56.2), boxAt(10.2, 56.12, 10.22, 56.14)
	features := []string{
		feature(outer, `"kind":"outer","port":"DKAAR"`),
		feature(inner, `"kind":"inner","port":"dk aar"`),
		feature(pointAt(10.21, 56.13), `"kind":"berth","port":"DKAAR","name":"Quay 4","length":220.5,"max_draught":12.1,"quay_id":124`),
		feature(pointAt(10.21, 56.131), `"kind":"berth","port":"DKAAR","name":"Quay 5"`),
		feature(pointAt(12.6, 55.7), `"kind":"port","name":"North Harbour","locode":"DKNH1","aliases":["Nordhavn"],"max_draught":7`),
		feature(boxAt(12.5, 55.65, 12.7, 55.75), `"kind":"outer","port":"DKNH1"`),
	}
	// A reference that is written in two ways is one port of two rows.
	i.own("1 2 0 0", features...)
	aarhus, north := i.port("DKAAR"), i.port("nordhavn")
	if !aarhus.Drawn() || len(aarhus.Inner) != 1 || len(aarhus.Berths) != 2 ||
		aarhus.Berths[0].Length != 220.5 || aarhus.Berths[0].QuayID != 124 || aarhus.Berths[1].ID != 2 ||
		!north.Drawn() || north.LOCODE != "DKNH1" || north.MaxDraught != 7 {
		t.Errorf("%+v\n%+v", aarhus, north)
	}
	after := i.kept()
	i.own("0 0 3 0", features...)
	i.open(twoPorts())
	i.own("0 0 3 0", features...)
	if i.kept() != after || i.lines != 1 {
		t.Errorf("a second run wrote: %d lines", i.lines)
	}

	// The file may change what it wrote, but not what a user did.
	longer := strings.Replace(features[2], "220.5", "230", 1)
	i.own("0 1 0 0", longer)
	i.edit("DKAAR", func(p *chart.Port) {
		p.Berths = slices.Clone(p.Berths)
		p.Berths[0].Length = 250
	})
	if refused := i.own("0 0 0 1", longer); !strings.Contains(refused[0].Error(), "line 2: berth quay 4: was written here by hand") {
		t.Errorf("%v", refused)
	}
	i.edit("DKAAR", func(p *chart.Port) { p.Outer = square(10.05, 56.05, 10.35, 56.25) })
	if refused := i.own("0 0 0 1", features[0]); !strings.Contains(refused[0].Why, "outer: was written here by hand") {
		t.Errorf("%v", refused)
	}
	if p := i.port("DKAAR"); p.Berths[0].Length != 250 || p.Outer[0][0].Lon != 10.05 {
		t.Errorf("%+v", p)
	}

	for what, text := range map[string]string{
		"there is no port Atlantis":     feature(outer, `"kind":"outer","port":"Atlantis"`),
		"/properties/kind must be":      feature(outer, `"kind":"quay","port":"DKAAR"`),
		"/properties/port":              feature(outer, `"kind":"outer"`),
		"/geometry":                     feature(pointAt(10, 56), `"kind":"outer","port":"DKSKA"`),
		"/properties/max_draught":       feature(pointAt(10, 56), `"kind":"berth","port":"DKSKA","name":"x","max_draught":-1`),
		"/berths/0/name":                feature(pointAt(10, 56), `"kind":"berth","port":"DKSKA"`),
		"a new port needs a name":       feature(pointAt(10, 56), `"kind":"port","locode":"DKXXX"`),
		"/locode":                       feature(pointAt(10, 56), `"kind":"port","locode":"D","name":"Some"`),
		"must lie within":               feature(boxAt(56.1, 10.1, 56.3, 10.3), `"kind":"outer","port":"DKNH1"`),
		"/properties must be an object": `{"type":"Feature","geometry":null,"properties":7}`,
	} {
		refused := i.own("0 0 0 1", text)
		if got := refused[0].Error(); what != "must lie within" && !strings.Contains(strings.Replace(got, ": ", " ", 2), what) {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestOwnFilesGoBeforeTheIndex, in each order, so that nothing goes back and forth.
func TestOwnFilesGoBeforeTheIndex(t *testing.T) {
	own := collection(feature(pointAt(10.2, 56.1), `"kind":"port","port":"DKAAR","max_draught":9`))
	index := indexHead + "1,Aarhus,,DKAAR,Denmark,14.5,56.16,10.23\n"
	for _, files := range [][]string{{own, index}, {index, own}} {
		i := newImporting(t, twoPorts())
		i.take(false, files...)
		for _, again := range i.take(false, files...) {
			if again.Unchanged != 1 {
				t.Errorf("%+v", again)
			}
		}
		if p := i.port("DKAAR"); p.Position.Lon != 10.2 || p.MaxDraught != 9 {
			t.Errorf("%+v", p)
		}
	}
}

func TestAnImportThatIsNone(t *testing.T) {
	i := newImporting(t, twoPorts())
	for text, want := range map[string]string{
		"":                         "line 1: the file is empty",
		"a,b\n1,2\n":               "line 1, Main Port Name: is no column",
		`{"type":"Feature"}`:       "line 1, /type: must be FeatureCollection",
		"{\"type\":\n \"x\",,}":    "line 2, character",
		`{"features":{}}`:          "features must be an array",
		"{\"features\":[\n{},\n{]": "line 3, character",
		"{\"features\":[\n{},\n}":  "line 3, character",
	} {
		_, err := i.ports.Import([]portfile.NamedFile{{Name: "f", Text: indexHead}, {Name: "g", Text: text}}, false, nil)
		var refusal portfile.RefusedLine
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "g: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	many := strings.Builder{}
	many.WriteString(indexHead)
	for n := range MaxMadePorts + 1 {
		fmt.Fprintf(&many, "%d,Port %dx,,,X,,%v,%v\n", n, n, -50+float64(n%100), float64(n/100)+0.5)
	}
	if _, err := i.ports.Import([]portfile.NamedFile{{Text: many.String()}}, false, nil); err == nil || len(i.ports.Current().All()) != 2 {
		t.Errorf("too many ports: %v", err)
	}
}

// worldPortIndex reads the list of the development data, which is not part of the project.
func worldPortIndex(t testing.TB) string {
	t.Helper()
	text, err := io.ReadAll(shiptest.Recording(t, "ports/wpi_pub150.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
