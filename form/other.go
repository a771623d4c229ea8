package form

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"quaywatch/internal/rule"
)

// Limits for unknown keys that are stored.
const (
	mostOther      = 32
	mostOtherBytes = 8 << 10
)

// TakeOther returns the unknown keys to store: a written key replaces the old one, null removes it.
func TakeOther(was, written Keys) (Keys, error) {
	now, size := maps.Clone(was), 0
	if now == nil {
		now = Keys{}
	}
	for key, raw := range written {
		if string(raw) == "null" {
			delete(now, key)
			continue
		}
		now[key] = raw
	}
	for key, raw := range now {
		size += len(key) + len(raw)
	}
	if len(now) > mostOther || size > mostOtherBytes {
		return was, rule.New("too_many_other", "holds more keys that nobody knows than are kept: at most {max}, of {bytes} bytes together", "max",
			mostOther, "bytes", mostOtherBytes)
	}
	if len(now) == 0 {
		return nil, nil
	}
	return now, nil
}

// Other takes the unknown fields of a body over the ones that were stored. It reports whether they change anything.
func (f *Fields) Other(known []string, was Keys) (now Keys, changed bool) {
	written := maps.Clone(f.keys)
	maps.DeleteFunc(written, func(key string, _ json.RawMessage) bool { return slices.Contains(known, key) })
	now, err := TakeOther(was, written)
	f.Check("", err)
	return now, !maps.EqualFunc(was, now, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// WithOther writes a record in JSON, unknown keys included.
func WithOther(record any, other Keys) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil || len(other) == 0 {
		return body, err
	}
	all := Keys{}
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

// JSONKeys returns the keys of a struct in JSON, those of embedded structs too.
func JSONKeys(of reflect.Type) (keys []string) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			keys = append(keys, JSONKeys(field.Type)...)
		case name != "" && name != "-":
			keys = append(keys, name)
		}
	}
	return keys
}
