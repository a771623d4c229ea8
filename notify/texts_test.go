package notify

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// TestNoTextSteersWhatShowsIt: no name makes a page, terminal or mail do more than show a text, or turn the rest of it round.
func TestNoTextSteersWhatShowsIt(t *testing.T) {
	name := "A\r\n\x1b[31m\u0085B\u009bC\u202eD\u2066E\u2028F\u200fG\x7f\x00\u061cÆØ 港"
	e := watchdogs.Event{Name: name, Severity: "alert", Kind: watchdog.Enter, Ship: watchdogs.ShipOfEvent{MMSI: ais.MMSI(219018765), Name: name}}
	subject, text := MailText("Subject: %name%\r\n%watchdog%\n%message%\u202e\u0085\r\n", &e)
	for where, got := range map[string]string{"subject": subject, "text": text, "sms": SMSText("%name% %message%", &e), "error": printableLine(name, 100)} {
		for _, c := range got {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028') {
				t.Errorf("%s has %U: %q", where, c, got)
			}
		}
		if !strings.Contains(got, "ÆØ 港") {
			t.Errorf("%s lacks letters: %q", where, got)
		}
	}
}

// TestTheSMSOfDistressSaysWhere: without a template it says what sends the alarm, and where as far as that is known, in a single part.
func TestTheSMSOfDistressSaysWhere(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fix := &ship.Fix{At: at.UnixMilli(), Lon: 6217200, Lat: 33702600}
	for _, row := range []struct {
		of   watchdogs.ShipOfEvent
		fix  *ship.Fix
		want string
	}{
		{watchdogs.ShipOfEvent{MMSI: 974000001}, fix, "alert: 974000001 sends an alarm of people in distress (EPIRB), 56.17100 10.36200, 2026-11-20T12:00:00Z"},
		{watchdogs.ShipOfEvent{MMSI: 972000001}, nil, "alert: 972000001 sends an alarm of people in distress (man overboard), 2026-11-20T12:00:00Z"},
		{watchdogs.ShipOfEvent{MMSI: 219018765, Name: "NORDIC HANNE AND MORE"}, fix,
			"alert: NORDIC HANNE AND MORE sends an alarm of people in distress, 56.17100 10.36200, 2026-11-20T12:00:00Z"},
	} {
		e := watchdogs.Event{Name: "Distress", Severity: "alert", Kind: watchdog.InDistress, Time: at.UnixMilli(), Ship: row.of, Fix: row.fix}
		if got := SMSText("", &e); got != row.want || len(got) > 160 {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
