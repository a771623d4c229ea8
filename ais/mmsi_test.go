package ais

import (
	"testing"

	"quaywatch/internal/country"
)

func TestMMSI(t *testing.T) {
	for _, row := range []struct {
		mmsi          MMSI
		kind          Kind
		country, code string
	}{
		{219000111, KindShip, "Denmark", "DK"},
		{211000001, KindShip, "Germany", "DE"},
		{232000001, KindShip, "United Kingdom of Great Britain and Northern Ireland", "GB"},
		{273000001, KindShip, "Russian Federation", "RU"},
		{366000001, KindShip, "United States of America", "US"},
		{471000001, KindShip, "United Arab Emirates", "AE"},
		{550000001, KindShip, "Timor-Leste", "TL"},
		{775000001, KindShip, "Venezuela (Bolivarian Republic of)", "VE"},
		{200000001, KindShip, "", ""},
		{799999999, KindShip, "", ""},
		{2190001, KindCoast, "Denmark", "DK"},
		{21900011, KindGroup, "Denmark", "DK"},
		{111219501, KindSAR, "Denmark", "DK"},
		{992190001, KindAtoN, "Denmark", "DK"},
		{982190011, KindAuxiliary, "Denmark", "DK"},
		{821900011, KindHandheld, "Denmark", "DK"},
		{970012345, KindSART, "", ""},
		{972012345, KindMOB, "", ""},
		{974012345, KindEPIRB, "", ""},
		{971012345, KindUnknown, "", ""},
		{100000001, KindUnknown, "", ""},
		{999999999, KindAtoN, "", ""},
		{0, KindUnknown, "", ""},
		{-1, KindUnknown, "", ""},
		{9900000001, KindRegistered, "", ""},
	} {
		name, code, ok := row.mmsi.Country()
		if row.mmsi.Kind() != row.kind || name != row.country || code != row.code || ok != (code != "") {
			t.Errorf("%d: %v %q %q %v, want %v %q %q", row.mmsi, row.mmsi.Kind(), name, code, ok, row.kind, row.country, row.code)
		}
	}
}

// TestMIDs: each number that was given out has the name of its country.
func TestMIDs(t *testing.T) {
	for mid, code := range countries {
		if code != "" && country.Name(code) == "" {
			t.Errorf("%d: %s has no name", mid, code)
		}
	}
}

func TestCodes(t *testing.T) {
	for code, want := range map[ShipType]string{
		0: "", 1: "Reserved", 20: "Wing in ground", 30: "Fishing", 36: "Sailing", 37: "Pleasure craft", 49: "High speed craft",
		50: "Pilot vessel", 52: "Tug", 59: "Ship not party to an armed conflict", 60: "Passenger", 70: "Cargo",
		71: "Cargo, hazardous category A", 84: "Tanker, hazardous category D", 89: "Tanker", 95: "Other", 100: "Reserved", 255: "Reserved",
	} {
		if got := code.String(); got != want {
			t.Errorf("ship type %d: %q, want %q", code, got, want)
		}
	}
	for code := range 256 { // none of them may be missing
		_ = NavStatus(code).String() + ShipType(code).String() + EPFDText(uint8(code)) + AidTypeText(uint8(code)) + StationTypeText(uint8(code))
	}
	if got := NavStatus(5).String(); got != "Moored" {
		t.Errorf("status 5: %q", got)
	}
	if got := Kind(200).String() + KindShip.String() + ErrorReason(99).String() + ErrorLength.String(); got != "unknownshipunknownlength" {
		t.Errorf("words %q", got)
	}
}
