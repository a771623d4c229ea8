package ais

import "fmt"

// BaseStationReport is type 4, and as answer to an inquiry type 11 from a mobile station: the station's clock and place.
type BaseStationReport struct {
	Header
	Year, Month, Day, Hour, Minute, Second int // as received: year 0, month 0, day 0, hour 24, minute 60, second 60 are not available
	Accuracy                               bool
	Place                                  Place
	EPFD                                   uint8 // kind of position fixing device
	LongRange                              bool  // transmission control for message 27
	Spare                                  uint16
	RAIM                                   bool
	Radio                                  uint32
}

func (m *BaseStationReport) layout(c *codec) {
	c.types(4, 11)
	integer(c, "", 14, &m.Year)
	integer(c, "", 4, &m.Month)
	integer(c, "", 5, &m.Day)
	integer(c, "", 5, &m.Hour)
	integer(c, "", 6, &m.Minute)
	integer(c, "", 6, &m.Second)
	m.showTime(c)
	c.flag("accuracy", &m.Accuracy)
	c.place("", &m.Place, 1)
	c.epfd(&m.EPFD)
	c.flag("long_range", &m.LongRange)
	integer(c, "", 9, &m.Spare)
	c.flag("raim", &m.RAIM)
	integer(c, "radio", 19, &m.Radio)
}

// showTime shows the date and the time in one.
func (m *BaseStationReport) showTime(c *codec) {
	if c.direction != showing {
		return
	}
	if _, ok := m.Time(); ok || c.raw {
		c.json = fmt.Appendf(c.withKey("timestamp"), `"%04d-%02d-%02dT%02d:%02d:%02dZ"`, m.Year, m.Month, m.Day, m.Hour, m.Minute, m.Second)
	}
}

// DGNSSBroadcast is type 17: differential corrections.
type DGNSSBroadcast struct {
	Header
	Spare, Spare2 uint8
	Place         Place // on the air in 1/10 minute
	Bits          int
	Data          []byte
}

func (m *DGNSSBroadcast) layout(c *codec) {
	c.types(17)
	integer(c, "", 2, &m.Spare)
	c.place("", &m.Place, 1000)
	integer(c, "", 5, &m.Spare2)
	c.data(&m.Data, &m.Bits, 0)
}

// AidToNavigation is type 21.
type AidToNavigation struct {
	Header
	AidType     uint8 // 0..31
	Name        string
	Accuracy    bool
	Place       Place
	Dimensions  Dimensions
	EPFD        uint8
	Second      Second
	OffPosition bool
	Regional    uint8
	RAIM        bool
	Virtual     bool
	Assigned    bool
	Spare       bool
}

func (m *AidToNavigation) layout(c *codec) {
	c.types(21)
	code(c, "aid_type", "aid_type_text", 5, &m.AidType, AidTypeText)
	c.aidName(&m.Name)
	c.flag("accuracy", &m.Accuracy)
	c.place("", &m.Place, 1)
	c.dimensions(&m.Dimensions)
	c.epfd(&m.EPFD)
	c.second(&m.Second)
	c.seek(260)
	integer(c, "regional", 8, &m.Regional)
	c.seek(259)
	c.flag("off_position", &m.OffPosition)
	c.seek(268)
	c.flag("raim", &m.RAIM)
	c.flag("virtual_aid", &m.Virtual)
	c.flag("assigned", &m.Assigned)
	c.flag("", &m.Spare)
}

const (
	aidNameChars   = 20  // of the name in its place
	aidNameMore    = 14  // of the name at the end of the message
	aidNameMoreBit = 272 // where these begin
)

// aidName is the name in 20 characters and, only when those do not hold it, up to 14 more at the end of the message.
func (c *codec) aidName(name *string) {
	at := c.at
	switch chars := len(*name); {
	case c.direction == decoding:
		*name = c.bits.aidName(at)
	case c.direction == encoding && chars > aidNameChars+aidNameMore:
		c.keepError(fmt.Errorf("name %q: %d characters, at most %d fit", *name, chars, aidNameChars+aidNameMore))
	case c.direction == encoding && chars > aidNameChars:
		c.putText((*name)[:aidNameChars], aidNameChars)
		c.seek(aidNameMoreBit)
		c.putText((*name)[aidNameChars:], chars-aidNameChars)
		c.align()
	default:
		c.text("name", name, aidNameChars)
	}
	c.seek(at + 6*aidNameChars)
}

func (p *payload) aidName(at int) string {
	name, more := make([]byte, 0, aidNameChars+aidNameMore), p.textAt(aidNameMoreBit, min((p.bits-aidNameMoreBit)/6, aidNameMore))
	for i := range aidNameChars {
		v := byte(p.fieldAt(uint(at+6*i), 6))
		if v == 0 || more == "" {
			return p.textAt(at, aidNameChars)
		}
		name = append(name, textByte(v))
	}
	return string(append(name, more...))
}
