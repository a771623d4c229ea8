package access

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The names of the groups that every user may belong to. They are fixed until groups can be edited.
const (
	GroupAdmin  = "admin"
	GroupViewer = "viewer"
)

// Verdict is what a user's own key says about a right.
type Verdict string

// The two verdicts; an absent or empty one leaves the decision to the groups.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// User is who may sign in. It is a value: a change makes a new one.
type User struct {
	UID      string            `json:"uid"`
	Name     string            `json:"name"`
	Hash     string            `json:"hash"` // PHC string of argon2id
	Groups   []string          `json:"groups,omitempty"`
	Rights   map[Right]Verdict `json:"access_rights,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
	Expires  time.Time         `json:"expiration_time,omitzero"`
	Created  time.Time         `json:"created"`
	Changed  time.Time         `json:"changed"`
	Stamp    uint64            `json:"stamp"` // grows with each change of the user, so that what was verified before is known to be old
}

// Anonymous is who calls without a name where reads are open to all: a viewer.
func Anonymous() *User {
	return &User{Groups: []string{GroupViewer}}
}

// May tells whether the user has the right: the own key decides, then the groups (deny beats allow beats absent), and
// absent is deny.
func (u *User) May(r Right) bool {
	switch u.Rights[r] {
	case Allow:
		return true
	case Deny:
		return false
	}
	for _, group := range u.Groups {
		if group == GroupAdmin || group == GroupViewer && slices.Contains(viewerRights(), r) {
			return true
		}
	}
	return false
}

// Effective gives the rights that the user has, in the order of the specification.
func (u *User) Effective() []Right {
	var rights []Right
	for _, r := range Rights() {
		if u.May(r) {
			rights = append(rights, r)
		}
	}
	return rights
}

// Active tells whether the user may sign in at all at that time.
func (u *User) Active(now time.Time) bool {
	return !u.Disabled && (u.Expires.IsZero() || now.Before(u.Expires))
}

// Limits of names and passwords (interface: user required fields).
const (
	MaxName     = 64
	MinPassword = 12
	maxPassword = 1024 // bytes; a longer one only costs time
)

// CheckName tells what is wrong with a user's name: it takes 1 to 64 of the letters, digits and . _ @ -
func CheckName(name string) error {
	if name == "" || len(name) > MaxName {
		return fmt.Errorf("user name: needs 1 to %d characters, has %d", MaxName, len(name))
	}
	for _, c := range name {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._@-", c)
		if !ok {
			return fmt.Errorf("user name %q: %q is not one of the letters, digits and . _ @ -", name, c)
		}
	}
	return nil
}

// CheckPassword tells what is wrong with a new password: it needs at least 12 characters.
func CheckPassword(password string) error {
	if n := len([]rune(password)); n < MinPassword {
		return fmt.Errorf("password: needs at least %d characters, has %d", MinPassword, n)
	}
	if len(password) > maxPassword {
		return fmt.Errorf("password: longer than %d bytes", maxPassword)
	}
	return nil
}
