package access

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"quaywatch/access/filter"
	"quaywatch/access/right"
	"quaywatch/document"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/letters"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/wake"
)

// ErrWrong is the error of signing in. Which of name and password was wrong is never said.
var ErrWrong = errors.New("sign in: wrong name or password")

// AdminName is the user that the first start makes.
const AdminName = "admin"

// PasswordFile is the name, in the data directory, of the file with the first administrator's generated password. It is removed
// when that password changes.
const PasswordFile = "admin-password.txt"

// verifiedFor is how long a verified password is believed without hashing it again; a change of the user ends it at once.
const verifiedFor = 5 * time.Minute

// maxVerified bounds the passwords that are remembered as verified.
const maxVerified = 1000

// Options are what Users needs beside the database.
type Options struct {
	Dir string           // the data directory, for PasswordFile
	Log *slog.Logger     // nil is silent
	Now func() time.Time // the clock; nil is the wall clock

	// Feeds and Outputs are the names of the configuration that settings and filters may give; nil is any.
	Feeds, Outputs []string

	// Generation is raised by each change, also by those of the library and of ports; nil is one of its own.
	Generation *wake.Counter

	// SignInTries is how often a name may fail from one address before it has to wait. All names together may fail twenty times as
	// often in an hour there; then only a right password is answered. 0 means the constant SignInTries.
	SignInTries int
}

// Users are all users, their sessions and what is known of failed tries.
type Users struct {
	opts     Options
	db       *store.DB
	table    *store.Table[User]
	sessions *sessions
	lock     *lockout
	hashing  chan struct{} // as many at once as there are cores: each takes 19 MiB
	key      []byte        // of this process, for verified
	decoy    string        // hash of no password, verified for unknown names

	groupTable *store.Table[Group]
	near       Neighbours
	names      filter.Names // what settings and filters may name
	direct     directHosts
	audit      *Audit

	writing  sync.Mutex            // held by a change from its first look to the answer of the database; taken before mu
	mu       sync.Mutex            // guards what follows; held for a moment, so that a slow disk keeps no caller from signing in
	version  uint64                // grows with each change
	byName   map[string]entry      // folded name
	groups   map[string]groupEntry // by uid
	verified map[[sha256.Size]byte]proof
}

// entry is a user with its id in the table.
type entry struct {
	id   uint64
	user *User
}

// proof is what a verified password proved and until when.
type proof struct {
	stamp uint64
	until time.Time
}

// OpenUsers reads the users and sessions of the database.
func OpenUsers(db *store.DB, o Options) (*Users, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Generation == nil {
		o.Generation = &wake.Counter{}
	}
	if o.SignInTries == 0 {
		o.SignInTries = SignInTries
	}
	table, err := store.OpenTable[User](db, "users")
	if err != nil {
		return nil, fmt.Errorf("open users: %w", err)
	}
	sessions, err := openSessions(db, o.Now)
	if err != nil {
		return nil, err
	}
	u := &Users{
		names: filter.Names{Find: (*document.Box)(nil).Find, Feeds: o.Feeds, Outputs: o.Outputs}, opts: o, db: db, table: table, sessions: sessions, lock: newLockout(o.SignInTries),
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)), key: make([]byte, 32), decoy: decoyHash(),
		byName: map[string]entry{}, groups: map[string]groupEntry{}, verified: map[[sha256.Size]byte]proof{},
	}
	rand.Read(u.key)
	sessions.ended = u.opts.Generation.Raise
	if u.audit, err = openAudit(db, o); err != nil {
		return nil, err
	}
	if err := u.loadGroups(db); err != nil {
		return nil, err
	}
	if err := u.load(); err != nil {
		return nil, err
	}
	u.warnStrangers()
	return u, nil
}

// load reads the table into memory: users are few, and every request needs one.
func (u *Users) load() error {
	rows, err := u.table.All()
	if err != nil {
		return fmt.Errorf("read users: %w", err)
	}
	for i := range rows {
		u.byName[letters.Fold(rows[i].Value.Name)] = entry{rows[i].ID, u.resolved(&rows[i].Value)}
	}
	return nil
}

