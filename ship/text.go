package ship

import (
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/fold"
)

// folded returns text as it is compared: fold.Plain of it, without the '@' and blanks that pad it. It allocates only when there
// is something to change.
func folded(text string) string { return fold.Plain(trimmed(text)) }

// trimmed returns text without the blanks around it and the '@' that AIS pads with.
func trimmed(text string) string {
	end := len(text)
	for end > 0 && (text[end-1] == '@' || text[end-1] == ' ') {
		end--
	}
	return strings.TrimSpace(text[:end])
}

// ETAText returns an ETA that was heard at ref as the API says it, in UTC without a zone: "2026-11-21T18:30:00". It is the date alone where the crew typed no
// hour. It is "" when the ETA is not available.
func ETAText(e ais.ETA, ref time.Time) string {
	at, ok := e.At(ref)
	switch {
	case !ok:
		return ""
	case !e.HasHour():
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05")
}
