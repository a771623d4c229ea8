package access

import "quaywatch/form"

// MayTurn tells whether the user may make of a ship list or shape what it becomes; what is new was of no uid. Its ships and its
// place are part of every filter that names it, and so is a name that a filter waits for: who may not write the own filters
// turns nothing that they name, nor, where not all is shown to the user, what those of others name.
func (u *Users) MayTurn(who *User, k Kind, was, now *Resource) bool {
	if k == Filters || who.May(ChangeFilterSettings) { // saved filters are in no filter of a user
		return true
	}
	otherwise, renamed := !sameStored(told(was), told(now)), form.Fold(was.Name) != form.Fold(now.Name)
	meant := u.library.means(k, was.UID)
	waited := func(word string) bool {
		if form.Fold(word) != form.Fold(now.Name) {
			return false
		}
		_, found := u.library.Find(k, word)
		return !found
	}
	turned := func(keys form.Keys) bool {
		return otherwise && was.UID != "" && (names(keys, was.UID) || say(keys, k, meant)) || renamed && say(keys, k, waited)
	}
	for _, of := range []func(*Profile) form.Keys{receives, transmits} {
		for _, keys := range who.filters(of) {
			if turned(keys) {
				return false
			}
		}
	}
	return !who.Narrowed() || len(u.referring(func(p *Profile) bool { return turned(p.ReceiveFilter) })) == 0
}

func receives(p *Profile) form.Keys { return p.ReceiveFilter }

func transmits(p *Profile) form.Keys { return p.TransmitFilter }

// told is what a filter has of a thing that it names.
func told(r *Resource) Resource {
	return Resource{Ships: r.Ships, Polygon: r.Polygon, Line: r.Line, Circle: r.Circle}
}
