package destination

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/ship/shiptest"
)

func listed(t testing.TB) *chart.Ports {
	t.Helper()
	ports, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

// locode returns the LOCODE of a port, "-" for none.
func locode(port *chart.Port) string {
	if port == nil {
		return "-"
	}
	return port.LOCODE
}

// table reads a table of testdata with so many columns.
func table(t testing.TB, name string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%q has %d columns", line, len(row))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestWaysOfWriting reads what crews type, rule by rule.
func TestWaysOfWriting(t *testing.T) {
	ports := listed(t)
	r, rows := NewReader(ports), table(t, "ways.tsv", 3)
	if len(rows) < 200 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		if got := locode(r.Port(row[1])); got != row[2] {
			t.Errorf("%s: %q is read as %s, want %s", row[0], row[1], got, row[2])
		}
	}
}

// TestEachPortOfTheList reads each port by its LOCODE, with and without a blank and behind a port of departure, and by its name: that port or
// none. Few names are none: those that several ports have.
func TestEachPortOfTheList(t *testing.T) {
	ports := listed(t)
	r := NewReader(ports)
	var named, none int
	for _, p := range ports.All() {
		blank := p.LOCODE[:2] + " " + p.LOCODE[2:]
		for _, text := range []string{p.LOCODE, blank, "FR LEH>" + blank, ">" + p.LOCODE, strings.ToLower(p.LOCODE)} {
			if got := r.Port(text); got != p && p.LOCODE != "FRLEH" {
				t.Errorf("%q is read as %s", text, locode(got))
			}
		}
		switch got := r.Port(p.Name); {
		case got == p:
			named++
		case got == nil:
			none++
		case fold.Name(got.Name) != fold.Name(p.Name) && !slices.Contains(got.Aliases, p.Name):
			t.Errorf("%s %q is read as %s %q", p.LOCODE, p.Name, got.LOCODE, got.Name)
		}
	}
	t.Logf("%d names are read as their port, %d as none", named, none)
	if named < 1500 {
		t.Errorf("only %d of %d names are read as their port", named, len(ports.All()))
	}
}

// TestAMistakeIsNeverAnotherPort types names with one mistake. What comes out is the port or none, unless the mistake makes a name of it
// that another port has.
func TestAMistakeIsNeverAnotherPort(t *testing.T) {
	ports := listed(t)
	r := NewReader(ports)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(ports.All()).Draw(t, "port")
		name := []byte(keyOf(fold.Plain(fold.Name(p.Name))))
		if len(name) < shortestTypo {
			t.Skip("too short")
		}
		i := rapid.IntRange(0, len(name)-2).Draw(t, "place")
		switch rapid.IntRange(0, 3).Draw(t, "mistake") {
		case 0:
			name = slices.Delete(name, i, i+1)
		case 1:
			name = slices.Insert(name, i, byte('a'+rapid.IntRange(0, 25).Draw(t, "letter")))
		case 2:
			name[i] = byte('a' + rapid.IntRange(0, 25).Draw(t, "letter"))
		case 3:
			name[i], name[i+1] = name[i+1], name[i]
		}
		text := string(name)
		got := r.Port(text)
		own := func(c candidate) bool { return c.port == got }
		if got == nil || got == p || slices.ContainsFunc(r.names[text], own) || slices.ContainsFunc(r.loose[looseKey(text)], own) {
			return
		}
		if fold.Name(got.Name) != fold.Name(p.Name) && !slices.ContainsFunc(r.names[keyOf(fold.Plain(fold.Name(p.Name)))], own) {
			t.Errorf("%q, which is nearly %s %q, is read as %s %q", text, p.LOCODE, p.Name, got.LOCODE, got.Name)
		}
	})
}

// TestPortsMadeByHand counts at once, and what was taken away counts no more.
func TestPortsMadeByHand(t *testing.T) {
	first := listed(t)
	now := first
	c := NewCurrent(func() *chart.Ports { return now })
	steps := []struct {
		text         string
		before, then string
	}{
		{"OLDENBURG", "-", "DEOLO"},
		{"DE OLO", "-", "DEOLO"},
		{"NEWCASTLE", "-", "Newcastle"}, // the one of this user
		{"AARHUS", "DKAAR", "-"},
	}
	name := func(text string) string {
		if port := c.Port(text); port != nil && port.LOCODE == "" {
			return port.Name
		}
		return locode(c.Port(text))
	}
	for _, s := range steps {
		if got := name(s.text); got != s.before {
			t.Errorf("%q is read as %s, want %s", s.text, got, s.before)
		}
	}
	all := slices.DeleteFunc(slices.Clone(first.All()), func(p *chart.Port) bool { return p.LOCODE == "DKAAR" || p.LOCODE == "AUNTL" })
	now = chart.NewPorts(append(all, &chart.Port{ID: chart.FirstMadePort, LOCODE: "DEOLO", Name: "Oldenburg"},
		&chart.Port{ID: chart.FirstMadePort + 1, Name: "Newcastle"}))
	for _, s := range steps {
		if got := name(s.text); got != s.then {
			t.Errorf("with the new list %q is read as %s, want %s", s.text, got, s.then)
		}
	}
	now = first
	if got := name("AARHUS"); got != "DKAAR" {
		t.Errorf("with the list again AARHUS is read as %s", got)
	}
}

