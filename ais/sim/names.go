package sim

import (
	"fmt"
	"math/rand/v2"

	"quaywatch/ais"
)

// identity is the static data of a ship. No real ship has such a name and number together. Names are made of syllables, and IMO numbers come from a range that
// was never given out.
type identity struct {
	mmsi     ais.MMSI
	imo      uint32
	name     string
	callSign string
	shipType ais.ShipType
	classB   bool
	size     ais.Dimensions
	draught  ais.Decimetres // as the crew entered it
	deep     ais.Decimetres // when laden
}

func (i *identity) length() float64 { return float64(i.size.Length()) }
func (i *identity) beam() float64   { return float64(i.size.Width()) }

// flag is a flag state: its MID and how its call signs begin (ITU Radio Regulations, appendix 42).
type flag struct {
	mid    int
	prefix string
}

var merchantFlags = []flag{
	{219, "OX"}, {265, "SF"}, {257, "LA"}, {211, "DF"}, {244, "PB"}, {636, "D5"}, {538, "V7"}, {370, "3E"}, {563, "9V"},
	{477, "VR"}, {248, "9H"}, {209, "5B"}, {304, "V2"}, {230, "OI"}, {232, "MA"}, {228, "FM"}, {255, "CQ"}, {308, "C6"},
	{261, "SN"}, {276, "ES"}, {275, "YL"}, {241, "SV"}, {247, "IB"},
}

// localFlag returns the flag of most small craft: a rough guess by longitude and latitude, enough for invented ships.
func localFlag(lon, lat float64) flag {
	switch {
	case lat > 54 && lat < 58 && lon > 8 && lon < 11.2, lat > 54.5 && lat < 56.1 && lon > 8 && lon < 12.8:
		return flag{219, "OX"}
	case lat > 55 && lat < 66 && lon >= 11.2 && lon < 19:
		return flag{265, "SF"}
	case lat > 59 && lat < 66 && lon >= 19 && lon < 30:
		return flag{230, "OI"}
	case lat > 53 && lat < 55 && lon > 6 && lon < 14:
		return flag{211, "DF"}
	case lat > 50.5 && lat < 53.6 && lon > 2.5 && lon < 7:
		return flag{244, "PB"}
	case lat > 25 && lat < 50 && lon > -130 && lon < -66:
		return flag{338, "WD"}
	}
	return flag{232, "MA"}
}

var (
	beginnings = []string{"AL", "BRI", "CAR", "DOR", "EL", "FEN", "GAL", "HAL", "ISK", "JOR", "KAL", "LUN",
		"MAR", "NOR", "OST", "PEL", "RAV", "SOL", "TAR", "ULV", "VIN", "WEST", "YR", "ZEL"}
	middles    = []string{"A", "ANDER", "EBOR", "ENGA", "IDA", "IMO", "OVE", "UNDA", "ERO", "ISTA", "OLMA", "AVI"}
	endings    = []string{"NA", "DAL", "VIK", "RIS", "SUND", "MERE", "LIND", "STER", "HOLM", "WYN", "TOR", "BELLA"}
	yachtWords = []string{"BLUE", "SECOND", "LAZY", "LITTLE", "MERRY", "GENTLE", "LUCKY", "SUNDAY", "NORTHERN", "SALTY"}
	yachtNouns = []string{"PUFFIN", "OTTER", "TEAPOT", "BREEZE", "WHIMBREL", "SEXTANT", "DAYDREAM", "CURLEW", "MARMALADE", "SPRAY", "LANTERN", "HERRING"}
	outward    = []string{"DEHAM", "NLRTM", "SEGOT", "PLGDY", "NOOSL", "GBIMM", "BEANR", "FIHEL", "LVRIX", "EETLL", "DKFRC", "NOBGO", "DEBRV", "FRLEH"}
)

// register makes identities. It gives no number and no name twice.
type register struct {
	rng   *rand.Rand
	taken map[string]bool
	local flag
	next  int
}

func newRegister(rng *rand.Rand, lon, lat float64) *register {
	return &register{rng: rng, taken: map[string]bool{}, local: localFlag(lon, lat)}
}

