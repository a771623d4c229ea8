package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ship"
)

// Limits of a request body.
const (
	maxBody      = 1 << 20
	maxShapeBody = 10 << 20
	maxDepth     = 64
)

// fields are the keys of a JSON object in a request. Each getter notes what is wrong with its key, so that a caller hears
// of all mistakes at once; unknown keys are nobody's, null and a missing key are the same.
type fields struct {
	raw  map[string]json.RawMessage
	errs []fieldError
}

// bind reads the body as one JSON object of at most most bytes.
func bind(w http.ResponseWriter, r *http.Request, most int64) (*fields, error) {
	if text := r.Header.Get("Content-Type"); text != "" {
		kind, _, err := mime.ParseMediaType(text)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, &problem{status: http.StatusUnsupportedMediaType, code: codeUnsupported, detail: "the body must be application/json"}
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: codeTooLarge, detail: fmt.Sprintf("the body may have at most %d bytes", most)}
	}
	if err != nil {
		return nil, badRequest("the body could not be read to its end")
	}
	if tooDeep(body) {
		return nil, badRequest(fmt.Sprintf("the body is nested deeper than %d", maxDepth))
	}
	f := &fields{}
	if err := json.Unmarshal(body, &f.raw); err != nil || f.raw == nil {
		return nil, badField("", "must be a JSON object"+syntaxPlace(err))
	}
	return f, nil
}

// syntaxPlace says where the JSON breaks off.
func syntaxPlace(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf(": %s at byte %d", syntax, syntax.Offset)
	}
	return ""
}

// tooDeep counts brackets outside of strings.
func tooDeep(body []byte) bool {
	depth, inText := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// err gives what was wrong with the fields that were asked for.
func (f *fields) err() error {
	if len(f.errs) == 0 {
		return nil
	}
	return badRequest(broken(f.errs[0].Pointer, f.errs[0].Detail), f.errs...)
}

func (f *fields) refuse(key, rule string) {
	f.errs = append(f.errs, fieldError{"/" + key, rule})
}

// given tells whether the key has a value.
func (f *fields) given(key string) bool {
	raw, ok := f.raw[key]
	return ok && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// integer gives a whole number from 0 to most; 0 when it is not given.
func (f *fields) integer(key string, most int64) int64 {
	if !f.given(key) {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(f.raw[key])), 10, 64)
	if err != nil {
		f.refuse(key, "must be an integer")
		return 0
	}
	if n < 0 || n > most {
		f.refuse(key, fmt.Sprintf("must be from 0 to %d", most))
		return 0
	}
	return n
}

// number gives a number that is not negative; 0 when it is not given.
func (f *fields) number(key string) float64 {
	if !f.given(key) {
		return 0
	}
	var n float64
	if json.Unmarshal(f.raw[key], &n) != nil {
		f.refuse(key, "must be a number")
	} else if n < 0 {
		f.refuse(key, "must not be negative")
	}
	return n
}

// text gives a string; "" when it is not given.
func (f *fields) text(key string) string {
	if !f.given(key) {
		return ""
	}
	var text string
	if json.Unmarshal(f.raw[key], &text) != nil {
		f.refuse(key, "must be a string")
	}
	return text
}

// time gives a time, otherwise when it is not given.
func (f *fields) time(key string, otherwise time.Time) time.Time {
	text := f.text(key)
	if text == "" {
		return otherwise
	}
	t, err := access.ParseTime(text)
	if err != nil {
		f.refuse(key, err.Error())
		return otherwise
	}
	return t
}

// duration gives a duration above zero, otherwise when it is not given.
func (f *fields) duration(key string, otherwise time.Duration) time.Duration {
	text := f.text(key)
	if text == "" {
		return otherwise
	}
	d, err := parseDuration(text)
	if err == nil && d <= 0 {
		err = errors.New("must be longer than nothing")
	}
	if err != nil {
		f.refuse(key, err.Error())
		return otherwise
	}
	return d
}

// identity gives the ship that the body describes; it needs one of the identifying fields.
func (f *fields) identity() ship.Identity {
	q := f.identityFields()
	if len(f.errs) == 0 && q.Empty() {
		f.errs = append(f.errs, fieldError{"", "needs one of mmsi, imo, callsign and name"})
	}
	return q
}

// identityFields gives what the body says of which ship is meant, nothing too.
func (f *fields) identityFields() ship.Identity {
	q := ship.Identity{
		MMSI:     ais.MMSI(f.integer("mmsi", math.MaxInt64)),
		IMO:      uint32(f.integer("imo", math.MaxUint32)),
		Name:     f.text("name"),
		CallSign: f.text("callsign"),
		Draught:  f.number("draught"),
	}
	f.integer("dwt", math.MaxInt64)
	f.integer("gt", math.MaxInt64)
	f.number("displacement")
	return q
}

// parseDuration reads HH:MM:SS with any number of hours, or an ISO 8601 duration of weeks, days, hours, minutes and
// seconds.
func parseDuration(text string) (time.Duration, error) {
	wrong := errors.New("must be a duration as 24:00:00 or P1D")
	if rest, ok := strings.CutPrefix(text, "P"); ok {
		d, ok := isoDuration(rest)
		if !ok {
			return 0, wrong
		}
		return d, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, wrong
	}
	var n [3]int
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 10, 20)
		if err != nil || len(part) < 2 || i > 0 && (v > 59 || len(part) != 2) {
			return 0, wrong
		}
		n[i] = int(v)
	}
	return time.Duration(n[0])*time.Hour + time.Duration(n[1])*time.Minute + time.Duration(n[2])*time.Second, nil
}

// longestDuration bounds each part of a duration, so that their sum is one: a century.
const longestDuration = 100 * 365 * 24 * time.Hour

// isoDuration reads what follows the P. Years and months have no fixed length and are not taken.
func isoDuration(text string) (d time.Duration, ok bool) {
	date, clock, hasClock := strings.Cut(text, "T")
	if hasClock && clock == "" || text == "" {
		return 0, false
	}
	for _, part := range [...]struct {
		text  string
		units []isoUnit
	}{
		{date, []isoUnit{{'W', 7 * 24 * time.Hour}, {'D', 24 * time.Hour}}},
		{clock, []isoUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}},
	} {
		rest := part.text
		for _, u := range part.units {
			if value, after, found := strings.Cut(rest, string(u.letter)); found {
				n, err := strconv.ParseUint(value, 10, 20)
				if err != nil || time.Duration(n) > longestDuration/u.length {
					return 0, false
				}
				d, rest = d+time.Duration(n)*u.length, after
			}
		}
		if rest != "" {
			return 0, false
		}
	}
	return d, true
}

// queryTruth gives a query parameter that is true or false, otherwise when it is not given.
func queryTruth(g *gin.Context, key string, otherwise bool) (bool, error) {
	switch g.Query(key) {
	case "":
		return otherwise, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	const rule = "must be true or false"
	return false, badRequest(broken(key, rule), fieldError{key, rule})
}

type isoUnit struct {
	letter byte
	length time.Duration
}
