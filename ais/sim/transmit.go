package sim

import (
	"fmt"
	"math"

	"quaywatch/ais"
)

// transmitter holds one message of each kind, so that sending allocates nothing, and the base station and the aids.
type transmitter struct {
	position ais.PositionReport
	classB   ais.ClassBReport
	voyage   ais.StaticVoyage
	static   ais.StaticReport
	flight   ais.SARAircraftReport
	safety   ais.BroadcastSafety
	call     ais.AddressedSafety
	base     ais.BaseStationReport
	weather  ais.BroadcastBinary
	aids     []ais.AidToNavigation
}

// Reporting intervals in seconds (ITU-R M.1371-5, annex 1, tables 1 and 2).
const (
	everyStatic  = 360
	everyAid     = 180
	everyBase    = 10
	everyNotice  = 1200
	everyCall    = 1800     // of one ship by the base station
	everyDrift   = 6 * 3600 // of a buoy, which is off its position for everyDrift/4
	everyWeather = 180
	everyBurst   = 8 // of a beacon: eight messages a minute
	everyMoored  = 180
	everyFlight  = 10
	everyMessage = 240 // text of a beacon
)

// reportInterval returns the seconds to a ship's next position report.
func (s *ship) reportInterval() int64 {
	knots := s.speed / knot
	turning := math.Abs(s.rot) > 12
	switch {
	case s.role == beacon:
		return everyBurst
	case s.role == aircraft:
		return everyFlight
	case s.classB && knots > 2:
		return 30
	case s.classB:
		return everyMoored
	case (s.status == ais.StatusAtAnchor || s.status == ais.StatusMoored) && knots < 3:
		return everyMoored
	case knots > 23, knots > 14 && turning:
		return 2
	case knots > 14:
		return 6
	case turning:
		return 3
	}
	return 10
}

// sendDueMessages sends the messages that are due this second.
func (h *Harbour) sendDueMessages() {
	for _, s := range h.ships {
		if s.silent {
			continue
		}
		s.nextFix = min(s.nextFix, h.now+s.reportInterval()) // a ship that gets under way does not wait for the interval of a moored one
		if h.now >= s.nextFix {
			h.sendPosition(s)
			s.nextFix = max(s.nextFix, h.now-1) + s.reportInterval()
		}
		if h.now >= s.nextID {
			h.sendStatic(s)
			s.nextID = h.now + everyStatic
		}
	}
	for _, a := range h.areas {
		a.sendStations()
	}
}

// channel returns channels A and B by turns.
func (s *ship) channel() byte {
	s.flip = !s.flip
	if s.flip {
		return 'A'
	}
	return 'B'
}

// measuredPlace returns the place that the ship's receiver measures: within 8 m of the truth, with a slow drift.
func (h *Harbour) measuredPlace(s *ship) ais.Place {
	s.fixError = s.fixError.times(0.93).plus(vec{s.rng.NormFloat64(), s.rng.NormFloat64()}.times(0.7))
	if l := s.fixError.length(); l > 8 {
		s.fixError = s.fixError.times(8 / l)
	}
	return s.plane.placeOf(s.place.plus(s.fixError))
}

// placeOf returns a place of the plane as AIS sends it.
func (p plane) placeOf(v vec) ais.Place {
	at := p.pointOf(v)
	return ais.Place{Lon: int32(math.Round(at.Lon * 600000)), Lat: int32(math.Round(at.Lat * 600000))}
}

func (s *ship) reportedSOG() ais.SOG { return ais.SOGTenths(int(math.Round(s.speed / knot * 10))) }

func (s *ship) course() ais.COG { return ais.COGTenths(int(math.Round(s.cog*10)) % 3600) }

// rateOfTurn returns the rate of turn that a ship with a turn indicator reports (ITU-R M.1371-5, table 48).
func (s *ship) rateOfTurn() ais.ROT {
	if s.role != merchant && s.role != ferry {
		return 0
	}
	raw := 4.733 * math.Sqrt(math.Abs(s.rot))
	return ais.RawROT(int(math.Copysign(math.Round(min(raw, 126)), s.rot)))
}

