package portfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const head = "\ufeffWorld Port Index Number,Main Port Name,Alternate Port Name,UN/LOCODE,Country Code,Maximum Vessel Draft (m),Latitude,Longitude\n"

func TestRowsOfAnIndex(t *testing.T) {
	rows, refused, err := Read(NamedFile{Text: head + "543, Kusanartoq ,\"A ; B;4711;\",gl kus,Greenland,0,61.7,-42.2\n" +
		"1,\"Two\nlines\",,,X,9.5,1,2\n2,Short,,,X,,3,4,more\n"})
	if err != nil || len(refused) != 0 || len(rows) != 3 {
		t.Fatalf("%v, %v, %v", rows, refused, err)
	}
	if r := rows[0]; r.Line != 2 || r.Index != "543" || r.Name != "Kusanartoq" || r.LOCODE != "GLKUS" || r.Country != "Greenland" || r.MaxDraught != 0 ||
		strings.Join(r.Aliases, "|") != "A|B" || r.Position.Lon != -42.2 || r.Position.Lat != 61.7 || r.Own {
		t.Errorf("%+v", r)
	}
	if rows[1].Name != "Two lines" || rows[1].MaxDraught != 9.5 || rows[2].Line != 5 {
		t.Errorf("%+v", rows[1:])
	}
}

func TestRefusedRowsOfAnIndex(t *testing.T) {
	for row, want := range map[string]string{
		"1,,,,X,,1,2":            "line 2, Main Port Name: needs 1 to 64 characters",
		"1,77,,,X,,1,2":          "line 2, Main Port Name: must not be a number",
		"1,A,,GBME\"\"\",X,,1,2": "line 2, character",
		"1,A,,GBM,X,,1,2":        "line 2, UN/LOCODE: \"GBM\" is no LOCODE",
		"1,A,,,X,deep,1,2":       "line 2, Maximum Vessel Draft (m): \"deep\" is no number of metres",
		"1,A,,,X,101,1,2":        "line 2, Maximum Vessel Draft (m)",
		"1,A,,,X,,91,2":          "line 2, Latitude: \"91\"",
		"1,A,,,X,,1,NaN":         "line 2, Longitude: \"NaN\"",
		"1,A,,,X,,0,0":           "line 2, Latitude: 0° 0°",
		"1,A":                    "line 2, Latitude: \"\"",
	} {
		rows, refused, err := Read(NamedFile{Text: head + row + "\n2,Good,,,X,,3,4\n"})
		if err != nil || len(rows) != 1 || len(refused) != 1 || !strings.HasPrefix(refused[0].Error(), want) {
			t.Errorf("%s: %v, %v, %v; want %s", row, rows, refused, err, want)
		}
	}
}

func TestFeaturesHaveTheirLines(t *testing.T) {
	rows, refused, err := Read(NamedFile{Text: "{\n\"name\":{\"x\":[1]},\"features\":[\n\n" +
		`{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"kind":"berth","port":7,"name":"A"}},` + "\n" +
		`{"geometry":{"type":"Point","coordinates":[1,2]},` + "\n" + `"properties":{"kind":"berth","port":"7","name":"B"}}, 7,` + "\n" +
		`{"geometry":{"type":"Point","coordinates":[1,92]},"properties":{"kind":"port","name":"C"}}` + "\n" + `],"type":"FeatureCollection"}`})
	if err != nil || len(rows) != 1 || rows[0].Line != 4 || rows[0].Ref != "7" || len(rows[0].Berths) != 2 || len(refused) != 2 ||
		refused[0].Line != 6 || refused[1].Line != 7 || refused[1].Column != "/geometry" {
		t.Errorf("%+v, %v, %v", rows, refused, err)
	}
}

// TestReadsAnything: whatever a file holds, it is read or refused with a line.
func TestReadsAnything(t *testing.T) {
	parts := []string{head, "1,A,,DKAAR,X,,1,2\n", `"`, "\n", ",", "{", "}", "[", "]", `"type":"FeatureCollection"`, `"features":`, `:`, "7",
		`{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"kind":"berth","port":"x","name":"A"}}`, "\xff", "\x00", "null"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(t, "text"), "")
		rows, refused, err := Read(NamedFile{Text: text})
		var refusal RefusedLine
		if err != nil && (!errors.As(err, &refusal) || refusal.Line < 1) {
			t.Errorf("%q: %v", text, err)
		}
		last := strings.Count(text, "\n") + 1
		for _, line := range append(linesOf(rows), func() (l []int) {
			for _, r := range refused {
				l = append(l, r.Line)
			}
			return l
		}()...) {
			if line < 1 || line > last {
				t.Errorf("%q: line %d", text, line)
			}
		}
	})
}

func linesOf(rows []PortRow) (lines []int) {
	for i := range rows {
		lines = append(lines, rows[i].Line)
	}
	return lines
}

func TestAFileHasABound(t *testing.T) {
	var text strings.Builder
	text.WriteString(head)
	for n := range mostRows + 1 {
		fmt.Fprintf(&text, "%d,A,,,X,,1,2\n", n)
	}
	if _, _, err := Read(NamedFile{Text: text.String()}); err == nil || !strings.Contains(err.Error(), "at most 100000 ports") {
		t.Errorf("%v", err)
	}
}

// FuzzRead reads any text. What it takes keeps the bounds that the ports of a box have, and what it refuses has a line and a reason.
func FuzzRead(f *testing.F) {
	f.Add(head + "543,A,\"B;C\",GLKUS,Greenland,9.5,61.7,-42.2\n1,B,,,X,,1\n")
	f.Add(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"berth","port":"DKAAR","name":"Q","length":220},` +
		`"geometry":{"type":"Point","coordinates":[10.2,56.1]}},{"type":"Feature","properties":{"kind":"outer","port":1},` +
		`"geometry":{"type":"Polygon","coordinates":[[[10,56],[10.1,56],[10.1,56.1],[10,56]]]}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, refused, err := Read(NamedFile{Name: "any", Text: text})
		var whole RefusedLine
		if err != nil && (!errors.As(err, &whole) || whole.Line < 1 || whole.Why == "") {
			t.Fatalf("refused as a whole with %v", err)
		}
		lines := strings.Count(text, "\n") + 1
		for _, r := range refused {
			if r.Line < 1 || r.Line > lines || r.Why == "" {
				t.Fatalf("refused with %+v, of %d lines", r, lines)
			}
		}
		for _, r := range rows {
			if r.Line < 1 || r.Line > lines || len([]rune(r.Name)) > 64 || r.MaxDraught < 0 || r.MaxDraught > 100 ||
				r.Position != nil && !r.Position.Valid() {
				t.Fatalf("took %+v", r)
			}
		}
	})
}
