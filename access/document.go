package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"quaywatch/form"
)

// DocumentVersion is that of the documents that this program writes, and the highest that it reads.
const DocumentVersion = 1

// Document is what is configured on a box, for making another like it. It holds no secret: no password, no hash, no session.
// Things are named as the interface names them; a reference is a name, or {name, uid}, where the uid counts. Of what an entry
// does not give, a new thing has none and an existing one keeps its own.
type Document struct {
	Version   int              `json:"version"`
	Groups    []GroupEntry     `json:"groups,omitempty"`
	Users     []UserEntry      `json:"users,omitempty"`
	ShipLists []KeptEntry      `json:"shiplists,omitempty"`
	Shapes    []KeptEntry      `json:"shapes,omitempty"`
	Filters   []KeptEntry      `json:"filters,omitempty"`
	Register  []RegisteredShip `json:"register,omitempty"` // each entry is taken as a whole, as are ports
	Ports     []PortEntry      `json:"ports,omitempty"`
}

// ProfileEntry is what the entries of users and groups have in common.
type ProfileEntry struct {
	UID            string            `json:"uid,omitempty"`
	Name           string            `json:"name"`
	CommonName     *string           `json:"common_name,omitempty"`
	Description    *string           `json:"description,omitempty"`
	Email          *string           `json:"email,omitempty"`
	Phone          *string           `json:"phone,omitempty"`
	Rights         map[Right]Verdict `json:"access_rights,omitzero"`
	Settings       form.Keys         `json:"settings,omitzero"`
	ReceiveFilter  form.Keys         `json:"receive_filter,omitzero"`
	TransmitFilter form.Keys         `json:"transmit_filter,omitzero"`
	Other          form.Keys         `json:"other,omitzero"` // keys that nobody knows
}

// GroupEntry is a group in a document.
type GroupEntry struct {
	ProfileEntry
	Locked *bool  `json:"locked,omitempty"`
	First  string `json:"first,omitempty"` // which of the groups of the first start it is: admin, operator or viewer
}

// UserEntry is a user in a document.
type UserEntry struct {
	ProfileEntry
	Groups     []json.RawMessage `json:"groups,omitzero"` // references
	Direct     *DirectAccess     `json:"direct_access,omitempty"`
	Disabled   *bool             `json:"disabled,omitempty"`
	Expires    *string           `json:"expiration_time,omitempty"` // "" is never
	WarnBefore *int              `json:"period_before_expire,omitempty"`

	// Password is a new one. No document has it: only what is entered by hand.
	Password string `json:"-"`
}

// KeptEntry is a ship list, a shape or a filter in a document.
type KeptEntry struct {
	ID    uint64            `json:"id,omitempty"` // given to a new one where it was never given
	UID   string            `json:"uid,omitempty"`
	Name  string            `json:"name"`
	Owner json.RawMessage   `json:"owner,omitempty"` // reference to a user
	ACL   []json.RawMessage `json:"acl,omitzero"`    // references

	Max   *int         `json:"max,omitempty"`
	Ships []ListedShip `json:"ships,omitzero"`

	Polygon json.RawMessage `json:"polygon,omitempty"`
	Line    json.RawMessage `json:"line,omitempty"`
	Circle  *Circle         `json:"circle,omitempty"`
	Color   *string         `json:"color,omitempty"`
	Region  *int            `json:"region,omitempty"`

	Filter *string `json:"filter,omitempty"`

	Other form.Keys `json:"other,omitzero"` // keys that nobody knows
}

// RegisteredShip is a register entry in a document.
type RegisteredShip struct {
	Registered
	Position json.RawMessage `json:"position,omitempty"` // GeoJSON Point
	Updated  time.Time       `json:"updated,omitzero"`
}

// Export gives what is configured, with the ships of the register and the ports.
func (u *Users) Export(beside Beside) *Document {
	doc := &Document{Version: DocumentVersion}
	for _, g := range u.Groups() {
		doc.Groups = append(doc.Groups, GroupEntry{ProfileEntry: u.profileEntry(g.UID, g.Name, &g.Profile), Locked: &g.Locked, First: g.First})
	}
	for _, user := range u.List() {
		doc.Users = append(doc.Users, u.userEntry(&user))
	}
	for _, r := range u.library.List(ShipLists) {
		e := u.keptEntry(&r)
		e.Max, e.Ships = &r.Max, append([]ListedShip{}, r.Ships...)
		doc.ShipLists = append(doc.ShipLists, e)
	}
	for _, r := range u.library.List(Shapes) {
		e := u.keptEntry(&r)
		e.Polygon, e.Line, e.Circle, e.Color, e.Region = r.Polygon, r.Line, r.Circle, &r.Color, &r.Region
		doc.Shapes = append(doc.Shapes, e)
	}
	for _, r := range u.library.List(Filters) {
		e := u.keptEntry(&r)
		e.Filter = &r.Filter
		doc.Filters = append(doc.Filters, e)
	}
	for _, s := range beside.Register.All() {
		doc.Register = append(doc.Register, RegisteredShip{Registered: s, Position: pointEntry(s.Position), Updated: s.Updated})
	}
	for _, k := range beside.Ports.Kept() {
		doc.Ports = append(doc.Ports, portEntry(&k))
	}
	return doc
}

