package notify

import (
	"strings"
	"testing"
	"unicode"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
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
