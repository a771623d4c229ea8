package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"quaywatch/form"
)

func (im *importer) placeGroups() {
	for i := range im.doc.Groups {
		e := &im.doc.Groups[i]
		p := groupPlace{now: &Group{Created: im.opts.Now().UTC()}}
		if there, ok := im.findGroup(e); ok {
			p.id, p.was = there.id, there.group
			copied := *there.group
			p.now = &copied
			delete(im.groups, there.group.UID)
		}
		if err := form.CheckTitle(e.Name); err != nil {
			im.refuse("group", e.Name, "name: %v", err)
		}
		p.now.UID = im.place("group", e.Name, e.UID, p.now.UID)
		p.now.Name = form.Tidy(e.Name)
		im.groupsAt = append(im.groupsAt, p)
	}
	for _, p := range im.groupsAt {
		if _, taken := im.group(p.now.Name); taken {
			im.refuse("group", p.now.Name, "name: another group has it here")
		}
		im.groups[p.now.UID] = groupEntry{p.id, p.now}
	}
}

// findGroup finds the group of an entry that is there already: by uid, those of the first start by what they are, else by name.
func (im *importer) findGroup(e *GroupEntry) (groupEntry, bool) {
	if there, ok := im.groups[strings.ToLower(e.UID)]; ok {
		return there, true
	}
	byName := groupEntry{}
	for _, there := range im.groups {
		switch {
		case e.First != "" && there.group.First == e.First:
			return there, true
		case there.group.First != "" && slices.ContainsFunc(im.doc.Groups, func(e GroupEntry) bool { return e.First == there.group.First }):
		case form.Fold(there.group.Name) == form.Fold(e.Name) && (e.UID == "" || !im.inDocument(there.group.UID)):
			byName = there
		}
	}
	return byName, byName.group != nil
}

func (im *importer) placeUsers() {
	for i := range im.doc.Users {
		e := &im.doc.Users[i]
		p := userPlace{now: &User{Created: im.opts.Now().UTC(), Stamp: 1}}
		if there, ok := im.findUser(e); ok {
			p.id, p.was = there.id, there.user
			copied := *there.user
			p.now = &copied
			delete(im.byName, form.Fold(there.user.Name))
		}
		if err := CheckName(e.Name); err != nil {
			im.refuse("user", e.Name, "name: %v", err)
		}
		p.now.UID = im.place("user", e.Name, e.UID, p.now.UID)
		p.now.Name = e.Name
		im.usersAt = append(im.usersAt, p)
	}
	for _, p := range im.usersAt {
		if _, taken := im.byName[form.Fold(p.now.Name)]; taken {
			im.refuse("user", p.now.Name, "name: another user has it here")
		}
		im.byName[form.Fold(p.now.Name)] = entry{p.id, p.now}
	}
}

func (im *importer) findUser(e *UserEntry) (entry, bool) {
	for _, there := range im.byName {
		if e.UID != "" && there.user.UID == strings.ToLower(e.UID) {
			return there, true
		}
	}
	there, ok := im.byName[form.Fold(e.Name)]
	return there, ok && (e.UID == "" || !im.inDocument(there.user.UID))
}

// profile takes what users and groups have in common.
func (im *importer) profile(kind string, e *ProfileEntry, p *Profile) {
	im.text(kind, e.Name, "common_name", e.CommonName, &p.CommonName)
	im.text(kind, e.Name, "description", e.Description, &p.Description)
	im.text(kind, e.Name, "email", e.Email, &p.Email)
	im.text(kind, e.Name, "phone", e.Phone, &p.Phone)
	if e.Rights != nil {
		p.Rights = map[Right]Verdict{}
		for right, verdict := range e.Rights {
			switch verdict {
			case Allow, Deny:
				p.Rights[right] = verdict
			case "":
			default:
				im.refuse(kind, e.Name, "access_rights/%s: must be allow, deny or empty", right)
			}
		}
	}
	im.other(kind, e.Name, e.Other, &p.Other)
	for _, k := range []struct {
		name  string
		set   KeySet
		given form.Keys
		kept  *form.Keys
	}{{"settings", SettingKeys, e.Settings, &p.Settings}, {"receive_filter", ReceiveKeys, e.ReceiveFilter, &p.ReceiveFilter}, {"transmit_filter", TransmitKeys, e.TransmitFilter, &p.TransmitFilter}} {
		if k.given == nil {
			continue
		}
		now, wrong := im.TakeKeys(k.set, nil, k.given)
		if len(wrong) == 0 && k.set != SettingKeys && im.misnumbered(get[string](now, "expression")) {
			wrong = append(wrong, *refused("expression", otherNumber()))
		}
		for _, w := range wrong {
			im.refuse(kind, e.Name, "%s%s: %s", k.name, w.Pointer, w.Rule.Error())
		}
		for _, w := range im.Strangers(*k.kept, now) {
			im.report.Strange = append(im.report.Strange, fmt.Sprintf("%s %q: %s%s: %s", kind, e.Name, k.name, w.Pointer, w.Rule.Error()))
		}
		*k.kept = now
	}
}

