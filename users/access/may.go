package access

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
)

// Anonymous is the caller without a name where reads are open to all: a viewer.
func Anonymous() *User {
	return &User{groups: []*Group{{Name: GroupViewer, Profile: Profile{Rights: allowRights(right.OfViewer())}}}}
}

// May reports whether the user has the right. The user's own key decides first, then the groups. Among groups deny beats allow, and
// allow beats a missing key. Without any key the answer is no. A program that calls by a token has those rights alone that the token has
// too.
func (u *User) May(r right.Name) bool {
	if u.token != nil && !slices.Contains(u.token.Rights, r) {
		return false
	}
	switch u.Rights[r] {
	case right.Allow:
		return true
	case right.Deny:
		return false
	}
	may := false
	for _, group := range u.groups {
		switch group.Rights[r] {
		case right.Deny:
			return false
		case right.Allow:
			may = true
		}
	}
	return may
}

// TokenExpires returns when the token ends by which the user calls, the zero time where it is none.
func (u *User) TokenExpires() time.Time {
	if u.token == nil {
		return time.Time{}
	}
	return u.token.Expires
}

// Effective returns the rights that the user has, in the order of the specification.
func (u *User) Effective() []right.Name {
	rights := []right.Name{}
	for _, r := range right.All() {
		if u.May(r) {
			rights = append(rights, r)
		}
	}
	return rights
}

// Covers reports whether the user has every right of the other. A user may not give away or take over a right that it has not.
func (u *User) Covers(other *User) bool {
	for _, r := range other.Effective() {
		if !u.May(r) {
			return false
		}
	}
	return true
}

// Narrowed reports whether a filter or a list of feeds hides something from the user.
func (u *User) Narrowed() bool { return len(u.narrowings()) > 0 }

// NarrowedAs reports whether all filters that hide something from the other user also apply to this user. Then this user sees
// nothing that the other does not see. It compares filters and feeds; Covers compares rights.
func (u *User) NarrowedAs(other *User) bool {
	own := u.narrowings()
	for _, keys := range other.narrowings() {
		if !slices.ContainsFunc(own, func(k form.Keys) bool { return maps.EqualFunc(k, keys, sameJSON) }) {
			return false
		}
	}
	return true
}

// narrowings are the receive filters, and the feeds that the settings allow; those of default_pss_list only where View heeds them.
func (u *User) narrowings() []form.Keys {
	all := u.filters(receives)
	sourced := slices.ContainsFunc(all, filter.NamesFeeds)
	for _, key := range []string{"allowed_pss_list", "default_pss_list"} {
		if raw, ok := u.Setting(key); ok && !(sourced && key == "default_pss_list") {
			all = append(all, form.Keys{key: raw})
		}
	}
	return slices.DeleteFunc(all, func(k form.Keys) bool { return len(k) == 0 })
}

// filters returns one kind of filter, the user's first, then those of the groups.
func (u *User) filters(of func(*Profile) form.Keys) []form.Keys {
	all := []form.Keys{of(&u.Profile)}
	for _, group := range u.groups {
		all = append(all, of(&group.Profile))
	}
	return all
}

