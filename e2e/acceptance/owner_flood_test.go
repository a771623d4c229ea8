package acceptance

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
)

// flood is a load of TestOneOwnerDelaysNobody: so many watchdogs of one owner over all of the water, ships and reports a second.
type flood struct {
	dogs, ships, rate int
	length            time.Duration
}

// floodOf returns the load of the sample, or the whole one where QUAYWATCH_CROWD says how many watchdogs there are: docs/testing.md has both.
func floodOf(t *testing.T) flood {
	text := os.Getenv("QUAYWATCH_CROWD")
	if text == "" {
		return flood{dogs: 150, ships: 300, rate: 300, length: 4 * time.Second}
	}
	dogs, err := strconv.Atoi(text)
	if err != nil || dogs < 1 {
		t.Fatalf("QUAYWATCH_CROWD is %q", text)
	}
	return flood{dogs: dogs, ships: 1500, rate: 1000, length: 40 * time.Second}
}

// The ships of the load, and those that come into the small area of another owner.
const (
	firstOfCrowd = ais.MMSI(211100001)
	firstGuest   = ais.MMSI(219100001)
)

// guest is a ship inside of the small area.
func guest(i, step int) *ais.PositionReport {
	r := aShip(firstGuest+ais.MMSI(i), step)
	r.Place.Lon += 600000
	return r
}

// sail offers the reports of the crowd at its rate until stop is closed.
func (c flood) sail(t *testing.T, conn net.Conn, stop <-chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	began := time.Now()
	for said := 0; ; {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		for due := int(time.Since(began).Seconds() * float64(c.rate)); said < due; said++ {
			_, _ = conn.Write(sentences(t, aShip(firstOfCrowd+ais.MMSI(said%c.ships), said/c.ships)))
		}
	}
}

// askAs sends a request of a user and returns the answer, which must be 200.
func askAs(p *process, user, method, path, body string) []byte {
	p.t.Helper()
	return asks(p.t.Context(), p.t, p, http.DefaultClient, user, method, path, body)
}

// guests lets a new ship into the small area each quarter of a second, and returns how long after its third report, with which it counts, each one's event
// was there for the owner of that area.
func guests(t *testing.T, p *process, conn net.Conn, length time.Duration) (took []time.Duration) {
	const apart = 5 // quarters of a second between the reports of one
	counted := map[ais.MMSI]time.Time{}
	quarter := time.NewTicker(250 * time.Millisecond)
	defer quarter.Stop()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	all := int(length/(250*time.Millisecond)) + 1
	sent := 0
	for began := time.Now(); len(took) < all; {
		select {
		case <-quarter.C:
			for step := range 3 {
				if i := sent - step*apart; i >= 0 && i < all {
					_, _ = conn.Write(sentences(t, guest(i, step)))
					if step == 2 {
						counted[firstGuest+ais.MMSI(i)] = time.Now()
					}
				}
			}
			sent++
			continue
		case <-look.C:
		}
		if time.Since(began) > length+patience {
			t.Fatalf("%d of %d guests rang", len(took), all)
		}
		var answer struct{ Records []eventSeen }
		if err := json.Unmarshal(askAs(p, "harbour", "GET", "/api/watchdog/event", ""), &answer); err != nil {
			t.Fatal(err)
		}
		for _, e := range answer.Records {
			if at, waits := counted[e.Ship.MMSI]; waits {
				took = append(took, time.Since(at))
				delete(counted, e.Ship.MMSI)
			}
		}
	}
	slices.Sort(took)
	return took
}

