package ais

import "quaywatch/internal/country"

// MMSI is a Maritime Mobile Service Identity: nine decimal digits on the air. It is 64 bits wide, because a ship without a
// transponder that was registered by hand gets a number of ten digits from 9900000001 on.
type MMSI int64

// Kind is the kind of station that the first digits of an MMSI mean (ITU-R M.585-9, annex 1).
type Kind uint8

// The kinds of MMSI.
const (
	KindUnknown    Kind = iota // none of the forms below
	KindShip                   // MIDxxxxxx
	KindCoast                  // 00MIDxxxx: coast and port stations
	KindGroup                  // 0MIDxxxxx: a group of ships
	KindSAR                    // 111MIDxxx: search and rescue aircraft
	KindAtoN                   // 99MIDxxxx: aid to navigation
	KindAuxiliary              // 98MIDxxxx: craft of a mother ship
	KindSART                   // 970xxxxxx: AIS search and rescue transmitter
	KindMOB                    // 972xxxxxx: man overboard device
	KindEPIRB                  // 974xxxxxx: emergency position indicating radio beacon
	KindHandheld               // 8MIDxxxxx: handheld radio
	KindRegistered             // more than nine digits: registered by hand, never on the air
)

// String returns the word of the trade for the kind.
func (k Kind) String() string {
	switch k {
	case KindShip:
		return "ship"
	case KindCoast:
		return "coast"
	case KindGroup:
		return "group"
	case KindSAR:
		return "sar"
	case KindAtoN:
		return "aton"
	case KindAuxiliary:
		return "auxiliary"
	case KindSART:
		return "sart"
	case KindMOB:
		return "mob"
	case KindEPIRB:
		return "epirb"
	case KindHandheld:
		return "handheld"
	case KindRegistered:
		return "registered"
	}
	return "unknown"
}

// Kind returns the kind of station that has the number.
func (m MMSI) Kind() Kind {
	kind, _ := m.kindAndMID()
	return kind
}

// IsDistress reports whether the number is that of a device that is thrown into the sea: AIS-SART, man overboard device or EPIRB.
func (m MMSI) IsDistress() bool {
	k := m.Kind()
	return k == KindSART || k == KindMOB || k == KindEPIRB
}

// Country returns the United Nations name and the ISO 3166-1 alpha-2 code of the country whose Maritime Identification
// Digits the number has. It is not ok for kinds that have none and for digits that nobody was given.
func (m MMSI) Country() (name, code string, ok bool) {
	_, mid := m.kindAndMID()
	if mid < 0 || mid >= len(countries) {
		return "", "", false
	}
	code = countries[mid]
	return country.Name(code), code, code != ""
}

// kindAndMID finds the kind and the Maritime Identification Digits, -1 where the kind has none.
func (m MMSI) kindAndMID() (Kind, int) {
	switch {
	case m > 999999999:
		return KindRegistered, -1
	case m < 1:
		return KindUnknown, -1
	case m < 10000000:
		return kindWithMID(KindCoast, m/10000)
	case m < 100000000:
		return kindWithMID(KindGroup, m/100000)
	}
	switch prefix := m / 1000000; {
	case prefix == 111:
		return kindWithMID(KindSAR, m/1000%1000)
	case prefix >= 200 && prefix < 800:
		return KindShip, int(prefix)
	case prefix >= 800 && prefix < 900:
		return kindWithMID(KindHandheld, m/100000%1000)
	case prefix == 970:
		return KindSART, -1
	case prefix == 972:
		return KindMOB, -1
	case prefix == 974:
		return KindEPIRB, -1
	case prefix >= 980 && prefix < 990:
		return kindWithMID(KindAuxiliary, m/10000%1000)
	case prefix >= 990:
		return kindWithMID(KindAtoN, m/10000%1000)
	}
	return KindUnknown, -1
}

// kindWithMID keeps the kind whatever the MID is: there are base stations and aids with an MID that no country has.
func kindWithMID(kind Kind, mid MMSI) (Kind, int) { return kind, int(mid) }
