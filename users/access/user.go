package access

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
)

// Profile is what users and groups have in common. Of settings and filters every key is kept as it was written, with the things that it names by their uid.
// Keys that we know are checked by name before (filter.NameSource.Take).
type Profile struct {
	CommonName     string                       `json:"common_name,omitempty"`
	Description    string                       `json:"description,omitempty"`
	Email          string                       `json:"email,omitempty"`
	Phone          string                       `json:"phone,omitempty"`
	Rights         map[right.Name]right.Verdict `json:"access_rights,omitempty"`
	Settings       form.Keys                    `json:"settings,omitempty"`
	ReceiveFilter  form.Keys                    `json:"receive_filter,omitempty"`
	TransmitFilter form.Keys                    `json:"transmit_filter,omitempty"`
	Other          form.Keys                    `json:"other,omitempty"` // unknown keys, as they came
}

// impersonal returns a copy without the ships that are one's own by their MMSI.
func (p Profile) impersonal() Profile {
	p.Settings = p.Settings.Without("mmsi_list").Without("default_mmsi")
	p.ReceiveFilter = p.ReceiveFilter.Without("user_defined_ship_list_mmsi")
	p.TransmitFilter = p.TransmitFilter.Without("user_defined_ship_list_mmsi")
	return p
}

// DirectAccess says from which hosts a connection to the outgoing NMEA stream needs no password. It opens nothing else.
type DirectAccess struct {
	Enabled bool     `json:"enabled"`
	Hosts   []string `json:"hosts"` // names, addresses or CIDR
}

// User may sign in. It is a value: a change makes a new one.
type User struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	Hash string `json:"hash"` // PHC string of argon2id
	Profile
	Groups     []string     `json:"groups,omitempty"` // uids
	Direct     DirectAccess `json:"direct_access,omitzero"`
	Disabled   bool         `json:"disabled,omitempty"`
	Expires    time.Time    `json:"expiration_time,omitzero"`
	WarnBefore int          `json:"period_before_expire,omitempty"` // days before Expires
	Created    time.Time    `json:"created"`
	Changed    time.Time    `json:"changed"`
	Stamp      uint64       `json:"stamp"`            // grows with each change that signsInOtherwise reports; what was verified at an older stamp is void
	Barred     uint64       `json:"barred,omitempty"` // grows when the user is disabled; a token of before is void

	groups []*Group // those of Groups, by name
	token  *Token   // by which a program calls: it has no other rights; nil for the user as such
}

// profileRecord is what users and groups have in common, as it is read.
type profileRecord struct {
	UID            string                       `json:"uid"`
	Revision       string                       `json:"revision,omitempty"` // not in a document
	Name           string                       `json:"name"`
	CommonName     string                       `json:"common_name"`
	Description    string                       `json:"description"`
	Email          string                       `json:"email"`
	Phone          string                       `json:"phone"`
	Rights         map[right.Name]right.Verdict `json:"access_rights"`
	Settings       form.Keys                    `json:"settings"`
	ReceiveFilter  form.Keys                    `json:"receive_filter"`
	TransmitFilter form.Keys                    `json:"transmit_filter"`

	other form.Keys
}

func (d *directory) profileRecord(uid, name string, p *Profile) profileRecord {
	rights := p.Rights
	if rights == nil {
		rights = map[right.Name]right.Verdict{}
	}
	return profileRecord{
		UID: uid, Name: name, CommonName: p.CommonName, Description: p.Description, Email: p.Email, Phone: p.Phone, Rights: rights,
		Settings: d.names.Give(filter.Settings, p.Settings), ReceiveFilter: d.names.Give(filter.Receive, p.ReceiveFilter),
		TransmitFilter: d.names.Give(filter.Transmit, p.TransmitFilter), other: p.Other,
	}
}

// userFields is what a user has beside the profile, as it is read.
type userFields struct {
	profileRecord
	Groups     []form.Ref   `json:"groups"`
	Direct     DirectAccess `json:"direct_access"`
	Disabled   bool         `json:"disabled"`
	Expires    string       `json:"expiration_time"` // "" is never
	WarnBefore int          `json:"period_before_expire"`
}

func (d *directory) userFields(user *User) userFields {
	r := userFields{profileRecord: d.profileRecord(user.UID, user.Name, &user.Profile), Groups: []form.Ref{}, Direct: user.Direct, Disabled: user.Disabled,
		WarnBefore: user.WarnBefore}
	r.Direct.Hosts = append([]string{}, r.Direct.Hosts...)
	if !user.Expires.IsZero() {
		r.Expires = user.Expires.UTC().Format(time.RFC3339Nano)
	}
	for _, uid := range user.Groups {
		if g, ok := d.findGroup(uid); ok {
			r.Groups = append(r.Groups, form.Ref{Name: g.Name, UID: uid})
		}
	}
	return r
}

// UserRecord is a user as an answer has it: without password and hash.
type UserRecord struct {
	userFields
	Expires   string       `json:"expiration_time,omitempty"`
	Warn      bool         `json:"warn_on_deletion"`
	Warning   string       `json:"warn,omitempty"`
	Stored    int64        `json:"stored_bytes"`     // of what it keeps
	Most      int64        `json:"max_stored_bytes"` // it makes nothing new above it
	Effective []right.Name `json:"effective_rights"`
}

// Record returns a user as an answer has it.
func (u *Users) Record(user *User) UserRecord {
	r := UserRecord{userFields: u.userFields(user), Warn: user.weighty() || u.near.Box.Owns(user.UID), Effective: user.Effective()}
	r.Revision, r.Expires = form.Revision(user.Changed), r.userFields.Expires
	if u.near.Stored != nil {
		r.Stored, r.Most = u.near.Stored(user.UID)
	}
	if user.ExpiresSoon(u.now()) {
		r.Warning = WarnExpiry
	}
	return r
}