// TestOneOwnerDelaysNobody: an owner with very many watchdogs over all of the water puts neither the picture behind nor the watchdog of another owner. What rings
// too often is paused, and says so on its row; what was held back is counted.
func TestOneOwnerDelaysNobody(t *testing.T) {
	c := floodOf(t)
	config, conn := udpFeed(t)
	p := startServe(t, t.TempDir(), config)
	const others = `"access_rights":{"admin_watchdog_definitions":"deny"}` // an operator would be told of the other's events too
	for _, name := range []string{"crowd", "harbour"} {
		p.want(200, "POST", "/api/config/user", fmt.Sprintf(`{"name":%q,"password":%q,"groups":["operator"],%s}`, name, adminPassword, others))
	}
	began := time.Now()
	for i := range c.dogs {
		askAs(p, "crowd", "POST", "/api/watchdog/definition", fmt.Sprintf(`{"name":"square %d","type":"polygon","polygon":{"type":"Polygon","coordinates":[[[0,55],[20,55],[20,57],[0,57],[0,55]]]}}`, i))
	}
	askAs(p, "harbour", "POST", "/api/watchdog/definition", `{"name":"basin","type":"polygon","filter":"mmsi > 219100000 and mmsi < 219200000","polygon":{"type":"Polygon","coordinates":[[[10.5,55.5],[12,55.5],[12,57],[10.5,57],[10.5,55.5]]]}}`)
	t.Logf("%d watchdogs made in %v", c.dogs+1, time.Since(began).Round(time.Millisecond))

	stop := make(chan struct{})
	var sailing sync.WaitGroup
	var behind lagging
	sailing.Go(func() { c.sail(t, conn, stop) })
	sailing.Go(func() { behind.look(p, stop) })
	took := guests(t, p, conn, c.length)
	_, resident := memory(t, p)
	close(stop)
	sailing.Wait()
	late := canary(t, p, conn, 219000001, 30, patience)
	raised, held := counter(t, p, "watchdog_events_total"), counter(t, p, "watchdog_events_held_total")
	t.Logf("%d rings of the other owner: median %v, longest %v; behind the load a ship was there in %v; at most %v behind; %d MiB; %d events, %d of them held back",
		len(took), median(took), took[len(took)-1], late, behind.most, resident>>20, raised, held)
	if raised < c.dogs*c.ships {
		t.Errorf("%d events of %d watchdogs and %d ships: some were neither told nor counted", raised, c.dogs, c.ships)
	}
	if told := raised - held; told > mostTold+3*c.dogs+len(took) {
		t.Errorf("%d events were told", told)
	}
	paused(t, p, c.dogs)
	if slow := 10 * ringsWithin; median(took) > slow {
		t.Errorf("another owner's watchdog rang after %v in the median, longer than %v", median(took), slow)
	}
	if worst := max(behind.most, took[len(took)-1], late); worst > busySecond {
		t.Errorf("something was %v late", worst)
	}
	if resident > mostResident {
		t.Errorf("%d MiB", resident>>20)
	}
}

// The bars of the load: how soon another owner's watchdog rings on a quiet machine, what the owner of the crowd may be told at once, with what the rate of
// a minute adds, and the memory.
const (
	ringsWithin  = 150 * time.Millisecond
	mostTold     = 5000 + 1200
	mostResident = 256 << 20
)

// paused checks that the watchdogs of the crowd say that they are paused, and that of the other owner does not.
func paused(t *testing.T, p *process, dogs int) {
	t.Helper()
	var all struct {
		Records []struct {
			Name   string
			Paused *struct{ Held uint64 }
		}
	}
	p.get("/api/watchdog/definition", &all)
	crowd := 0
	for _, one := range all.Records {
		switch {
		case one.Name == "basin" && one.Paused != nil:
			t.Error("the watchdog of the other owner is paused")
		case one.Paused != nil && one.Paused.Held > 0:
			crowd++
		}
	}
	if crowd < dogs*9/10 {
		t.Errorf("%d of %d watchdogs are paused", crowd, dogs)
	}
}

// lagging looks how far the picture is behind until stop is closed.
type lagging struct{ most time.Duration }

func (l *lagging) look(p *process, stop <-chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		var status struct {
			Picture struct {
				Behind float64 `json:"behind_s"`
			}
		}
		if _, text, err := p.try("GET", "/api/status", ""); err == nil && json.Unmarshal(text, &status) == nil {
			l.most = max(l.most, time.Duration(status.Picture.Behind*float64(time.Second)))
		}
	}
}
