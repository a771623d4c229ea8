package portcalls

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/await"
	"quaywatch/ship/portcall"
)

// The borders by which a harbour is drawn in turn.
func plainHarbour() *chart.Port {
	return &chart.Port{ID: 7, Name: "HARBOUR", LOCODE: "DKCPH", Position: sim.DefaultAt, Placed: true, Changed: begin}
}

func drawnHarbour(metres float64, inner []geo.Polygon) *chart.Port {
	p := plainHarbour()
	p.Outer, p.Inner = circle(sim.DefaultAt, metres), inner
	return p
}

// drawAnew draws the harbour anew, and lets the past be looked at by it.
func (h *harbour) drawAnew(port *chart.Port) {
	h.t.Helper()
	h.ports = chart.NewPorts(nil)
	if port != nil {
		h.ports = chart.NewPorts([]*chart.Port{port})
	}
	h.followPorts()
	h.review()
}

// review looks at the past of the ports that were drawn anew.
func (h *harbour) review() {
	h.t.Helper()
	h.Save()
	ports := h.Past.ports()
	if list := h.Past.changedPorts(ports); len(list) > 0 {
		if err := h.Past.reviewPorts(h.t.Context(), ports, list); err != nil {
			h.t.Fatal(err)
		}
	}
	if left := h.Past.changedPorts(ports); len(left) > 0 {
		h.t.Errorf("after a review %d ports are still to be looked at", len(left))
	}
	h.Save()
}