// WarnExpiry is the warning to a user that expires soon.
const WarnExpiry = "expires_soon"

// MarshalJSON writes the user, unknown keys included.
func (r UserRecord) MarshalJSON() ([]byte, error) {
	type plain UserRecord
	return form.WithOther(plain(r), r.other)
}

// Apply takes the fields of a user; what is not given keeps its value. Settings, filters and rights are written key by key. A new password
// is for the caller.
func (u *Users) Apply(f *form.Fields, user *User) {
	u.applyUser(f, user, taking{strange: f.Broken})
}

// taking is how fields are taken.
type taking struct {
	whole   bool              // rights, settings and filters as a whole, not key by key
	strange func(form.Errors) // gets an error for each feed and output that is not in the configuration
}

func (d *directory) applyUser(f *form.Fields, user *User, how taking) {
	if name := f.TidyOr("name", user.Name); name != user.Name {
		f.Check("name", CheckName(name))
		user.Name = name
	}
	d.applyProfile(f, &user.Profile, how)
	user.Disabled = f.Boolean("disabled", user.Disabled)
	user.WarnBefore = int(f.Integer("period_before_expire", int64(user.WarnBefore), maxWarnBefore))
	if f.Said("expiration_time") && f.Text("expiration_time") == "" {
		user.Expires = time.Time{}
	} else {
		user.Expires = f.Time("expiration_time", user.Expires)
	}
	if f.Given("direct_access") {
		direct := f.Inner("direct_access", rule.New("direct_access", "must be an object with enabled and hosts"))
		now := DirectAccess{Enabled: direct.Boolean("enabled", user.Direct.Enabled), Hosts: user.Direct.Hosts}
		if direct.Given("hosts") {
			now.Hosts = nil
			direct.Into("hosts", &now.Hosts, rule.New("texts", "must be an array of strings"))
		}
		direct.Check("hosts", checkHosts(now.Hosts))
		if user.Direct = now; len(now.Hosts) == 0 {
			user.Direct.Hosts = nil
		}
	}
	if f.Given("groups") {
		user.Groups = d.readGroups(f, user.Groups)
	}
}

// readGroups returns the uids of the groups that are written.
func (d *directory) readGroups(f *form.Fields, was []string) (now []string) {
	list := f.List("groups")
	if len(list) > MaxGroups {
		f.Refuse("groups", rule.New("too_many_memberships", "may be at most {max}", "max", MaxGroups))
		return was
	}
	for i, raw := range list {
		ref, ok := form.ParseRef(raw)
		g, known := d.findGroup(ref)
		if !ok || !known {
			f.Refuse(fmt.Sprintf("groups/%d", i), rule.New("names_no_group", "must name a group, and {text} is none", "text", string(raw)))
		} else if !slices.Contains(now, g.UID) {
			now = append(now, g.UID)
		}
	}
	return now
}

func (d *directory) applyProfile(f *form.Fields, p *Profile, how taking) {
	for key, text := range map[string]*string{"common_name": &p.CommonName, "email": &p.Email, "phone": &p.Phone} {
		*text = f.TidyOr(key, *text)
	}
	p.Description = f.TextOr("description", p.Description)
	if how.whole && f.Given("access_rights") {
		p.Rights = nil
	}
	for _, r := range right.All() {
		if f.Given(string(r)) {
			f.Refuse(string(r), errRightOutside())
			f.Drop(string(r))
		}
	}
	p.Rights = applyRights(f, p.Rights)
	for _, k := range []struct {
		name string
		set  filter.KnownKeys
		keys *form.Keys
	}{{"settings", filter.Settings, &p.Settings}, {"receive_filter", filter.Receive, &p.ReceiveFilter}, {"transmit_filter", filter.Transmit, &p.TransmitFilter}} {
		if !f.Given(k.name) {
			continue
		}
		kept := *k.keys
		if how.whole {
			kept = nil
		}
		now, wrong := d.names.Take(k.set, kept, f.Object(k.name))
		f.Broken(errorsWithin(k.name, wrong))
		how.strange(errorsWithin(k.name, d.names.Strangers(*k.keys, now)))
		*k.keys = now
	}
}

// errRightOutside is the error of a right that does not stand in access_rights.
func errRightOutside() *rule.Rule {
	return rule.New("right_outside", "is a right, and belongs in access_rights")
}

// errorsWithin puts a key in front of the pointers of errors.
func errorsWithin(key string, wrong form.Errors) form.Errors {
	for i := range wrong {
		wrong[i].Pointer = "/" + key + wrong[i].Pointer
	}
	return wrong
}

// applyRights returns the verdicts as they become: written ones replace, an empty text is none.
func applyRights(f *form.Fields, was map[right.Name]right.Verdict) map[right.Name]right.Verdict {
	if !f.Given("access_rights") {
		return was
	}
	now := map[right.Name]right.Verdict{}
	maps.Copy(now, was)
	rights := f.Object("access_rights")
	for _, key := range slices.Sorted(maps.Keys(rights)) { // so that the same body has the same errors
		if f.Full() {
			break
		}
		var v right.Verdict
		switch err := json.Unmarshal(rights[key], &v); {
		case err != nil || v != right.Allow && v != right.Deny && v != "":
			f.Refuse("access_rights/"+form.Token(key), rule.New("verdict", "must be allow, deny or empty"))
		case v == "":
			delete(now, right.Name(key))
		default:
			now[right.Name(key)] = v
		}
	}
	return now
}

// Revision is another one after each change of the user.
func (u *User) Revision() string { return form.Revision(u.Changed) }
