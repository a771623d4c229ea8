package handlers

import (
	"encoding/csv"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats"
	"quaywatch/geo"
	"quaywatch/internal/await"
	"quaywatch/users/access/right"
)

const skyward = ais.MMSI(244555666)

// bySatellite adds to the ships of harbour one that a satellite alone hears, which calls at both ports, and lets the cargo ship sail east. From 10:20 to
// 10:40 a satellite alone hears that one.
func (s *site) bySatellite() {
	s.t.Helper()
	from := noon().Add(-2 * time.Hour)
	for i := range 60 {
		feed := "roof"
		if i >= 20 && i <= 40 {
			feed = "sky"
		}
		s.heardBy(from.Add(time.Duration(i)*time.Minute), position(nordic, 10.35+float64(i-30)*0.004, 56.15, 80, 900), feed)
	}
	s.voyageOf(skyward, from, "sky")
	s.clock.pass(110 * time.Minute)
	s.tick(s.clock.now())
}

// askedOfBoth is a definition of a kind that asks for the ships of bySatellite, with further fields.
func askedOfBoth(kind string, more map[string]string) string {
	const both = `[219018765,244555666]`
	fields := rightFields(kind)
	fields["end"] = `"2026-11-20T14:00:00Z"`
	for key, value := range map[string]string{"mmsi": both, "a_team": both, "ships": `[{"mmsi":219018765},{"mmsi":244555666}]`} {
		if fields[key] != "" {
			fields[key] = value
		}
	}
	maps.Copy(fields, more)
	return asJSON(fields)
}

// longitudes returns the longitudes of a table.
func longitudes(t *testing.T, table string) (all []float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		for column, cell := range row {
			if i == 0 || !strings.HasPrefix(rows[0][column], "longitude") || cell == "" {
				continue
			}
			lon, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, lon)
		}
	}
	return all
}

// sameAsAsked checks that what is mailed to each user is the table that it may ask for at that time, and says so where that has no row.
func (s *site) sameAsAsked(kind, id string, got map[string][2]string, users ...string) {
	s.t.Helper()
	for _, user := range users {
		asked := string(s.call(user, "GET", statPath+"/"+kind+"/result"+id+"?format=csv", "").is(s.t, 200).body)
		_, rows, _ := strings.Cut(asked, "\n")
		switch text, table := got[user][0], got[user][1]; {
		case rows == "" && (table != "" || !strings.Contains(text, "Nothing that you may see")):
			s.t.Errorf("%s: %s may have nothing, and got %s\n%s", kind, user, text, table)
		case rows != "" && table != asked:
			s.t.Errorf("%s: %s got\n%s\nwant\n%s", kind, user, table, asked)
		}
	}
}

// TestAMailedTableHasNothingOfSatellitesOrBeyondAnArea: a reader to whom fixes of satellites are hidden is mailed no ship that a satellite alone hears, and
// nothing of the time in which it heard another one. A reader whose filter is an area is mailed nothing beyond it.
func TestAMailedTableHasNothingOfSatellitesOrBeyondAnArea(t *testing.T) {
	s, server := mailingSite(t, "anna", "shore", "east")
	s.bySatellite()
	s.post(configPath+"/shape", `{"name":"east","polygon":{"type":"Polygon","coordinates":[[[10.32,56.1],[10.5,56.1],[10.5,56.2],[10.32,56.2],[10.32,56.1]]]}}`).is(t, 200)
	s.allowAllBut("shore", right.ViewSatellites, false)
	s.setFilter("east", `{"areas":["east"]}`)
	hidden := regexp.MustCompile(`244555666|T10:([23]\d|40):`)
	var heard, inside []string
	for _, kind := range stats.Names() {
		id := s.statistic("anna", kind, askedOfBoth(kind, map[string]string{"acl": `["shore","east"]`, "mail_to": `["anna","shore","east"]`}))
		s.ran(id)
		for to, became := range s.mailsOver(id, 3) {
			if !strings.HasPrefix(became, "sent") {
				t.Errorf("%s: the mail to %s: %s", kind, to, became)
			}
		}
		got := mailed(t, server)
		s.sameAsAsked(kind, id, got, "anna", "shore", "east")
		if text := fmt.Sprint(got["shore"]); hidden.MatchString(text) {
			t.Errorf("%s: who sees no satellite got %s", kind, text)
		}
		if hidden.MatchString(got["anna"][1]) && got["shore"][1] != "" {
			heard = append(heard, kind)
		}
		places := longitudes(t, got["east"][1])
		if slices.ContainsFunc(places, func(lon float64) bool { return lon < 10.32 || lon > 10.5 }) || strings.Contains(got["east"][1], "Aarhus") {
			t.Errorf("%s: who sees an area alone got %s", kind, got["east"][1])
		}
		if all := longitudes(t, got["anna"][1]); len(places) > 0 && len(places) < len(all) {
			inside = append(inside, kind)
		}
	}
	slices.Sort(heard)
	slices.Sort(inside)
	if fmt.Sprint(heard, inside) != "[area historicaltrack multiship nmsp passageline portcalls sogdist] [area historicaltrack multiship nmsp]" {
		t.Errorf("a part is left out of %v and of %v", heard, inside)
	}
}