func TestALongTextIsNone(t *testing.T) {
	r := NewReader(listed(t))
	if got := r.Port("DKAAR" + strings.Repeat(" ", longest)); got != nil {
		t.Errorf("it is read as %s", got.Name)
	}
}

func FuzzPort(f *testing.F) {
	r := NewReader(listed(f))
	for _, row := range table(f, "ways.tsv", 3) {
		f.Add(row[1])
	}
	f.Fuzz(func(t *testing.T, text string) {
		if port := r.Port(text); port != nil {
			if is, ok := r.ports.ByID(port.ID); !ok || is != port {
				t.Errorf("%q is read as a port that is not in the list", text)
			}
		}
	})
}

// recordings are what the figures of docs/voyage.md were measured with.
func recordings() []string {
	return []string{"nmea/kadetrenden_2013-07-31.nmea.gz", "nmea/denmark_2013-11-12_pghp.txt.gz", "nmea/world_2010-06-11_pghp.txt.gz",
		"nmea/world_2019-02-16_ns-prefix.nmea", "nmea/kattegat_2022-08-18_tcp.log", "nmea/kattegat_2022-08-18_tcp.input.log", "oracle/goais_alltypes_A.nmea.gz"}
}

// recorded gives the distinct destinations of a recorded log, and skips the test where there is none.
func recorded(t *testing.T, name string, texts map[string]bool) {
	t.Helper()
	log := shiptest.Recording(t, name)
	d, pool := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(1)
	take := func(b *ais.Batch) {
		for _, report := range b.Reports {
			if m, ok := report.Message.(*ais.StaticVoyage); ok && m.Destination != "" {
				texts[strings.Clone(m.Destination)] = true
			}
		}
		b.Release()
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		b := pool.Get()
		d.Line(b, lines.Bytes(), now)
		take(b)
	}
	b := pool.Get()
	d.Flush(b, now)
	take(b)
}

// TestRecordedDestinations holds the bar: of the texts that name a port of the list at least 80 % are read as it, and at most 2 % of the
// answers are wrong. What the crews meant was written down before the reader was first run.
func TestRecordedDestinations(t *testing.T) {
	texts := map[string]bool{}
	for _, name := range recordings() {
		recorded(t, name, texts)
	}
	meant := map[string]string{}
	for _, row := range table(t, "recorded.tsv", 2) {
		meant[row[0]] = row[1]
	}
	r := NewReader(listed(t))
	var named, right, answers, wrong int
	for text := range texts {
		want, names := meant[digest(text)]
		got := r.Port(text)
		if names {
			named++
		}
		switch {
		case got == nil:
		case got.LOCODE == want:
			answers++
			right++
		default:
			answers++
			wrong++
			t.Logf("%q is read as %s, meant was %q", text, got.LOCODE, want)
		}
	}
	t.Logf("%d texts, %d name a port of the list, %d of them are read as it; of %d answers %d are wrong", len(texts), named, right, answers, wrong)
	if len(texts) < 500 || named < 200 {
		t.Errorf("only %d texts were heard, and %d of them name a port", len(texts), named)
	}
	if right*100 < named*80 || wrong*100 > answers*2 {
		t.Error("the bar is not held")
	}
}

// digest stands for a text that was heard in the labels of TestRecordedDestinations.
func digest(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("%016x", h.Sum64())
}

// BenchmarkPort reads one text after the other of the ways of writing, and fails when it reads no port.
func BenchmarkPort(b *testing.B) {
	r, rows := NewReader(listed(b)), table(b, "ways.tsv", 3)
	b.ReportAllocs()
	found, i := 0, 0
	for b.Loop() {
		if r.Port(rows[i%len(rows)][1]) != nil {
			found++
		}
		i++
	}
	if i >= len(rows) && found == 0 {
		b.Fatal("nothing was read")
	}
}

// BenchmarkNewReader makes the index of the list, as the first destination after a change of the ports does.
func BenchmarkNewReader(b *testing.B) {
	ports := listed(b)
	b.ReportAllocs()
	for b.Loop() {
		if r := NewReader(ports); len(r.typos) < 1000 {
			b.Fatal("the index is empty")
		}
	}
}
