package access

import (
	"fmt"
	"maps"
)

// Bounds of what is kept of keys that nobody knows.
const (
	mostOther      = 32
	mostOtherBytes = 8 << 10
)

// TakeOther gives keys that nobody knows as they are kept: written ones replace, null removes.
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
		return was, fmt.Errorf("holds more keys that nobody knows than are kept: at most %d, of %d bytes together", mostOther, mostOtherBytes)
	}
	if len(now) == 0 {
		return nil, nil
	}
	return now, nil
}

// other takes the keys of an entry that nobody knows.
func (im *importer) other(kind, name string, given Keys, kept *Keys) {
	if given == nil {
		return
	}
	now, err := TakeOther(nil, given)
	if err != nil {
		im.refuse(kind, name, "other: %v", err)
	}
	*kept = now
}