// told returns every call with all that its stays tell, to a tolerance.
func (h *harbour) told(within time.Duration) (lines []string) {
	h.t.Helper()
	for _, m := range h.Callers() {
		err := h.OfShip(context.Background(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			line := fmt.Sprintf("%d port %d exit %v", m, c.Found.Port, c.Found.Exit)
			times := []time.Time{c.Found.Entered.Time(), c.Found.Left.Time(), c.Arrived(), c.Departed()}
			for _, s := range c.Found.Stays {
				line += fmt.Sprintf(" %d", s.Kind)
				times = append(times, s.From.Time(), s.To.Time())
			}
			for _, at := range times {
				line += " " + at.Round(within).Format("15:04:05")
			}
			lines = append(lines, line)
			return true
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	slices.Sort(lines)
	return lines
}

// harbourOf returns a harbour in which the traffic was heard while the port was drawn in a way.
func harbourOf(t *testing.T, port *chart.Port) *harbour {
	h := newHarbour(t, nil)
	h.ports = chart.NewPorts(nil)
	if port != nil {
		h.ports = chart.NewPorts([]*chart.Port{port})
	}
	h.followPorts()
	h.review()
	h.hear(never)
	return h
}

// TestAReviewKeepsWhatUsersSaid confirms, corrects and deletes calls, draws the port anew and back, and looks at each.
func TestAReviewKeepsWhatUsersSaid(t *testing.T) {
	circle, drawn := plainHarbour(), drawnHarbour(1200, nil)
	h := harbourOf(t, circle)
	var over []*KeptCall
	for _, m := range h.Callers() {
		if err := h.OfShip(t.Context(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			if !c.Found.Open() && !c.Arrived().IsZero() {
				over = append(over, c)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(over) < 5 {
		t.Fatalf("only %d calls are over", len(over))
	}
	ata := over[0].Arrived().Add(-3 * time.Minute)
	if _, err := h.Change(over[0].ID, Edit{ATA: &ata, By: "agent", At: begin.Add(length)}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Change(over[1].ID, Edit{By: "agent", At: begin.Add(length)}); err != nil {
		t.Fatal(err)
	}
	if err := h.Delete(over[2].ID, "agent"); err != nil {
		t.Fatal(err)
	}
	was := h.told(10 * time.Second)
	h.drawAnew(drawn)
	if slices.Equal(h.told(10*time.Second), was) {
		t.Fatal("the other border changed no call")
	}
	for i, c := range over[:2] {
		kept, err := h.Call(c.ID)
		if err != nil || kept.By != "agent" || kept.Found.Entered != c.Found.Entered || i == 0 && !kept.Arrived().Equal(ata) {
			t.Errorf("a call that a user spoke of is %+v, %v", kept, err)
		}
	}
	if _, err := h.Call(over[2].ID); err == nil {
		t.Error("a call that a user deleted is there again")
	}
	h.drawAnew(circle)
	compare(t, "drawn back", h.told(10*time.Second), was)
	for _, c := range over[3:] {
		if _, err := h.Call(c.ID); err != nil {
			t.Errorf("call %d has another number after the port was drawn anew and back: %v", c.ID, err)
		}
	}
}

// TestAReviewThatIsCutOff holds that a review which did not end is done again at the next start, and one that ended is not.
func TestAReviewThatIsCutOff(t *testing.T) {
	drawn := drawnHarbour(8000, berths(t))
	want := harbourOf(t, drawn).told(10 * time.Second)
	h := harbourOf(t, plainHarbour())
	h.ports = chart.NewPorts([]*chart.Port{drawn})
	h.followPorts()
	ctx, cut := context.WithCancel(t.Context())
	cut()
	if err := h.Past.reviewPorts(ctx, h.Past.ports(), h.Past.changedPorts(h.Past.ports())); err == nil {
		t.Fatal("a review ended well though it was cut off")
	}
	h.restart(true)
	if list := h.Past.changedPorts(h.Past.ports()); len(list) != 1 || list[0].id != 7 {
		t.Fatalf("after a restart %+v is to be looked at", list)
	}
	h.review()
	compare(t, "after a restart", h.told(10*time.Second), want)
	h.restart(false)
	if list := h.Past.changedPorts(h.Past.ports()); len(list) != 0 {
		t.Errorf("after a review and a restart %+v is to be looked at", list)
	}
}

// TestTheBoxReviewsByItself starts the box with another border, and lets the traffic go on while it looks at the past.
func TestTheBoxReviewsByItself(t *testing.T) {
	drawn := drawnHarbour(8000, berths(t))
	want := harbourOf(t, drawn).told(10 * time.Second)
	h := newHarbour(t, nil)
	h.ports = chart.NewPorts([]*chart.Port{plainHarbour()})
	h.followPorts()
	h.review()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	h.hear(func(minute int) (bool, bool) {
		if minute == 95 {
			h.ports = chart.NewPorts([]*chart.Port{drawn})
			h.restart(true)
			go func() { ended <- h.Run(ctx) }()
		}
		return false, false
	})
	await.That(t, "the past was looked at", func() bool {
		_, goes := h.Past.Reviewing()
		rows, err := h.Past.table.All()
		return err == nil && !goes && len(rows) == 1 && rows[0].Value == mustShape(drawn)
	})
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	h.Stop()
	compare(t, "by itself", h.told(10*time.Second), want)
}

func mustShape(p *chart.Port) reviewedPort {
	now, _ := shapeOf(p)
	return now
}

// TestAPortThatIsTakenAwayKeepsItsCalls holds that a port which is no longer in the list keeps the calls of its past.
func TestAPortThatIsTakenAwayKeepsItsCalls(t *testing.T) {
	h := harbourOf(t, drawnHarbour(8000, nil))
	was := h.told(time.Second)
	h.drawAnew(nil)
	if compare(t, "taken away", h.told(time.Second), was); len(was) < 8 {
		t.Errorf("only %d calls", len(was))
	}
}

// TestAReviewBesideASearch looks at the past by a new border after a search has stored the calls of the past, and before it hands the ships on to the
// engine: each ship whose call goes on is in port for filters and lists too.
func TestAReviewBesideASearch(t *testing.T) {
	h := newHarbour(t, berths(t))
	sail(t, func(at time.Time, m ais.Message) { h.take(at, m, h.db) })
	h.Tick(begin.Add(length))
	s := search{voyages: h.Calls, to: endOfTime, whole: true, ships: map[ais.MMSI]*past{}}
	s.engine = portcall.NewEngine(portcall.NewPorts(h.ports, h.config.coast()), s.addCall)
	if err := h.db.Passing(t.Context(), world, time.Time{}, endOfTime, s.addHour); err != nil {
		t.Fatal(err)
	}
	for _, m := range sorted(s.ships) {
		if err := s.keepCalls(m, s.ships[m], true); err != nil {
			t.Fatal(err)
		}
	}
	h.review()
	if err := s.keepRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	open := 0
	if err := h.InTime(t.Context(), begin, endOfTime, func(c *KeptCall) bool {
		if c.Found.Open() {
			open++
			if _, there := h.Visiting(c.MMSI, h.pictureTime()); !there || !slices.Contains(h.Visitors(c.Found.Port), c.MMSI) {
				t.Errorf("%d has the call %d, and is in no port", c.MMSI, c.ID)
			}
		}
		return true
	}); err != nil || open < 5 || h.Open() != open {
		t.Errorf("%d calls go on, and %d ships are in port: %v", open, h.Open(), err)
	}
}
