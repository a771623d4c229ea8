package access

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/store/records"
	"quaywatch/users/access/right"
)

// Add makes an administrator: a member of the group admin.
func (u *Users) Add(name, password string) error {
	user := User{Name: name}
	if _, taken := u.User(firstUID(AdminName + " user")); name == AdminName && !taken {
		user.UID = firstUID(AdminName + " user")
	}
	u.mu.Lock()
	u.empower(&user)
	u.mu.Unlock()
	_, err := u.Create(user, password)
	return err
}

// empower makes a user a member of the group admin, whatever its name is now. Where that group was changed so that it is not enough, the user has all rights.
// The caller holds the lock.
func (u *Users) empower(user *User) {
	user.Groups = append(slices.Clone(user.Groups), u.adminGroup().UID)
	if u.resolved(user).MayAdminister() {
		return
	}
	user.Rights, user.Settings = allowRights(right.All()), maps.Clone(user.Settings)
	if user.Settings == nil {
		user.Settings = form.Keys{}
	}
	user.Settings["user_type"] = json.RawMessage(`"` + TypeUser + `"`)
}

// Create makes a user with a password, in one commit with also. It fails with ErrTaken when the name is.
func (u *Users) Create(user User, password string, also ...records.CommitPart) (*User, error) {
	if err := errors.Join(CheckName(user.Name), CheckPassword(password)); err != nil {
		return nil, err
	}
	user.Hash = hashPassword(password, u.opts.HashMemory)
	return u.insertUser(user, also)
}

