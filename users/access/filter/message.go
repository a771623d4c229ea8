package filter

import (
	"slices"

	"quaywatch/ais"
	"quaywatch/form"
)

// messageRules are what filters say of single messages, all filters of a user together.
type messageRules struct {
	hidden   uint64                   // bit n: messages of type n are
	contents []map[application]manner // of binary messages; each of them has to know one
	own      []ais.MMSI               // the user's own ships, sorted
	ownOnly  bool                     // of the addressed messages 6, 7, 12 and 13 those to own ships alone
}

// application is the designated area code and function identifier of a binary message.
type application struct{ dac, fi uint16 }

// manner is how binary messages may be sent: bits.
type manner uint8

const (
	addressed manner = 1 << iota
	broadcast
)

// Bits of message types.
const (
	knownTypes     uint64 = 1<<28 - 2
	binaryTypes    uint64 = 1<<6 | 1<<8 | 1<<25 | 1<<26
	addressedTypes uint64 = 1<<6 | 1<<7 | 1<<12 | 1<<13
)

// add takes what a filter says on top of the others. What a filter does not say restricts nothing; so only
// allow_addressed_messages = false withholds what is addressed to others.
func (r *messageRules) add(keys form.Keys) {
	if types := get[[]int](keys, "message_types"); len(types) > 0 {
		var wanted uint64
		for _, t := range types {
			wanted |= 1 << (t & 63)
		}
		if get[bool](keys, "unsupported_message_types") {
			wanted |= ^knownTypes
		}
		r.hidden |= ^wanted
	}
	if list := contentsOf(keys); len(list) > 0 {
		r.contents = append(r.contents, list)
	}
	if _, said := keys["allow_addressed_messages"]; said && !get[bool](keys, "allow_addressed_messages") {
		r.ownOnly = true
	}
}

// contentsOf reads binary_message_content: how messages of each application that it lists may be sent.
func contentsOf(keys form.Keys) map[application]manner {
	list := map[application]manner{}
	for _, c := range get[[]content](keys, "binary_message_content") {
		key := application{uint16(c.DAC), uint16(c.FI)}
		switch c.Type {
		case "addressed":
			list[key] |= addressed
		case "broadcast":
			list[key] |= broadcast
		default:
			list[key] |= addressed | broadcast
		}
	}
	return list
}

// letsThrough reports whether the rules let a message through.
func (r *messageRules) letsThrough(t *ais.Traits) bool {
	bit := uint64(1) << (t.Type & 63)
	if r.hidden&bit != 0 {
		return false
	}
	if binaryTypes&bit != 0 && !r.wantsContents(t) {
		return false
	}
	return !r.ownOnly || addressedTypes&bit == 0 || t.AddressedTo(r.owns)
}

// wantsContents reports whether every list of contents has this one.
func (r *messageRules) wantsContents(t *ais.Traits) bool {
	sent := broadcast
	if t.Addressed {
		sent = addressed
	}
	for _, list := range r.contents {
		if !t.Structured || list[application{t.DAC, t.FI}]&sent == 0 {
			return false
		}
	}
	return true
}

func (r *messageRules) owns(m ais.MMSI) bool {
	_, own := slices.BinarySearch(r.own, m)
	return own
}
