package format

// maxField bounds a name in a sentence of ours, so that the sentence stays below the 82 characters of IEC 61162-1.
const maxField = 32

const hexDigits = "0123456789ABCDEF"

// AppendField appends at most so many characters of text, for a field of a sentence or of a TAG block. What is not printable ASCII, or
// has a meaning there (IEC 61162-1: , * \ ! $ ^ ~), becomes an underscore.
func AppendField(b []byte, text string, most int) []byte {
	for _, c := range text {
		if most <= 0 {
			break
		}
		most--
		switch {
		case c < ' ' || c > '}', c == ',', c == '*', c == '\\', c == '!', c == '$', c == '^':
			b = append(b, '_')
		default:
			b = append(b, byte(c))
		}
	}
	return b
}

// cleanText is AppendField of the whole text.
func cleanText(text string) string { return string(AppendField(nil, text, len(text))) }
