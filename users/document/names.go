package document

import (
	"slices"

	"quaywatch/internal/fold"
)

// NameTable tells which things of a draft have a name, without a look at all of them. Case and white space do not count. Several things have a
// name for a while, as two that exchange theirs. The zero value is ready.
type NameTable struct {
	of   map[string]string   // the folded name of a thing, by uid
	have map[string][]string // uids by folded name, in the order of Set
}

// Set gives a thing a name, in the place of the one that it had.
func (n *NameTable) Set(uid, name string) {
	if n.of == nil {
		n.of, n.have = map[string]string{}, map[string][]string{}
	}
	n.Drop(uid)
	folded := fold.Name(name)
	n.of[uid] = folded
	n.have[folded] = append(n.have[folded], uid)
}

// Drop forgets a thing.
func (n *NameTable) Drop(uid string) {
	was, there := n.of[uid]
	if !there {
		return
	}
	delete(n.of, uid)
	if n.have[was] = slices.DeleteFunc(n.have[was], func(other string) bool { return other == uid }); len(n.have[was]) == 0 {
		delete(n.have, was)
	}
}

// First returns the uid of the first thing that has the name.
func (n *NameTable) First(name string) (uid string, ok bool) {
	if uids := n.have[fold.Name(name)]; len(uids) > 0 {
		return uids[0], true
	}
	return "", false
}

// Shared reports whether another thing has the name of this one too.
func (n *NameTable) Shared(uid string) bool { return len(n.have[n.of[uid]]) > 1 }
