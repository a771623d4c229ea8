package fold

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestFormsAreThoseOfTheClient reads the forms that the client is held to as well (web/test/letters.test.mjs).
func TestFormsAreThoseOfTheClient(t *testing.T) {
	file, err := os.ReadFile("testdata/forms.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct{ Text, Fold, Plain string }
	if err := json.Unmarshal(file, &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, row := range rows {
		if got := Name(row.Text); got != row.Fold {
			t.Errorf("Fold(%q) is %q, want %q", row.Text, got, row.Fold)
		}
		if got := Plain(row.Text); got != row.Plain {
			t.Errorf("Plain(%q) is %q, want %q", row.Text, got, row.Plain)
		}
	}
}

func TestFoldOfWhatIsNoText(t *testing.T) {
	if got := Name("\xff"); got != "\xff" {
		t.Errorf("it is %q", got)
	}
	if got, want := Name(strings.Repeat("A ", 100)), strings.TrimSuffix(strings.Repeat("a ", 100), " "); got != want {
		t.Errorf("a long name is %q", got)
	}
}

// TestFormsAreFinal holds that a form is its own form, and that names that are the same are found the same. AppendName writes behind what
// there is.
func TestFormsAreFinal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 12, -1).Draw(t, "text")
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cherokee, r) }) {
			t.Skip("cases.Fold swaps the two cases of Cherokee")
		}
		folded, plain := Name(text), Plain(text)
		if again := Name(folded); again != folded {
			t.Errorf("Fold(%q) is %q, and of that %q", text, folded, again)
		}
		if again := Plain(plain); again != plain {
			t.Errorf("Plain(%q) is %q, and of that %q", text, plain, again)
		}
		if got := string(AppendName([]byte("x "), text)); got != "x "+folded {
			t.Errorf("appended %q: %q, want %q", text, got, "x "+folded)
		}
		if a, b := Plain(folded), Plain(Name(strings.ToUpper(text))); Name(strings.ToUpper(text)) == folded && a != b {
			t.Errorf("%q is plain %q, and in capitals %q", text, a, b)
		}
	})
}

// TestFoldOfASCIIAllocatesNothing matters because access asks for names with each message.
func TestFoldOfASCIIAllocatesNothing(t *testing.T) {
	var room [96]byte
	if n := testing.AllocsPerRun(100, func() { AppendName(room[:0], "North Pier") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
