package handlers

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"quaywatch/access"
)

// hoursOf sums a column of the cells of a density.
func hoursOf(t *testing.T, rows []map[string]string, column string) (sum float64) {
	t.Helper()
	for _, row := range rows {
		v, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		sum += v
	}
	return sum
}

// TestDensityOfShips: two ships sail through the harbour for 40 minutes each. The cells of all layouts sum to that, and hold both.
func TestDensityOfShips(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	id, found := s.foundOf("admin", "density", morning+`"cell":500,"shape":`+harbour)
	if len(found) != 2 || !strings.Contains(found[0], `"cell":500`) || !strings.Contains(found[0], `"day":"2026-11-20"`) ||
		!strings.Contains(found[0], `"epsg":6933`) || !strings.Contains(strings.Join(found, ""), "NORDIC HAV") {
		t.Fatalf("%.500s", found)
	}
	rows := s.tableOf("admin", "density", id)
	if hours := hoursOf(t, rows, "hours"); math.Abs(hours-80.0/60) > 1e-6 {
		t.Errorf("%v hours", hours)
	}
	for _, row := range rows {
		hours, _ := strconv.ParseFloat(row["hours"], 64)
		dense, _ := strconv.ParseFloat(row["hours_per_km2_month"], 64)
		if want := hours / 0.25 / (12 / 730.5); math.Abs(dense-want) > 1e-4*want || row["ships"] != "2" || row["trips"] != "2" || row["crossings"] != "2" ||
			!strings.HasPrefix(row["longitude"], "10.") || !strings.HasPrefix(row["latitude"], "56.1") {
			t.Errorf("%v", row)
		}
	}
	features := s.mapOf("admin", "density", id)
	if len(features) != len(rows) || len(rows) < 20 {
		t.Errorf("%d features, %d rows", len(features), len(rows))
	}
	hours := 0.0
	for _, f := range features {
		hours += f["properties"].(map[string]any)["hours"].(float64)
		if g := f["geometry"].(map[string]any); g["type"] != "Polygon" || len(g["coordinates"].([]any)[0].([]any)) != 5 {
			t.Errorf("%v", f)
		}
	}
	if math.Abs(hours-80.0/60) > 1e-6 {
		t.Errorf("%v hours", hours)
	}
}

// TestAHiddenShipIsInNoDensity: a reader has the cells of the ships that it sees, in each layout.
func TestAHiddenShipIsInNoDensity(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	id, _ := s.foundOf("admin", "density", morning+`"cell":500,"shape":`+harbour)
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	rows := s.tableOf("anna", "density", id)
	if hours := hoursOf(t, rows, "hours"); math.Abs(hours-40.0/60) > 1e-6 || hoursOf(t, rows, "ships") != float64(len(rows)) {
		t.Errorf("%v hours: %v", hours, rows)
	}
	for _, f := range s.mapOf("anna", "density", id) {
		if of := f["properties"].(map[string]any); of["ships"] != 1.0 || of["trips"] != 1.0 {
			t.Errorf("%v", of)
		}
	}
	if seen := s.resultOf("anna", "density", id); len(seen) != 1 || strings.Contains(seen[0], "219018765") {
		t.Errorf("%s", seen)
	}
	for _, filter := range []string{`{"expression":"mmsi = 1"}`, `{"expression":null,"psss":["pier"]}`, `{"psss":null,"delay":86400}`} {
		s.setFilter("anna", filter)
		if rows, features := s.tableOf("anna", "density", id), s.mapOf("anna", "density", id); len(rows)+len(features) > 0 {
			t.Errorf("%s: %v %v", filter, rows, features)
		}
	}
}
