package handlers

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"quaywatch/access"
)

// other takes the keys of the body that nobody knows: those that the record that is read has not, nor would be a secret by their name. It
// tells whether they change anything.
func (f *fields) other(record any, was access.Keys) (now access.Keys, changed bool) {
	known, written := append(keysOf(reflect.TypeOf(record)), "password", "current_password", "hash", "token"), access.Keys{}
	for key, raw := range f.raw {
		if !slices.Contains(known, key) {
			written[key] = raw
		}
	}
	now, err := access.TakeOther(was, written)
	if err != nil {
		f.refuse("", err.Error())
	}
	return now, !maps.EqualFunc(was, now, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// keysOf gives the keys that a record may have in JSON.
func keysOf(record reflect.Type) (keys []string) {
	if record.Kind() == reflect.Pointer {
		record = record.Elem()
	}
	for i := range record.NumField() {
		field := record.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			keys = append(keys, keysOf(field.Type)...)
		case name != "" && name != "-":
			keys = append(keys, name)
		}
	}
	return keys
}

// withOther writes a record in JSON with the keys that nobody knows.
func withOther(record any, other access.Keys) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil || len(other) == 0 {
		return body, err
	}
	all := access.Keys{}
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(other)) {
		if _, known := all[key]; known {
			continue
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		body = append(append(append(append(body[:len(body)-1], ','), name...), ':'), other[key]...)
		body = append(body, '}')
	}
	return body, nil
}

// MarshalJSON writes the user with the keys that nobody knows.
func (r userRecord) MarshalJSON() ([]byte, error) {
	type plain userRecord
	return withOther(plain(r), r.other)
}

// MarshalJSON writes the group with the keys that nobody knows.
func (r groupRecord) MarshalJSON() ([]byte, error) {
	type plain groupRecord
	return withOther(plain(r), r.other)
}

// MarshalJSON writes the thing with the keys that nobody knows.
func (r resourceRecord) MarshalJSON() ([]byte, error) {
	type plain resourceRecord
	return withOther(plain(r), r.other)
}
