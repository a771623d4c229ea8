package form

import (
	"strings"
	"unicode"

	"github.com/google/uuid"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// MaxInteger is the largest integer that each program reads exactly from JSON (RFC 8259, section 6). It bounds the numbers of ships.
const MaxInteger = 1<<53 - 1

// MaxName bounds a name, in characters, and MaxText free text, in bytes.
const (
	MaxName = 64
	MaxText = 4000
)

// Tidy returns a name without blanks at its ends, and with one where there are many: they do not count in it.
func Tidy(name string) string { return strings.Join(strings.Fields(name), " ") }

// CutName returns a name that a stranger sent in the length that a name may have. That is its first 64 characters, the last of them an ellipsis where more was
// sent. So nothing that keeps or logs it takes more.
func CutName(name string) string { return Cut(name, MaxName) }

// Cut returns a text of at most so many characters as CutName does.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n := 0
	for at := range text {
		if n++; n > most {
			short := []rune(text[:at])
			return string(short[:most-1]) + "…"
		}
	}
	return text
}

// CheckTitle returns what is wrong with the name of a group, ship list, shape, filter, port or berth. It needs 1 to 64 visible
// characters; white space at its ends does not count, as Tidy drops it.
func CheckTitle(name string) error {
	name = strings.TrimSpace(name)
	if n := len([]rune(name)); fold.Name(name) == "" || n > MaxName {
		return rule.New("name_length", "needs {min} to {max} characters", "min", 1, "max", MaxName)
	}
	if uuid.Validate(name) == nil {
		return rule.New("uid_like", "looks like a uid")
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return rule.New("unprintable", "holds a character that does not print")
	}
	return nil
}

// CheckText returns what is wrong with free text.
func CheckText(text string) error {
	if len(text) > MaxText {
		return rule.New("too_long", "may have at most {max} bytes", "max", MaxText)
	}
	return nil
}

// CheckTexts returns what is wrong with free texts, each after its pointer.
func CheckTexts(pointersAndTexts ...string) (wrong Errors) {
	for i := 0; i < len(pointersAndTexts); i += 2 {
		if err := CheckText(pointersAndTexts[i+1]); err != nil {
			wrong = append(wrong, Error{pointersAndTexts[i], rule.Of(err)})
		}
	}
	return wrong
}

// Names is a set of names in their folded form.
type Names map[string]struct{}

// NamesOf returns the set of a list.
func NamesOf(list []string) Names {
	n := make(Names, len(list))
	for _, name := range list {
		n[fold.Name(name)] = struct{}{}
	}
	return n
}

// Has reports whether a name is in the set. It is called for every message, so it allocates only for a name that is too long or not
// ASCII.
func (n Names) Has(name string) bool {
	var room [96]byte
	_, ok := n[string(fold.AppendName(room[:0], name))]
	return ok
}

// HasAny reports whether one of a list is in the set.
func (n Names) HasAny(list []string) bool {
	for _, name := range list {
		if n.Has(name) {
			return true
		}
	}
	return false
}

// FoldsTo reports whether fold.Name(name) is folded. It rarely allocates: each word of a filter is compared with thousands of names.
func FoldsTo(name, folded string) bool {
	var room [96]byte
	return string(fold.AppendName(room[:0], name)) == folded
}

// RequiredText returns a string that must be given, and be more than the empty text.
func (f *Fields) RequiredText(key string) string {
	before := len(f.body.errs)
	text := f.Text(key)
	if text == "" && len(f.body.errs) == before {
		f.Refuse(key, rule.New("required", "is required"))
	}
	return text
}
