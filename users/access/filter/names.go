package filter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// NameSource is what settings and filters may name.
type NameSource struct {
	Find           form.Finder // ship lists and shapes, by uid or name
	Lookup         ship.Lookup // what an expression may name
	Feeds, Outputs []string    // of the configuration; nil is any
}

// Take checks what was written and returns it as it is kept, with every reference by its uid. A key that is null is removed;
// keys that were not written keep their value.
func (n *NameSource) Take(set KnownKeys, was, written form.Keys) (form.Keys, form.Errors) {
	now := maps.Clone(was)
	if now == nil {
		now = form.Keys{}
	}
	rules, foreign := set.rules(), set.foreign()
	var wrong form.Errors
	for _, key := range slices.Sorted(maps.Keys(written)) {
		raw := written[key]
		takes, known := rules[key]
		_, refuse := foreign[key]
		switch {
		case string(raw) == "null":
			delete(now, key)
			continue
		case refuse:
			wrong = append(wrong, *keyError(key, rule.New("receive_only", "is a condition of a receive_filter alone: what a user sends has none of it")))
		case known && takes.refs != refNone:
			var err *form.Error
			if raw, err = n.takeRefs(key, takes, raw); err != nil {
				wrong = append(wrong, *err)
			}
		case known:
			if err := takes.check(raw); err != nil {
				wrong = append(wrong, form.Error{Pointer: "/" + key, Rule: rule.Of(err)})
			}
		}
		now[key] = raw
	}
	return now, append(wrong, n.checkExpression(set, now)...)
}

// takeRefs returns references as they are stored. For a key that takes a single reference, an empty text means none.
func (n *NameSource) takeRefs(key string, takes keyRule, raw json.RawMessage) (json.RawMessage, *form.Error) {
	list := []json.RawMessage{raw}
	if takes.single && noText(raw) {
		return json.RawMessage(`""`), nil
	}
	if !takes.single && json.Unmarshal(raw, &list) != nil {
		return nil, keyError(key, rule.New("names", "must be an array of names"))
	}
	if len(list) > maxRefs {
		return nil, keyError(key, rule.New("too_many_names", "may name at most {max}", "max", maxRefs))
	}
	kept := []string{}
	for i, item := range list {
		at := fmt.Sprintf("%s/%d", key, i)
		if takes.single {
			at = key
		}
		ref, ok := form.ParseRef(item)
		if ok && takes.refs == refOutside {
			ref, ok = n.outsideName(key, item, ref)
		}
		if !ok {
			return nil, keyError(at, rule.New("no_name", "must be a name"))
		}
		if takes.refs != refOutside {
			found, known := n.Find(takes.refs.kindWord(), ref)
			if !known {
				return nil, keyError(at, rule.New("names_nothing", "names {name}, which does not exist", "name", strconv.Quote(ref)))
			}
			ref = found.UID
		}
		kept = append(kept, ref)
	}
	var v any = kept
	if takes.single {
		v = kept[0]
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, keyError(key, rule.Of(err))
	}
	return body, nil
}

// keyError is the rule that a key breaks.
func keyError(key string, why *rule.Rule) *form.Error {
	return &form.Error{Pointer: "/" + key, Rule: why}
}

// noText reports whether a value is a text of blanks alone.
func noText(raw json.RawMessage) bool {
	var text *string
	return json.Unmarshal(raw, &text) == nil && text != nil && fold.Name(*text) == ""
}

// kindWord returns the word of the interface for what is named.
func (k refKind) kindWord() string {
	if k == refShape {
		return "shape"
	}
	return "shiplist"
}

// Give returns keys as they are read: every reference as name and uid. What no longer exists is left out.
func (n *NameSource) Give(set KnownKeys, kept form.Keys) form.Keys {
	given := form.Keys{}
	rules := set.rules()
	for key, raw := range kept {
		takes, known := rules[key]
		if !known || takes.refs == refNone || takes.single && noText(raw) {
			given[key] = raw
			continue
		}
		refs := []form.Ref{}
		for _, ref := range refsOf(raw) {
			if takes.refs == refOutside {
				refs = append(refs, form.Ref{Name: ref, UID: outsideUID(key, ref)})
			} else if found, ok := n.Find(takes.refs.kindWord(), ref); ok {
				refs = append(refs, form.Ref{Name: found.Name, UID: found.UID})
			}
		}
		var v any = refs
		if takes.single && len(refs) > 0 {
			v = refs[0]
		}
		if body, err := json.Marshal(v); err == nil {
			given[key] = body
		}
	}
	return given
}

// refsOf returns the references of a kept value, a list or a single one.
func refsOf(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var ref string
	if json.Unmarshal(raw, &ref) == nil && ref != "" {
		return []string{ref}
	}
	return nil
}
