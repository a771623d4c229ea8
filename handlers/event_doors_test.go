package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/handlers/messages"
	"quaywatch/handlers/watchdogs"
	"quaywatch/internal/await"
	"quaywatch/users/access/right"
)

// watched is a site in which a ship goes in and out of the roads, where two watchdogs of the administrator raise alerts. Feed sky alone hears the ship.
type watched struct {
	*site
	now        time.Time
	dogs       [2]string                 // the addresses of the watchdogs
	event      uint64                    // the last one of the first watchdog
	alerts     [2]uint64                 // the last ones of the watchdogs
	feeds      atomic.Bool               // are connected
	trials     map[string]string         // the dry runs that users began
	late       map[string]live.NewEvents // the parts of the live stream of a user that is told late
	sharedWith []string                  // the users that the watchdogs are for
}

// newWatched makes the site, and shares the watchdogs with users that are to come.
func newWatched(t *testing.T, wait time.Duration, users ...string) *watched {
	w := &watched{now: noon(), trials: map[string]string{}, sharedWith: users}
	w.site = newSite(t, withReceivers, func(c *Config, d *Deps) {
		c.EventWait = wait
		feeds := d.Status.Feeds
		d.Status.Feeds = func() []ais.FeedStatus {
			all := feeds()
			for i := range all {
				all[i].Connected = w.feeds.Load()
			}
			return all
		}
	})
	return w
}

// share makes the watchdogs, for all users but these.
func (w *watched) share(but ...string) {
	w.t.Helper()
	acl, _ := json.Marshal(slices.DeleteFunc(slices.Clone(w.sharedWith), func(name string) bool { return slices.Contains(but, name) }))
	for i, name := range []string{"Roads", "Gate"} {
		if w.dogs[i] == "" {
			w.dogs[i] = w.watchdog("admin", fmt.Sprintf(`{"name":%q,"type":"polygon","severity":"alert","acl":%s,%s}`, name, acl, roads))
		} else {
			w.call("admin", "PUT", w.dogs[i], fmt.Sprintf(`{"acl":%s}`, acl)).is(w.t, 200)
		}
	}
}

// says lets feed sky hear the ship.
func (w *watched) says(m ais.Message) {
	w.hash++
	w.batch.Reset()
	w.batch.Reports = append(w.batch.Reports, ais.Report{Message: m, Hash: w.hash, Received: w.now, Feed: "sky", BySatellite: true, Channel: 'A'})
	w.picture.Apply(&w.batch, w.db, w.sight, w.alarms, w.texts, w.voyages, w.tracks, w.watch)
}

// sails lets the ship be inside or outside for some minutes.
func (w *watched) sails(inside bool, minutes int) {
	w.t.Helper()
	for range minutes {
		w.now = w.now.Add(time.Minute)
		w.clock.pass(time.Minute)
		w.says(position(nordic, map[bool]float64{true: 10.315, false: 10.305}[inside], 56.14, 50, 900))
		w.tick(w.now)
	}
	w.settle()
	w.texts.Save()
	w.raise()
}

// comesIn lets the ship come in from outside, and call for help. It notes the event and the alerts that this raised.
func (w *watched) comesIn() {
	w.t.Helper()
	w.says(voyage(nordic, "NORDIC HAV"))
	w.sails(false, 4)
	w.says(safetyText(nordic, fmt.Sprint("ENGINE FAILURE ", w.hash)))
	w.sails(true, 1)
	for _, one := range w.get(eventPath+"?latest=9").is(w.t, 200).json(w.t)["records"].([]any) {
		if e := one.(map[string]any); e["watchdog"] == "Roads" && e["event"] == "enter" {
			w.event = uint64(e["id"].(float64))
		}
	}
	for _, one := range w.get(alertPath+"?latest=9").is(w.t, 200).json(w.t)["records"].([]any) {
		a := one.(map[string]any)
		w.alerts[map[any]int{"Roads": 0, "Gate": 1}[a["watchdog"]]] = uint64(a["id"].(float64))
	}
}

// trial begins a dry run of the roads.
func (w *watched) trial(user string) answer {
	body := fmt.Sprintf(`{"definition":{"type":"polygon",%s},"from":"2026-11-20T11:00:00Z","to":"2026-11-20T18:00:00Z"}`, roads)
	return w.call(user, "POST", dryrunPath, body)
}

