package wms

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// formatText writes a text in the language of the reader; format is the English one. What has no German stays English.
func (k *sketch) formatText(format string, values ...any) string {
	if k.german {
		if words, ok := german()[format]; ok {
			format = words
		}
	}
	if len(values) == 0 {
		return format
	}
	for i, v := range values {
		if n, whole := v.(int); whole {
			values[i] = counted{n, k.german}
		}
	}
	return fmt.Sprintf(format, values...)
}

// counted is a whole number that is written with a sign between thousands.
type counted struct {
	n      int
	german bool
}

// Format writes the number in the language of the reader, for any verb.
func (c counted) Format(to fmt.State, _ rune) {
	digits, sign := strconv.Itoa(c.n), ","
	if c.german {
		sign = "."
	}
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + sign + digits[i:]
	}
	_, _ = io.WriteString(to, digits)
}

// tenthsText writes a number with one decimal.
func (k *sketch) tenthsText(v float64) string {
	text := fmt.Sprintf("%.1f", v)
	if k.german {
		text = strings.ReplaceAll(text, ".", ",")
	}
	return text
}

// german has the words of pictures and legends by the English ones.
func german() map[string]string {
	return map[string]string{
		"1 to 7 kn":      "1 bis 7 kn",
		"14 kn and more": "14 kn und mehr",
		"7 to 14 kn":     "7 bis 14 kn",
		"%d kn and more": "%d kn und mehr",
		"%d to %d kn":    "%d bis %d kn",
		"%d trips":       "%d Reisen",
		"one trip":       "eine Reise",
		"More than %d ships: not all of them are drawn.": "Mehr als %d Schiffe: nicht alle sind gezeichnet.",
		"Changes":                                       "Änderungen",
		"Near misses by ship domain":                    "Nahbegegnungen nach Schiffsdomäne",
		"Near misses within %.0f m":                     "Nahbegegnungen bis %.0f m",
		"Outings of pilot boats: %d":                    "Fahrten der Lotsenboote: %d",
		"Passages of all lines":                         "Fahrten über alle Linien",
		"Passages, most in a piece: %d":                 "Fahrten über die Linie, meiste an einem Stück: %d",
		"Pilots in transit":                             "Lotsung im Transit",
		"Port calls: %d":                                "Hafenanläufe: %d",
		"Ships within %.0f m":                           "Schiffe bis %.0f m",
		"Speed over %s h":                               "Geschwindigkeit in %s h",
		"Tracks of %d ships":                            "Spuren von %d Schiffen",
		"Too many positions: not all tracks are drawn.": "Zu viele Positionen: nicht alle Spuren sind gezeichnet.",
		"Trips":                        "Reisen",
		"Visits to the area":           "Besuche der Fläche",
		"Hours per km² and month":      "Stunden je km² und Monat",
		"0.1 to 1":                     "0,1 bis 1",
		"1 to 10":                      "1 bis 10",
		"10 to 100":                    "10 bis 100",
		"100 to 1000":                  "100 bis 1000",
		"1000 and more":                "1000 und mehr",
		"all cells: %s h":              "alle Zellen: %s h",
		"below 0.1":                    "unter 0,1",
		"below 1 kn":                   "unter 1 kn",
		"below a quarter of that":      "weniger als ein Viertel davon",
		"between both":                 "zwischen beiden",
		"boarded":                      "an Bord gebracht",
		"calls · mean time in port":    "Anläufe · Mittel im Hafen",
		"came in":                      "kamen herein",
		"course":                       "Kurs",
		"course of the one":            "Kurs des einen",
		"course of the other":          "Kurs des anderen",
		"disembarked":                  "abgeholt",
		"farther":                      "weiter",
		"first":                        "erste",
		"first to last: %d":            "von der ersten zur letzten: %d",
		"got again":                    "wieder gehört",
		"last to first: %d":            "von der letzten zur ersten: %d",
		"left":                         "fuhren hinaus",
		"left to right: %d":            "von links nach rechts: %d",
		"lost":                         "Signal verloren",
		"mean waiting at anchor: %s h": "Mittel der Wartezeit vor Anker: %s h",
		"most at a port":               "meiste in einem Hafen",
		"other source":                 "anders gehört",
		"outing":                       "Fahrt",
		"right to left: %d":            "von rechts nach links: %d",
		"second":                       "zweite",
		"to the border":                "bis zum Rand",
		"speed not told":               "Geschwindigkeit unbekannt",
		"static data":                  "Schiffsdaten",
		"the area":                     "die Fläche",
		"to a third":                   "bis zu einem Drittel",
		"to two thirds":                "bis zu zwei Dritteln",
		"voyage data":                  "Reisedaten",
		"waited %s h":                  "Wartezeit %s h",
		"was inside":                   "waren schon drinnen",
	}
}
