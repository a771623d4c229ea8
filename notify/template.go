package notify

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sixbit"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/ship/watchdog"
)

// The bounds of an SMS: three parts of it.
const mostSMS = 459

// subjectLine begins a template that has a subject of its own.
const subjectLine = "Subject:"

// MailText fills the template of a mail, "" for the default of the event's kind. A first line "Subject: …" is the subject.
func MailText(template string, e *watchdogs.Event) (subject, text string) {
	title := "%severity%: %message%"
	if rest, own := strings.CutPrefix(strings.TrimLeft(template, "\r\n"), subjectLine); own {
		title, template, _ = strings.Cut(rest, "\n")
		template = strings.TrimLeft(template, "\r\n")
	}
	if strings.TrimSpace(template) == "" {
		template = usualMail(e)
	}
	return printableLine(fillTemplate(title, e), mostSubject), cleanLines(fillTemplate(template, e), mostText)
}

// SMSText fills the template of an SMS, "" for the default of the event's kind.
func SMSText(template string, e *watchdogs.Event) string {
	return printableLine(fillTemplate(cmp.Or(strings.TrimSpace(template), usualSMS(e)), e), mostSMS)
}

// deviceWords are the devices that call for people in distress, by their numbers.
var deviceWords = map[ais.Kind]string{ais.KindSART: "AIS-SART", ais.KindMOB: "man overboard", ais.KindEPIRB: "EPIRB"}

// usualSMS is the template of an SMS where a watchdog has none. That of people in distress says what sends the alarm, and where.
func usualSMS(e *watchdogs.Event) string {
	if e.Kind != watchdog.InDistress {
		return "%severity%: %message%, %time%"
	}
	text := "%severity%: %message%"
	if device, known := deviceWords[e.Ship.MMSI.Kind()]; known {
		text += " (" + device + ")"
	}
	if e.Fix != nil {
		text += ", %lat% %lon%"
	}
	return text + ", %time%"
}

// ShipText fills the template of a message to the ship, and returns what of it can go on air. Keywords may stand in capital letters.
func ShipText(template string, broadcast bool, e *watchdogs.Event) string {
	return sixbit.Fit(fillTemplate(strings.ToLower(template), e), broadcast)
}

// usualMail is the template of a mail where a watchdog has none: what happened, what belongs to events of its kind, and the ship.
func usualMail(e *watchdogs.Event) string {
	text := "%message%.\n\nTime: %time%\n"
	switch e.Kind {
	case watchdog.Moored, watchdog.Unmoored:
		text += "Port: %port%\nDestination: %destination%\nDraught: %draught% m\n"
	case watchdog.Cross:
		text += "Direction: %direction%\n"
	}
	if e.Fix != nil {
		text += "Position: %lat% %lon%, %sog% kn, %cog% degrees\n"
	}
	if e.Ship.MMSI == 0 { // the event is of no ship
		return text + "Watchdog: %watchdog% (%severity%, %event%)\n"
	}
	return text + "Ship: %name%, MMSI %mmsi%, IMO %imo%, call sign %callsign%, %type%\nWatchdog: %watchdog% (%severity%, %event%)\n"
}

// fillTemplate puts the values of an event in the place of its keywords. Keywords that it does not know stay.
func fillTemplate(template string, e *watchdogs.Event) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "%")
		if b.WriteString(before); !found {
			return b.String()
		}
		word, after, closed := strings.Cut(rest, "%")
		value, known := valueOf(word, e)
		switch {
		case !closed:
			b.WriteString("%" + rest)
			return b.String()
		case known:
			b.WriteString(value)
			template = after
		default:
			b.WriteString("%" + word)
			template = rest[len(word):] // its sign may open the next keyword
		}
		if b.Len() > mostText {
			return b.String()
		}
	}
}

// unknown stands for what nobody said.
const unknown = "-"

// valueOf returns the value of a keyword, false for a word that is none.
func valueOf(word string, e *watchdogs.Event) (string, bool) {
	t := &e.Ship
	said := func(text string) (string, bool) { return cmp.Or(printableLine(text, mostSubject), unknown), true }
	number := func(n float64, ok bool, digits int) (string, bool) {
		if !ok {
			return unknown, true
		}
		return strconv.FormatFloat(n, 'f', digits, 64), true
	}
	switch word {
	case "":
		return "%", true
	case "name":
		return said(t.Name)
	case "mmsi":
		if t.MMSI == 0 {
			return unknown, true // the event is of no ship
		}
		return fmt.Sprintf("%09d", t.MMSI), true
	case "imo":
		return number(float64(t.IMO), t.IMO != 0, 0)
	case "callsign":
		return said(t.CallSign)
	case "type":
		return said(ais.ShipType(t.TypeCode).String())
	case "time":
		return e.At().Format(time.RFC3339), true
	case "event":
		return said(string(e.Kind))
	case "watchdog":
		return said(e.Name)
	case "severity":
		return said(e.Severity)
	case "destination":
		return said(t.Destination)
	case "draught":
		return number(t.Draught, t.Draught != 0, 1)
	case "direction":
		return said(e.Direction)
	case "message":
		return said(e.Sentence())
	case "port":
		if e.Port == nil {
			return unknown, true
		}
		return said(e.Port.Name)
	case "lat", "lon", "sog", "cog":
		if e.Fix == nil {
			return unknown, true
		}
	default:
		return "", false
	}
	switch at := e.Fix.Point(); word {
	case "lat":
		return number(at.Lat, true, 5)
	case "lon":
		return number(at.Lon, true, 5)
	case "sog":
		tenths, ok := e.Fix.SOG.Tenths()
		return number(float64(tenths)/10, ok, 1)
	}
	tenths, ok := e.Fix.COG.Tenths()
	return number(float64(tenths)/10, ok, 0)
}

// cleanLines returns a text whose lines end in a line feed alone, without other characters that steer something.
func cleanLines(text string, most int) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	clean := strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && steers(c) {
			return -1
		}
		return c
	}, text)
	return form.Cut(clean, most)
}