func (h *Harbour) sendPosition(s *ship) {
	r := &h.radio
	second := ais.Second((h.start.Unix() + h.now) % 60)
	place := h.measuredPlace(s)
	switch {
	case s.role == aircraft:
		r.flight = ais.SARAircraftReport{
			Header: ais.Header{Type: 9, MMSI: s.mmsi}, Altitude: 300, SOG: s.reportedSOG(), Place: place, COG: s.course(), Second: second,
		}
		h.sendMessage(&r.flight, s.channel())
	case s.classB:
		r.classB = ais.ClassBReport{
			Header: ais.Header{Type: 18, MMSI: s.mmsi}, SOG: s.reportedSOG(), Place: place, COG: s.course(), Second: second,
			CS: true, DSC: true, Band: true, Message22: true, Radio: 0xE0006,
		}
		h.sendMessage(&r.classB, s.channel())
	default:
		r.position = ais.PositionReport{
			Header: ais.Header{Type: 1, MMSI: s.mmsi}, Status: s.status, SOG: s.reportedSOG(), Accuracy: s.mmsi%3 == 0, Place: place,
			COG: s.course(), Second: second, ROT: s.rateOfTurn(), Radio: 0x0A000 | uint32(s.mmsi)&0x7FF,
		}
		if s.role != beacon {
			r.position.Heading = ais.HeadingDegrees(int(math.Round(s.heading)) % 360)
		}
		h.sendMessage(&r.position, s.channel())
	}
}

// sendMessage hands a message to the caller of Step.
func (h *Harbour) sendMessage(m ais.Message, channel byte) { h.emit(h.clockTime(), m, channel) }

func (h *Harbour) sendStatic(s *ship) {
	s.keyIn(h.now)
	r := &h.radio
	switch {
	case s.role == beacon:
		h.sendSafety(s)
	case s.role == aircraft:
		r.static = ais.StaticReport{Header: ais.Header{Type: 24, MMSI: s.mmsi}, Name: "RESCUE 501"}
		h.sendMessage(&r.static, s.channel())
	case s.classB:
		r.static = ais.StaticReport{Header: ais.Header{Type: 24, MMSI: s.mmsi}, Name: s.name}
		h.sendMessage(&r.static, s.channel())
		r.static = ais.StaticReport{
			Header: ais.Header{Type: 24, MMSI: s.mmsi}, Part: 1, ShipType: s.shipType, VendorID: "QWX",
			Model: 1, Serial: uint32(s.mmsi % 99991), CallSign: s.callSign, Dimensions: s.size, EPFD: 1,
		}
		h.sendMessage(&r.static, s.channel())
	default:
		r.voyage = ais.StaticVoyage{
			Header: ais.Header{Type: 5, MMSI: s.mmsi}, IMO: s.imo, CallSign: s.callSign, Name: s.name, ShipType: s.shipType,
			Dimensions: s.size, EPFD: 1, ETA: s.eta, Draught: s.draught, Destination: fitName(s.destination, 20),
		}
		h.sendMessage(&r.voyage, s.channel())
	}
}

// sendSafety sends the text of a beacon, an alarm or a test (IEC 61097-14).
func (h *Harbour) sendSafety(s *ship) {
	text := "SART TEST"
	if s.status == ais.StatusSART {
		text = "MOB ACTIVE"
	}
	h.radio.safety = ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: s.mmsi}, Text: text}
	h.sendMessage(&h.radio.safety, s.channel())
	s.nextID = h.now + everyMessage - everyStatic
}

// sendStations sends the messages of the base station and of the aids to navigation.
func (h *area) sendStations() {
	r := &h.station
	if h.now%everyBase == 0 {
		t := h.clockTime()
		r.base.Year, r.base.Month, r.base.Day = t.Year(), int(t.Month()), t.Day()
		r.base.Hour, r.base.Minute, r.base.Second = t.Hour(), t.Minute(), t.Second()
		h.sendMessage(&r.base, "AB"[h.now/everyBase&1])
	}
	for i := range r.aids {
		if (h.now+int64(i)*7)%everyAid == 0 {
			r.aids[i].Second = ais.Second((h.start.Unix() + h.now) % 60)
			r.aids[i].OffPosition = i == drifter && h.now >= everyNotice && (h.now-everyNotice)%everyDrift < everyDrift/4
			h.sendMessage(&r.aids[i], "AB"[h.now/everyAid&1])
		}
	}
	if h.now%everyWeather == 90 {
		r.weather = ais.BroadcastBinary{Header: ais.Header{Type: 8, MMSI: r.base.MMSI}, Application: h.weather()}
		h.sendMessage(&r.weather, 'B')
	}
	if h.now%everyNotice == 60 {
		r.safety = ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: r.base.MMSI}, Text: "DREDGING IN FAIRWAY. PASS AT SLOW SPEED"}
		h.sendMessage(&r.safety, 'A')
	}
	if h.now%everyCall == 150 {
		h.callShip(h.now / everyCall)
	}
}

