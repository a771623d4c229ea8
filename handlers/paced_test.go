package handlers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/await"
	"quaywatch/users/access"
	"quaywatch/users/access/filter"
)

// Of the pictures at a pace, as docs/operations.md says.
const (
	paceIdle  = 10 * time.Minute
	mostPaces = 32
)

// tick lets the picture's time come to a second, and waits until every paced picture has followed.
func (s *site) tick(now time.Time) {
	s.t.Helper()
	s.picture.Apply(&ais.Batch{}, s.db, s.sight) // ships that were entered by hand
	s.picture.Tick(now, s.db, s.sight, s.alarms, s.texts, s.voyages, s.tracks, s.watch)
	var lags []time.Duration
	for range await.Looks(await.Limit) {
		if lags = s.sight.Lags(); !slices.ContainsFunc(lags, func(lag time.Duration) bool { return lag > 0 }) {
			return
		}
	}
	s.t.Fatalf("a picture at a pace stands still: behind by %v", lags)
}

// setFilter sets the receive filter of a user.
func (s *site) setFilter(user, text string) *filter.View {
	s.t.Helper()
	changed, err := s.users.Change(user, func(u *access.User) error {
		u.ReceiveFilter = nil
		written := form.Of(form.Keys{"receive_filter": json.RawMessage(text)})
		s.users.Apply(written, u)
		return written.Err()
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.users.View(changed, func(string) []string { return nil })
}

// answers asks every route for one ship.
func (s *site) answers(user string, m ais.MMSI, now time.Time) map[string]string {
	s.t.Helper()
	number, all := fmt.Sprint(m), map[string]string{}
	see := func(route string, a answer) {
		if a.status == 200 {
			all[route] = string(a.body)
		} else if a.status != 404 && a.status != 422 && a.status != 202 {
			s.t.Errorf("%s answers %d %s", route, a.status, a.body)
		}
	}
	world := `{"type":"Polygon","coordinates":[[[0,50],[20,50],[20,60],[0,60],[0,50]]]}`
	for _, form := range []string{"json", "geojson", "csv"} {
		query := "?format=" + form
		see("info "+form, s.call(user, "GET", portserver+"/ship/info/"+number+query, ""))
		see("info at "+form, s.call(user, "POST", portserver+"/ship/info"+query, `{"mmsi":`+number+`,"time":"`+wire.TimeText(now.UnixMilli())+`"}`))
		see("position "+form, s.call(user, "GET", portserver+"/ship/position/"+number+query, ""))
		see("search "+form, s.call(user, "GET", portserver+"/ship/search/"+number+query, ""))
		a := s.call(user, "POST", areaPath, `{"area":`+world+`}`).is(s.t, 200).json(s.t)
		see("area "+form, s.finish(user, fmt.Sprintf("%s/%.0f%s", areaPath, a["id"], query)))
	}
	if a := s.call(user, "POST", trackPath, `{"mmsi":`+number+`,"begin":"2026-11-20","end":"2026-11-21"}`); a.status == 202 {
		for _, form := range []string{"json", "geojson", "csv", "gpx", "kml"} {
			see("track "+form, s.finish(user, fmt.Sprintf("%s?id=%.0f&format=%s", trackPath, a.json(s.t)["id"], form)))
		}
	}
	see("select", s.call(user, "POST", selectPath, `{"ships":[{"mmsi":`+number+`}]}`))
	see("selected", s.call(user, "GET", selectPath, ""))
	return all
}

// What no answer may tell: times, and the names that tell when they were heard.
var (
	writtenTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	writtenName = regexp.MustCompile(`AT (\d+)`)
	fixCount    = regexp.MustCompile(`<trkpt`)
)

// youngest returns the youngest that an answer tells.
func youngest(t testing.TB, route, body string) (at time.Time) {
	for _, n := range writtenName.FindAllStringSubmatch(body, -1) {
		seconds, _ := strconv.ParseInt(n[1], 10, 64)
		if named := noon().Add(time.Duration(seconds) * time.Second); named.After(at) {
			at = named
		}
	}
	if strings.HasPrefix(route, "select") { // tells when it was selected
		return at
	}
	for _, text := range writtenTime.FindAllString(body, -1) {
		one, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		if one.After(at) {
			at = one
		}
	}
	return at
}

// TestNoRouteTellsTooEarlyOrTooOften asks every route with any delay, interval and ranges. None tells anything younger than the delay, nor
// two updates of a ship closer than its interval. That also holds if the paced picture was closed in between. What is old enough is shown.
func TestNoRouteTellsTooEarlyOrTooOften(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	server := s.serve()
	now, runs := noon(), 0
	s.tick(now)
	const steady, rare = ais.MMSI(219018765), ais.MMSI(211222333) // the one reports each second, the other now and then
	rapid.Check(t, func(r *rapid.T) {
		if runs++; runs > 10 {
			return
		}
		delay := rapid.SampledFrom([]int{0, 1, 5, 20, 40}).Draw(r, "delay")
		filter := fmt.Sprintf(`{"delay":%d`, delay)
		near := rapid.SampledFrom([]int{0, 3, 10}).Draw(r, "interval")
		if near > 0 {
			filter += fmt.Sprintf(`,"update_interval":%d`, near)
		}
		if rapid.Bool().Draw(r, "ranges") {
			filter += `,"range_dependant_update":{"position":[10.3,56.14],"ranges":[{"distance":2000,"interval":4},{"distance":100000,"interval":12}]}`
		}
		pace := s.setFilter("anna", filter+"}").Pace()
		l := listenAs(t, "anna", server.URL, "", "")
		var last atomic.Int64 // the latest time that may be told
		last.Store(now.Unix() - int64(delay))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, ok := l.next(); ok; e, ok = l.next() {
				if text, _ := json.Marshal(e.data); e.name != "status" && e.name != "select" {
					if young := youngest(t, e.name, string(text)); young.Unix() > last.Load() {
						t.Errorf("%s: the live stream tells of %v at %d: %s", filter, young, last.Load(), text)
					}
				}
			}
		}()
		told, changed := map[ais.MMSI]string{}, map[ais.MMSI]time.Time{}
		for range 60 {
			now = now.Add(time.Second)
			second := now.Sub(noon()) / time.Second
			far := float64(second%40) / 400 // in and out of the inner range
			last.Store(now.Unix() - int64(delay))
			s.hear(now.Add(-300*time.Millisecond), position(steady, 10.3+far, 56.14, 50, 900))
			if second%7 == 0 {
				s.hear(now.Add(-200*time.Millisecond), position(rare, 10.4, 56.2, 0, 900))
				s.hear(now.Add(-100*time.Millisecond), voyage(rare, fmt.Sprintf("AT %d", second)))
			}
			s.tick(now)
			latest := now.Add(-time.Duration(delay) * time.Second)
			if rapid.IntRange(0, 25).Draw(r, "let go") == 0 {
				s.settle()
				s.clock.pass(paceIdle + time.Minute)
				s.tick(now)
			}
			if second%20 == 0 {
				s.settle()
				for _, m := range []ais.MMSI{steady, rare} {
					answers := s.answers("anna", m, now)
					for route, body := range answers {
						if young := youngest(t, route, body); young.After(latest) {
							r.Fatalf("%s: at %v %s tells of %v: %.400s", filter, now, route, young, body)
						}
					}
					if fixes := len(fixCount.FindAllString(answers["track gpx"], -1)); near > 0 && fixes > int(second)/near+1 {
						r.Fatalf("%s: %d fixes in %d s", filter, fixes, second)
					}
				}
			}
			for _, m := range []ais.MMSI{steady, rare} {
				a := s.call("anna", "GET", portserver+"/ship/position/"+fmt.Sprint(m), "")
				v, err := s.sight.Of(t.Context(), s.user("anna"), "anna")
				if err != nil {
					t.Fatal(err)
				}
				state, _ := v.Ship(m)
				if was := told[m]; a.status == 200 && was != "" && was != string(a.body) {
					if every := pace.Interval(&state); now.Sub(changed[m]) < every && !changed[m].IsZero() {
						r.Fatalf("%s: %d was told at %v and %v, every %v", filter, m, changed[m], now, every)
					}
					changed[m] = now
				}
				if a.status == 200 {
					told[m] = string(a.body)
				}
				if begun := noon().Add(27 * time.Second); m == steady && latest.After(begun) {
					old := latest.Add(-26 * time.Second).UnixMilli() // where intervals change, its next turn may be twice as far
					if a.status != 200 || state.Fix.At < old {
						r.Fatalf("%s: at %v the ship is shown as of %v: %d", filter, now, state.Fix.Time(), a.status)
					}
				}
			}
		}
		l.close()
		<-done
	})
}

// A delayed client sees what the present was, on a stream that follows changes of its pace and goes on after a break.
func TestALiveStreamInThePast(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	now := noon()
	step := func(seconds int) {
		for range seconds {
			now = now.Add(time.Second)
			s.hear(now, position(nordic, 10.3+now.Sub(noon()).Seconds()/10000, 56.14, 112, 900))
			s.tick(now)
		}
	}
	step(40)
	s.settle()
	s.setFilter("anna", `{"delay":30}`)
	server := s.serve()
	at := func(l *listener) string {
		c, _ := l.ships[float64(nordic)]["position"].(map[string]any)["coordinates"].([]any)
		return c[2].(string)
	}
	l := listenAs(t, "anna", server.URL, "", "")
	if e := l.until("picture"); e.data["time"] != "2026-11-20T12:00:10Z" || at(l) != "2026-11-20T12:00:10Z" {
		t.Errorf("at %v: %v", e.data["time"], l.ships)
	}
	if e := l.until("status"); e.data["time"] != "2026-11-20T12:00:10Z" {
		t.Errorf("status of %v", e.data["time"])
	}
	step(5)
	if l.until("change"); at(l) < "2026-11-20T12:00:11Z" || at(l) > "2026-11-20T12:00:15Z" {
		t.Errorf("%v", l.ships)
	}
	l.close()
	step(5)
	again := listenAs(t, "anna", server.URL, "", l.lastID)
	again.ships = l.ships
	if e, _ := again.next(); e.name != "change" || e.data["time"] != at(again) || at(again) != "2026-11-20T12:00:20Z" { // the time stands still now
		t.Errorf("resumed with a %s at %v of %v", e.name, e.data["time"], at(again))
	}
	s.setFilter("anna", `{"delay":5}`)
	if e := again.until("picture"); e.data["time"] != "2026-11-20T12:00:45Z" || at(again) != "2026-11-20T12:00:45Z" {
		t.Errorf("another delay: at %v: %v", e.data["time"], at(again))
	}
	s.setFilter("anna", `{"delay":null}`)
	if again.until("picture"); at(again) != "2026-11-20T12:00:50Z" {
		t.Errorf("no delay: %v", at(again))
	}
	if other := listenAs(t, "anna", server.URL, "", l.lastID); other.until("picture").data["time"] != "2026-11-20T12:00:50Z" {
		t.Error("an id of another paced picture is taken")
	}
}

// After a restart nobody is told more than before it.
func TestADelayOutlivesARestart(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	s.setFilter("anna", `{"delay":600}`)
	for i := range 60 {
		now := noon().Add(time.Duration(i) * 20 * time.Second)
		s.hear(now, position(nordic, 10.3+float64(i)/10000, 56.14, 112, 900))
		if turn := i % 20; turn == 5 || turn == 6 { // a new name holds when it is told twice
			s.hear(now, voyage(nordic, fmt.Sprintf("AT %d", (i-turn+5)*20)))
		}
	}
	now := noon().Add(20 * time.Minute)
	s.tick(now)
	s.settle()
	s.restart()
	s.tick(now)
	answers := s.answers("anna", nordic, now)
	if len(answers) < 20 {
		t.Errorf("only %d routes show the ship", len(answers))
	}
	for route, body := range answers {
		if young := youngest(t, route, body); young.After(now.Add(-10 * time.Minute)) {
			t.Errorf("%s tells of %v", route, young)
		}
	}
	if body := answers["position json"]; !strings.Contains(body, "12:10:00Z") {
		t.Errorf("the position: %s", body)
	}
	if body := answers["info json"]; !strings.Contains(body, `"AT 500"`) {
		t.Errorf("the name: %s", body)
	}
	s.get(portserver+"/ship/info/219018765").is(t, 200)
}

// A ship that came within the delay is not shown under any name. A ship that came back is shown as it was before.
func TestAShipThatCameWithinTheDelay(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	s.setFilter("anna", `{"delay":3600}`)
	const back = ais.MMSI(244555666)
	hear := func(m ais.MMSI, from time.Time, called string) {
		for i := range 4 {
			s.hear(from.Add(time.Duration(i)*10*time.Second), position(m, 10.3, 56.14, 0, 900))
		}
		for i := range 2 { // a new name holds when it is told twice
			s.hear(from.Add(time.Minute+time.Duration(i)*time.Second), voyage(m, called))
		}
	}
	hear(back, noon().Add(-9*24*time.Hour), "OLD NAME")
	s.tick(noon().Add(-9*24*time.Hour + time.Minute))
	s.tick(noon().Add(-8 * 24 * time.Hour))
	hear(nordic, noon(), "YOUNG NAME")
	hear(back, noon(), "NEW NAME")
	s.tick(noon().Add(30 * time.Minute))
	s.settle()
	s.call("anna", "GET", portserver+"/ship/info/219018765", "").is(t, 404)
	s.call("anna", "GET", portserver+"/ship/position/219018765", "").is(t, 404)
	for query, want := range map[string]int{"young": 0, "new": 0, "old": 0, "244555666": 1, "219018765": 0} {
		if got := recordsOf(t, s.call("anna", "GET", portserver+"/ship/search/"+query, "").is(t, 200)); len(got) != want {
			t.Errorf("%s finds %v", query, got)
		}
	}
	for name, status := range map[string]int{"NEW NAME": 422, "YOUNG NAME": 422, "OLD NAME": 200} { // names that they had then count
		s.call("anna", "POST", portserver+"/ship/info", `{"name":"`+name+`","time":"2026-11-20T12:30:00Z"}`).is(t, status)
	}
	a := s.call("anna", "GET", portserver+"/ship/info/244555666", "").is(t, 200)
	if a.json(t)["name"] != "OLD NAME" {
		t.Errorf("%s", a.body)
	}
	s.call("anna", "GET", portserver+"/ship/position/244555666", "").is(t, 404)
	s.tick(noon().Add(62 * time.Minute))
	s.call("anna", "GET", portserver+"/ship/position/219018765", "").is(t, 200)
	if got := recordsOf(t, s.call("anna", "GET", portserver+"/ship/search/name", "").is(t, 200)); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// What is entered by hand is told at once, but for a place.
func TestARegisteredPlaceIsTold(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.setFilter("anna", `{"delay":60}`)
	s.tick(noon())
	s.post(registerPath, `{"name":"Barge","position":{"type":"Point","coordinates":[10.25,56.15]}}`).is(t, 200)
	s.tick(noon().Add(time.Second))
	path := registerPath + "/9900000001"
	if a := s.call("anna", "GET", path, "").is(t, 200).json(t); a["position"] != nil || a["name"] != "Barge" {
		t.Errorf("too early: %v", a)
	}
	s.call("anna", "GET", portserver+"/ship/position/9900000001", "").is(t, 404)
	for i := range 62 {
		s.tick(noon().Add(time.Duration(i+2) * time.Second))
	}
	if a := s.call("anna", "GET", path, "").is(t, 200).json(t); a["position"] == nil {
		t.Errorf("not told: %v", a)
	}
	s.call("anna", "GET", portserver+"/ship/position/9900000001", "").is(t, 200)
}

// Users of the same pace share a paced picture. Their number has a limit, and those that nobody uses go.
func TestPacedPicturesAreSharedAndBounded(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.addUser("berta", access.GroupViewer)
	s.hear(noon(), position(nordic, 10.3, 56.14, 0, 900))
	s.setFilter("berta", `{"delay":1}`)
	info := portserver + "/ship/info/219018765"
	for i := range mostPaces {
		s.setFilter("anna", fmt.Sprintf(`{"delay":%d}`, i+1))
		s.call("anna", "GET", info, "")
	}
	s.call("berta", "GET", info, "").is(t, 404)
	s.setFilter("anna", `{"update_interval":7}`)
	a := s.call("anna", "GET", info, "").is(t, 429, request.CodeLimitReached)
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.clock.pass(paceIdle / 2)
	s.call("berta", "GET", info, "")
	s.clock.pass(paceIdle/2 + time.Second)
	s.tick(noon().Add(time.Second))
	if n := len(s.sight.Lags()); n != 1 {
		t.Errorf("%d paced pictures are left", n)
	}
	s.call("anna", "GET", info, "").is(t, 200)
}

// A result that was made at another pace is not given out.
func TestAResultOfAnotherPaceIsGone(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	s.sail(nordic, noon(), 10*time.Second, 10)
	area := s.call("anna", "POST", areaPath, `{"area":{"type":"Polygon","coordinates":[[[0,50],[20,50],[20,60],[0,60],[0,50]]]}}`).is(t, 200).json(t)
	track := s.call("anna", "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`).is(t, 202).json(t)
	path := fmt.Sprintf("%s?id=%.0f", trackPath, track["id"])
	s.finish("anna", path).is(t, 200)
	s.setFilter("anna", `{"delay":3600}`)
	s.finish("anna", path).is(t, 404)
	s.finish("anna", fmt.Sprintf("%s/%.0f", areaPath, area["id"])).is(t, 404)
}