// eventDoor is a way by which a user is told of what watchdogs raise, or of the ship that they raise it of. It tells something when it answers with the
// number of the ship, or of a thing that there is.
type eventDoor struct {
	name    string
	routes  []string // that it asks
	ask     func(w *watched, user string) answer
	text    string            // that says that something is told; the number of the ship where it is empty
	says    func(answer) bool // the same, where no text does
	but     []string          // losses that do not close it
	notLate bool              // it tells no user late
}

// The losses that close some doors only.
const (
	lostRight, lostShare = "view_watchdog", "the access list"
	lostShip             = "the ship"
	lostFeed             = "the feed"
	lostSky              = "the satellites"
	lostAccount          = "the account"
	lostPassword         = "the password"
)

// endsTheWait are the losses that end a call that waits for events, and the stream of a program.
var endsTheWait = []string{lostRight, lostAccount, lostPassword}

// eventDoors is the table of the doors.
func eventDoors() []eventDoor {
	get := func(path string) func(*watched, string) answer {
		return func(w *watched, user string) answer { return w.call(user, "GET", path, "") }
	}
	ofEvent := func(deed, body string) func(*watched, string) answer {
		return func(w *watched, user string) answer {
			return w.call(user, "POST", fmt.Sprint(eventPath, "/", w.event, "/", deed), body)
		}
	}
	ofAlert := func(which int, deed, body string) func(*watched, string) answer {
		return func(w *watched, user string) answer {
			return w.call(user, "POST", fmt.Sprint(alertPath, "/", w.alerts[which], "/", deed), body)
		}
	}
	deeds := func(deed string) []string { return []string{"POST " + alertPath + "/:id/" + deed} }
	ofNoWatchdog := []string{lostRight, lostShare} // what it tells is of ships alone
	return []eventDoor{
		{name: "events of the cursor", routes: []string{"GET " + eventPath, "POST " + eventPath}, ask: func(w *watched, user string) answer {
			if a := w.call(user, "POST", eventPath, `{"time":"2026-11-20T11:00:00Z"}`); a.status != 200 {
				return a
			}
			return w.call(user, "GET", eventPath, "")
		}},
		{name: "events after one", routes: []string{"GET " + eventPath}, ask: get(eventPath + "?after_id=0")},
		{name: "latest events", routes: []string{"GET " + eventPath}, ask: get(eventPath + "?latest=9")},
		{name: "wait", routes: []string{"GET " + waitPath}, text: `"triggered":true`, ask: func(w *watched, user string) answer {
			if a := w.call(user, "POST", eventPath, `{"time":"2026-11-20T11:00:00Z"}`); a.status != 200 {
				return a
			}
			return w.call(user, "GET", waitPath+"?timeout=1", "")
		}},
		{name: "definitions", routes: []string{"GET " + definitionPath}, text: "Roads", but: []string{lostShip, lostFeed, lostSky}, notLate: true, ask: get(definitionPath)},
		{name: "definition", routes: []string{"GET " + definitionPath + "/:name"}, text: "Roads", but: []string{lostShip, lostFeed, lostSky}, notLate: true,
			ask: func(w *watched, user string) answer { return w.call(user, "GET", w.dogs[0], "") }},
		{name: "acknowledge an event", routes: []string{"POST " + eventPath + "/:id/ack"}, ask: ofEvent("ack", `{}`)},
		{name: "mute a ship", routes: []string{"POST " + eventPath + "/:id/ack"}, ask: ofEvent("ack", `{"for":"00:00:00"}`)},
		{name: "alerts", routes: []string{"GET " + alertPath}, ask: get(alertPath)},
		{name: "latest alerts", routes: []string{"GET " + alertPath}, ask: get(alertPath + "?latest=9")},
		{name: "judge an alert", routes: deeds("useful"), ask: ofAlert(0, "useful", `{"useful":true}`)},
		{name: "silence an alert", routes: deeds("silence"), ask: ofAlert(0, "silence", `{}`)},
		{name: "transfer an alert", routes: deeds("transfer"), ask: ofAlert(0, "transfer", `{"to":"keeper"}`)},
		{name: "acknowledge an alert", routes: deeds("ack"), ask: ofAlert(1, "ack", `{}`)},
		{name: "load", routes: []string{"GET " + loadPath}, text: `"watchdog":"Roads"`, ask: get(loadPath)},
		{name: "dry run", routes: []string{"POST " + dryrunPath, "GET " + dryrunPath + "/:id"}, but: ofNoWatchdog, ask: func(w *watched, user string) answer {
			a := w.trial(user)
			if a.status != 200 {
				return a
			}
			return w.finish(user, fmt.Sprintf("%s/%.0f", dryrunPath, a.json(w.t)["id"]))
		}},
		{name: "result of a dry run", routes: []string{"GET " + dryrunPath + "/:id"}, but: ofNoWatchdog, notLate: true, ask: func(w *watched, user string) answer {
			if w.trials[user] == "" { // it is begun before the loss
				w.trials[user] = fmt.Sprintf("%s/%.0f", dryrunPath, w.trial(user).is(w.t, 200).json(w.t)["id"])
			}
			return w.finish(user, w.trials[user])
		}},
		{name: "preview", text: "NORDIC HAV", routes: []string{"POST " + previewPath}, but: ofNoWatchdog, ask: func(w *watched, user string) answer {
			return w.call(user, "POST", previewPath, `{"definition":{"type":"polygon"},"mmsi":219018765}`)
		}},
		{name: "make an event", routes: []string{"POST " + manualPath}, but: []string{lostShare}, says: func(a answer) bool {
			return a.status == 400 && !strings.Contains(string(a.body), `"/mmsi"`) // it has no words, and that is all that is wrong with it
		}, ask: func(w *watched, user string) answer { return w.call(user, "POST", manualPath, `{"mmsi":219018765}`) }},
		{name: "texts", routes: []string{"GET " + messages.Path}, but: ofNoWatchdog, ask: get(messages.Path)},
		{name: "texts since a time", routes: []string{"GET " + messages.Path}, but: ofNoWatchdog, ask: get(messages.Path + "?from=2026-11-20")},
	}
}

