package portlist

import (
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	at := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	zone := time.FixedZone("CET", 3600)
	for _, tt := range []struct{ name, text, ship, wrong string }{
		{"CSV", "ship,port,berth,ata,atd\n219000001,DKAAR,Kaj 124,2026-11-22T14:00:00Z,\n", "219000001", ""},
		{"CSV with semicolons, local", "Name; ATA\nNORDIC HAV; 2026-11-22 15:00\n", "NORDIC HAV", ""},
		{"CSV with a mark of bytes", "\ufeffname,ata\nNORDIC HAV,2026-11-22 15:00:00+01:00\n", "NORDIC HAV", ""},
		{"a German date", "name,ata\nNORDIC HAV,22.11.2026 15:00\n", "NORDIC HAV", ""},
		{"a number goes before a name", "name,imo,mmsi,ata\nNORDIC HAV,IMO 9321483,,2026-11-22T14:00:00Z\n", "9321483", ""},
		{"other headings", "Vessel Name;Quay;Actual_Arrival;Departure\nNORDIC HAV;Kaj 124;2026-11-22 15:00;\n", "NORDIC HAV", ""},
		{"other keys", `[{"IMO No.":9074729,"Arrival":"2026-11-22T14:00:00Z"}]`, "9074729", ""},
		{"no column of ships", "Schiff;ATA\nNORDIC HAV;2026-11-22 15:00\n", "", "none of the columns mmsi, imo, imo number, imo no, ship,"},
		{"no column of times", "Ship;Ankunft\nNORDIC HAV;2026-11-22 15:00\n", "", "departed: it has Ship, Ankunft"},
		{"JSON", `[{"imo":9074729,"ata":"2026-11-22T15:00:00+01:00","draught_a":7.4}]`, "9074729", ""},
		{"truth", `{"time":"2026-11-22T14:00:00Z","kind":"berthing","mmsi":219000001,"port":"DKAAR","berth":"Quay 1","draught":7.4}`, "219000001", ""},
		{"no ship", "ship,ata\n,2026-11-22 14:00\n", "", "call 1 names no ship"},
		{"no time", "ship,ata\n219000001,\n", "", "neither ata nor atd"},
		{"no calls", "ship,ata\n", "", "no call"},
		{"a row too short", "ship,ata\n219000001\n", "", "wrong number of fields"},
		{"no time at all", "ship,ata\n219000001,noon\n", "", "line 2, ata"},
		{"too deep", `[{"imo":9074729,"ata":"2026-11-22T15:00:00Z","draught_a":300}]`, "", "call 1, draught_a"},
		{"no draught", "ship,ata,draught_d\n219000001,2026-11-22T14:00:00Z,NaN\n", "", "draught_d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := Read([]byte(tt.text), "DKCPH", zone)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("got %v, want %q", err, tt.wrong)
				}
				return
			}
			if err != nil || len(list) != 1 || list[0].Ship != tt.ship || list[0].Port == "" || !list[0].ATA.Equal(at) {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// TestTruthIsCutToCalls holds that a shift is no call, and that a ship that lay there at the beginning has a departure alone.
func TestTruthIsCutToCalls(t *testing.T) {
	line := func(at, kind, more string) string {
		return `{"time":"2026-11-22T` + at + `:00Z","kind":"` + kind + `","mmsi":219000001,"port":"DKAAR","draught":7` + more + "}\n"
	}
	list, err := Read([]byte(line("01:00", "departure", "")+line("02:00", "position", "")+line("05:00", "berthing", `,"berth":"A"`)+
		line("06:00", "departure", "")+line("07:00", "berthing", `,"berth":"B","shift":true`)+line("09:00", "departure", "")), "", time.UTC)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if first := list[0]; !first.ATA.IsZero() || first.ATD.Hour() != 1 {
		t.Errorf("%+v", first)
	}
	if second := list[1]; second.ATA.Hour() != 5 || second.ATD.Hour() != 9 || second.Berth != "B" {
		t.Errorf("%+v", second)
	}
}