// insertUser adds a user. The password is hashed already.
func (u *Users) insertUser(user User, also []records.CommitPart) (*User, error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	if _, taken := u.byName[fold.Name(user.Name)]; taken {
		return nil, fmt.Errorf("add %s: %w", user.Name, form.ErrTaken)
	}
	if err := roomForUsers(len(u.byName), len(u.byName)+1); err != nil {
		return nil, err
	}
	now := u.now().UTC()
	user.UID, user.Created, user.Changed, user.Stamp = cmp.Or(user.UID, uuid.NewString()), now, now, 1
	made := u.resolved(&user)
	id, err := u.table.Insert(made.Name, *made, also...)
	if err != nil {
		return nil, fmt.Errorf("add user %s: %w", user.Name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.byName[fold.Name(made.Name)] = entry{id, made}
	u.raiseGeneration()
	return made, nil
}

// SetPassword sets a new password of the user and ends all sessions of the user, in one commit with also. It removes the file with the first
// password if it was this user's.
func (u *Users) SetPassword(name, password string, also ...records.CommitPart) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	_, err := u.ChangeAndPassword(name, password, func(*User) error { return nil }, also...)
	return err
}

// ChangeAndPassword is Change that gives the user another password with the same write; "" leaves the one that there is. It fails
// as Change and CheckPassword do.
func (u *Users) ChangeAndPassword(name, password string, edit func(*User) error, also ...records.CommitPart) (*User, error) {
	if password == "" {
		return u.Change(name, edit, also...)
	}
	if err := CheckPassword(password); err != nil {
		return nil, err
	}
	hash, was := hashPassword(password, u.opts.HashMemory), ""
	now, err := u.Change(name, func(user *User) error {
		if err := edit(user); err != nil {
			return err
		}
		was, user.Hash = user.Hash, hash
		return nil
	}, also...)
	if err != nil {
		return nil, err
	}
	if err := u.removePassword(was); err != nil {
		return nil, fmt.Errorf("set password of %s: remove the first password: %w", name, err)
	}
	return now, nil
}

// removePassword removes the file with the first password when that had this hash. The administrator may not have read it yet when somebody else changes
// theirs.
func (u *Users) removePassword(hash string) error {
	file := filepath.Join(u.opts.Dir, PasswordFile)
	first, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || hash == "" {
		return nil
	}
	if err != nil {
		return err
	}
	if its, err := verifyPassword(hash, strings.TrimSpace(string(first))); err != nil || !its {
		return err
	}
	return os.Remove(file)
}

// Change writes a changed copy of the user, in one commit with also. A new name or password, a disabled or enabled user, and an expiry that begins or ends void
// the old sign-ins. Then every session and verified password ends, and every token of a disabled user. Change fails with form.ErrNotFound, ErrTaken, or
// ErrLastAdmin if no administrator would be left.
func (u *Users) Change(name string, edit func(*User) error, also ...records.CommitPart) (*User, error) {
	now, void, err := u.changeUser(name, edit, also)
	if err != nil {
		return nil, err
	}
	void()
	return now, nil
}

// changeUser returns what voids the old sign-ins in memory too; it is for after the lock.
func (u *Users) changeUser(name string, edit func(*User) error, also []records.CommitPart) (changed *User, void func(), err error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	was, ok := u.byName[fold.Name(name)]
	if !ok {
		return nil, nil, fmt.Errorf("change %s: %w", name, form.ErrNotFound)
	}
	now, void := *was.user, func() {}
	if err := edit(&now); err != nil {
		return nil, nil, err
	}
	if now.supersede(was.user, u.now()) {
		var free records.CommitPart
		free, void = u.voiding(was.user.UID, now.Disabled)
		also = append(also, free)
	}
	now.Changed = form.ChangedAt(was.user.Changed, u.now())
	if _, taken := u.byName[fold.Name(now.Name)]; taken && fold.Name(now.Name) != fold.Name(was.user.Name) {
		return nil, nil, fmt.Errorf("rename %s: %w", name, form.ErrTaken)
	}
	made := u.resolved(&now)
	key := fold.Name(was.user.Name)
	if !u.adminStays(func() { u.byName[key] = entry{was.id, made} }, func() { u.byName[key] = was }) {
		return nil, nil, fmt.Errorf("change user %s: %w", name, ErrLastAdmin)
	}
	if err := u.table.Put(was.id, made.Name, *made, also...); err != nil {
		return nil, nil, fmt.Errorf("change user %s: %w", name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.byName, key)
	u.byName[fold.Name(made.Name)] = entry{was.id, made}
	u.raiseGeneration()
	return made, void, nil
}

// Delete deletes a user and ends the sessions and tokens, in one commit with also. Administrators still see what the user owned. Delete fails
// with form.ErrNotFound, or ErrLastAdmin if no administrator would be left.
func (u *Users) Delete(name string, also ...records.CommitPart) error {
	void, err := u.remove(name, also)
	if err != nil {
		return err
	}
	void()
	return nil
}

// voiding returns what ends the sign-ins of a user, and the tokens of a user that is gone or disabled. It does so in the commit of a change, and in memory
// after it. A session or token that is made in between is void because of the change.
func (u *Users) voiding(uid string, tokens bool) (free records.CommitPart, void func()) {
	sessions := u.sessions.which(func(o *openSession) bool { return o.UID == uid })
	var revoked []Token
	if tokens {
		revoked = u.tokens.which(func(token *Token) bool { return token.UID == uid })
	}
	free = func(tx *records.Tx) error { return cmp.Or(u.sessions.freed(sessions)(tx), u.tokens.freed(revoked)(tx)) }
	return free, func() {
		u.passwords.forgetVerified()
		u.sessions.forgetSessions(sessions)
		u.tokens.forgetTokens(revoked...)
	}
}

func (u *Users) remove(name string, also []records.CommitPart) (void func(), err error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	key := fold.Name(name)
	was, ok := u.byName[key]
	if !ok {
		return nil, fmt.Errorf("delete %s: %w", name, form.ErrNotFound)
	}
	if !u.adminStays(func() { delete(u.byName, key) }, func() { u.byName[key] = was }) {
		return nil, fmt.Errorf("delete user %s: %w", name, ErrLastAdmin)
	}
	free, void := u.voiding(was.user.UID, true)
	if err := u.table.Delete(was.id, append(also, free)...); err != nil {
		return nil, fmt.Errorf("delete user %s: %w", name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.byName, key)
	u.raiseGeneration()
	return void, nil
}

// Clone makes a user like another, with the same password, in one commit with also. Hosts of direct access and ships by their MMSI are
// personal and not copied. It fails with ErrTaken when the name is.
func (u *Users) Clone(of *User, name string, also ...records.CommitPart) (*User, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	now := *of
	now.UID, now.Name, now.Direct.Hosts, now.Profile, now.Barred = "", name, nil, of.Profile.impersonal(), 0
	return u.insertUser(now, also)
}
