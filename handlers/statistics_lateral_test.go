package handlers

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// sailsInLanes gives ships a past in two lanes over midLine: 40 of them eastward about 3 km from its first point, 20 westward about 8 km from it. Every fourth is a
// tanker of 200 m that draws 9 m, of the others nothing is known.
func (s *site) sailsInLanes() {
	s.t.Helper()
	for i := range 60 {
		east, offset := i < 40, float64(i%20-10)*20 // metres
		lon, step, metres, course := 10.1, 0.0025, 3000+offset, 900
		if !east {
			lon, step, metres, course = 10.5, -0.0025, 8000+offset, 2700
		}
		begin := noon().Add(-3*time.Hour - time.Duration(i)*time.Minute)
		var track ship.Track
		for n := range 161 {
			track = append(track, ship.Fix{At: begin.Add(time.Duration(n) * 15 * time.Second).UnixMilli(), Lon: int32(math.Round((lon + float64(n)*step) * 600_000)),
				Lat: int32(math.Round((56.1 + metres/111_345) * 600_000)), SOG: ais.SOGTenths(150), COG: ais.COGTenths(course)})
		}
		one := store.Imported{MMSI: ais.MMSI(219_001_000 + i), Class: ship.ClassA, Fixes: track}
		if i%4 == 0 {
			one.Said = []store.Said{{Static: &ship.Static{Name: fmt.Sprintf("TANKER %d", i), Type: 81, Dimensions: ais.Dimensions{Bow: 150, Stern: 50}, At: track[0].At},
				Voyage: &ship.VoyageData{Draught: 90, At: track[0].At}}}
		}
		if _, err := s.db.ImportTracks([]store.Imported{one}); err != nil {
			s.t.Fatal(err)
		}
		s.hear(noon(), position(one.MMSI, 10.6, 56.15, 100, 900))
	}
	s.settle()
}

// spreadOf is a lateral distribution as a program reads it.
type spreadOf struct {
	Flag            bool `json:"direction_flag"`
	Count           int
	Mean, Deviation float64
	Counts          []int
	Mixture         []struct{ Weight, Mean, Deviation float64 }
	Group           *struct {
		Type     string
		From, To *float64
	}
}

func (s *site) lateral(user, id, query string) (spreads []spreadOf) {
	s.t.Helper()
	var answer struct {
		Length  float64
		Bin     float64
		Spreads []spreadOf
	}
	a := s.call(user, "GET", statPath+"/passageline/lateral"+id+query, "").is(s.t, 200)
	if err := json.Unmarshal(a.body, &answer); err != nil {
		s.t.Fatal(err)
	}
	for _, one := range answer.Spreads {
		sum := 0
		for _, n := range one.Counts {
			sum += n
		}
		if sum != one.Count || len(one.Counts) != int(math.Ceil(answer.Length/answer.Bin)) {
			s.t.Errorf("%+v: %d in %d bins of %v m of %v m", one, sum, len(one.Counts), answer.Bin, answer.Length)
		}
	}
	return answer.Spreads
}

// TestLateralDistribution: both lanes are where the ships sailed, and each group counts its own.
func TestLateralDistribution(t *testing.T) {
	s := newSite(t)
	s.sailsInLanes()
	id := s.statistic("admin", "passageline", `{`+morning+`"passageline":`+midLine+`}`)
	s.ran(id)
	all := s.lateral("admin", id, "")
	if len(all) != 2 || !all[0].Flag || all[1].Flag || all[0].Count != 40 || all[1].Count != 20 || all[0].Group != nil {
		t.Fatalf("all ships: %+v", all)
	}
	for i, want := range []float64{2990, 7990} {
		one := all[i]
		if math.Abs(one.Mean-want) > 20 || math.Abs(one.Deviation-116) > 8 || len(one.Mixture) != 1 || math.Abs(one.Mixture[0].Mean-want) > 20 || one.Mixture[0].Weight != 1 {
			t.Errorf("the lane about %v m: %+v", want, one)
		}
	}
	for query, want := range map[string]string{
		"?by=type":    "true 40, false 20, true Tanker 10, false Tanker 5, true unknown 30, false unknown 15",
		"?by=length":  "true 40, false 20, true 200 to 250 10, false 200 to 250 5, true unknown 30, false unknown 15",
		"?by=draught": "true 40, false 20, true 8 to 10 10, false 8 to 10 5, true unknown 30, false unknown 15",
		"?by=hour":    "true 40, false 20, true 8 to 9 19, false 8 to 9 20, true 9 to 10 21",
	} {
		var got []string
		for _, one := range s.lateral("admin", id, query) {
			got = append(got, fmt.Sprint(one.Flag, " ", groupText(&one), one.Count))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", query, text, want)
		}
	}
	if wide := s.lateral("admin", id, "?bin=20000"); len(wide[0].Counts) != 1 {
		t.Errorf("one bin: %+v", wide)
	}
}

func groupText(one *spreadOf) string {
	switch g := one.Group; {
	case g == nil:
		return ""
	case g.Type != "":
		return g.Type + " "
	case g.From == nil:
		return "unknown "
	case g.To == nil:
		return fmt.Sprintf("%v and more ", *g.From)
	default:
		return fmt.Sprintf("%v to %v ", *g.From, *g.To)
	}
}

// TestLateralDistributionIsCutForItsReader: it counts no ship that is hidden, none too early, and nothing for users without the right.
func TestLateralDistributionIsCutForItsReader(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewHistory, false)
	id := s.statistic("admin", "passageline", `{`+morning+`"passageline":`+midLine+`}`)
	s.ran(id)
	if all := s.lateral("anna", id, "?by=type"); len(all) != 2 || all[0].Count != 2 {
		t.Errorf("all: %+v", all)
	}
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	if some := s.lateral("anna", id, "?by=hour"); len(some) != 2 || some[0].Count != 1 || some[1].Group.From == nil || *some[1].Group.From != 10 {
		t.Errorf("with a hidden ship: %+v", some)
	}
	s.setFilter("anna", `{"expression":null,"delay":86400}`)
	if none := s.lateral("anna", id, ""); len(none) != 0 {
		t.Errorf("told too early: %+v", none)
	}
	s.call("clerk", "GET", statPath+"/passageline/lateral"+id, "").is(t, 403)
}

// TestWrongQuestionsOfLanes: each names its fault.
func TestWrongQuestionsOfLanes(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	id := s.statistic("admin", "passageline", `{`+morning+`"passageline":`+midLine+`}`)
	s.ran(id)
	for query, word := range map[string]string{"?by=flag": "one_of", "?bin=0": "", "?bin=-5": "", "?bin=x": "", "?bin=1": "stat_bins"} {
		a := s.call("admin", "GET", statPath+"/passageline/lateral"+id+query, "").is(t, 400)
		if !strings.Contains(string(a.body), word) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	area := s.statistic("admin", "area", `{`+morning+`"shape":`+harbour+`}`)
	s.ran(area)
	s.call("admin", "GET", statPath+"/passageline/lateral"+area, "").is(t, 404)
	s.call("admin", "GET", statPath+"/passageline/lateral/17", "").is(t, 404)
	held := s.statistic("admin", "passageline", `{`+morning+`"execute":false,"passageline":`+midLine+`}`)
	s.call("admin", "GET", statPath+"/passageline/lateral"+held, "").is(t, 202)
}
