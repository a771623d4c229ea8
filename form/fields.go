package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// Bounds of a body. They are checked before anything is read from it.
const (
	maxDepth    = 64
	maxElements = 100_000 // of one array or object
)

// Keys are the members of a JSON object, by name, as they came.
type Keys map[string]json.RawMessage

// Without returns the keys without one of them: a copy where it is there.
func (k Keys) Without(key string) Keys {
	if _, there := k[key]; !there {
		return k
	}
	now := maps.Clone(k)
	delete(now, key)
	return now
}

// Fields are the members of a JSON object in a body. Each getter notes what is wrong with its field, so that a caller hears of all
// mistakes at once. Null and a missing field are the same.
type Fields struct {
	at   string // pointer of the object
	keys Keys
	read map[string]bool // fields that were read
	body *whole
}

// whole is what all fields of a body share.
type whole struct {
	errs Errors
	over func() bool // nobody waits for the answer any more; nil is never
}

// Of returns the fields of an object that is read already.
func Of(keys Keys) *Fields { return &Fields{keys: keys, read: map[string]bool{}, body: &whole{}} }

// Until gives the fields a function that says when the caller has gone: then long lists are not read to their end.
func (f *Fields) Until(over func() bool) { f.body.over = over }

// Read reads a body as one JSON object, and may write into it (Plain). It fails with Errors.
func Read(body []byte) (*Fields, error) {
	f := Of(nil)
	if why := tooLarge(body); why != nil {
		f.Refuse("", why)
		return nil, f.Err()
	}
	if why := Plain(body); why != nil {
		f.Refuse("", why)
		return nil, f.Err()
	}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(body, &f.keys); {
	case errors.As(err, &syntax):
		f.Refuse("", rule.New("no_json", "must be a JSON object: {error} at byte {offset}", "error", syntax.Error(), "offset", syntax.Offset))
	case err != nil || f.keys == nil:
		f.Refuse("", rule.New("no_object", "must be a JSON object"))
	}
	return f, f.Err()
}

// ReadKeeping is Read of a body of which the values of some keys stay as they came (Raw). There numbers stay as they were written, and half characters stay
// too. It writes nothing into the body.
func ReadKeeping(body []byte, keeps func(key string) bool) (*Fields, error) {
	f := Of(nil)
	if why := tooLarge(body); why != nil {
		f.Refuse("", why)
		return nil, f.Err()
	}
	body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	if at := badUTF8(body); at >= 0 {
		f.Refuse("", rule.New("no_utf8", "must be UTF-8, and is not at byte {offset}", "offset", at))
		return nil, f.Err()
	}
	var keys Keys
	if json.Unmarshal(body, &keys) != nil || keys == nil {
		return Read(bytes.Clone(body)) // which says what is wrong
	}
	for name, value := range keys {
		if keeps(name) {
			continue
		}
		if why := Plain(value); why != nil {
			f.Refuse(Token(name), why)
		}
	}
	f.keys = keys
	return f, f.Err()
}

// ReadAny is ReadKeeping of a body that may be any JSON. All its values stay as they came, and what is no object has no fields.
func ReadAny(body []byte) (*Fields, error) {
	f, err := ReadKeeping(body, func(string) bool { return true })
	if err == nil || tooLarge(body) != nil || badUTF8(body) >= 0 || !json.Valid(bytes.TrimPrefix(body, []byte(byteOrderMark))) {
		return f, err
	}
	return Of(nil), nil
}

// tooLarge counts brackets and commas outside of strings. It returns the bound that a body breaks, nil for none.
func tooLarge(body []byte) *rule.Rule {
	depth, inText := 0, false
	var commas [maxDepth + 1]int // by depth
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return rule.New("too_deep", "the body is nested deeper than {max}", "max", maxDepth)
			}
			commas[depth] = 0
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		case c == ',':
			if commas[depth]++; commas[depth] >= maxElements {
				return rule.New("too_many_elements", "a list or object of the body has more than {max} elements", "max", maxElements)
			}
		}
	}
	return nil
}

// At returns an element of the fields as the field of that key, with the pointer of it.
func (f *Fields) At(key string, raw json.RawMessage) *Fields {
	return &Fields{at: f.at, keys: Keys{key: raw}, read: map[string]bool{}, body: f.body}
}

