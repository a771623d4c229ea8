package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"quaywatch/ais"
)

// LoadOptions say how much traffic a load generator makes.
type LoadOptions struct {
	Ships int       // how many ships, 1 to 900,000
	Rate  float64   // sentences a second
	Seed  int64     // the same seed gives the same sentences
	Start time.Time // the time of the first
}

// Load is the traffic of many ships that wander over open sea. It measures how much traffic the software of a receiver
// can take. Of 100 messages 85 are position reports and 10 static data; the others come from base stations, aids to
// navigation, and safety messages. A fifth of the ships have class B. Ships move at the speed that they report, so
// plausibility checks let them pass. One goroutine at a time may use it.
type Load struct {
	rate      float64
	start     time.Time
	rng       *rand.Rand
	ships     []loadShip
	encoder   *ais.Encoder
	radio     transmitter
	messages  int     // so far
	sentences float64 // so far
	position  int     // the next ship to report its position
	static    int     // the next ship to report its static data
}

// loadShip is small, because there are up to 900,000.
type loadShip struct {
	lon, lat float32 // degrees within the sea, from its south-west corner
	cog, sog float32 // degrees, knots
	reported float64 // when it last reported, in seconds since the start
	sea      uint8
	classB   bool
}

// sea is a box of open water, in degrees. It may reach over the date line.
type sea struct{ west, south, width, height float32 }

var seas = []sea{
	{1.5, 54, 4.5, 3.5}, {-9.5, 44.5, 5.5, 2.5}, {4.5, 38, 3.5, 4}, {17, 34, 3.5, 2.5}, {60, 12, 10, 8}, {-95, 23, 8, 5},
	{124, 27, 3, 4}, {111, 11, 5, 6}, {85, 9, 6, 9}, {155, -40, 13, 8}, {-30, -25, 20, 15}, {174, 18, 12, 10},
}

// NewLoad spreads the ships over the seas.
func NewLoad(o LoadOptions) (*Load, error) {
	if o.Ships < 1 || o.Ships > 900000 {
		return nil, fmt.Errorf("make a load: %d ships, not 1 to 900000", o.Ships)
	}
	if !(o.Rate > 0) || math.IsInf(o.Rate, 0) {
		return nil, errors.New("make a load: the rate must be above 0 sentences a second")
	}
	l := &Load{rate: o.Rate, start: o.Start.UTC(), rng: rand.New(rand.NewPCG(uint64(o.Seed), 0x6c6f6164)), encoder: ais.NewEncoder("AIVDM")}
	l.ships = make([]loadShip, o.Ships)
	for i := range l.ships {
		at := l.rng.IntN(len(seas))
		l.ships[i] = loadShip{
			lon: seas[at].width * l.rng.Float32(), lat: seas[at].height * l.rng.Float32(),
			cog: 360 * l.rng.Float32(), sog: 4 + 16*l.rng.Float32(), sea: uint8(at), classB: i%5 == 4,
		}
	}
	l.static = o.Ships / 2
	return l, nil
}

// Now returns the time of the next message.
func (l *Load) Now() time.Time {
	return l.start.Add(time.Duration(l.elapsedSeconds() * float64(time.Second)))
}

func (l *Load) elapsedSeconds() float64 { return l.sentences / l.rate }

// Next appends the sentence, or the two sentences, of the next message to dst.
func (l *Load) Next(dst []byte) ([]byte, error) {
	before := len(dst)
	dst, err := l.encoder.Sentences(dst, l.nextMessage(), "AB"[l.messages&1])
	l.messages++
	for _, c := range dst[before:] {
		if c == '\n' {
			l.sentences++
		}
	}
	return dst, err
}

// nextMessage composes the next message.
func (l *Load) nextMessage() ais.Message {
	switch turn := (l.messages * 37) % 100; {
	case turn < 85:
		i := l.position
		l.position = (l.position + 1) % len(l.ships)
		return l.positionOf(i)
	case turn < 95:
		i := l.static
		l.static = (l.static + 1) % len(l.ships)
		return l.staticOf(i)
	case turn < 97:
		return l.stationReport()
	case turn < 99:
		return l.aidReport()
	}
	l.radio.safety = ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: 2320101}, Text: "GALE WARNING"}
	return &l.radio.safety
}

// shipMMSI returns the MMSI of ship i. The flags take turns.
func (l *Load) shipMMSI(i int) ais.MMSI {
	return ais.MMSI(merchantFlags[i%len(merchantFlags)].mid*1000000 + i)
}

// moveShip moves a ship to now. At the edge of its sea the ship turns towards the middle.
func (l *Load) moveShip(s *loadShip) {
	area := &seas[s.sea]
	now := l.elapsedSeconds()
	miles := float64(s.sog) * (now - s.reported) / 3600
	s.reported = now
	sin, cos := math.Sincos(float64(s.cog) * math.Pi / 180)
	s.lat += float32(miles * cos / 60)
	s.lon += float32(miles * sin / 60 / math.Cos(float64(area.south+s.lat)*math.Pi/180))
	s.cog = float32(wrapAngle(float64(s.cog) + 2*l.rng.Float64() - 1))
	if s.lon < 0 || s.lat < 0 || s.lon > area.width || s.lat > area.height {
		s.cog = float32(vec{float64(area.width/2 - s.lon), float64(area.height/2 - s.lat)}.bearing())
	}
}

