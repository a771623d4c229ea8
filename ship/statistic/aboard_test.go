package statistic_test

import (
	"strings"
	"testing"
	"time"

	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// TestWhetherPilotsComeOrGo: a script of hours. t is a transfer, the ports that the ship left before it and came to after it stand behind, as t7<6>9.
func TestWhetherPilotsComeOrGo(t *testing.T) {
	hours := func(text string) time.Time {
		d, err := time.ParseDuration(text + "h")
		if err != nil {
			return time.Time{}
		}
		return nearDay().Add(d)
	}
	for _, row := range []struct{ transfers, want string }{
		{"7", "board"},
		{"7<6", "disembark"},
		{"7>8", "board"},
		{"7<6>9", "disembark"},
		{"7<4>8", "board"},
		{"7<6>8", "disembark"},
		{"36<2", "board"},
		{"2>36", "board"},
		{"7 9", "board disembark"},
		{"7 9 11", "board disembark board"},
		{"7<6 9<6", "disembark board"},
		{"7<6 9<6>10", "disembark board"},
		{"7 40", "board board"},
		{"7>9 20<19", "board disembark"},
		{"7>9 20<19>40 22<19>40", "board disembark board"},
		{"7<7", "disembark"},
		{"7 7.5<7", "board disembark"},
	} {
		var a statistic.Aboard
		var got []string
		for _, word := range strings.Fields(row.transfers) {
			word, next, _ := strings.Cut(word, ">")
			at, left, _ := strings.Cut(word, "<")
			moment := statistic.Moment{MMSI: served, Fix: ship.Fix{At: hours(at).UnixMilli()}}
			one := statistic.Transfer{Boat: statistic.Near{Moment: moment}, Ship: statistic.Near{Moment: moment}}
			got = append(got, a.Kind(&one, hours(left), hours(next)))
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %v, want %s", row.transfers, got, row.want)
		}
	}
}

// TestTwoBoatsBringOnePilot: a boat that comes before the first has left, or two minutes after it, does what that does. One that comes later does not.
func TestTwoBoatsBringOnePilot(t *testing.T) {
	for later, want := range map[time.Duration]string{4 * time.Minute: statistic.Board, 7 * time.Minute: statistic.Board, 7*time.Minute + 5*time.Second: statistic.Disembark} {
		var a statistic.Aboard
		var kind string
		for _, begin := range []time.Time{nearDay(), nearDay().Add(later)} {
			at := func(ms time.Duration) statistic.Near {
				return statistic.Near{Moment: statistic.Moment{MMSI: served, Fix: ship.Fix{At: begin.Add(ms).UnixMilli()}}}
			}
			kind = a.Kind(&statistic.Transfer{Boat: at(0), Ship: at(0), BoatEnd: at(5 * time.Minute), ShipEnd: at(5 * time.Minute)}, time.Time{}, time.Time{})
		}
		if kind != want {
			t.Errorf("%v later: %s, want %s", later, kind, want)
		}
	}
}