// sentTo returns when a mail of a statistic was sent to a user, "" while it waits.
func (s *site) sentTo(user, id string) string {
	s.t.Helper()
	list, _ := s.statusOf("admin", id)["mails"].([]any)
	for _, one := range list {
		if m := one.(map[string]any); m["to"] == user && m["state"] == "sent" {
			return m["time"].(string)
		}
	}
	return ""
}

// awaitMail waits for a mail that is due, and lets some seconds pass meanwhile: if the outbox looked when the clock had passed and the picture of the user had
// not, it looks again half a minute later at most.
func (s *site) awaitMail(user, id string) {
	s.t.Helper()
	seconds := 0
	await.That(s.t, "the user has its mail", func() bool {
		if s.sentTo(user, id) != "" {
			return true
		}
		if seconds++; seconds <= 40 {
			s.clock.pass(time.Second)
			s.tick(s.clock.now())
		}
		return false
	})
}

// TestAMailedTableComesAsLateAsItsReaderIsTold: the mail to a reader that is told late waits until the reader's own time has come to the end of the period,
// for each ship, and has the whole then, as far as the reader sees it. What is older comes meanwhile.
func TestAMailedTableComesAsLateAsItsReaderIsTold(t *testing.T) {
	for filter, late := range map[string]time.Duration{
		`{"delay":21600}`: 6 * time.Hour,
		`{"delay":21600,"expression":"mmsi = 219018765"}`: 6 * time.Hour,
		`{"delay":21600,"update_interval":3600}`:          7 * time.Hour, // its last place before the end is told an hour later at the latest
		`{"update_interval":3600}`:                        time.Hour,
	} {
		t.Run(filter, func(t *testing.T) {
			s, server := mailingSite(t, "anna", "late")
			s.bySatellite()
			s.setFilter("late", filter)
			ask := func(name, end string) (id string) {
				id = s.statistic("anna", "historicaltrack", askedOfBoth("historicaltrack", map[string]string{"name": `"` + name + `"`, "end": `"` + end + `"`,
					"begin": `"2026-11-19"`, "shape": meetShape, "acl": `["late"]`, "mail_to": `["anna","late"]`}))
				s.ran(id)
				await.That(t, "the owner has its mail", func() bool { return s.sentTo("anna", id) != "" })
				return id
			}
			older := func(name string) {
				id := ask(name, "2026-11-20T06:30:00Z")
				await.That(t, "the reader has what is older", func() bool { return s.sentTo("late", id) != "" })
			}
			id := ask("whole", "2026-11-20T14:00:00Z")
			s.call("late", "GET", statPath+"/statistic"+id, "").is(t, 200) // has the picture at its pace made
			older("before")                                                // the outbox has looked at the other one first
			if at := s.sentTo("late", id); at != "" {
				t.Fatalf("it was sent at %s already", at)
			}
			due := s.clock.now().Add(late)
			for _, d := range []time.Duration{late - 2*time.Minute, 4 * time.Minute} {
				s.clock.pass(d)
				s.tick(s.clock.now())
				older("after " + d.String())
			}
			s.awaitMail("late", id)
			if at, err := time.Parse(time.RFC3339, s.sentTo("late", id)); err != nil || at.Before(due) {
				t.Errorf("it was sent at %v, want %v", at, due)
			}
			got := map[string][2]string{}
			for _, m := range mailsOf(t, server) {
				if strings.Contains(m.text, "Statistic whole") {
					got[m.to] = [2]string{m.text, m.table}
				}
			}
			s.sameAsAsked("historicaltrack", id, got, "anna", "late")
			want := got["anna"][1]
			if strings.Contains(filter, "expression") {
				want = regexp.MustCompile(`(?m)^244555666.*\n`).ReplaceAllString(want, "")
			}
			if got["late"][1] != want || !strings.Contains(want, "219018765") || strings.Count(want, "\n") < 20 {
				t.Errorf("the reader got\n%s\nwant\n%s", got["late"][1], want)
			}
		})
	}
}

