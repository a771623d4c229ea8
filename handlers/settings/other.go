package settings

import (
	"reflect"

	"quaywatch/form"
)

// keysOf returns the keys of a record in JSON. It also returns the keys that by their name hold a secret: these are never kept as fields of a client.
func keysOf(record reflect.Type) []string {
	return append(form.JSONKeys(record), "password", "current_password", "hash", "token")
}
