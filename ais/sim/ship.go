package sim

import (
	"math"
	"math/rand/v2"

	"quaywatch/ais"
)

// role is the work of a ship.
type role uint8

const (
	merchant role = iota
	ferry
	fisherman
	yacht
	workboat
	pilotBoat
	tugBoat
	lifeboat
	aircraft
	beacon // MOB and SART devices
)

// ship is one ship with the next step of its plan. It follows a rail or lies still until cond holds; then the function
// then is called.
type ship struct {
	identity
	role   role
	rng    *rand.Rand
	silent bool // out of range

	in           *area  // nil at sea between the harbours
	plane        *plane // of place
	place        vec
	cog, heading float64 // degrees true
	speed        float64 // metres a second
	rot          float64 // degrees a minute
	status       ais.NavStatus

	rail        *rail
	leg         int     // of the rail, where the ship is
	along, stop float64 // metres on the rail: where the ship is, where it must stop
	cruise      float64 // usual speed, metres a second
	limit       float64 // highest speed for now, metres a second
	gain, brake float64 // acceleration and deceleration, metres a second, each second
	agility     float64 // fastest turn, degrees a second
	final       float64 // heading at the end of the rail, or negative

	swing   *swing
	partner *partner
	escort  *towage

	cond func() bool
	then func()

	destination     string
	eta             ais.ETA
	loaded          ais.Decimetres // the true draught; the crew enters it later
	entry           *entry         // what the crew will enter
	stay            stay
	minute          seen // at the last full minute under way
	fixError        vec  // the error of the reported position, metres
	nextFix, nextID int64
	flip            bool // channel
}

// entry is the static data that a crew enters into its transponder at a time.
type entry struct {
	at          int64
	draught     ais.Decimetres
	destination string
	eta         ais.ETA
}

// keyIn takes what the crew has entered by now.
func (s *ship) keyIn(now int64) {
	if e := s.entry; e != nil && now >= e.at {
		s.draught, s.destination, s.eta, s.entry = e.draught, e.destination, e.eta, nil
	}
}

// stay is where a ship lies or lay last.
type stay struct {
	since int64 // when it was made fast or anchored
	from  *port // that it let go of, nil while it lies there
	left  bool  // it has left that port since
}

// swing is how a ship lies to its anchor.
type swing struct {
	anchor  vec
	since   float64
	phase   float64
	wind    float64
	already float64 // metres of chain out at the beginning
}

// partner is a ship that another lies alongside of while both move.
type partner struct {
	of          *ship
	from        vec // relative place where the approach began
	since, take float64
	beam        float64 // metres abeam, starboard positive
}

// waitUntil sets the condition that the ship waits for, and what it does then.
func (s *ship) waitUntil(cond func() bool, then func()) { s.cond, s.then = cond, then }

// startWay sets the ship on a way. It has arrived when it has stopped at the end.
func (s *ship) startWay(points []vec, final float64) {
	s.rail = newRail(points)
	s.leg, s.along, s.stop = 0, 0, s.rail.endLength()
	s.limit, s.final = math.Inf(1), final
	s.swing, s.partner, s.escort = nil, nil, nil
}

// arrived reports whether the ship has stopped at the end of its rail.
func (s *ship) arrived() bool {
	return s.rail == nil || s.along >= s.rail.endLength()-0.5 && s.speed < 0.3
}

// lie stops the ship where it is.
func (s *ship) lie(status ais.NavStatus) {
	s.rail, s.speed, s.rot, s.status = nil, 0, 0, status
}

// move sails one second. The distance to the shore allows the speed inshore, in metres a second.
func (s *ship) move(inshore float64) {
	if s.rail == nil {
		return
	}
	rest := s.stop - s.along
	want := min(s.cruise, s.limit, max(inshore, 0.35*s.cruise), math.Sqrt(2*s.brake*max(0, rest))+0.2)
	s.speed += max(-1.5*s.brake, min(s.gain, want-s.speed))
	s.speed = max(0, min(s.speed, rest))
	s.along += s.speed
	if rest < 0.5 {
		s.along, s.speed = s.stop, 0
	}
	var direction vec
	s.place, direction, s.leg = s.rail.placeAt(s.along, s.leg)
	s.cog = direction.bearing()
	s.steer(s.wantedHeading())
}

// wantedHeading returns the heading that the ship should have: along its way, and at the end along the quay.
func (s *ship) wantedHeading() float64 {
	if rest := s.rail.endLength() - s.along; s.final >= 0 && rest < 120 {
		return wrapAngle(s.cog + turnBetween(s.cog, s.final)*(1-rest/120))
	}
	return s.cog
}

// steer turns the heading, as fast as the ship can.
func (s *ship) steer(want float64) {
	change := max(-s.agility, min(s.agility, turnBetween(s.heading, want)))
	s.heading = wrapAngle(s.heading + change)
	s.rot = change * 60
}

// followPartner keeps the ship beside its partner, and nearer to it where the shore is near.
func (s *ship) followPartner(now float64, land func(vec) bool) {
	p := s.partner
	f := max(0, min(1, (now-p.since)/p.take))
	f = f * f * (3 - 2*f)
	bow := toward(p.of.heading)
	beside := p.from.mix(bow.starboard().times(p.beam).plus(bow.times(-4)), f)
	for try := 0; try < 4 && land(p.of.place.plus(beside)); try++ {
		beside = beside.times(0.4)
	}
	s.moveTo(p.of.place.plus(beside), p.of.heading)
}

// moveTo puts the ship to its place one second on and derives its motion from that.
func (s *ship) moveTo(to vec, heading float64) {
	step := to.minus(s.place)
	s.place = to
	s.speed = step.length()
	if s.speed > 0.2 {
		s.cog = step.bearing()
	}
	s.steer(heading)
}

// swingAtAnchor lets the ship swing about its anchor. It falls back to the length of its chain and turns slowly to and fro.
func (s *ship) swingAtAnchor(now float64) {
	w := s.swing
	age := now - w.since
	chain := w.already + (90-w.already)*(1-math.Exp(-age/400))
	want := wrapAngle(w.wind + 35*math.Sin(w.phase+age/420))
	s.steer(s.heading + turnBetween(s.heading, want)*0.004)
	to := w.anchor.minus(toward(s.heading).times(chain))
	step := to.minus(s.place)
	if l := step.length(); l > 0.6 {
		to = s.place.plus(step.times(0.6 / l))
	}
	s.speed = to.distance(s.place)
	if s.speed > 0.05 {
		s.cog = to.minus(s.place).bearing()
	}
	s.place = to
}
