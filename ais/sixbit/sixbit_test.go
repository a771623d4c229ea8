package sixbit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("X", 157)
	for _, row := range []struct {
		text      string
		broadcast bool
		want, err string
	}{
		{" Keep clear of the tow ", false, "KEEP CLEAR OF THE TOW", ""},
		{"[\\]^_!\"#$%&'()*+,-./:;<=>?09AZ", true, "[\\]^_!\"#$%&'()*+,-./:;<=>?09AZ", ""},
		{"NÄHER @ HAVN", false, "", `has characters that AIS does not have, each with its place: 'Ä' (2), '@' (7)`},
		{"A\r\nB", false, "", `has characters that AIS does not have, each with its place: '\r' (2), '\n' (3)`},
		{"{~}|`", false, "", "has characters that AIS does not have, each with its place: '{' (1), '~' (2), '}' (3), '|' (4), '`' (5)"},
		{"ſı", false, "", `has characters that AIS does not have, each with its place: 'ſ' (1), 'ı' (2)`}, // their capitals are in ASCII
		{"A\xff", false, "", "has characters that AIS does not have, each with its place: '\ufffd' (2)"},
		{"  ", true, "", "must not be empty"},
		{long[1:], false, long[1:], ""},
		{long, false, "", "has 157 characters, and AIS carries 156"},
		{long + "XXXX", true, long + "XXXX", ""},
		{long + "XXXXX", true, "", "has 162 characters, and AIS carries 161"},
	} {
		got, err := Check(row.text, row.broadcast)
		if got != row.want || (err == nil) != (row.err == "") || err != nil && err.Error() != row.err {
			t.Errorf("%q: %q, %v", row.text, got, err)
		}
	}
}

// TestWhatFitsIsSent: what Fit gives of any text is empty, or a text that Check leaves as it is and that AIS can encode.
func TestWhatFitsIsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		broadcast := rapid.Bool().Draw(t, "broadcast")
		fitted := Fit(rapid.OneOf(rapid.String(), rapid.StringN(150, 300, -1), rapid.StringMatching(`[ -_a-z]{140,170}`)).Draw(t, "text"), broadcast)
		if fitted == "" {
			return
		}
		if again, err := Check(fitted, broadcast); again != fitted || err != nil {
			t.Fatalf("%q: %q, %v", fitted, again, err)
		}
		var m ais.Message = &ais.AddressedSafety{Header: ais.Header{Type: 12}, Text: fitted}
		if broadcast {
			m = &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: fitted}
		}
		if _, _, err := ais.Encode(m); err != nil {
			t.Fatalf("%q: %v", fitted, err)
		}
	})
}
