package access

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/fold"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
)

// AdminName is the user that the first start makes.
const AdminName = "admin"

// PasswordFile is the name, in the data directory, of the file with the first administrator's generated password. It is removed
// when that password changes.
const PasswordFile = "admin-password.txt"

// Options are what Users needs beside the database.
type Options struct {
	Dir string           // the data directory, for PasswordFile
	Log *slog.Logger     // nil is silent
	Now func() time.Time // the clock; nil is the wall clock

	// Feeds and Outputs are the names of the configuration that settings and filters may give; nil is any.
	Feeds, Outputs []string

	// Generation is raised by each change, also by those of the library and of ports; nil is one of its own.
	Generation *wake.ChangeCount

	// Quota is how many bytes of shapes, ship lists and filters one user may make; 0 is the default of the library.
	Quota int64

	// SignInTries is how often a name may fail from one address before it has to wait. All names together may fail twenty times as
	// often in an hour there; then only a right password is answered. 0 means the constant SignInTries.
	SignInTries int

	// HashMemory is how many KiB one hash of a password takes; 0 is 19 MiB. Only tests that hash hundreds of passwords take less.
	HashMemory uint32
}

// Users are all users.
type Users struct {
	*directory
	opts      Options
	table     *store.Table[User]
	groups    *Groups
	sessions  *Sessions
	tokens    *Tokens
	passwords *Passwords
	hosts     *Hosts
	audit     *audit.Log
	invited   invitation
}

// OpenUsers reads the users, groups and sessions of the database.
func OpenUsers(db *store.DB, o Options) (*Users, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Generation == nil {
		o.Generation = &wake.ChangeCount{}
	}
	o.HashMemory = cmp.Or(o.HashMemory, hashMemoryKiB)
	if o.SignInTries == 0 {
		o.SignInTries = SignInTries
	}
	u := &Users{opts: o, directory: &directory{
		now: o.Now, generation: o.Generation, byName: map[string]entry{}, byUID: map[string]groupEntry{},
		names: filter.NameSource{Find: (*document.Box)(nil).Find, Feeds: o.Feeds, Outputs: o.Outputs},
	}}
	u.passwords, u.hosts = newPasswords(u), &Hosts{users: u}
	var err error
	if u.sessions, err = openSessions(db, u); err != nil {
		return nil, err
	}
	if u.tokens, err = openTokens(db, u); err != nil {
		return nil, err
	}
	if u.audit, err = audit.Open(db, o.Now, o.Log); err != nil {
		return nil, err
	}
	if u.groups, err = openGroups(db, u.directory); err != nil {
		return nil, err
	}
	if err := u.loadTable(db); err != nil {
		return nil, err
	}
	u.warnStrangers()
	return u, nil
}

// loadTable reads the table into memory: users are few, and every request needs one.
func (u *Users) loadTable(db *store.DB) error {
	table, rows, err := store.ReadTable[User](db, "users")
	if err != nil {
		return err
	}
	u.table = table
	for i := range rows {
		u.byName[fold.Name(rows[i].Value.Name)] = entry{rows[i].ID, u.resolved(&rows[i].Value)}
	}
	return nil
}

// Neighbours is what users and groups ask of other areas. The zero value knows nothing.
type Neighbours struct {
	Box     *document.Box                                // finds what settings and filters name, and the referrers of a group
	Names   ship.Lookup                                  // what the expression of a filter may name
	Regions func(wanted func(region int) bool) *geo.Rect // around the regions that are wanted, nil without any
	Stored  func(uid string) (bytes, most int64)         // what a user keeps, and how much it may keep; nil is not known
}

// Join gives users and groups access to the other areas of the box. Call it before any call of View.
func (u *Users) Join(n Neighbours) {
	u.near, u.names.Find, u.names.Lookup = n, n.Box.Find, n.Names
}

// Groups returns the groups.
func (u *Users) Groups() *Groups { return u.groups }

// Sessions returns the sessions of users.
func (u *Users) Sessions() *Sessions { return u.sessions }

// Tokens returns the tokens of users for their programs.
func (u *Users) Tokens() *Tokens { return u.tokens }

// Passwords returns what verifies the passwords of users.
func (u *Users) Passwords() *Passwords { return u.passwords }

// Hosts returns the hosts from which users need no password.
func (u *Users) Hosts() *Hosts { return u.hosts }

// Audit returns the log of what users did.
func (u *Users) Audit() *audit.Log { return u.audit }

// Now returns the time by which users, sessions and tokens expire.
func (u *Users) Now() time.Time { return u.now() }

// Generation grows with each change of a user, a group, what filters name, or a port: what was worked out from them before is old.
func (u *Users) Generation() uint64 { return u.generation.Load() }

// Changed returns a channel that is closed at the next change that Generation counts, and when a session ends.
func (u *Users) Changed() <-chan struct{} { return u.generation.Next() }

