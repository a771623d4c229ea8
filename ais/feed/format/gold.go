package format

import (
	"math"
	"strconv"
	"time"

	"quaywatch/ais"
)

const (
	goldTracks = 99999 // numbers that tracks may have, from 1 on
	goldMost   = 50000 // ships remembered; with more numbers it starts anew
	goldLate   = 10    // minutes: what is older by more is no late report but a clock that was set back
)

// goldBook is what a stream of OTH-T GOLD contact reports remembers: the track number of each ship and the minute of its last report.
type goldBook struct {
	serial int
	tracks map[ais.MMSI]*goldTrack
	taken  map[int]bool
}

type goldTrack struct {
	number int
	minute int64
}

// appendReport appends a contact report for a message with a place, at most one for each ship and minute of the line's time. Coast stations and
// aids to navigation are no contacts.
func (g *goldBook) appendReport(b []byte, o *Outgoing) []byte {
	at := o.messageTime().UTC()
	if !o.HasFix || !o.Place.Valid() || o.Refused != "" || at.IsZero() || isFixed(o) {
		return b
	}
	track := g.track(o.Traits.MMSI)
	minute := at.Unix() / 60
	if minute <= track.minute && minute > track.minute-goldLate {
		return b
	}
	track.minute = minute
	g.serial = g.serial%999 + 1
	b = appendPadded(append(b, "MSGID/QUAYWATCH/GOLD/"...), g.serial, 3)
	b = append(appendMonth(append(b, '/'), at), lineEnd...)
	b = append(appendContact(b, o, track.number), lineEnd...)
	b = append(appendPosition(b, o, at), lineEnd...)
	return append(append(b, "ENDAT"...), lineEnd...)
}

// track returns the track of a ship. Its number follows from the MMSI, so it is the same in each connection. Where two ships would have the
// same number, the second gets the next free one.
func (g *goldBook) track(mmsi ais.MMSI) *goldTrack {
	if t := g.tracks[mmsi]; t != nil {
		return t
	}
	if g.tracks == nil || len(g.tracks) >= goldMost {
		g.tracks, g.taken = map[ais.MMSI]*goldTrack{}, map[int]bool{}
	}
	number := int(mmsi%goldTracks) + 1
	for g.taken[number] {
		number = number%goldTracks + 1
	}
	t := &goldTrack{number: number, minute: math.MinInt64 / 2}
	g.tracks[mmsi], g.taken[number] = t, true
	return t
}

// appendContact appends the identity of the ship. The fields between are unknown to AIS:
//
//	CTC/T12345/name////category///////////////AIS211234560/call sign
func appendContact(b []byte, o *Outgoing, number int) []byte {
	b = appendPadded(append(b, "CTC/T"...), number, 5)
	b = append(b, '/')
	from := len(b)
	b = appendGold(b, o.Name)
	if len(b) == from {
		b = strconv.AppendInt(append(b, "MMSI "...), int64(o.Traits.MMSI), 10)
	}
	b = append(append(b, "///"...), goldCategory(o)...)
	b = appendPadded(append(b, "////////////AIS"...), int(o.Traits.MMSI), 9)
	return trimGold(appendGold(append(b, '/'), o.CallSign))
}

// isFixed reports whether a message comes from a coast station or an aid to navigation. It judges by the type, and by the number where the type leaves it open.
func isFixed(o *Outgoing) bool {
	switch o.Traits.Type {
	case 4, 21:
		return true
	case 1, 2, 3, 9, 11, 18, 19:
		return false
	}
	kind := o.Traits.MMSI.Kind()
	return kind == ais.KindCoast || kind == ais.KindAtoN
}

// goldCategory returns the category of a contact by its MMSI and type.
func goldCategory(o *Outgoing) string {
	switch t := o.ShipType; {
	case o.Traits.Type == 9:
		return "AIR"
	case t == 30:
		return "FSH"
	case t == 35:
		return "NAV"
	case t >= 20 && t < 100 && t != 36 && t != 37:
		return "MER"
	}
	return "UNK"
}

// appendPosition appends place and time. Time, latitude and longitude end in the last digit of the sum of their digits:
//
//	POS/21183007Z2/NOV/540512N7/0121030E7/AIS////045.1T/12K
func appendPosition(b []byte, o *Outgoing, at time.Time) []byte {
	b = append(b, "POS/"...)
	from := len(b)
	b = at.AppendFormat(b, "02150405")
	b = appendDigitSum(append(b, 'Z'), from)
	b = append(appendMonth(append(b, '/'), at), '/')
	b = appendAngle(b, o.Place.Lat, 2, "NS")
	b = append(appendAngle(append(b, '/'), o.Place.Lon, 3, "EW"), "/AIS////"...)
	if cog, ok := o.COG.Tenths(); ok {
		b = append(appendPadded(b, cog/10, 3), '.', byte('0'+cog%10), 'T')
	}
	b = append(b, '/')
	if sog, ok := o.SOG.Tenths(); ok {
		b = append(strconv.AppendInt(b, int64(sog+5)/10, 10), 'K')
	}
	return trimGold(b)
}

// appendAngle appends degrees, minutes and seconds, the hemisphere and the sum of the digits.
func appendAngle(b []byte, degrees float64, digits int, hemispheres string) []byte {
	hemisphere := hemispheres[0]
	if degrees < 0 {
		degrees, hemisphere = -degrees, hemispheres[1]
	}
	total := int(math.Round(degrees * 3600))
	from := len(b)
	b = appendPadded(b, total/3600, digits)
	b = appendPadded(b, total/60%60, 2)
	b = appendPadded(b, total%60, 2)
	return appendDigitSum(append(b, hemisphere), from)
}

// appendDigitSum appends the last digit of the sum of the digits behind from.
func appendDigitSum(b []byte, from int) []byte {
	sum := byte(0)
	for _, c := range b[from:] {
		if c >= '0' && c <= '9' {
			sum = (sum + c - '0') % 10
		}
	}
	return append(b, '0'+sum)
}

// appendMonth appends "NOV".
func appendMonth(b []byte, at time.Time) []byte {
	return append(b, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"[3*(at.Month()-1):3*at.Month()]...)
}

// appendGold appends text of which only capitals, digits, blanks, dots and hyphens are left, in at most 20 characters.
func appendGold(b []byte, text string) []byte {
	from := len(b)
	for _, c := range text {
		if len(b)-from == 20 {
			break
		}
		switch {
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == ' ':
		default:
			c = ' '
		}
		if c != ' ' || len(b) > from {
			b = append(b, byte(c))
		}
	}
	for len(b) > from && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// trimGold drops empty fields at the end of a line.
func trimGold(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '/' {
		b = b[:len(b)-1]
	}
	return b
}
