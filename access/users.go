package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"quaywatch/store"
)

// Errors of signing in and of keeping users. Which of name and password was wrong is never said.
var (
	ErrWrong   = errors.New("sign in: wrong name or password")
	ErrUnknown = errors.New("user: no such user")
	ErrTaken   = errors.New("user: name already used")
)

// AdminName is the user that the first start makes.
const AdminName = "admin"

// PasswordFile is where, in the data directory, the first administrator's invented password stands until it is changed.
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
}

// Users are all users, their sessions and what is known of failed tries.
type Users struct {
	opts     Options
	table    *store.Table[User]
	sessions *sessions
	lock     *lockout
	hashing  chan struct{} // as many at once as there are cores: each takes 19 MiB
	key      []byte        // of this process, for verified
	decoy    string        // hash of no password, verified for unknown names

	mu       sync.Mutex
	byName   map[string]entry // lower case name
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
	table, err := store.OpenTable[User](db, "users")
	if err != nil {
		return nil, fmt.Errorf("open users: %w", err)
	}
	sessions, err := openSessions(db, o.Now)
	if err != nil {
		return nil, err
	}
	u := &Users{
		opts: o, table: table, sessions: sessions, lock: newLockout(),
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)), key: make([]byte, 32), decoy: decoyHash(),
		byName: map[string]entry{}, verified: map[[sha256.Size]byte]proof{},
	}
	rand.Read(u.key)
	return u, u.load()
}

// load reads the table into memory: users are few and asked for at every request.
func (u *Users) load() error {
	rows, err := u.table.All()
	if err != nil {
		return fmt.Errorf("read users: %w", err)
	}
	for _, row := range rows {
		u.byName[strings.ToLower(row.Value.Name)] = entry{row.ID, &row.Value}
	}
	return nil
}

// EnsureAdmin makes the first administrator when there is no user at all, with the given password, or where that is empty
// with a random one, which it returns to be printed once and also leaves in PasswordFile (0600).
func (u *Users) EnsureAdmin(password string) (invented string, err error) {
	if len(u.List()) > 0 {
		return "", nil
	}
	if password != "" {
		return "", u.Add(AdminName, password)
	}
	invented = randomText(15)
	if err := u.leavePassword(invented); err != nil {
		return "", err
	}
	return invented, u.Add(AdminName, invented)
}

// leavePassword writes the first password where only the service's user can read it. It stands there before it counts, so
// that a power cut in between locks nobody out.
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

// Add makes a user with all rights: until groups can be edited, every user is an administrator.
func (u *Users) Add(name, password string) error {
	if err := errors.Join(CheckName(name), CheckPassword(password)); err != nil {
		return err
	}
	hash := hashPassword(password)
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, taken := u.byName[strings.ToLower(name)]; taken {
		return fmt.Errorf("add %s: %w", name, ErrTaken)
	}
	now := u.opts.Now().UTC()
	user := User{UID: uuid.NewString(), Name: name, Hash: hash, Groups: []string{GroupAdmin}, Created: now, Changed: now, Stamp: 1}
	id, err := u.table.Insert(name, user)
	if err != nil {
		return fmt.Errorf("add user %s: %w", name, err)
	}
	u.byName[strings.ToLower(name)] = entry{id, &user}
	return nil
}

// SetPassword gives the user a new password, ends all of the user's sessions and removes the file with the first password.
func (u *Users) SetPassword(name, password string) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	hash := hashPassword(password)
	err := u.change(name, func(user *User) { user.Hash = hash })
	if err != nil {
		return err
	}
	if err := u.sessions.endAll(name); err != nil {
		return fmt.Errorf("set password of %s: %w", name, err)
	}
	if err := os.Remove(filepath.Join(u.opts.Dir, PasswordFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("set password of %s: remove the first password: %w", name, err)
	}
	return nil
}

// change writes a changed copy of the user and forgets every verified password of the old one.
func (u *Users) change(name string, edit func(*User)) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	was, ok := u.byName[strings.ToLower(name)]
	if !ok {
		return fmt.Errorf("change %s: %w", name, ErrUnknown)
	}
	now := *was.user
	edit(&now)
	now.Changed = u.opts.Now().UTC()
	now.Stamp++
	if err := u.table.Put(was.id, now.Name, now); err != nil {
		return fmt.Errorf("change user %s: %w", name, err)
	}
	u.byName[strings.ToLower(name)] = entry{was.id, &now}
	clear(u.verified)
	return nil
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

// Find gives the user of that name, upper and lower case alike.
func (u *Users) Find(name string) (*User, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	e, ok := u.byName[strings.ToLower(name)]
	return e.user, ok
}

// Current tells whether the user is still the one that was verified: not changed, disabled or expired since.
func (u *Users) Current(user *User) bool {
	now, ok := u.Find(user.Name)
	return ok && now.Stamp == user.Stamp && now.Active(u.opts.Now())
}

// Verify gives the user of name and password. It fails with ErrWrong, with a *Locked when too many tries failed before,
// or with the context's error while it waits for its turn.
func (u *Users) Verify(ctx context.Context, name, password, address string) (*User, error) {
	now := u.opts.Now()
	named := u.lock.of(guardKey{strings.ToLower(name), network(address)}, now)
	all := u.lock.of(guardKey{"", network(address)}, now)
	select {
	case named.turn <- struct{}{}:
		defer func() { <-named.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if wait := u.lock.wait(u.opts.Now(), named, all); wait > 0 {
		return nil, &Locked{wait}
	}
	user, err := u.verify(ctx, name, password)
	switch {
	case errors.Is(err, ErrWrong):
		u.lock.fail(named, all, u.opts.Now())
		u.opts.Log.Warn("sign-in failed", "user", name, "address", address)
	case err == nil:
		u.lock.clear(named)
	}
	return user, err
}

// verify asks the passwords that were verified before, else hashes. An unknown name is hashed against a decoy, so that it
// costs the same.
func (u *Users) verify(ctx context.Context, name, password string) (*User, error) {
	user, known := u.Find(name)
	hash := u.decoy
	if known {
		hash = user.Hash
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
	right, err := verifyPassword(hash, password)
	if err != nil {
		return nil, fmt.Errorf("verify user %s: %w", name, err)
	}
	if !known || !right {
		return nil, ErrWrong
	}
	u.remember(user, password)
	return u.active(user)
}

// active refuses a user who may not sign in, in the words of a wrong password.
func (u *Users) active(user *User) (*User, error) {
	if !user.Active(u.opts.Now()) {
		return nil, ErrWrong
	}
	return user, nil
}

// digest is what is kept of a verified password: nobody without this process's key can test guesses against it.
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
