package chart_test

import (
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

func load(t testing.TB) *chart.Chart {
	t.Helper()
	c, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLand(t *testing.T) {
	c := load(t)
	for _, row := range []struct {
		name string
		at   geo.Point
		want bool
	}{
		{"Aarhus, harbour basin", geo.Point{Lon: 10.2330, Lat: 56.1565}, false},
		{"Aarhus, cathedral", geo.Point{Lon: 10.2105, Lat: 56.1569}, true},
		{"Aarhus, bay", geo.Point{Lon: 10.30, Lat: 56.14}, false},
		{"Maasvlakte, Yangtzehaven", geo.Point{Lon: 4.02, Lat: 51.963}, false},
		{"Maasvlakte, terminal", geo.Point{Lon: 4.05, Lat: 51.9530}, true},
		{"Kiel canal mouth, fjord", geo.Point{Lon: 10.16, Lat: 54.367}, false},
		{"Kiel, town", geo.Point{Lon: 10.12, Lat: 54.32}, true},
		{"Elbe off Hamburg", geo.Point{Lon: 9.82, Lat: 53.545}, false},
		{"Fiji, Vanua Levu", geo.Point{Lon: 179.3, Lat: -16.6}, true},
		{"Fiji, Taveuni on 180", geo.Point{Lon: -179.98, Lat: -16.82}, true},
		{"Fiji, Koro sea", geo.Point{Lon: 179.9, Lat: -17.9}, false},
		{"Chukotka west of 180", geo.Point{Lon: 179.9, Lat: 67.5}, true},
		{"Chukotka east of 180", geo.Point{Lon: -179.9, Lat: 67.5}, true},
		{"Chukotka on 180", geo.Point{Lon: 180, Lat: 67.5}, true},
		{"Chukotka on -180", geo.Point{Lon: -180, Lat: 67.5}, true},
		{"Wrangel island", geo.Point{Lon: -179.5, Lat: 71.2}, true},
		{"Bering sea on 180", geo.Point{Lon: 180, Lat: 60}, false},
		{"south pole", geo.Point{Lon: 0, Lat: -90}, true},
		{"south pole on 180", geo.Point{Lon: 180, Lat: -90}, true},
		{"Antarctica at 86 S", geo.Point{Lon: 77, Lat: -86}, true},
		{"north pole", geo.Point{Lon: 0, Lat: 90}, false},
		{"zero", geo.Point{}, false},
		{"Atlantic", geo.Point{Lon: -30, Lat: 40}, false},
		{"Sahara", geo.Point{Lon: 10, Lat: 25}, true},
		{"Vänern", geo.Point{Lon: 13.3, Lat: 58.9}, false},
		{"not available", geo.Point{Lon: 181, Lat: 91}, false},
	} {
		if got := c.Land(row.at); got != row.want {
			t.Errorf("%s: Land(%v) = %v, want %v", row.name, row.at, got, row.want)
		}
	}
}
