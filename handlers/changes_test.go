package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const changesPath = portserver + "/ship/historical/change"

// changesOf returns what a user is told of the changes of the ship, the latest first, and the answer as a whole.
func (s *site) changesOf(user, query string) (string, map[string]any) {
	s.t.Helper()
	a := s.call(user, "GET", changesPath+"/219018765?"+query, "").is(s.t, 200)
	list := []string{}
	for _, one := range recordsOf(s.t, a) {
		at, err := time.Parse(time.RFC3339, fmt.Sprint(one["time"]))
		if err != nil {
			s.t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s %v %v>%v", at.Format("02T15:04"), one["field"], one["was"], one["now"]))
	}
	return strings.Join(list, "; "), a.json(s.t)
}

// changing is a ship whose data a test changes.
type changing struct {
	site   *site
	static *ais.StaticVoyage
	status ais.NavStatus
	lon    float64
}

// tell lets the ship say twice what it is and where: another name counts when it is told again.
func (c *changing) tell(at time.Time) {
	for i := range 2 {
		then := at.Add(time.Duration(i) * time.Second)
		here, static := position(nordic, c.lon, 56.14, 0, 900), *c.static
		here.Status = c.status
		c.site.heardBy(then, here, "roof")
		c.site.heardBy(then, &static, "roof")
	}
}

// newChanging returns a ship that was heard first at a time.
func newChanging(s *site, at time.Time) *changing {
	c := &changing{s, voyage(nordic, "NORDIC HAV"), ais.StatusUnderWayEngine, 10.3}
	c.tell(at)
	return c
}

// TestWhatChangedOfAShip holds each field of which the past is kept, in memory, out of the store and after a restart.
func TestWhatChangedOfAShip(t *testing.T) {
	s := newSite(t)
	begin := noon().Add(-6 * time.Hour)
	c := newChanging(s, begin)
	if got, a := s.changesOf("admin", ""); got != "" || a["more"] != false {
		t.Errorf("what is heard for the first time is told as changed: %s, %v", got, a)
	}
	steps := []func(){
		func() { c.status = ais.StatusAtAnchor },
		func() { c.static.Destination = "DEHAM" },
		func() { c.static.Draught = 98 },
		func() { c.static.ETA = ais.ETA{Month: 11, Day: 22, Hour: 6} },
		func() { c.static.Name = "NORDIC SUND" },
		func() { c.static.CallSign = "OXAA" },
		func() { c.static.IMO = 9074729 },
		func() { c.static.ShipType = 80 },
		func() { c.static.Dimensions.Bow = 120 },
		func() { c.status = ais.StatusUndefined }, // says nothing
		func() { c.status, c.static.Destination = ais.StatusMoored, "" },
	}
	for i, step := range steps {
		step()
		c.tell(begin.Add(time.Duration(i+1) * 10 * time.Minute))
	}
	want := "20T07:50 destination DEHAM><nil>; 20T07:50 status 1>5; " +
		"20T07:30 size map[dim_a:118 dim_b:16 dim_c:11 dim_d:11]>map[dim_a:120 dim_b:16 dim_c:11 dim_d:11]; " +
		"20T07:20 type 70>80; 20T07:10 imo 9.321483e+06>9.074729e+06; 20T07:00 callsign OWKN2>OXAA; 20T06:50 name NORDIC HAV>NORDIC SUND; " +
		"20T06:40 eta 2026-11-21T18:30:00>2026-11-22T06:00:00; 20T06:30 draught 7.4>9.8; 20T06:20 destination DKAAR>DEHAM; 20T06:10 status 0>1"
	check := func(when string) map[string]any {
		t.Helper()
		got, a := s.changesOf("admin", "")
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", when, got, want)
		}
		if !strings.Contains(fmt.Sprint(a["records"]), "now_text:At anchor time:2026-11-20T06:10:00") {
			t.Errorf("%s no words of the status: %v", when, a["records"])
		}
		return a
	}
	check("in memory")
	s.settle()
	check("out of the store")
	s.restart()
	if a := check("after a restart"); a["more"] != false || a["from"] != "2026-11-19T12:00:01Z" {
		t.Errorf("from %v, more %v", a["from"], a["more"])
	}
}

// TestChangesComeInPages holds that pages join without a gap and without a change that is told twice, wherever they are cut.
func TestChangesComeInPages(t *testing.T) {
	s := newSite(t)
	begin := noon().Add(-50 * time.Hour)
	c := newChanging(s, begin)
	var want []string
	for i := 1; i < 49; i++ { // one an hour, at the borders of days too
		c.status = ais.NavStatus(i % 2)
		c.static.Destination = fmt.Sprintf("PORT %d", i%3)
		at := begin.Add(time.Duration(i) * time.Hour)
		c.tell(at)
		if i > 1 {
			want = append(want, at.Format("02T15:04"))
		}
	}
	s.settle()
	for _, page := range []string{"limit=1", "limit=5", "limit=500", "limit=3&duration=01:00:00"} {
		end, times, more := noon(), map[string]int{}, true
		for range 100 {
			got, a := s.changesOf("admin", page+"&end="+end.Format(time.RFC3339Nano))
			for one := range strings.SplitSeq(got, "; ") {
				if at, _, ok := strings.Cut(one, " "); ok {
					times[at]++
				}
			}
			end, _ = time.Parse(time.RFC3339, fmt.Sprint(a["from"]))
			if more = a["more"].(bool); !more {
				break
			}
		}
		if more {
			t.Errorf("%s: has no end", page)
		}
		for _, at := range want {
			if times[at] != 2 { // status and destination
				t.Errorf("%s: %d changes at %s", page, times[at], at)
			}
		}
	}
}