// drifter is the aid that is off its position now and then.
const drifter = 1

// callShip sends a text of the base station to one of the ships in reach, another one each time.
func (h *area) callShip(turn int64) {
	r := &h.station
	for i := range h.ships {
		s := h.ships[(turn*7+int64(i))%int64(len(h.ships))]
		if s.role != merchant || s.silent || s.in != h {
			continue
		}
		r.call = ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: r.base.MMSI}, Destination: s.mmsi, Text: "BERTH PLAN CHANGED. CALL VTS ON VHF 12"}
		h.sendMessage(&r.call, 'B')
		return
	}
}

// weather returns what the base station measures: a day of fair weather, with wind that rises and falls with the sun.
func (h *area) weather() ais.Application {
	t := h.clockTime()
	m := &ais.MetHydro{FI: 31, Place: h.station.base.Place, Accuracy: true, Day: uint8(t.Day()), Hour: uint8(t.Hour()), Minute: uint8(t.Minute())}
	sun := math.Sin(2 * math.Pi * (float64(t.Hour()) + float64(t.Minute())/60 - 8) / 24)
	m.Set("wspeed", math.Round(11+5*sun))
	m.Set("wgust", math.Round(15+7*sun))
	m.Set("wdir", math.Floor(wrapAngle(h.wind+8*sun)))
	m.Set("airtemp", 14+4*sun)
	m.Set("humidity", math.Round(70-15*sun))
	m.Set("pressure", 1013)
	m.Set("pressuretend", 0)
	m.Set("visibility", 10)
	m.Set("waterlevel", 0.2*math.Sin(4*math.Pi*float64(h.now)/89428))
	m.Set("waveheight", 0.5+0.2*sun)
	m.Set("watertemp", 12)
	return m.Application()
}

// newTransmitter places the base station by a harbour and the aids to navigation along the fairway. Harbours are numbered from 0 on.
func newTransmitter(h *area, number int) transmitter {
	mid := h.reg.local.mid
	r := transmitter{}
	station := vec{}
	if len(h.places.big) > 0 {
		b := h.places.big[0]
		station = b.wall.minus(b.off.times(30))
	}
	r.base = ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: ais.MMSI(mid*10000 + 9901 + number)}, Accuracy: true, Place: h.water.placeOf(station), EPFD: 7}
	add := func(v vec, aidType uint8, name string, virtual bool) {
		if h.water.land(v) {
			return
		}
		r.aids = append(r.aids, ais.AidToNavigation{
			Header: ais.Header{Type: 21, MMSI: ais.MMSI(990000000 + mid*10000 + 9001 + 100*number + len(r.aids))}, AidType: aidType, Name: name,
			Accuracy: true, Place: h.water.placeOf(v), EPFD: 7, Virtual: virtual,
		})
	}
	add(h.water.middleOf(h.places.boarding).plus(vec{200, 0}), 29, "PILOT BOARDING PLACE", false)
	h.buoys(add)
	if len(h.places.anchors) > 0 {
		add(h.water.middleOf(h.places.anchors[0]).plus(vec{0, 350}), 30, "ANCHORAGE NORTH", true)
	}
	if len(h.places.grounds) > 1 {
		add(h.water.middleOf(h.places.grounds[1]), 28, "ISOLATED DANGER FORGOTTEN WRECK", true)
		add(h.water.middleOf(h.places.grounds[0]), 30, "SPECIAL MARK", true)
	}
	return r
}

// buoys sets lateral marks on both sides of the way from the boarding place to the first berth. They are red to port of a ship that comes in (IALA region A).
func (h *area) buoys(add func(v vec, aidType uint8, name string, virtual bool)) {
	if len(h.places.big) == 0 {
		return
	}
	b := h.places.big[0]
	fairway := newRail(h.route(h.water.middleOf(h.places.boarding), b.wall, 0, h.places.boarding, b.cell))
	for i := 1; i <= 6; i++ {
		at := fairway.endLength() * float64(i) / 7
		place, direction, _ := fairway.placeAt(at, 0)
		side := direction.starboard().times(160)
		add(place.plus(side), 25, fmt.Sprintf("FAIRWAY %d", 2*i-1), false)
		add(place.minus(side), 24, fmt.Sprintf("FAIRWAY %d", 2*i), i == 6)
	}
}