func pickOne[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// nextMMSI returns an MMSI of a flag.
func (r *register) nextMMSI(f flag) ais.MMSI {
	r.next++
	return ais.MMSI(f.mid*1000000 + 990000 - 17*r.next - r.rng.IntN(17))
}

// imo returns an IMO number. Its check digit is the last digit of the sum of the others times 7, 6, 5, 4, 3, 2.
func (r *register) imo() uint32 {
	n := uint32(190000 + r.next)
	sum, rest := uint32(0), n
	for weight := uint32(2); weight <= 7; weight++ {
		sum += rest % 10 * weight
		rest /= 10
	}
	return n*10 + sum%10
}

func (r *register) callSign(f flag) string {
	letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return fmt.Sprintf("%s%c%c%d", f.prefix, letters[r.rng.IntN(26)], letters[r.rng.IntN(26)], 2+r.rng.IntN(8))
}

// unique draws names until one is new.
func (r *register) unique(draw func() string) string {
	for try := 0; ; try++ {
		name := draw()
		if try > 40 {
			name = fmt.Sprintf("%s %d", name, try)
		}
		if !r.taken[name] {
			r.taken[name] = true
			return name
		}
	}
}

func (r *register) makeWord() string {
	w := pickOne(r.rng, beginnings)
	if r.rng.IntN(2) == 0 {
		w += pickOne(r.rng, middles)
	}
	return w + pickOne(r.rng, endings)
}

// makeIdentity returns an identity of a length and beam in metres.
func (r *register) makeIdentity(f flag, t ais.ShipType, length, beam int, name string) identity {
	bow := length * (15 + r.rng.IntN(70)) / 100
	port := beam * (40 + r.rng.IntN(20)) / 100
	return identity{
		mmsi: r.nextMMSI(f), imo: r.imo(), name: name, callSign: r.callSign(f), shipType: t,
		size: ais.Dimensions{Bow: uint16(bow), Stern: uint16(length - bow), Port: uint16(port), Starboard: uint16(beam - port)},
	}
}

// merchantShip draws a cargo ship, container ship, tanker or cruise ship.
func (r *register) merchantShip() identity {
	kind := r.rng.IntN(100)
	length := 80 + r.rng.IntN(110)
	t, owner := ais.ShipType(70), pickOne(r.rng, []string{"", " TRADER", " CARRIER", " SKY", "BORG"})
	switch {
	case kind < 25:
		t, owner, length = 71, pickOne(r.rng, []string{" EXPRESS", " BRIDGE", " FEEDER"}), 130+r.rng.IntN(200)
	case kind < 60:
		t, owner, length = ais.ShipType(80+r.rng.IntN(5)), pickOne(r.rng, []string{" SPIRIT", " CHEM", " GAS", " STREAM"}), 95+r.rng.IntN(150)
	case kind < 65:
		t, owner, length = 60, " PANORAMA", 180+r.rng.IntN(130)
	}
	name := r.unique(func() string { return fitName(r.makeWord()+owner, 20) })
	id := r.makeIdentity(pickOne(r.rng, merchantFlags), t, length, max(12, length/7), name)
	id.deep = ladenDraught(length)
	id.draught = ais.Decimetres(int(id.deep) * 6 / 10)
	return id
}

// ladenDraught returns the draught of a laden merchant ship of a length in metres.
func ladenDraught(length int) ais.Decimetres { return ais.Decimetres(min(160, 30+length*4/10)) }

func fitName(name string, most int) string {
	if len(name) > most {
		name = name[:most]
	}
	return name
}

// localCraft draws a small ship of the harbour.
func (r *register) localCraft(t ais.ShipType, length int, name string) identity {
	id := r.makeIdentity(r.local, t, length, max(3, length*3/10), r.unique(func() string { return fitName(name, 20) }))
	id.draught = ais.Decimetres(8 + length)
	id.deep = id.draught
	return id
}

// yacht draws a craft with a class B transponder.
func (r *register) yacht() identity {
	t := ais.ShipType(36)
	if r.rng.IntN(3) == 0 {
		t = 37
	}
	f := r.local
	if r.rng.IntN(3) == 0 {
		f = pickOne(r.rng, merchantFlags[:5])
	}
	length := 8 + r.rng.IntN(9)
	name := r.unique(func() string { return pickOne(r.rng, yachtWords) + " " + pickOne(r.rng, yachtNouns) })
	id := r.makeIdentity(f, t, length, 2+length/5, name)
	id.imo, id.classB = 0, true
	return id
}