// closedElsewhere are the other routes of watchdogs and texts, with what holds them.
func closedElsewhere() map[string]string {
	return map[string]string{
		"GET " + streamPath:                        "the open streams of TestWhoLostSomethingIsToldNoMore, and TestALateProgramIsToldLate",
		"GET " + live.Path:                         "the open streams of TestWhoLostSomethingIsToldNoMore, and TestALateUserIsToldLateAtEveryDoor",
		"POST " + messages.Path:                    "TestASentMessageStaysHidden",
		"DELETE " + eventPath + "/:id":             "TestAHiddenShipsManualEventStaysHidden",
		"GET " + definitionPath + "/:name/active":  "TestTheShipsInside",
		"POST " + definitionPath + "/:name/resume": "it tells nothing",
		"POST " + definitionPath:                   "it tells what the caller wrote",
		"POST " + testPath:                         "the same",
		"GET " + testPath:                          "the same",
		"PUT " + definitionPath + "/:name":         "the same",
		"DELETE " + definitionPath + "/:name":      "it tells nothing",
		"DELETE " + dryrunPath + "/:id":            "it tells nothing",
	}
}

// TestEveryDoorOfEventsIsInTheTable: a new route of watchdogs or texts has a row, or is held by another test.
func TestEveryDoorOfEventsIsInTheTable(t *testing.T) {
	places := map[string]bool{}
	for _, d := range eventDoors() {
		for _, route := range d.routes {
			places[route] = true
		}
	}
	for route := range closedElsewhere() {
		if places[route] {
			t.Errorf("%s stands at two places", route)
		}
		places[route] = true
	}
	for _, r := range (&Server{}).routeTable() {
		what := r.Method + " " + r.Path
		if is := strings.HasPrefix(r.Path, watchdogs.Path) || strings.HasPrefix(r.Path, messages.Path) || r.Path == live.Path; is && !places[what] {
			t.Errorf("%s is no door of the table", what)
		}
		delete(places, what)
	}
	for route := range places {
		t.Errorf("%s: there is no such route", route)
	}
}

