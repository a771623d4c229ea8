package access

import (
	"time"

	"quaywatch/form"
)

// MaxWarnBefore bounds period_before_expire, in days.
const MaxWarnBefore = 3650

// ParseExpiry reads an expiration_time; an empty text is never, the zero time.
func ParseExpiry(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return form.ParseTime(text)
}
