package ship

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quaywatch/internal/rule"
)

// tokenKind tells what a token of the filter language is.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenWord
	tokenString
	tokenSign // an operator, a bracket, a comma, "." or ".."
)

// token is one piece of a filter. The text of a word keeps its wildcards and escapes, as a pattern reads them.
type token struct {
	kind tokenKind
	text string
	at   int // byte offset
}

// is reports whether the token is that sign, or that keyword in whatever case.
func (t token) is(what string) bool {
	switch t.kind {
	case tokenSign:
		return t.text == what
	case tokenWord:
		return strings.EqualFold(t.text, what)
	}
	return false
}

// isValue reports whether the token may stand as a value.
func (t token) isValue() bool {
	return t.kind == tokenNumber || t.kind == tokenString || t.kind == tokenWord && !t.reserved()
}

// reserved reports whether the token is a keyword.
func (t token) reserved() bool {
	for _, keyword := range [...]string{"and", "or", "not", "in", "like", "is", "null", "within", "circle", "bbox", "shape"} {
		if t.is(keyword) {
			return true
		}
	}
	return false
}

// tokens cuts a filter into its tokens; the last is tokenEnd.
func tokens(text string) ([]token, *problem) {
	var list []token
	for at := 0; ; {
		for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
			at++
		}
		if at == len(text) {
			return append(list, token{kind: tokenEnd, at: at}), nil
		}
		t, bad := nextToken(text, at)
		if bad != nil {
			return nil, bad
		}
		list = append(list, t)
		at = t.endOffset(text)
	}
}

// joinedInFahrt makes one word of "in Fahrt", which is German for "under way" and begins with a keyword.
func joinedInFahrt(list []token, text string) []token {
	for i := 0; i+1 < len(list); i++ {
		if list[i].is("in") && list[i+1].kind == tokenWord && list[i+1].is("fahrt") {
			list[i].text = text[list[i].at:list[i+1].endOffset(text)]
			list = slices.Delete(list, i+1, i+2)
		}
	}
	return list
}

// endOffset returns the byte offset after the token.
func (t token) endOffset(text string) int {
	if t.kind != tokenString {
		return t.at + len(t.text)
	}
	return t.at + len(t.text) + 2
}

func nextToken(text string, at int) (token, *problem) {
	switch c := text[at]; {
	case c == '"' || c == '\'':
		return quoted(text, at)
	case c == '-' && at+1 < len(text) && text[at+1] >= '0' && text[at+1] <= '9':
		return token{tokenNumber, text[at:numberEnd(text, at+1)], at}, nil
	case wordRune(text[at:]) > 0 && c != '-' && c != '/':
		return wordOrNumber(text, at), nil
	}
	for _, sign := range [...]string{"&&", "||", "!=", "!~", "<=", ">=", "..", "=", "<", ">", "~", "!", "&", "|", "(", ")", ",", "."} {
		if strings.HasPrefix(text[at:], sign) {
			return token{tokenSign, sign, at}, nil
		}
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	return token{}, &problem{at, rule.New("unexpected_character", "unexpected character {character}", "character", quoteRune(r))}
}

func quoteRune(r rune) string {
	if !unicode.IsPrint(r) {
		return "that cannot be printed"
	}
	return "'" + string(r) + "'"
}

// wordRune returns the length of the first character when it may stand in a word, else 0.
func wordRune(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size <= 1 {
		return 0
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_*?-/+#%", r) {
		return size
	}
	return 0
}

// wordOrNumber takes the longest run: "219*" is a single word, and so are "O'HARA" and "A.P."; "10.5" is a number. Of "2..8" the number is 2.
func wordOrNumber(text string, at int) token {
	end, digits := at, true
	for end < len(text) {
		n := wordRune(text[end:])
		if n == 0 && !digits && signInName(text[at:end], text[end:]) {
			n = 1
		}
		if n == 0 {
			break
		}
		digits = digits && text[end] >= '0' && text[end] <= '9'
		end += n
	}
	if digits {
		return token{tokenNumber, text[at:numberEnd(text, at)], at}
	}
	return token{tokenWord, text[at:end], at}
}

// signInName reports whether the sign at the beginning of rest belongs to the word before it. Such are the apostrophe of "O'HARA", the points of "NO.1" and
// "ST. JOHN". The point of "t.sog" and that of "a..b" do not.
func signInName(word, rest string) bool {
	switch next := rest[1:]; rest[0] {
	case '\'':
		return wordRune(next) > 0 && !(token{kind: tokenWord, text: word}).reserved()
	case '.':
		if wordRune(next) > 0 {
			return !strings.EqualFold(word, "t") && !strings.EqualFold(word, "m")
		}
		const abbreviation = 3
		return !strings.HasPrefix(next, ".") && len(word)-strings.LastIndexByte(word, '.')-1 <= abbreviation
	}
	return false
}

// numberEnd returns the offset after the digits at at and their fraction.
func numberEnd(text string, at int) int {
	end := digitsEnd(text, at)
	if end+1 < len(text) && text[end] == '.' && digitsEnd(text, end+1) > end+1 {
		return digitsEnd(text, end+1)
	}
	return end
}

func digitsEnd(text string, at int) int {
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	return at
}

// quoted takes a string; a backslash makes the next character plain.
func quoted(text string, at int) (token, *problem) {
	for end := at + 1; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case text[at]:
			return token{tokenString, text[at+1 : end], at}, nil
		}
	}
	return token{}, &problem{at, rule.New("open_string", "the string is not closed")}
}