func (u *Users) profileEntry(uid, name string, p *Profile) ProfileEntry {
	rights := maps.Clone(p.Rights)
	if rights == nil {
		rights = map[Right]Verdict{}
	}
	return ProfileEntry{
		UID: uid, Name: name, CommonName: &p.CommonName, Description: &p.Description, Email: &p.Email, Phone: &p.Phone, Rights: rights,
		Settings: u.GiveKeys(SettingKeys, p.Settings), ReceiveFilter: u.GiveKeys(ReceiveKeys, p.ReceiveFilter),
		TransmitFilter: u.GiveKeys(TransmitKeys, p.TransmitFilter), Other: p.Other,
	}
}

func (u *Users) userEntry(user *User) UserEntry {
	expires := ""
	if !user.Expires.IsZero() {
		expires = user.Expires.UTC().Format(time.RFC3339Nano)
	}
	direct := DirectAccess{user.Direct.Enabled, append([]string{}, user.Direct.Hosts...)}
	return UserEntry{
		ProfileEntry: u.profileEntry(user.UID, user.Name, &user.Profile), Groups: u.references(user.Groups), Direct: &direct,
		Disabled: &user.Disabled, Expires: &expires, WarnBefore: &user.WarnBefore,
	}
}

func (u *Users) keptEntry(r *Resource) KeptEntry {
	e := KeptEntry{ID: r.ID, UID: r.UID, Name: r.Name, ACL: u.references(r.ACL), Other: r.Other}
	if owner := u.references([]string{r.Owner}); len(owner) > 0 {
		e.Owner = owner[0]
	}
	return e
}

// references writes uids as references; those of what is gone are left out.
func (u *Users) references(uids []string) []json.RawMessage {
	list := []json.RawMessage{}
	for _, uid := range uids {
		if ref, ok := u.NameOf(uid); ok {
			if raw, err := json.Marshal(ref); err == nil {
				list = append(list, raw)
			}
		}
	}
	return list
}

// DocumentError is all that is wrong with a document: each line names the thing, the key and the rule.
type DocumentError []string

// Error gives the lines.
func (e DocumentError) Error() string { return strings.Join(e, "\n") }

// ReadDocument reads a document from JSON. A key that is not known is refused: it would be a slip of the pen.
func ReadDocument(body []byte) (*Document, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(body, &parts); err != nil || parts == nil {
		return nil, DocumentError{fmt.Sprintf("must be an object of groups, users, shiplists, shapes, filters, register and ports: %v", err)}
	}
	doc := &Document{Version: DocumentVersion}
	var wrong DocumentError
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		switch raw := parts[key]; key {
		case "version":
			if json.Unmarshal(raw, &doc.Version) != nil || doc.Version < 1 || doc.Version > DocumentVersion {
				wrong = append(wrong, fmt.Sprintf("version: this program reads version %d, not %s", DocumentVersion, raw))
			}
		case "groups":
			doc.Groups = readEntries[GroupEntry](&wrong, "group", raw)
		case "users":
			doc.Users = readEntries[UserEntry](&wrong, "user", raw)
		case "shiplists":
			doc.ShipLists = readEntries[KeptEntry](&wrong, "shiplist", raw)
		case "shapes":
			doc.Shapes = readEntries[KeptEntry](&wrong, "shape", raw)
		case "filters":
			doc.Filters = readEntries[KeptEntry](&wrong, "filter", raw)
		case "register":
			doc.Register = readEntries[RegisteredShip](&wrong, "register", raw)
		case "ports":
			doc.Ports = readEntries[PortEntry](&wrong, "port", raw)
		default:
			wrong = append(wrong, fmt.Sprintf("%s: unknown key", key))
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return doc, nil
}

// readEntries reads the entries of one kind.
func readEntries[T any](wrong *DocumentError, kind string, raw json.RawMessage) []T {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		*wrong = append(*wrong, kind+": must be an array")
	}
	var entries []T
	for i, one := range list {
		var v T
		decoder := json.NewDecoder(bytes.NewReader(one))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&v); err != nil {
			*wrong = append(*wrong, fmt.Sprintf("%s %s: %s", kind, entryLabel(i, one), entryFault(err)))
		}
		entries = append(entries, v)
	}
	return entries
}

// entryLabel names an entry: by its name, else by its place, counted from 1.
func entryLabel(i int, raw json.RawMessage) string {
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(raw, &named) == nil && named.Name != "" {
		return fmt.Sprintf("%q", named.Name)
	}
	return fmt.Sprint(i + 1)
}

func entryFault(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		key := strings.NewReplacer("ProfileEntry.", "", "Registered.", "", "Berth.", "").Replace(wrong.Field) // of ours, not of JSON
		if key == "" {
			return "must be an object, not " + wrong.Value
		}
		return fmt.Sprintf("%s: must be %s, not %s", key, wrong.Type, wrong.Value)
	}
	key, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case unknown && key == `"password"`:
		return "password: a document holds none; set it with 'quaywatch user passwd'"
	case unknown:
		return strings.Trim(key, `"`) + ": unknown key"
	}
	return err.Error()
}