func (s *loadShip) placed() ais.Place {
	lon, lat := float64(seas[s.sea].west)+float64(s.lon), float64(seas[s.sea].south)+float64(s.lat)
	if lon >= 180 {
		lon -= 360
	}
	return ais.Place{Lon: int32(math.Round(lon * 600000)), Lat: int32(math.Round(lat * 600000))}
}

func (l *Load) positionOf(i int) ais.Message {
	s := &l.ships[i]
	l.moveShip(s)
	sog, cog := ais.SOGTenths(int(s.sog*10)), ais.COGTenths(int(s.cog*10)%3600)
	second := ais.Second(l.Now().Second())
	if s.classB {
		l.radio.classB = ais.ClassBReport{
			Header: ais.Header{Type: 18, MMSI: l.shipMMSI(i)}, SOG: sog, Place: s.placed(), COG: cog, Second: second, CS: true,
		}
		return &l.radio.classB
	}
	l.radio.position = ais.PositionReport{
		Header: ais.Header{Type: 1 + uint8(i%3), MMSI: l.shipMMSI(i)}, SOG: sog, Place: s.placed(), COG: cog,
		Heading: ais.HeadingDegrees(int(s.cog) % 360), Second: second, ROT: ais.RawROT(i%11 - 5), Radio: uint32(i) & 0x3FFF,
	}
	return &l.radio.position
}

func (l *Load) staticOf(i int) ais.Message {
	name := beginnings[i%len(beginnings)] + middles[i/7%len(middles)] + endings[i/89%len(endings)]
	size := ais.Dimensions{Bow: uint16(20 + i%150), Stern: uint16(10 + i%40), Port: uint16(4 + i%12), Starboard: uint16(4 + i%9)}
	if l.ships[i].classB {
		l.radio.static = ais.StaticReport{Header: ais.Header{Type: 24, MMSI: l.shipMMSI(i)}, Name: name}
		return &l.radio.static
	}
	l.radio.voyage = ais.StaticVoyage{
		Header: ais.Header{Type: 5, MMSI: l.shipMMSI(i)}, Name: name, CallSign: "ZZ" + name[:3], ShipType: ais.ShipType(60 + i%30),
		Dimensions: size, EPFD: 1, ETA: ais.ETA{Hour: 24, Minute: 60}, Draught: ais.Decimetres(30 + i%120), Destination: outward[i%len(outward)],
	}
	return &l.radio.voyage
}

func (l *Load) stationReport() ais.Message {
	t := l.Now()
	n := l.messages % 97
	at := &seas[n%len(seas)]
	l.radio.base = ais.BaseStationReport{
		Header: ais.Header{Type: 4, MMSI: ais.MMSI(2320000 + n)}, Year: t.Year(), Month: int(t.Month()), Day: t.Day(),
		Hour: t.Hour(), Minute: t.Minute(), Second: t.Second(), EPFD: 7,
		Place: ais.Place{Lon: int32(at.west * 600000), Lat: int32((at.south + float32(n)*0.01) * 600000)},
	}
	return &l.radio.base
}

func (l *Load) aidReport() ais.Message {
	n := l.messages % 193
	at := &seas[n%len(seas)]
	if len(l.radio.aids) == 0 {
		l.radio.aids = make([]ais.AidToNavigation, 1)
	}
	l.radio.aids[0] = ais.AidToNavigation{
		Header: ais.Header{Type: 21, MMSI: ais.MMSI(992320000 + n)}, AidType: uint8(n % 32), Name: "SEA MARK " + endings[n%len(endings)],
		EPFD: 7, Second: 60, Place: ais.Place{Lon: int32((at.west + float32(n)*0.005) * 600000), Lat: int32(at.south * 600000)},
	}
	return &l.radio.aids[0]
}

// Run writes the load at its rate by the clock, so many times faster; 0 is without waiting. It ends with ctx or, unless last is 0, when that
// much of its own time is over. Each write gets the sentences of one message. When write is too slow for the rate, Run returns late. It returns
// the first error of write, and nil when ctx ended or the time was over.
func (l *Load) Run(ctx context.Context, speed float64, last time.Duration, write func([]byte) error) error {
	begun, from := time.Now(), l.elapsedSeconds()
	var buf []byte
	for ctx.Err() == nil {
		due := from + time.Since(begun).Seconds()*speed
		if speed == 0 {
			due = l.elapsedSeconds() + 1
		}
		if last > 0 {
			due = min(due, from+last.Seconds())
		}
		for l.elapsedSeconds() < due {
			var err error
			if buf, err = l.Next(buf[:0]); err != nil {
				return err
			}
			if err = write(buf); err != nil {
				return err
			}
		}
		if last > 0 && l.elapsedSeconds() >= from+last.Seconds() {
			return nil
		}
		if speed > 0 {
			sleep(ctx, 2*time.Millisecond)
		}
	}
	return nil
}
