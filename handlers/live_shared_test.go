package handlers

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/users/access"
)

// listenPlain opens a stream of a client that takes nothing compressed.
func listenPlain(t *testing.T, user, base, query string) *listener {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	return listenThrough(t, client, "Authorization", basic(user, adminPassword), base+live.Path+"?"+query, "")
}

// follower is a stream that is held against fresh pictures of its user.
type follower struct {
	*listener
	user, query string
	hidden      string // a number that it must not be told, "" for none
}

// follow reads events until the stream shows what a fresh picture of its user does.
func (f *follower) follow(t *testing.T, base string) {
	t.Helper()
	fresh := listenAs(t, f.user, base, f.query, "")
	defer fresh.close()
	fresh.until("picture")
	for range 20 {
		if reflect.DeepEqual(keyed(f.ships), keyed(fresh.ships)) {
			return
		}
		e, ok := f.next()
		if !ok {
			t.Fatalf("the stream of %s %q ended: %v", f.user, f.query, f.body.Err())
		}
		if f.hidden != "" && strings.Contains(fmt.Sprint(e.data), f.hidden) {
			t.Fatalf("%s is told of %s: %v", f.user, f.hidden, e.data)
		}
	}
	t.Errorf("%s %q: the stream has\n%v\na fresh picture\n%v", f.user, f.query, keyed(f.ships), keyed(fresh.ships))
}

// TestStreamsThatShareNewsEqualFreshPictures: streams of callers that see all share what they are told. Each stream shows what its own caller may see all the same,
// compressed or not, beside streams of callers that see less, and when that changes.
func TestStreamsThatShareNewsEqualFreshPictures(t *testing.T) {
	s := newSite(t)
	const secret = ais.MMSI(219777777)
	for _, user := range []string{"anna", "bert", "carl", "dora"} {
		s.addUser(user, access.GroupOperator)
	}
	hides := fmt.Sprintf(`{"expression":"not mmsi = %d"}`, secret)
	s.setFilter("carl", hides)
	rng := rand.New(rand.NewPCG(1, 2))
	s.hear(noon(), position(secret, 10, 56, 0, 0))
	base := s.serve().URL
	open := func(user, query, hidden string) *follower {
		f := &follower{listenAs(t, user, base, query, ""), user, query, hidden}
		f.until("picture")
		return f
	}
	plain := &follower{listenPlain(t, "bert", base, ""), "bert", "", ""}
	plain.until("picture")
	all := []*follower{open("anna", "", ""), plain, open("carl", "", fmt.Sprint(secret)), open("dora", "", ""), open("anna", "filter=sog+%3E+5", "")}
	if header := all[0].header; header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("a stream says %v", header)
	}
	for round := range 8 {
		at := noon().Add(time.Duration(round+1) * 10 * time.Minute)
		for range 40 {
			m := ais.MMSI(219000001 + rng.IntN(60)) // the first time it is new
			p := position(m, 10+float64(m%60)/100, 56+float64(round)/1000, rng.IntN(100), 900)
			if rng.IntN(3) == 0 {
				p.Heading = 511 // unknown again
			}
			s.hear(at, p)
		}
		s.hear(at, position(secret, 10, 56+float64(round)/1000, 30, 0))
		s.hear(at, voyage(ais.MMSI(219000001+rng.IntN(60)), fmt.Sprintf("ROUND %d", round)))
		switch round {
		case 1:
			s.post(registerPath, `{"name":"BARGE","position":{"type":"Point","coordinates":[10.25,56.15]}}`).is(t, 200)
		case 2:
			all = append(all, open("bert", "", "")) // in the midst of it
		case 3:
			s.setFilter("dora", hides) // what it had is taken back
		case 4:
			s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
		case 5:
			s.setFilter("dora", `{}`)
		}
		s.picture.Apply(&ais.Batch{}, s.db, s.sight)
		for _, f := range all {
			f.follow(t, base)
		}
		if dora := all[3].ships[float64(secret)] != nil; dora != (round < 3 || round > 4) {
			t.Errorf("round %d: dora sees the ship that is hidden from it, or does not see it again", round)
		}
	}
}
