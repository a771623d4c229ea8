package form

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPlainJSON(t *testing.T) {
	for body, want := range map[string]string{
		"\xef\xbb\xbf{\"a\":1}":     `{"a":1}`,
		`{"mmsi":219001262.0}`:      `{"mmsi":219001262}`,
		`[-5.000, 1.50, 1.0e1,0.0]`: `[-5,1.50,1.0e1,0]`,
		`{"1.0":"2.0 \" 3.0"}`:      `{"1.0":"2.0 \" 3.0"}`,
		`["\ud83d\udea2","é\\u"]`:   `["\ud83d\udea2","é\\u"]`,
		`["\\ud800"]`:               `["\\ud800"]`,
	} {
		text := []byte(body)
		if why := Plain(text); why != nil {
			t.Errorf("%s: %v", body, why)
		}
		var got json.RawMessage
		if err := json.Unmarshal(text, &got); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if compact, err := json.Marshal(got); err != nil || string(compact) != want {
			t.Errorf("%s: %s, want %s", body, compact, want)
		}
	}
	for body, word := range map[string]string{
		"{\"name\":\"Hafen \xfc\"}": "no_utf8", `{"name":"\ud800"}`: "half_character", `{"name":"\udea2\ud83d"}`: "half_character",
		`{"name":"\ud83d x"}`: "half_character", `["\ud83d\u0041"]`: "half_character", "\xff": "no_utf8", `["\ud83d`: "half_character",
	} {
		if why := Plain([]byte(body)); why == nil || why.Word != word {
			t.Errorf("%q: %v, want %s", body, why, word)
		}
	}
}

// A text that JSON can hold means the same before and after.
func TestPlainKeepsWhatItMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := map[string]any{}
		for _, key := range rapid.SliceOf(rapid.String()).Draw(t, "keys") {
			was[key] = rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return s }),
				rapid.Map(rapid.Float64Range(-1e6, 1e6), func(f float64) any { return f })).Draw(t, "value")
		}
		body, err := json.Marshal(was)
		if err != nil {
			t.Fatal(err)
		}
		before := string(body)
		if why := Plain(body); why != nil {
			t.Fatalf("%s: %v", before, why)
		}
		var first, now any
		if json.Unmarshal([]byte(before), &first) != nil || json.Unmarshal(body, &now) != nil || !Same(first, now) {
			t.Fatalf("%s: %s", before, body)
		}
	})
}

func TestTimesAsProgramsWriteThem(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 43, 5, 0, time.UTC)
	midnight := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-11-20T09:43:05Z": at, "2026-11-20t09:43:05z": at, "2026-11-20T11:43:05+0200": at, "2026-11-20T11:43:05+02": at,
		"2026-11-20 11:43:05+02:00": at, "2026-11-20 09:43:05Z": at, "2026-11-20T11:43:05.250+0200": at.Add(time.Second / 4),
		"2026-11-20T11:43+0200": at.Truncate(time.Minute), "2026-11-20T09:43": at.Truncate(time.Minute),
		"2026-11-20T24:00:00": midnight, "2026-11-20T24:00:00Z": midnight, "2026-11-20 24:00": midnight, "2026-11-20T24:00:00.000Z": midnight,
		"2026-11-20T24:00:00+0200": midnight.Add(-2 * time.Hour), "2026-11-21": midnight,
	} {
		if got, err := ParseTime(text); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"2026-11-20T24:00:01Z", "2026-11-20T24:01:00Z", "2026-11-20T25:00:00Z", "2026-11-20T09:43:05+2", "20T24:00:00", "t", ""} {
		if got, err := ParseTime(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
