package tracking

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/ship/portcall"
)

// planned returns when the ERP system expects the ship to arrive and to depart, and when its first line came or comes ashore. It returns the zero time for what
// the system does not say. The ETA and the first line of the first warp are those of the arrival. The ETD of the last warp is that of the departure.
func planned(erp json.RawMessage) (eta, etd, line time.Time) {
	type times struct {
		ETA, ETD json.RawMessage
		Line     json.RawMessage `json:"first_line"`
	}
	var plan struct {
		times
		Warp json.RawMessage
	}
	decoder := json.NewDecoder(bytes.NewReader(erp))
	if decoder.Decode(&plan) != nil { // any JSON may be kept
		return eta, etd, line
	}
	var warps []times
	if json.Unmarshal(plan.Warp, &warps) != nil || len(warps) == 0 {
		warps = []times{{}}
	}
	first, last := warps[0], warps[len(warps)-1]
	return either(first.ETA, plan.ETA), either(last.ETD, plan.ETD), either(first.Line, plan.Line)
}

// either returns the first of two texts that is a time.
func either(a, b json.RawMessage) time.Time {
	if at := form.TimeOf(a); !at.IsZero() {
		return at
	}
	return form.TimeOf(b)
}

// mostPlans bounds the plans that a track keeps: the first, and the latest.
const mostPlans = 20

// plan notes what the ERP system says now, if it is new.
func (t *TrackedShip) plan(now portcall.Millis) {
	eta, etd, line := planned(t.ERP)
	for _, p := range []portcalls.Time{{Event: portcalls.Arrival, Value: millisOf(eta)}, {Event: portcalls.Departure, Value: millisOf(etd)},
		{Event: portcalls.FirstLine, Value: millisOf(line)}} {
		p.Kind, p.Source, p.Place, p.Entered = portcalls.Planned, portcalls.ERP, portcalls.Berth, now
		if p.Event == portcalls.FirstLine && p.Value != 0 && p.Value <= now {
			p.Kind = portcalls.Actual // the ERP system tells it after it was seen
		}
		last := portcalls.Time{}
		for _, said := range t.Plans {
			if said.Event == p.Event {
				last = said
			}
		}
		if p.Value == 0 {
			p.Kind = last.Kind
		}
		if last.Value == p.Value && (p.Value == 0 || last.Kind == p.Kind) {
			continue
		}
		t.Plans = append(slices.Clone(t.Plans), p)
		if len(t.Plans) > mostPlans {
			t.Plans = slices.Delete(t.Plans, 2, 3)
		}
	}
}

// saidTimes returns what is to be kept with the call in which the track arrived. That is the plans and requests, our ETA of the beginning, and that of an hour
// before.
func (t *TrackedShip) saidTimes() []portcalls.Time {
	list := slices.Clone(t.Plans)
	for _, r := range t.Requests {
		list = append(list, r.Time)
	}
	arrived := t.Visits[1].ATA
	var first, last Estimate
	for _, e := range t.History {
		if e.ETA == 0 || !e.Status.sailing() || arrived == 0 || e.At.Add(time.Hour) > arrived {
			continue
		}
		if first.ETA == 0 {
			first = e
		}
		last = e
	}
	for _, e := range []Estimate{first, last} {
		if e.ETA != 0 {
			list = append(list, portcalls.Time{Event: portcalls.Arrival, Kind: portcalls.Estimated, Source: portcalls.Computed, Place: portcalls.Berth, Value: e.ETA, Entered: e.At})
		}
	}
	return list
}

// tellCalls hands to calls what was said of them before they began. One that cannot be told now is told the next time its track changes.
func (t *TrackedShips) tellCalls(ctx context.Context) {
	t.mu.Lock()
	waiting := t.telling
	t.telling = map[int64][]portcalls.Time{}
	t.mu.Unlock()
	for id, list := range waiting {
		if ctx.Err() != nil {
			return
		}
		if err := t.config.Said(id, list); err != nil {
			t.config.Log.Warn("a call does not know what was planned of it", "call", id, "error", err)
		}
	}
}

// tellOf notes that the call of a track is to be told of its plans.
func (t *TrackedShips) tellOf(track *TrackedShip) {
	if track.Call != 0 {
		t.telling[track.Call] = track.saidTimes()
	}
}
