package store

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestStrangersKeepTheirFirstFixes: of a thousand ships that appear at once, none loses a fix from before its third report.
func TestStrangersKeepTheirFirstFixes(t *testing.T) {
	table := strangers{make([]stranger, strangerSlots)}
	const ships = 1000
	for round := range confirmedReports - 1 {
		for i := range ships {
			m := ais.MMSI(219000000 + 7919*i)
			table.remember(&ship.Update{Now: ship.State{MMSI: m}, Change: ship.ChangedFix, Fix: ship.Fix{At: int64(1000*round + i + 1)}}, 0)
		}
	}
	for i := range ships {
		if fixes := table.recall(ais.MMSI(219000000 + 7919*i)); len(fixes) != confirmedReports-1 {
			t.Fatalf("ship %d: %d fixes are remembered", i, len(fixes))
		}
	}
}

// TestStrangersGiveWay: in a flood of inventions the newest are remembered, and the table does not grow.
func TestStrangersGiveWay(t *testing.T) {
	table := strangers{make([]stranger, strangerSlots)}
	for i := range 100 * strangerSlots {
		u := ship.Update{Now: ship.State{MMSI: ais.MMSI(1 + i)}, Change: ship.ChangedFix, Fix: ship.Fix{At: int64(i + 1)}}
		table.remember(&u, 0)
	}
	if len(table.slots) != strangerSlots {
		t.Errorf("%d slots", len(table.slots))
	}
	last := ais.MMSI(100 * strangerSlots)
	if fixes := table.recall(last); len(fixes) != 1 || fixes[0].At != int64(last) {
		t.Errorf("the newest stranger: %v", fixes)
	}
}
