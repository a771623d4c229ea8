package access

import (
	"crypto/subtle"
	"errors"
	"sync"
	"time"

	"quaywatch/store/records"
)

// InvitedFor is how long an invitation can be accepted.
const InvitedFor = 24 * time.Hour

// ErrLapsed is the error of an invitation that was accepted, has expired or never was. Which of them is never said.
var ErrLapsed = errors.New("accept the invitation: it was accepted, has expired or never was")

// invitation lets the caller that knows its text choose the password of the first administrator, once. It is in memory alone, as a hash: it
// ends with the service, and a reader of the database learns no text.
type invitation struct {
	mu    sync.Mutex
	hash  string // of the text, as hashToken gives it; "" is none
	uid   string // of the user
	stamp uint64 // of the user then: a user that was changed since, as by another password, ends it
	until time.Time
}

// Invite makes the invitation of the user AdminName, in place of any from before, and returns its text; "" when there is no such user.
func (u *Users) Invite() (text string) {
	user, known := u.userNamed(AdminName)
	if !known {
		return ""
	}
	text = randomText(32)
	u.invited.setUser(hashToken(text), user, u.now().Add(InvitedFor))
	return text
}

// Accept returns the invited user the password, in one commit with also, and ends the invitation. It fails with ErrLapsed, as
// CheckPassword and as Change do; after each of the last two the invitation still stands.
func (u *Users) Accept(text, password string, also ...records.CommitPart) (*User, error) {
	uid, stamp, ok := u.invited.userOf(hashToken(text), u.now())
	if !ok {
		return nil, ErrLapsed
	}
	if err := CheckPassword(password); err != nil {
		return nil, err
	}
	user, known := u.User(uid)
	if !known {
		return nil, ErrLapsed
	}
	return u.ChangeAndPassword(user.Name, password, func(now *User) error {
		if now.UID != uid || now.Stamp != stamp || !now.Active(u.now()) {
			return ErrLapsed // of two that accept at once, the second comes here
		}
		return nil
	}, also...)
}

func (i *invitation) setUser(hash string, user *User, until time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.hash, i.uid, i.stamp, i.until = hash, user.UID, user.Stamp, until
}

// userOf returns the user of the invitation with that hash, and reports whether there is one.
func (i *invitation) userOf(hash string, now time.Time) (uid string, stamp uint64, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	same := subtle.ConstantTimeCompare([]byte(i.hash), []byte(hash)) == 1
	return i.uid, i.stamp, same && now.Before(i.until)
}
