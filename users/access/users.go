package access

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quaywatch/geo"
	"quaywatch/internal/fold"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/filter"
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
	table     *records.Table[User]
	groups    *Groups
	sessions  *Sessions
	tokens    *Tokens
	passwords *Passwords
	hosts     *Hosts
	audit     *audit.Log
	invited   invitation
}

// OpenUsers reads the users, groups and sessions of the database.
func OpenUsers(db *records.Database, o Options) (*Users, error) {
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
func (u *Users) loadTable(db *records.Database) error {
	table, rows, err := records.ReadTable[User](db, "users")
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
