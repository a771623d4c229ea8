package config

import (
	"reflect"
	"strings"
)

// keysOf gives the keys that a record may have in JSON, and those that would be a secret by their name.
func keysOf(record reflect.Type) []string {
	return append(jsonKeys(record), "password", "current_password", "hash", "token")
}

func jsonKeys(record reflect.Type) (keys []string) {
	if record.Kind() == reflect.Pointer {
		record = record.Elem()
	}
	for i := range record.NumField() {
		field := record.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			keys = append(keys, jsonKeys(field.Type)...)
		case name != "" && name != "-":
			keys = append(keys, name)
		}
	}
	return keys
}