// tells reports whether a door told something. That a deed is refused as too late says that the thing is there.
func (d *eventDoor) tells(a answer) bool {
	if d.says != nil {
		return d.says(a)
	}
	text := d.text
	if text == "" {
		text = "219018765"
	}
	return a.status == 409 || strings.Contains(string(a.body), text) || strings.Contains(string(a.body), "NORDIC")
}

// losses are the ways in which a user ceases to be told, each of a user of its own.
func losses() map[string]struct {
	user string
	lose func(w *watched)
} {
	type loss = struct {
		user string
		lose func(w *watched)
	}
	put := func(user, body string) loss {
		return loss{user, func(w *watched) { w.call("admin", "PUT", usersPath+"/"+user, body).is(w.t, 200) }}
	}
	return map[string]loss{
		lostRight:    put("demoted", `{"groups":["crew"]}`),
		lostShare:    {"stranger", func(w *watched) { w.share("stranger") }},
		lostShip:     put("blind", `{"receive_filter":{"expression":"mmsi = 211222333"}}`),
		lostFeed:     put("deaf", `{"settings":{"allowed_pss_list":["roof"]}}`),
		lostSky:      put("earthly", `{"access_rights":{"view_satellites":"deny"}}`),
		lostAccount:  put("leaver", `{"disabled":true}`),
		lostPassword: put("careless", `{"password":"a completely new one"}`),
	}
}

// readers have all that it takes to be told at each door; view_watchdog is of the group watch.
func (w *watched) readers(names ...string) {
	w.t.Helper()
	w.post(groups, `{"name":"crew"}`).is(w.t, 200)
	w.post(groups, `{"name":"watch","access_rights":{"view_watchdog":"allow"}}`).is(w.t, 200)
	for _, name := range names {
		w.may(name, right.WebOnlineAccess, right.ConfigureWatchdogDefinitions, right.ViewHistory, right.ViewHistoricalTracks, right.ViewSatellites, right.MessageService, right.AddRemoveEvents)
		w.call("admin", "PUT", usersPath+"/"+name, `{"groups":["crew","watch"]}`).is(w.t, 200)
	}
}

// overheard is what a live stream says of events and alerts from a number on.
type overheard struct {
	*listener
	user     string
	statuses chan struct{} // one for each status; closed at the end of the stream
	mu       sync.Mutex
	latest   uint64 // the highest number of an event that was told
}

// follow reads a stream to its end.
func (o *overheard) follow() {
	defer close(o.statuses)
	for e, ok := o.next(); ok; e, ok = o.next() {
		switch e.name {
		case "status":
			o.statuses <- struct{}{}
		case "event", "alert":
			o.note(e.data["records"].([]any))
		}
	}
}

func (o *overheard) note(records []any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range records {
		r := one.(map[string]any)
		if inner, ok := r["events"].([]any); ok { // of an alert
			for _, e := range inner {
				o.latest = max(o.latest, uint64(e.(map[string]any)["id"].(float64)))
			}
			continue
		}
		o.latest = max(o.latest, uint64(r["id"].(float64)))
	}
}

func (o *overheard) told() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.latest
}

// heard waits until the stream has told an event.
func (o *overheard) heard(id uint64) {
	o.t.Helper()
	await.That(o.t, fmt.Sprintf("the stream of %s tells event %d", o.user, id), func() bool {
		select {
		case _, open := <-o.statuses:
			if !open && o.told() < id {
				o.t.Fatalf("the stream of %s ended before event %d", o.user, id)
			}
		default:
		}
		return o.told() >= id
	})
}

// waiting asks /wait and returns what it answered.
func (w *watched) waiting(base, user string, seconds int) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		r, _ := http.NewRequestWithContext(context.Background(), "GET", fmt.Sprint(base, waitPath, "?timeout=", seconds), nil)
		r.Header.Set("Authorization", basic(user, adminPassword))
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			w.t.Errorf("%s waits: %v", user, err)
			done <- answer{}
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		done <- answer{response.StatusCode, response.Header, body}
	}()
	return done
}