// TestChangesHaveBounds holds what is refused, and that the first page of a narrowed user reaches as far as it may look back.
func TestChangesHaveBounds(t *testing.T) {
	s := newSite(t)
	c := newChanging(s, noon().Add(-5*time.Hour))
	c.status = ais.StatusAtAnchor
	c.tell(noon().Add(-4 * time.Hour))
	s.hear(noon(), position(211222333, 10.3, 56.14, 0, 900))
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=501": "limit", "limit=x": "limit", "end=soon": "end", "duration=long": "duration",
		"duration=00:00:00": "duration", "duration=P32D": "duration",
	} {
		if a := s.get(changesPath+"/219018765?"+query).is(t, 400); !strings.Contains(string(a.body), `"parameter":"`+field+`"`) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	s.get(changesPath+"/219000999").is(t, 404)
	s.get(changesPath+"/x").is(t, 400)
	s.may("clerk", right.ViewHistory, right.ViewHistoricalTracks)
	s.call("admin", "PUT", usersPath+"/clerk", `{"settings":{"web_max_lookback_time":3}}`).is(t, 200)
	if got, a := s.changesOf("clerk", ""); got != "" || a["more"] != false || a["from"] != "2026-11-20T09:00:00Z" {
		t.Errorf("a user that may look back three hours is told %s, %v", got, a)
	}
	s.call("clerk", "GET", changesPath+"/219018765?end=2026-11-20T06:00:00Z", "").is(t, 403)
	s.call("admin", "PUT", usersPath+"/clerk", `{"settings":{"web_max_lookback_time":5}}`).is(t, 200)
	if got, _ := s.changesOf("clerk", ""); got != "20T08:00 status 0>1" {
		t.Errorf("a user that may look back five hours is told %s", got)
	}
}

// TestChangesFollowWhatAUserMaySee holds that nothing is told that the track would not tell: of places, feeds and times that are hidden.
func TestChangesFollowWhatAUserMaySee(t *testing.T) {
	s := newSite(t, withReceivers)
	begin := noon().Add(-3 * time.Hour)
	c := newChanging(s, begin)
	s.post(configPath+"/shape", `{"name":"west","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":3000}}`).is(t, 200)
	away, back := begin.Add(time.Hour), begin.Add(2*time.Hour)
	c.lon = 10.6 // it sails out of the shape, and changes there
	c.tell(away)
	c.status, c.static.Destination, c.static.Draught = ais.StatusAtAnchor, "SECRET", 99
	c.tell(away.Add(10 * time.Minute))
	c.lon = 10.3
	c.tell(back)
	c.status, c.static.Destination = ais.StatusMoored, "DEHAM"
	c.tell(back.Add(10 * time.Minute))
	s.settle()
	all := "20T11:10 destination SECRET>DEHAM; 20T11:10 status 1>5; " +
		"20T10:10 destination DKAAR>SECRET; 20T10:10 draught 7.4>9.9; 20T10:10 status 0>1"
	s.addUser("anna", access.GroupOperator)
	if got, _ := s.changesOf("anna", ""); got != all {
		t.Errorf("who sees all is told\n%s, want\n%s", got, all)
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"areas":["west"]}}`).is(t, 200)
	if got, a := s.changesOf("anna", ""); strings.Contains(fmt.Sprint(a), "SECRET") ||
		got != "20T11:10 destination DKAAR>DEHAM; 20T11:10 draught 7.4>9.9; 20T11:10 status 1>5; 20T11:00 status 0>1" {
		t.Errorf("who sees one place is told %s", got)
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"areas":null,"psss":["pier"]}}`).is(t, 200)
	s.call("anna", "GET", changesPath+"/219018765", "").is(t, 404)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":null}`).is(t, 200)
	s.may("bert", right.ViewHistory) // the status is read from the track
	if got, _ := s.changesOf("bert", ""); got != "20T11:10 destination SECRET>DEHAM; 20T10:10 destination DKAAR>SECRET; "+
		"20T10:10 draught 7.4>9.9" {
		t.Errorf("who may see no tracks is told %s", got)
	}
}

// TestALateUserIsToldNoYoungerChange holds that a user with a delay is told of a change when the delay is over, and not before.
func TestALateUserIsToldNoYoungerChange(t *testing.T) {
	s := newSite(t, withReceivers)
	s.addUser("anna", access.GroupOperator)
	s.setFilter("anna", `{"delay":1800}`)
	begin := noon().Add(-2 * time.Hour)
	c := newChanging(s, begin)
	s.call("anna", "GET", portserver+"/ship/search/nordic", "") // the picture of the delay begins
	c.status, c.static.Destination = ais.StatusAtAnchor, "DEHAM"
	changed := begin.Add(time.Hour)
	for at := begin.Add(time.Minute); at.Before(noon()); at = at.Add(time.Minute) {
		if at.Before(changed) {
			s.heardBy(at, position(nordic, 10.3, 56.14, 0, 900), "roof")
		} else {
			c.tell(at)
		}
		s.tick(at.Add(10 * time.Second))
		a := s.call("anna", "GET", changesPath+"/219018765", "")
		if a.status == 404 { // it was not yet heard
			continue
		}
		told, over := len(recordsOf(t, a.is(t, 200))) > 0, at.Sub(changed) > 31*time.Minute
		if told && at.Sub(changed) < 29*time.Minute || over && !told {
			t.Fatalf("at %s is told %s", at, a.body)
		}
	}
}
