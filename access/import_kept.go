package access

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"quaywatch/form"
	"quaywatch/rule"
	"quaywatch/ship"
)

// entries gives those of a kind.
func (im *importer) entries(k Kind) []KeptEntry {
	switch k {
	case Shapes:
		return im.doc.Shapes
	case Filters:
		return im.doc.Filters
	}
	return im.doc.ShipLists
}

func (im *importer) placeKept(k Kind) {
	all := &im.library.all[k]
	for _, e := range im.entries(k) {
		p := keptPlace{now: &Resource{Created: im.opts.Now().UTC()}}
		if i := im.findKept(k, &e); i >= 0 {
			was := (*all)[i]
			copied := was
			p.was, p.now = &was, &copied
			*all = slices.Delete(*all, i, i+1)
		}
		if err := CheckKeptName(e.Name); err != nil && (p.was == nil || p.was.Name != e.Name) {
			im.refuse(k.String(), e.Name, "name: %v", err)
		}
		p.now.UID = im.place(k.String(), e.Name, e.UID, p.now.UID)
		p.now.Name = form.Tidy(e.Name)
		im.keptAt[k] = append(im.keptAt[k], p)
	}
	for i, p := range im.keptAt[k] {
		if folded := form.Fold(p.now.Name); slices.ContainsFunc(*all, func(r Resource) bool { return form.FoldsTo(r.Name, folded) }) {
			im.refuse(k.String(), p.now.Name, "name: another %s has it here", k)
		}
		if number := im.entries(k)[i].ID; p.was == nil && im.mayHave(k, number) {
			p.now.ID = number
		}
		*all = append(*all, *p.now)
	}
	im.library.sort(k)
}

// mostGiven bounds the numbers that a document gives: those that come after it must still be exact in JSON.
const mostGiven = 1 << 52

// mayHave tells whether a new thing of the draft may have that number: it was never given here, to nobody, and is no name.
func (im *importer) mayHave(k Kind, number uint64) bool {
	return number > im.last[k] && number <= mostGiven && !im.library.named(k, number) && !slices.ContainsFunc(im.keptAt[k], func(p keptPlace) bool { return p.now.ID == number })
}

func (im *importer) findKept(k Kind, e *KeptEntry) int {
	all := im.library.all[k]
	if i := slices.IndexFunc(all, func(r Resource) bool { return e.UID != "" && r.UID == strings.ToLower(e.UID) }); i >= 0 {
		return i
	}
	folded := form.Fold(e.Name)
	return slices.IndexFunc(all, func(r Resource) bool {
		return form.FoldsTo(r.Name, folded) && (e.UID == "" || !im.inDocument(r.UID))
	})
}

// leftFilter is a filter of a user or group that the document leaves as it is.
type leftFilter struct {
	kind, name string
	keys       form.Keys
}

// leftFilters gives the filters that the document leaves as they are.
func (im *importer) leftFilters() (left []leftFilter) {
	given := map[string]*ProfileEntry{}
	for i, p := range im.groupsAt {
		given[p.now.UID] = &im.doc.Groups[i].ProfileEntry
	}
	for i, p := range im.usersAt {
		given[p.now.UID] = &im.doc.Users[i].ProfileEntry
	}
	add := func(kind, uid, name string, p *Profile) {
		e := cmp.Or(given[uid], &ProfileEntry{})
		if e.ReceiveFilter == nil {
			left = append(left, leftFilter{kind, name, p.ReceiveFilter})
		}
		if e.TransmitFilter == nil {
			left = append(left, leftFilter{kind, name, p.TransmitFilter})
		}
	}
	for _, g := range im.allGroups() {
		add(GroupKind, g.UID, g.Name, &g.Profile)
	}
	for _, user := range im.List() {
		add(UserKind, user.UID, user.Name, &user.Profile)
	}
	return left
}

// keepExpressions refuses to rename a ship list or shape, or to give it another uid, while the expression of a filter says so that the
// document leaves as it is: the filter would hide everything, or mean what takes the name.
func (im *importer) keepExpressions() {
	left := im.leftFilters()
	for _, k := range []Kind{ShipLists, Shapes} {
		said := sayings(left, k)
		for _, p := range im.keptAt[k] {
			if p.was == nil {
				continue
			}
			var lost []leftFilter
			if was := form.Fold(p.was.Name); was != form.Fold(p.now.Name) {
				lost = said[was]
			}
			if p.was.UID != p.now.UID {
				lost = slices.Concat(lost, said[p.was.UID])
			}
			for _, f := range lost {
				im.refuse(k.String(), p.now.Name, "name: here it is %q, and the expression of a filter of the %s %q says so: change that first, or in this document", p.was.Name, f.kind, f.name)
			}
		}
	}
}

// sayings gives the filters by each folded word that their expressions say of a kind.
func sayings(filters []leftFilter, k Kind) map[string][]leftFilter {
	said := map[string][]leftFilter{}
	for _, f := range filters {
		words := form.Names{}
		say(f.keys, k, func(word string) bool { words[form.Fold(word)] = struct{}{}; return false })
		for word := range words {
			said[word] = append(said[word], f)
		}
	}
	return said
}