// Err returns what was wrong with the fields that were read, as Errors; nil if nothing was.
func (f *Fields) Err() error {
	if len(f.body.errs) == 0 {
		return nil
	}
	return f.body.errs
}

// Refuse notes the rule that a field breaks, as one of the first MaxErrors. The key may go on into its value, as "groups/0", and is empty
// for the object as a whole.
func (f *Fields) Refuse(key string, why *rule.Rule) { f.body.errs.addError(Error{f.pointer(key), why}) }

// Full reports whether no further error of the body is told, so that a reader may stop.
func (f *Fields) Full() bool { return f.body.errs.Full() }

// Pointer returns the JSON pointer of a field.
func (f *Fields) Pointer(key string) string { return f.pointer(key) }

func (f *Fields) pointer(key string) string {
	if key == "" {
		return f.at
	}
	return f.at + "/" + key
}

// Check notes the rule of an error of a field, where there is one.
func (f *Fields) Check(key string, err error) {
	if err != nil {
		f.Refuse(key, rule.Of(err))
	}
}

// Broken notes the rules that a thing breaks that was made of the fields, but for those of fields that could not even be read.
func (f *Fields) Broken(wrong Errors) {
	for _, w := range wrong {
		f.body.errs.add(Error{f.at + w.Pointer, w.Rule})
	}
}

// Given reports whether the field has a value.
func (f *Fields) Given(key string) bool {
	return f.Said(key) && !bytes.Equal(bytes.TrimSpace(f.keys[key]), []byte("null"))
}

// Said reports whether the field is there, null included.
func (f *Fields) Said(key string) bool {
	f.read[key] = true
	_, said := f.keys[key]
	return said
}

// Unread returns the names of the fields that no code read, sorted.
func (f *Fields) Unread() []string {
	return slices.DeleteFunc(f.Names(), func(key string) bool { return f.read[key] })
}

// Set puts other fields in the place of these.
func (f *Fields) Set(keys Keys) { f.keys = keys }

// Take returns what was wrong with the fields so far, and forgets it.
func (f *Fields) Take() Errors {
	wrong := f.body.errs
	f.body.errs = nil
	return wrong
}

// Require refuses what is not given of the fields.
func (f *Fields) Require(keys ...string) {
	for _, key := range keys {
		if !f.Given(key) {
			f.Refuse(key, rule.New("required", "is required"))
		}
	}
}

// Raw returns a field as it came.
func (f *Fields) Raw(key string) json.RawMessage { return f.keys[key] }

// Names returns the names of all fields, sorted.
func (f *Fields) Names() []string { return slices.Sorted(maps.Keys(f.keys)) }

// Drop forgets a field.
func (f *Fields) Drop(key string) { delete(f.keys, key) }

// Into reads a field into a value of its own type. If the field is missing, the value stays as it is. It reports whether there is nothing wrong with it. The
// rule is the error of a field that does not fit.
func (f *Fields) Into(key string, value any, fits *rule.Rule) bool {
	if f.Given(key) && json.Unmarshal(f.keys[key], value) != nil {
		f.Refuse(key, fits)
		return false
	}
	return true
}

// Integer returns a whole number from 0 to most, otherwise when it is not given.
func (f *Fields) Integer(key string, otherwise, most int64) int64 {
	return f.Within(key, otherwise, 0, most)
}

// Within returns a whole number from least to most, otherwise when it is not given, and 0 for another one, which is refused.
func (f *Fields) Within(key string, otherwise, least, most int64) int64 {
	if !f.Given(key) {
		return otherwise
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(f.keys[key])), 10, 64)
	if err != nil {
		f.Refuse(key, rule.New("integer", "must be an integer"))
		return 0
	}
	if n < least || n > most {
		f.Refuse(key, rule.New("range", "must be from {min} to {max}", "min", least, "max", most))
		return 0
	}
	return n
}

// Number returns a number that is not negative; 0 when it is not given.
func (f *Fields) Number(key string) (n float64) {
	f.Into(key, &n, rule.New("number", "must be a number"))
	if n < 0 {
		f.Refuse(key, rule.New("negative", "must not be negative"))
	}
	return n
}