func sameJSON(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

// weighty reports whether the user has a right over things of others. The deletion of such a user deserves a warning.
func (u *User) weighty() bool {
	return slices.ContainsFunc(u.Effective(), func(r right.Name) bool {
		return strings.HasPrefix(string(r), "admin_") || strings.HasPrefix(string(r), "share_")
	})
}

// administers reports whether the user can sign in, now and later, and can undo every change of users and groups.
func (u *User) administers() bool {
	return u.Hash != "" && !u.Disabled && u.Expires.IsZero() && u.MayAdminister()
}

// MayAdminister reports whether the rights and the user_type are those of an administrator.
func (u *User) MayAdminister() bool {
	for _, r := range []right.Name{right.AddRemoveUsers, right.ChangeUser, right.ChangeAccessRights, right.UserConfigurationAccess} {
		if !u.May(r) {
			return false
		}
	}
	switch u.Type() {
	case TypeProxy:
		return false
	case TypeClient:
		return u.May(right.AllowWebService)
	}
	return u.May(right.AllowWebService) || u.May(right.WebOnlineAccess)
}

// Setting returns the value of a setting: the user's own, else that of the first group by name that has one. What is empty is none: a
// text, a list or a map.
func (u *User) Setting(key string) (json.RawMessage, bool) {
	if v, ok := u.Settings[key]; ok && !isEmptyJSON(v) {
		return v, true
	}
	for _, group := range u.groups {
		if v, ok := group.Settings[key]; ok && !isEmptyJSON(v) {
			return v, true
		}
	}
	return nil, false
}

// isEmptyJSON reports whether a value in JSON holds nothing.
func isEmptyJSON(raw json.RawMessage) bool {
	text := bytes.TrimSpace(raw)
	if len(text) < 2 {
		return len(text) == 0
	}
	inside := text[1 : len(text)-1]
	switch text[0] {
	case '"':
		return len(inside) == 0
	case '[', '{':
		return len(bytes.TrimSpace(inside)) == 0
	}
	return false
}

// Type returns the setting user_type; TypeUser where none is set.
func (u *User) Type() string {
	return Setting(u, "user_type", TypeUser)
}

// The values of the setting user_type.
const (
	TypeUser   = "user"
	TypeClient = "client" // API and NMEA stream, no web client
	TypeProxy  = "proxy"  // NMEA stream only
	TypeAdmin  = "admin"
)

// Active reports whether the user may sign in at that time.
func (u *User) Active(now time.Time) bool {
	return !u.Disabled && !u.Expired(now)
}

// Expired reports whether the user's time has ended.
func (u *User) Expired(now time.Time) bool { return !u.Expires.IsZero() && !now.Before(u.Expires) }

// Token returns the number of the token by which a program calls, 0 for the user as such. What was worked out for one of them is not for
// another: their rights differ.
func (u *User) Token() uint64 {
	if u.token == nil {
		return 0
	}
	return u.token.ID
}

// supersede voids what was verified of the user as it was, where the change asks for it. It reports whether the sessions end.
func (u *User) supersede(was *User, at time.Time) (ended bool) {
	if u.Disabled && !was.Disabled {
		u.Barred++
	}
	if was.signsInOtherwise(u, at) {
		u.Stamp++
		return true
	}
	return false
}

// signsInOtherwise reports whether a change of the user ends its sessions and verified passwords. A new expiry alone does not, if
// the user is active both before and after it.
func (u *User) signsInOtherwise(now *User, at time.Time) bool {
	return now.UID != u.UID || now.Name != u.Name || now.Hash != u.Hash || now.Disabled != u.Disabled || now.Active(at) != u.Active(at)
}

// Limits of names and passwords (interface: user required fields).
const (
	minPassword = 12
	maxPassword = 1024 // bytes; a longer one only costs time
)

// CheckName returns what is wrong with a user's name. A name has 1 to 64 characters: letters, digits and . _ @ -
func CheckName(name string) error {
	if name == "" || len(name) > form.MaxName {
		return rule.New("user_name_length", "user name: needs 1 to {max} characters, has {count}", "max", form.MaxName, "count", len(name))
	}
	if uuid.Validate(name) == nil {
		return rule.New("user_name_uid", "user name {name}: looks like a uid", "name", strconv.Quote(name))
	}
	for _, c := range name {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._@-", c)
		if !ok {
			return rule.New("user_name_character", "user name {name}: {character} is not one of the letters, digits and . _ @ -",
				"name", strconv.Quote(name), "character", strconv.QuoteRune(c))
		}
	}
	return nil
}

// CheckPassword returns what is wrong with a new password. It needs at least 12 characters.
func CheckPassword(password string) error {
	if n := len([]rune(password)); n < minPassword {
		return rule.New("password_short", "password: needs at least {min} characters, has {count}", "min", minPassword, "count", n)
	}
	if len(password) > maxPassword {
		return rule.New("password_long", "password: longer than {max} bytes", "max", maxPassword)
	}
	return nil
}
