package config

import (
	"reflect"
	"strings"
)

// keysOf gives the keys of a record in JSON, and the keys that by their name hold a secret: these are never kept as fields of a client.
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