// TestWhoLostSomethingIsToldNoMore: each door tells a user of the ship before the loss, and nothing from then on. A user that lost nothing is told by
// all of them. A stream that is open and a call that waits tell nothing of what is raised after the loss, and end where the account does.
func TestWhoLostSomethingIsToldNoMore(t *testing.T) {
	all := losses()
	names := []string{"keeper"}
	for _, loss := range all {
		names = append(names, loss.user)
	}
	w := newWatched(t, 0, names...)
	w.readers(names...)
	w.share()
	w.comesIn()
	first := w.event
	for _, d := range eventDoors() {
		for _, name := range names {
			if a := d.ask(w, name); !d.tells(a) {
				t.Fatalf("before any loss %s tells %s nothing: %d %s", d.name, name, a.status, a.body)
			}
		}
	}
	base := w.serve().URL
	streams, waits, programs := map[string]*overheard{}, map[string]<-chan answer{}, map[string]*listener{}
	for _, name := range names {
		l := &overheard{listener: listenAs(t, name, base, "events=true", ""), user: name, statuses: make(chan struct{}, 100)}
		streams[name] = l
		go l.follow()
		l.heard(first)
		w.call(name, "GET", eventPath, "").is(t, 200) // the cursor is at the end
		programs[name] = follow(t, name, base, "", "")
	}
	times := map[string]int{"keeper": 120} // seconds
	for what, loss := range all {
		times[loss.user] = 10 // in vain, from before the loss on
		if slices.Contains(endsTheWait, what) {
			times[loss.user] = 120
		}
	}
	for name, seconds := range times {
		waits[name] = w.waiting(base, name, seconds)
	}
	await.That(t, "all callers wait", func() bool { return w.server.watchdogs.Waiting() >= len(names) })

	for _, loss := range all {
		loss.lose(w)
	}
	w.comesIn()
	if w.event <= first+1 {
		t.Fatal("nothing was raised after the losses")
	}
	for _, d := range eventDoors() {
		if a := d.ask(w, "keeper"); !d.tells(a) {
			t.Errorf("%s tells a user that lost nothing: %d %s", d.name, a.status, a.body)
		}
		for what, loss := range all {
			a := d.ask(w, loss.user)
			if closed := !slices.Contains(d.but, what); d.tells(a) == closed {
				t.Errorf("who lost %s is told by %s: %d %s", what, d.name, a.status, a.body)
			}
		}
	}
	for what, loss := range all {
		a := <-waits[loss.user]
		if ended := slices.Contains(endsTheWait, what); strings.Contains(string(a.body), `"triggered":true`) || (a.status == 200) == ended {
			t.Errorf("who lost %s waited and got %d %s", what, a.status, a.body)
		}
	}
	if a := <-waits["keeper"]; !strings.Contains(string(a.body), `"triggered":true`) {
		t.Errorf("who lost nothing waited and got %d %s", a.status, a.body)
	}
	streams["keeper"].heard(w.event)
	w.looksAgain(streams)
	for what, loss := range all {
		s := streams[loss.user]
		if s.told() >= w.event-2 { // the leaves before it were raised after the loss too
			t.Errorf("who lost %s is told of event %d by the open stream; after the loss came %d", what, s.told(), w.event)
		}
		if slices.Contains([]string{lostAccount, lostPassword}, what) {
			for range s.statuses { // until it ends; else the patience of the request ends, with an error
			}
		} else if _, open := <-s.statuses; !open {
			t.Errorf("the stream of a user that lost %s has ended", what)
		}
	}
	last := w.post(manualPath, `{"message":"a fire, of no ship"}`).is(t, 200).json(t)["id"].(float64) // for all that may still be told of something
	if e := programs["keeper"].until("event"); e.data["id"].(float64) <= float64(first) || e.data["id"] == last {
		t.Errorf("a program of a user that lost nothing is told of %v first", e.data)
	}
	for what, loss := range all {
		e, open := programs[loss.user].next()
		if open == slices.Contains(endsTheWait, what) || open && e.data["id"] != last {
			t.Errorf("the program of a user that lost %s is told %v (%v)", what, e.data, open)
		}
	}
}

// looksAgain lets each stream that is open look for events at least once more: it does so before it tells that a feed is another, and a second after
// the last look at the earliest.
func (w *watched) looksAgain(streams map[string]*overheard) {
	for began := time.Now(); time.Since(began) < 2*live.ChangeEvery; {
		w.feeds.Store(!w.feeds.Load())
		for _, s := range streams {
			<-s.statuses
		}
	}
}

