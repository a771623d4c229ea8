package ais

import (
	"fmt"
	"strconv"
)

// PersonsOnBoard is DAC 1, FI 16: how many persons a ship carries (SN.1/Circ.289); 8191 means 8191 or more.
type PersonsOnBoard struct {
	Persons Reading
}

func (p *PersonsOnBoard) layout(c *codec) {
	c.reading(&quantity{"persons", 13, false, 1, 8191, 0, 0, 1}, &p.Persons)
}

// Targets is DAC 1, FI 17, and FI 16 as it was broadcast before SN.1/Circ.289: ships that a VTS sees by other means than AIS.
type Targets struct {
	Targets []VTSTarget
}

// targetBits is the length of a target: 2+42+4+24+25+9+6+8. The page of gpsd gives 10 bits for the speed. That does not fit
// the messages of 2391100 and 2711009, which are multiples of 120 bits.
const targetBits = 120

func (t *Targets) layout(c *codec) {
	list(c, "targets", &t.Targets, targetBits, 8, (*VTSTarget).layout)
	c.short = c.short || len(t.Targets) == 0
}

// VTSTarget is a ship that a VTS sees.
type VTSTarget struct {
	IDType uint8 // 0 MMSI, 1 IMO number, 2 call sign, 3 other
	ID     string
	Place  Place // on the air in 1/1000 minute
	COG    COG   // whole degrees on the air
	Second Second
	SOG    SOG // whole knots on the air
}

func (t *VTSTarget) layout(c *codec) {
	integer(c, "idtype", 2, &t.IDType)
	t.identity(c)
	c.skip(4)
	c.mapPlace(&t.Place, true)
	if c.direction == showing {
		t.showMotion(c)
		return
	}
	c.cog(&t.COG, 10)
	c.second(&t.Second)
	c.sog(&t.SOG, 8, 10)
}

// identity is 42 bits: a number or seven characters.
func (t *VTSTarget) identity(c *codec) {
	switch {
	case t.IDType > 1 || c.direction == showing:
		c.fullText([...]string{"mmsi", "imo", "callsign", "other"}[t.IDType&3], &t.ID, 7)
	case t.IDType == 1:
		t.ID = strconv.FormatUint(c.readBits(42), 10)
	default:
		t.ID = fmt.Sprintf("%09d", c.readBits(42))
	}
}

// showMotion shows what is known, in whole degrees and knots.
func (t *VTSTarget) showMotion(c *codec) {
	if course, ok := t.COG.Tenths(); ok {
		c.showInt("course", course/10)
	}
	if second, ok := t.Second.Known(); ok {
		c.showInt("second", second)
	}
	if speed, ok := t.SOG.Tenths(); ok {
		c.showInt("speed", speed/10)
	}
}