// EnsureAdmin makes the first administrator if no user can sign in. An empty password means a random one. EnsureAdmin returns the
// random password, to be printed once, and writes it to PasswordFile (mode 0600). Imported users have no password; if one of them
// is called admin, it gets this password and the rights of an administrator.
func (u *Users) EnsureAdmin(password string) (invented string, err error) {
	all := u.List()
	if slices.ContainsFunc(all, func(user User) bool { return user.Hash != "" }) {
		return "", nil
	}
	if password == "" {
		invented = randomText(15)
		password = invented
		if err := u.leavePassword(invented); err != nil {
			return "", err
		}
	}
	if _, imported := u.User(AdminName); !imported {
		return invented, u.Add(AdminName, password)
	}
	_, err = u.Change(AdminName, func(user *User) error {
		user.Hash = hashPassword(password, u.opts.HashMemory)
		if !u.resolved(user).administers() {
			user.Disabled, user.Expires, user.Rights = false, time.Time{}, nil
			u.empower(user)
		}
		return nil
	})
	return invented, err
}

// leavePassword writes the first password to a file that only the service's user can read. It writes it before the password counts:
// a power cut in between locks no user out.
func (u *Users) leavePassword(password string) error {
	file := filepath.Join(u.opts.Dir, PasswordFile)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) { // it might be open to others
		return fmt.Errorf("write the first password: %w", err)
	}
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the first password: %w", err)
	}
	return nil
}

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
func (u *Users) Create(user User, password string, also ...store.CommitPart) (*User, error) {
	if err := errors.Join(CheckName(user.Name), CheckPassword(password)); err != nil {
		return nil, err
	}
	user.Hash = hashPassword(password, u.opts.HashMemory)
	return u.insertUser(user, also)
}

// insertUser adds a user. The password is hashed already.
func (u *Users) insertUser(user User, also []store.CommitPart) (*User, error) {
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
func (u *Users) SetPassword(name, password string, also ...store.CommitPart) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	_, err := u.ChangeAndPassword(name, password, func(*User) error { return nil }, also...)
	return err
}

// ChangeAndPassword is Change that gives the user another password with the same write; "" leaves the one that there is. It fails
// as Change and CheckPassword do.
func (u *Users) ChangeAndPassword(name, password string, edit func(*User) error, also ...store.CommitPart) (*User, error) {
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
func (u *Users) Change(name string, edit func(*User) error, also ...store.CommitPart) (*User, error) {
	now, void, err := u.changeUser(name, edit, also)
	if err != nil {
		return nil, err
	}
	void()
	return now, nil
}

// changeUser returns what voids the old sign-ins in memory too; it is for after the lock.
func (u *Users) changeUser(name string, edit func(*User) error, also []store.CommitPart) (changed *User, void func(), err error) {
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
		var free store.CommitPart
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
func (u *Users) Delete(name string, also ...store.CommitPart) error {
	void, err := u.remove(name, also)
	if err != nil {
		return err
	}
	void()
	return nil
}

// voiding returns what ends the sign-ins of a user, and the tokens of a user that is gone or disabled. It does so in the commit of a change, and in memory
// after it. A session or token that is made in between is void because of the change.
func (u *Users) voiding(uid string, tokens bool) (free store.CommitPart, void func()) {
	sessions := u.sessions.which(func(o *openSession) bool { return o.UID == uid })
	var revoked []Token
	if tokens {
		revoked = u.tokens.which(func(token *Token) bool { return token.UID == uid })
	}
	free = func(b *store.Tx) error { return cmp.Or(u.sessions.freed(sessions)(b), u.tokens.freed(revoked)(b)) }
	return free, func() {
		u.passwords.forgetVerified()
		u.sessions.forgetSessions(sessions)
		u.tokens.forgetTokens(revoked...)
	}
}

func (u *Users) remove(name string, also []store.CommitPart) (void func(), err error) {
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
func (u *Users) Clone(of *User, name string, also ...store.CommitPart) (*User, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	now := *of
	now.UID, now.Name, now.Direct.Hosts, now.Profile, now.Barred = "", name, nil, of.Profile.impersonal(), 0
	return u.insertUser(now, also)
}

// List returns all users by name.
func (u *Users) List() []User {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []User
	for _, e := range u.byName {
		all = append(all, *e.user)
	}
	slices.SortFunc(all, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// User returns the user of that name, upper and lower case alike, or of that uid.
func (u *Users) User(ref string) (*User, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if e, ok := u.byName[fold.Name(ref)]; ok {
		return e.user, true
	}
	e, ok := u.ofUID(strings.ToLower(ref))
	return e.user, ok
}

// Current returns the user as of now, when what was verified of it still holds. Then neither password nor name changed, and it was not deleted, disabled or
// expired since.
func (u *Users) Current(user *User) (*User, bool) {
	u.mu.Lock()
	e, ok := u.byName[fold.Name(user.Name)]
	u.mu.Unlock()
	ok = ok && e.user.UID == user.UID && e.user.Stamp == user.Stamp && e.user.Active(u.now())
	return e.user, ok
}

// userNamed returns the user of that name.
func (u *Users) userNamed(name string) (*User, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	e, ok := u.byName[fold.Name(name)]
	return e.user, ok
}
