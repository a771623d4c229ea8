package distress

import (
	"strings"

	"quaywatch/ais"
)

// saying is what a message says of distress.
type saying uint8

const (
	saysNothing saying = iota
	saysDistress
	saysTest
)

// sayingOf tells what a message of a number says of distress.
//
// By ITU-R M.1371-5, table 48, the navigational status 14 is an active AIS-SART, MOB or EPIRB. Status 15 is "undefined", which these devices send under test
// too. So 15 means a test from their numbers alone (970, 972 and 974: ITU-R M.585-9, annex 2; IMO SN.1/Circ.322). The texts of message 14 are "SART ACTIVE" and
// "SART TEST", and alike for MOB and EPIRB. Whatever else such a number sends with a place, or with a text, is an alarm. A person in need may have a device
// that does not keep to the rules.
func sayingOf(m ais.MMSI, message ais.Message) saying {
	switch t := message.(type) {
	case *ais.PositionReport:
		return sayingOfStatus(m, t.Status)
	case *ais.LongRangeReport:
		return sayingOfStatus(m, t.Status)
	case *ais.BroadcastSafety:
		return sayingOfText(m, t.Text)
	case *ais.AddressedSafety:
		return sayingOfText(m, t.Text)
	case *ais.ClassBReport, *ais.ExtendedClassBReport, *ais.SARAircraftReport, *ais.BaseStationReport, *ais.AidToNavigation:
		if m.IsDistress() {
			return saysDistress
		}
	}
	return saysNothing
}

func sayingOfStatus(m ais.MMSI, status ais.NavStatus) saying {
	switch {
	case status == ais.StatusSART:
		return saysDistress
	case !m.IsDistress():
		return saysNothing
	case status == ais.StatusUndefined:
		return saysTest
	}
	return saysDistress
}

func sayingOfText(m ais.MMSI, text string) saying {
	if !m.IsDistress() {
		return saysNothing
	}
	switch strings.Trim(text, " @") {
	case "SART TEST", "MOB TEST", "EPIRB TEST":
		return saysTest
	}
	return saysDistress
}
