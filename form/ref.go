package form

import "encoding/json"

// Ref is how a reference is read: the name of a thing and its uid.
type Ref struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// ParseRef reads a reference as it is written: a name, or an object with uid or name.
func ParseRef(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, text != ""
	}
	var ref Ref
	if json.Unmarshal(raw, &ref) != nil {
		return "", false
	}
	if ref.UID != "" {
		return ref.UID, true
	}
	return ref.Name, ref.Name != ""
}

// Finder finds a thing by what names it: its uid, else its number where it has one, else its name. The kind is the word of the interface.
type Finder func(kind, ref string) (Ref, bool)