// Neighbours is what users and groups ask of other areas. The zero value knows nothing.
type Neighbours struct {
	Box     *document.Box                                // finds what settings and filters name, and the referrers of a group
	Names   ship.Lookup                                  // what the expression of a filter may name
	Regions func(wanted func(region int) bool) *geo.Rect // around the regions that are wanted, nil without any
}

// Join gives users and groups access to the other areas of the box. Call it before any call of View.
func (u *Users) Join(n Neighbours) {
	u.near, u.names.Find, u.names.Lookup = n, n.Box.Find, n.Names
}

// written raises the generation after a change. The caller holds both locks.
func (u *Users) written() {
	u.version++
	u.opts.Generation.Add()
}

// Audit gives the log of what users did.
func (u *Users) Audit() *Audit { return u.audit }

// Generation grows with each change of a user, a group, what filters name, or a port: what was worked out from them before is old.
func (u *Users) Generation() uint64 { return u.opts.Generation.Load() }

// Changed gives a channel that is closed at the next change that Generation counts, and when a session ends.
func (u *Users) Changed() <-chan struct{} { return u.opts.Generation.Next() }

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
		user.Hash = hashPassword(password)
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

// empower makes a user a member of the group admin, whatever its name is now; where that group was changed so that it is not
// enough, the user has all rights. The caller holds the lock.
func (u *Users) empower(user *User) {
	user.Groups = append(slices.Clone(user.Groups), u.adminGroup().UID)
	if u.resolved(user).MayAdminister() {
		return
	}
	user.Rights, user.Settings = allow(right.All()), maps.Clone(user.Settings)
	if user.Settings == nil {
		user.Settings = form.Keys{}
	}
	user.Settings["user_type"] = json.RawMessage(`"` + TypeUser + `"`)
}

// Create makes a user with a password. It fails with ErrTaken when the name is.
func (u *Users) Create(user User, password string) (*User, error) {
	if err := errors.Join(CheckName(user.Name), CheckPassword(password)); err != nil {
		return nil, err
	}
	user.Hash = hashPassword(password)
	return u.insert(user)
}