func (im *importer) fillGroups() {
	for i, p := range im.groupsAt {
		e := &im.doc.Groups[i]
		im.profile("group", &e.ProfileEntry, &p.now.Profile)
		if e.Locked != nil {
			p.now.Locked = *e.Locked
		}
	}
}

func (im *importer) fillUsers() {
	for i, p := range im.usersAt {
		e := &im.doc.Users[i]
		im.profile("user", &e.ProfileEntry, &p.now.Profile)
		if e.Groups != nil {
			p.now.Groups = im.memberships(e)
		}
		if e.Direct != nil {
			p.now.Direct = *e.Direct
			if err := CheckHosts(e.Direct.Hosts); err != nil {
				im.refuse("user", e.Name, "direct_access/hosts: %v", err)
			}
			if len(p.now.Direct.Hosts) == 0 {
				p.now.Direct.Hosts = nil
			}
		}
		if e.Disabled != nil {
			p.now.Disabled = *e.Disabled
		}
		if e.WarnBefore != nil {
			if p.now.WarnBefore = *e.WarnBefore; p.now.WarnBefore < 0 || p.now.WarnBefore > MaxWarnBefore {
				im.refuse("user", e.Name, "period_before_expire: must be from 0 to %d days", MaxWarnBefore)
			}
		}
		if e.Expires != nil {
			at, err := ParseExpiry(*e.Expires)
			if err != nil {
				im.refuse("user", e.Name, "expiration_time: %v", err)
			}
			p.now.Expires = at
		}
		if e.Password != "" {
			if err := CheckPassword(e.Password); err != nil {
				im.refuse("user", e.Name, "%v", err)
			}
			p.now.Hash = hashPassword(e.Password)
		}
		im.byName[form.Fold(e.Name)] = entry{p.id, p.now}
	}
}

// memberships gives the uids of the groups that an entry names.
func (im *importer) memberships(e *UserEntry) []string {
	var uids []string
	for i, raw := range e.Groups {
		ref, ok := form.ParseRef(raw)
		g, known := im.group(ref)
		if !ok || !known {
			im.refuse("user", e.Name, "groups/%d: must name a group, and %s is none", i, raw)
			continue
		}
		if !slices.Contains(uids, g.UID) {
			uids = append(uids, g.UID)
		}
	}
	return uids
}

// dropFirst removes the groups of the first start that a whole export, which has that of the administrators, does not have, where
// nobody uses or changed them here: the other box deleted them.
func (im *importer) dropFirst() {
	if !slices.ContainsFunc(im.doc.Groups, func(e GroupEntry) bool { return e.First == GroupAdmin }) {
		return
	}
	for _, g := range im.allGroups() {
		_, given := im.places[g.UID]
		if given || g.First == "" || g.Builtin || !g.Changed.Equal(g.Created) || len(im.referrers(g)) > 0 {
			continue
		}
		im.gone = append(im.gone, im.groups[g.UID].id)
		delete(im.groups, g.UID)
		im.report.Things = append(im.report.Things, Imported{"group", g.Name, "removed"})
	}
}

func (im *importer) tellUser(p userPlace, now time.Time) {
	user := im.byName[form.Fold(p.now.Name)].user
	changed := p.was == nil || !sameStored(*p.was, *user)
	if changed {
		user.Changed = changedAt(user.Changed, now)
		im.dirty[user.UID] = true
	}
	if p.was != nil && p.was.signsInOtherwise(user, now) {
		user.Stamp++
		im.ended = append(im.ended, p.was.UID)
	}
	if user.Hash == "" {
		im.report.Unarmed = append(im.report.Unarmed, user.Name)
	}
	im.note("user", user.Name, p.was != nil, changed)
}