// keepRegions refuses to make a shape of the document the region that another shape is.
func (im *importer) keepRegions() {
	for _, p := range im.keptAt[Shapes] {
		was := 0
		if p.was != nil {
			was = p.was.Region
		}
		if by, taken := regionTaken(im.library.all[Shapes], was, p.now); taken {
			im.refuse(Shapes.String(), p.now.Name, "region: %d is the shape %q", p.now.Region, by.Name)
		}
	}
}

// misnumbered tells whether a filter of the document names by its number there what has another one here.
func (im *importer) misnumbered(filter string) (wrong bool) {
	for _, k := range []Kind{ShipLists, Shapes} {
		wrong = wrong || says(filter, k, func(word string) bool {
			number, err := strconv.ParseUint(form.Fold(word), 10, 64)
			if err != nil || number == 0 {
				return false
			}
			at := slices.IndexFunc(im.entries(k), func(e KeptEntry) bool { return e.ID == number })
			if at < 0 {
				return false
			}
			r, found := im.library.Find(k, word)
			return !found || r.UID != im.keptAt[k][at].now.UID
		})
	}
	return wrong
}

// otherNumber is what is wrong with such a filter.
func otherNumber() *rule.Rule {
	return rule.New("other_number", "names a ship list or shape by a number that is not its number here: say its name")
}

// fillKept takes what the things of a kind hold. Filters come last: they may name the others.
func (im *importer) fillKept(k Kind) {
	for i, p := range im.keptAt[k] {
		e := &im.entries(k)[i]
		at := slices.IndexFunc(im.library.all[k], func(r Resource) bool { return r.UID == p.now.UID })
		r := &im.library.all[k][at]
		if len(e.Owner) > 0 {
			ref, ok := form.ParseRef(e.Owner)
			owner, known := im.Find(ref)
			if !ok || !known {
				im.refuse(k.String(), e.Name, "owner: must name a user, and %s is none", e.Owner)
			} else {
				r.Owner = owner.UID
			}
		}
		if e.ACL != nil {
			acl, wrong := im.TakeACL(e.ACL)
			if wrong != nil {
				im.broken(k.String(), e.Name, form.Errors{*wrong})
			}
			r.ACL = acl
		}
		im.other(k.String(), e.Name, e.Other, &r.Other)
		switch k {
		case ShipLists:
			im.fillList(e, r)
		case Shapes:
			im.fillShape(e, r)
		case Filters:
			im.fillFilter(e, r)
		}
		*im.keptAt[k][i].now = *r
	}
}

// misplaced refuses the keys of another kind.
func (im *importer) misplaced(k Kind, e *KeptEntry) {
	for _, key := range []struct {
		name  string
		given bool
		home  Kind
	}{
		{"max", e.Max != nil, ShipLists}, {"ships", e.Ships != nil, ShipLists}, {"polygon", e.Polygon != nil, Shapes}, {"line", e.Line != nil, Shapes},
		{"circle", e.Circle != nil, Shapes}, {"color", e.Color != nil, Shapes}, {"region", e.Region != nil, Shapes}, {"filter", e.Filter != nil, Filters},
	} {
		if key.given && key.home != k {
			im.refuse(k.String(), e.Name, "%s: unknown key", key.name)
		}
	}
}

func (im *importer) fillList(e *KeptEntry, r *Resource) {
	im.misplaced(ShipLists, e)
	if e.Max != nil {
		r.Max = *e.Max
	}
	if e.Ships != nil {
		r.Ships = e.Ships
	}
	im.broken("shiplist", e.Name, r.CheckShips())
	if err := r.Full(); err != nil {
		im.refuse("shiplist", e.Name, "ships: %v", err)
	}
}

func (im *importer) fillShape(e *KeptEntry, r *Resource) {
	im.misplaced(Shapes, e)
	if e.Color != nil {
		r.Color = *e.Color
	}
	if e.Region != nil {
		r.Region = *e.Region
	}
	if e.Polygon != nil || e.Line != nil || e.Circle != nil {
		r.Polygon, r.Line, r.Circle = e.Polygon, e.Line, e.Circle
	}
	im.broken("shape", e.Name, r.CheckShape())
}

func (im *importer) fillFilter(e *KeptEntry, r *Resource) {
	im.misplaced(Filters, e)
	if e.Filter == nil && r.Filter == "" {
		im.refuse("filter", e.Name, "filter: is required")
	}
	im.text("filter", e.Name, "filter", e.Filter, &r.Filter)
	if _, err := ship.ParseFilter(r.Filter, im.anything()); err != nil {
		im.refuse("filter", e.Name, "filter: %v", err)
	} else if e.Filter != nil && im.misnumbered(r.Filter) {
		im.refuse("filter", e.Name, "filter: %s", otherNumber().Error())
	}
}