// insert adds a user. The password is hashed already.
func (u *Users) insert(user User) (*User, error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	if _, taken := u.byName[letters.Fold(user.Name)]; taken {
		return nil, fmt.Errorf("add %s: %w", user.Name, form.ErrTaken)
	}
	if err := roomForUsers(len(u.byName), len(u.byName)+1); err != nil {
		return nil, err
	}
	now := u.opts.Now().UTC()
	user.UID, user.Created, user.Changed, user.Stamp = cmp.Or(user.UID, uuid.NewString()), now, now, 1
	made := u.resolved(&user)
	id, err := u.table.Insert(made.Name, *made)
	if err != nil {
		return nil, fmt.Errorf("add user %s: %w", user.Name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.byName[letters.Fold(made.Name)] = entry{id, made}
	u.written()
	return made, nil
}

// SetPassword gives the user a new password and ends all sessions of the user. It removes the file with the first password if it
// was this user's.
func (u *Users) SetPassword(name, password string) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	_, err := u.ChangeAndPassword(name, password, func(*User) error { return nil })
	return err
}

// ChangeAndPassword is Change that gives the user another password with the same write; "" leaves the one that there is. It fails
// as Change and CheckPassword do.
func (u *Users) ChangeAndPassword(name, password string, edit func(*User) error) (*User, error) {
	if password == "" {
		return u.Change(name, edit)
	}
	if err := CheckPassword(password); err != nil {
		return nil, err
	}
	hash, was := hashPassword(password), ""
	now, err := u.Change(name, func(user *User) error {
		if err := edit(user); err != nil {
			return err
		}
		was, user.Hash = user.Hash, hash
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := u.removePassword(was); err != nil {
		return nil, fmt.Errorf("set password of %s: remove the first password: %w", name, err)
	}
	return now, nil
}

// removePassword removes the file with the first password when that had this hash: the administrator may not have read it yet when
// somebody else changes theirs.
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

// Change writes a changed copy of the user. A new name or password, a disabled or enabled user, and an expiry that begins or ends
// void the old sign-ins: every session and verified password ends. Change fails with ErrUnknown, ErrTaken, or ErrLastAdmin if no
// administrator would be left.
func (u *Users) Change(name string, edit func(*User) error) (*User, error) {
	now, ended, err := u.change(name, edit)
	if err != nil || ended == "" {
		return now, err
	}
	if err := u.sessions.endAll(ended, ""); err != nil {
		return nil, fmt.Errorf("change user %s: %w", name, err)
	}
	return now, nil
}

func (u *Users) change(name string, edit func(*User) error) (changed *User, ended string, err error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	was, ok := u.byName[letters.Fold(name)]
	if !ok {
		return nil, "", fmt.Errorf("change %s: %w", name, form.ErrNotFound)
	}
	now := *was.user
	if err := edit(&now); err != nil {
		return nil, "", err
	}
	if was.user.signsInOtherwise(&now, u.opts.Now()) {
		ended = was.user.UID
		now.Stamp++
	}
	now.Changed = form.ChangedAt(was.user.Changed, u.opts.Now())
	if _, taken := u.byName[letters.Fold(now.Name)]; taken && letters.Fold(now.Name) != letters.Fold(was.user.Name) {
		return nil, "", fmt.Errorf("rename %s: %w", name, form.ErrTaken)
	}
	made := u.resolved(&now)
	key := letters.Fold(was.user.Name)
	if !u.adminStays(func() { u.byName[key] = entry{was.id, made} }, func() { u.byName[key] = was }) {
		return nil, "", fmt.Errorf("change user %s: %w", name, ErrLastAdmin)
	}
	if err := u.table.Put(was.id, made.Name, *made); err != nil {
		return nil, "", fmt.Errorf("change user %s: %w", name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.byName, key)
	u.byName[letters.Fold(made.Name)] = entry{was.id, made}
	clear(u.verified)
	u.written()
	return made, ended, nil
}

// Delete deletes a user and ends the sessions. Administrators still see what the user owned. Delete fails with ErrUnknown, or
// ErrLastAdmin if no administrator would be left.
func (u *Users) Delete(name string) error {
	uid, err := u.remove(name)
	if err != nil {
		return err
	}
	return u.sessions.endAll(uid, "")
}

func (u *Users) remove(name string) (uid string, err error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	key := letters.Fold(name)
	was, ok := u.byName[key]
	if !ok {
		return "", fmt.Errorf("delete %s: %w", name, form.ErrNotFound)
	}
	if !u.adminStays(func() { delete(u.byName, key) }, func() { u.byName[key] = was }) {
		return "", fmt.Errorf("delete user %s: %w", name, ErrLastAdmin)
	}
	if err := u.table.Delete(was.id); err != nil {
		return "", fmt.Errorf("delete user %s: %w", name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.byName, key)
	clear(u.verified)
	u.written()
	return was.user.UID, nil
}

// Clone makes a user like another, with the same password. Hosts of direct access and ships by their MMSI are personal and not copied.
// It fails with ErrTaken when the name is.
func (u *Users) Clone(of *User, name string) (*User, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	now := *of
	now.UID, now.Name, now.Direct.Hosts, now.Profile = "", name, nil, of.Profile.impersonal()
	return u.insert(now)
}

// List gives all users by name.
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

// User gives the user of that name, upper and lower case alike, or of that uid.
func (u *Users) User(ref string) (*User, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if e, ok := u.byName[letters.Fold(ref)]; ok {
		return e.user, true
	}
	e, ok := u.ofUID(strings.ToLower(ref))
	return e.user, ok
}

// ofUID gives the user with that uid. The caller holds the lock.
func (u *Users) ofUID(uid string) (entry, bool) {
	for _, e := range u.byName {
		if e.user.UID == uid {
			return e, true
		}
	}
	return entry{}, false
}

// Current gives the user as of now, when what was verified of it still holds: neither password nor name changed, and it was not
// deleted, disabled or expired since.
func (u *Users) Current(user *User) (*User, bool) {
	u.mu.Lock()
	e, ok := u.byName[letters.Fold(user.Name)]
	u.mu.Unlock()
	ok = ok && e.user.UID == user.UID && e.user.Stamp == user.Stamp && e.user.Active(u.opts.Now())
	return e.user, ok
}

// Verify gives the user of name and password. It fails with ErrWrong, with a *Locked when too many tries failed before,
// or with the context's error while it waits for its turn.
func (u *Users) Verify(ctx context.Context, name, password, address string) (*User, error) {
	now := u.opts.Now()
	all := u.lock.of(guardKey{"", network(address)}, now)
	if !u.lock.begin(all, now) {
		return u.verifyUnsaid(ctx, name, password, address)
	}
	defer u.lock.end(all)
	user, err := u.try(ctx, name, password, address)
	if errors.Is(err, ErrWrong) && u.lock.failAt(all, u.opts.Now()) {
		u.opts.Log.Warn("too many failed sign-ins from one address: for an hour nothing but a right password is answered there", "address", address)
	}
	return user, err
}

// try judges a password when it is the turn of this name at this address.
func (u *Users) try(ctx context.Context, name, password, address string) (*User, error) {
	named := u.lock.of(guardKey{letters.Fold(name), network(address)}, u.opts.Now())
	select {
	case named.turn <- struct{}{}:
		defer func() { <-named.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if wait := u.lock.wait(named, u.opts.Now()); wait > 0 {
		return nil, &Locked{wait}
	}
	user, err := u.verify(ctx, name, password)
	switch {
	case errors.Is(err, ErrWrong):
		u.lock.fail(named, u.opts.Now())
		u.opts.Log.Warn("sign-in failed", "user", name, "address", address)
	case err == nil:
		u.lock.clear(named)
	}
	return user, err
}

// verifyUnsaid is Verify at an address from which too many names failed. A caller with the right password gets in. Every other
// caller gets the same answer after the same time, for a known and an unknown name, a wait and a wrong password. So an unknown name
// needs no hash, and a flood of names neither loads the box nor pushes other guards out of memory. A password whose hash takes
// longer than the answer is remembered, and is right at the next try.
func (u *Users) verifyUnsaid(ctx context.Context, name, password, address string) (*User, error) {
	within, cancel := context.WithTimeout(ctx, unsaidTakes)
	defer cancel()
	proven := make(chan *User, 1)
	if _, known := u.named(name); known {
		go func() {
			if user, err := u.try(within, name, password, address); err == nil {
				proven <- user
			}
		}()
	}
	select {
	case user := <-proven:
		return user, nil
	case <-within.Done():
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &Locked{unsaidRetry}
}

// named gives the user of that name.
func (u *Users) named(name string) (*User, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	e, ok := u.byName[letters.Fold(name)]
	return e.user, ok
}

// verify first looks among the passwords verified before, then computes the hash. For an unknown name it hashes against a decoy, so
// that the answer takes as long.
func (u *Users) verify(ctx context.Context, name, password string) (*User, error) {
	user, known := u.named(name)
	hash := u.decoy
	if known {
		hash = cmp.Or(user.Hash, u.decoy)
		if u.remembers(user, password) {
			return u.active(user)
		}
	}
	select {
	case u.hashing <- struct{}{}:
		defer func() { <-u.hashing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	same, err := verifyPassword(hash, password)
	if err != nil {
		return nil, fmt.Errorf("verify user %s: %w", name, err)
	}
	if !known || !same {
		return nil, ErrWrong
	}
	u.remember(user, password)
	return u.active(user)
}

// active refuses a user that may not sign in, with the error of a wrong password.
func (u *Users) active(user *User) (*User, error) {
	if !user.Active(u.opts.Now()) {
		return nil, ErrWrong
	}
	return user, nil
}

// digest is what is stored of a verified password. A guess can be tested against it only with the key of this process.
func (u *Users) digest(user *User, password string) (d [sha256.Size]byte) {
	mac := hmac.New(sha256.New, u.key)
	fmt.Fprintf(mac, "%s\x00%d\x00%s", user.UID, user.Stamp, password)
	mac.Sum(d[:0])
	return d
}

func (u *Users) remembers(user *User, password string) bool {
	d := u.digest(user, password)
	u.mu.Lock()
	defer u.mu.Unlock()
	p, ok := u.verified[d]
	return ok && p.stamp == user.Stamp && u.opts.Now().Before(p.until)
}

func (u *Users) remember(user *User, password string) {
	d := u.digest(user, password)
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.verified) >= maxVerified {
		clear(u.verified)
	}
	u.verified[d] = proof{user.Stamp, u.opts.Now().Add(verifiedFor)}
}