// news returns what a part of the live stream of the late user has to tell now.
func (w *watched) news(name, part string) answer {
	w.t.Helper()
	user, _ := w.users.User(name)
	v, err := w.sight.Of(w.t.Context(), user, name)
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := w.late[part](w.t.Context(), v, user)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{200, nil, body}
}

// ownDeeds is what an answer tells of what the caller itself did or asked for.
var ownDeeds = regexp.MustCompile(`"(acknowledged|not_useful|transferred)":\{[^}]*\}|"(silenced_until|silenced_for|muted_until|to)":"[^"]*"`)

// TestALateUserIsToldLateAtEveryDoor: a user with a delay of half an hour is told of the event, of its end and of the ship by each door when it is so old,
// soon after that, and not before.
func TestALateUserIsToldLateAtEveryDoor(t *testing.T) {
	const delay, slack = 30, 3 // minutes
	w := newWatched(t, 10*time.Millisecond, "late", "keeper")
	w.readers("late", "keeper")
	w.setFilter("late", `{"delay":1800}`)
	w.share()
	w.late = map[string]live.NewEvents{"event": w.server.watchdogs.Stream(), "alert": w.server.watchdogs.AlertStream()}
	doors := slices.DeleteFunc(eventDoors(), func(d eventDoor) bool { return d.notLate })
	for part := range w.late {
		doors = append(doors, eventDoor{name: "live " + part, ask: func(w *watched, user string) answer { return w.news(user, part) }})
	}
	for _, d := range doors {
		if a := d.ask(w, "late"); d.tells(a) {
			t.Errorf("%s tells of what is not there: %s", d.name, a.body)
		}
	}
	w.comesIn()
	entered := w.now
	w.sails(true, 10)
	w.sails(false, 1)
	left := w.now
	told, over := map[string]time.Duration{}, map[string]time.Duration{}
	for at := entered.Add(delay * time.Minute); w.now.Before(left.Add((delay + slack) * time.Minute)); {
		step := 1
		if at.Sub(w.now) > 3*time.Minute {
			step = 5
		}
		w.sails(false, step)
		for _, d := range doors {
			a := d.ask(w, "late")
			if a.status >= 500 {
				t.Errorf("%s: %d %s", d.name, a.status, a.body)
			}
			body := ownDeeds.ReplaceAllString(string(a.body), "")
			if young := youngest(t, d.name, body); young.After(w.now.Add(-delay * time.Minute)) {
				t.Errorf("at %s %s tells of %s: %s", w.now, d.name, young, body)
			}
			if _, was := told[d.name]; !was && d.tells(a) {
				told[d.name] = w.now.Sub(entered)
			}
			if _, was := over[d.name]; !was && strings.Contains(body, `"deactivated"`) {
				over[d.name] = w.now.Sub(left)
			}
		}
	}
	for _, d := range doors {
		if after, is := told[d.name]; !is || after > (delay+slack)*time.Minute || after < (delay-5)*time.Minute {
			t.Errorf("%s tells after %s (%v)", d.name, after, is)
		}
	}
	for _, name := range []string{"events of the cursor", "events after one", "latest events", "live event", "latest alerts", "dry run"} {
		if after, is := over[name]; !is || after < delay*time.Minute || after > (delay+slack)*time.Minute {
			t.Errorf("%s tells the end after %s (%v)", name, after, is)
		}
	}
	for name, after := range over {
		if after < delay*time.Minute {
			t.Errorf("%s tells the end after %s", name, after)
		}
	}
	for name, after := range told {
		if after < delay*time.Minute && !slices.Contains([]string{"preview", "make an event"}, name) { // the ship was heard before it came in
			t.Errorf("%s tells after %s", name, after)
		}
	}
}

// TestAnExportHasNoEvents: the document has what users configured, and neither an event nor its ship.
func TestAnExportHasNoEvents(t *testing.T) {
	w := newWatched(t, 0)
	w.share()
	w.comesIn()
	doc, err := w.areas.Box.Export()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); !strings.Contains(text, "Roads") || strings.Contains(text, "219018765") || strings.Contains(text, "NORDIC") {
		t.Errorf("%s", text)
	}
}