// Text returns a string; "" when it is not given.
func (f *Fields) Text(key string) (text string) {
	f.Into(key, &text, rule.New("text", "must be a string"))
	return text
}

// TextOr returns a string of at most MaxText bytes, otherwise when it is not given.
func (f *Fields) TextOr(key, otherwise string) string {
	if !f.Given(key) {
		return otherwise
	}
	text := f.Text(key)
	f.Check(key, CheckText(text))
	return text
}

// TidyOr returns what a hand wrote in one line, as a name, without blanks at its ends. It returns the other value when it is not given.
func (f *Fields) TidyOr(key, otherwise string) string { return Tidy(f.TextOr(key, otherwise)) }

// Boolean returns a truth value, otherwise when it is not given.
func (f *Fields) Boolean(key string, otherwise bool) bool {
	v := otherwise
	f.Into(key, &v, rule.New("boolean", "must be true or false"))
	return v
}

// Time returns a time, otherwise when it is not given.
func (f *Fields) Time(key string, otherwise time.Time) time.Time {
	text := f.Text(key)
	if text == "" {
		return otherwise
	}
	t, err := ParseTime(text)
	if err != nil {
		f.Check(key, err)
		return otherwise
	}
	return t
}

// Duration returns a duration above zero, otherwise when it is not given.
func (f *Fields) Duration(key string, otherwise time.Duration) time.Duration {
	text := f.Text(key)
	if text == "" {
		return otherwise
	}
	d, err := ParseDuration(text)
	if err == nil && d <= 0 {
		err = rule.New("no_duration", "must be longer than nothing")
	}
	if err != nil {
		f.Check(key, err)
		return otherwise
	}
	return d
}

// List returns the elements of an array.
func (f *Fields) List(key string) (list []json.RawMessage) {
	f.Into(key, &list, rule.New("array", "must be an array"))
	return list
}

// Object returns the members of an object.
func (f *Fields) Object(key string) (keys Keys) {
	f.Into(key, &keys, rule.New("object", "must be an object"))
	return keys
}

// Objects returns the fields of each object of the array that List gave, and an object without fields in the place of what is none. What is
// wrong with them is noted with what is wrong with the body.
func (f *Fields) Objects(key string, list []json.RawMessage) []*Fields {
	var all []*Fields
	for i, raw := range list {
		if f.body.over != nil && f.body.over() {
			f.Refuse(key, rule.New("caller_gone", "was not read to its end: the caller has gone"))
			return nil
		}
		fields := &Fields{at: fmt.Sprintf("%s/%d", f.pointer(key), i), read: map[string]bool{}, body: f.body}
		if json.Unmarshal(raw, &fields.keys) != nil || fields.keys == nil {
			fields.Refuse("", rule.New("object", "must be an object"))
		}
		all = append(all, fields)
	}
	return all
}

// Inner returns the fields of a member that is an object; none where it is no object. The rule is the error of that.
func (f *Fields) Inner(key string, fits *rule.Rule) *Fields {
	inner := &Fields{at: f.pointer(key), read: map[string]bool{}, body: f.body}
	f.Into(key, &inner.keys, fits)
	return inner
}

// Identity returns the ship that the fields describe; it needs one of those that identify a ship.
func (f *Fields) Identity() ship.Identity {
	before := len(f.body.errs)
	q := f.Described()
	if len(f.body.errs) == before && q.Empty() {
		f.Refuse("", rule.New("no_identity", "needs one of mmsi, imo, callsign and name"))
	}
	return q
}

// Described returns what the fields say of which ship is meant, nothing too.
func (f *Fields) Described() ship.Identity {
	q := ship.Identity{
		MMSI:     ais.MMSI(f.Integer("mmsi", 0, math.MaxInt64)),
		IMO:      uint32(f.Integer("imo", 0, math.MaxUint32)),
		Name:     f.TidyOr("name", ""),
		CallSign: f.TidyOr("callsign", ""),
		Draught:  f.Number("draught"),
	}
	f.Integer("dwt", 0, math.MaxInt64)
	f.Integer("gt", 0, math.MaxInt64)
	f.Number("displacement")
	return q
}