// newcomer lets a ship call at Aarhus and then at Easthaven, where it comes to rest at 14:30. Its call there is known at 14:43, as it is then.
func (s *site) newcomer() {
	s.t.Helper()
	s.heardBy(noon(), voyage(skyward, "NEWCOMER"), "roof")
	at := s.coming(skyward, noon(), aarhus, false, "roof")
	at = s.lying(skyward, at, aarhus, 20, "roof")
	s.save(at)
	at = s.coming(skyward, at, aarhus, true, "roof")
	for i := range 50 {
		p := geo.Destination(aarhus, 90, 8100+float64(i)*150)
		s.heardBy(at, position(skyward, p.Lon, p.Lat, 50, 900), "roof")
		at = at.Add(time.Minute)
	}
	at = s.coming(skyward, at, easthaven, false, "roof")
	at = s.lying(skyward, at, easthaven, 12, "roof")
	s.clock.pass(at.Sub(s.clock.now()))
	s.settle()
	s.save(at)
}

// TestAMailedTableHasTheCallsThatTheRunKnew: a call that was known when the statistic ran is in the table of each reader, though it was known after the
// period, and though its reader is told of it at the next quarter of an hour or hours later. So are the nearest place of a ship that takes a later report to
// be known, and a draught that may change for an hour.
func TestAMailedTableHasTheCallsThatTheRunKnew(t *testing.T) {
	const late = `{"delay":21600}`
	for name, row := range map[string]struct {
		filter string
		coarse bool
		due    map[string]string // by the kind, of the day
	}{
		"at quarters":      {`{}`, true, map[string]string{"portcalls": "15:45", "trip": "14:45"}},
		"late":             {late, false, map[string]string{"portcalls": "21:43", "trip": "20:43", "nmsp": "20:21"}},
		"late at quarters": {late, true, map[string]string{"portcalls": "21:45", "trip": "20:45"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, server := mailingSite(t, "anna", "reader")
			s.newcomer()
			s.setFilter("reader", row.filter)
			s.allowAllBut("reader", right.ViewATAATD, !row.coarse)
			ask := func(name, kind, more string) (id string) {
				id = s.statistic("anna", kind, `{"name":"`+name+`","begin":"2026-11-19","acl":["reader"],"mail_to":["anna","reader"],`+more+`}`)
				s.ran(id)
				await.That(t, "the owner has its mail", func() bool { return s.sentTo("anna", id) != "" })
				return id
			}
			asked := map[string]string{"portcalls": `"end":"2026-11-20T14:35:00Z","mmsi":[244555666]`, "trip": `"end":"2026-11-20T14:35:00Z","a_team":[244555666],"shape":` + harbour,
				"nmsp": `"end":"2026-11-20T14:20:30Z","distance":{"max":5000},"shape":{"type":"Point","coordinates":[10.6,56.15]}`}
			ids := map[string]string{}
			for kind := range row.due {
				ids[kind] = ask("of "+kind, kind, asked[kind])
			}
			s.call("reader", "GET", statPath+"/statistic", "").is(t, 200) // has the picture at its pace made
			for _, kind := range slices.SortedFunc(maps.Keys(ids), func(a, b string) int { return strings.Compare(row.due[a], row.due[b]) }) {
				due, err := time.Parse("2006-01-02 15:04", "2026-11-20 "+row.due[kind])
				if err != nil {
					t.Fatal(err)
				}
				for _, at := range []time.Time{due.Add(-time.Second), due.Add(time.Second)} {
					s.clock.pass(max(0, at.Sub(s.clock.now())))
					s.tick(s.clock.now())
					older := ask("older", "historicaltrack", `"end":"2026-11-20T06:30:00Z","mmsi":[219018765]`) // the outbox has looked at the other one first
					await.That(t, "the reader has what is older", func() bool { return s.sentTo("reader", older) != "" })
					if sent := s.sentTo("reader", ids[kind]); at.Before(due) && sent != "" {
						t.Errorf("%s: it was sent at %s, want %v", kind, sent, due)
					}
				}
				s.awaitMail("reader", ids[kind])
				got := map[string][2]string{}
				for _, m := range mailsOf(t, server) {
					if strings.Contains(m.text, "Statistic of "+kind) {
						got[m.to] = [2]string{m.text, m.table}
					}
				}
				s.sameAsAsked(kind, ids[kind], got, "reader")
				told, want := got["reader"][1], got["anna"][1]
				if row.coarse && kind == "portcalls" {
					want = regexp.MustCompile(`2026[^,]+`).ReplaceAllString(want, "")
				}
				if last := map[string]string{"portcalls": "Easthaven", "trip": "Easthaven", "nmsp": "NEWCOMER"}[kind]; !strings.Contains(told, last) ||
					told != want && (kind != "trip" || !row.coarse) {
					t.Errorf("%s: the reader got\n%s\nwant\n%s", kind, told, want)
				}
			}
		})
	}
}
