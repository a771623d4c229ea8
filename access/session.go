package access

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/store"
)

// A session ends when it was not used for SessionIdle, and in any case after SessionMost.
const (
	SessionIdle = 12 * time.Hour
	SessionMost = 7 * 24 * time.Hour
	seenEvery   = 5 * time.Minute // how often the last use is written down
	maxSessions = 50              // of one user; the one not used for longest goes
)

// session is one sign-in of the web client. Its token is kept only as a hash: a reader of the database cannot sign in.
type session struct {
	Token   string    `json:"token"` // hex SHA-256
	Name    string    `json:"name"`
	UID     string    `json:"uid"`   // of the user; a session of an older database has none and ends
	Stamp   uint64    `json:"stamp"` // of the user when it began
	Created time.Time `json:"created"`
	Seen    time.Time `json:"seen"`
	Address string    `json:"address,omitempty"` // of the machine that used it last; older databases have none
}

// sessions are all of them, in memory and in the database.
type sessions struct {
	table *store.Table[session]
	now   func() time.Time
	ended func() // called for each session that ends
	mu    sync.Mutex
	open  map[string]openSession // by hashed token
}

type openSession struct {
	id uint64
	session
	written time.Time // the last use, as the database has it
}

// OpenSession is what a user may know of a session of theirs.
type OpenSession struct {
	ID      uint64
	Since   time.Time
	Used    time.Time // last
	Address string    // of the machine that used it last; "" where that is not known
	Current bool      // the session that made the request
}

func openSessions(db *store.DB, now func() time.Time) (*sessions, error) {
	table, err := store.OpenTable[session](db, "sessions")
	if err != nil {
		return nil, fmt.Errorf("open sessions: %w", err)
	}
	rows, err := table.All()
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	s := &sessions{table: table, now: now, open: map[string]openSession{}}
	for _, row := range rows {
		s.open[row.Value.Token] = openSession{row.ID, row.Value, row.Value.Seen}
	}
	return s, nil
}

func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// SignIn begins a session of a verified user from the address of a machine. It returns the token of the session, which is stored
// nowhere.
func (u *Users) SignIn(user *User, address string) (token string, err error) {
	s := u.sessions
	token = randomText(32)
	now := s.now().UTC()
	began := session{Token: hashToken(token), Name: user.Name, UID: user.UID, Stamp: user.Stamp, Created: now, Seen: now, Address: address}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeRoom(user.UID, now); err != nil {
		return "", fmt.Errorf("begin session of %s: %w", user.Name, err)
	}
	id, err := s.table.Insert(began.Token, began)
	if err != nil {
		return "", fmt.Errorf("begin session of %s: %w", user.Name, err)
	}
	s.open[began.Token] = openSession{id, began, now}
	return token, nil
}

// Session returns the user of the session with this token, used from this address. "" leaves the address as it was. Session ends a
// session that is over, or whose user has changed since. The error is ErrWrong then, as for a token that never was.
func (u *Users) Session(token, address string) (*User, error) {
	s := u.sessions
	hash, now := hashToken(token), s.now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.open[hash]
	if !ok {
		return nil, ErrWrong
	}
	user, known := u.named(o.Name)
	if !known || user.UID != o.UID || user.Stamp != o.Stamp || !user.Active(now) || o.over(now) {
		return nil, s.end(hash, ErrWrong)
	}
	o.Seen, o.Address = now, cmp.Or(address, o.Address)
	if now.Sub(o.written) >= seenEvery {
		o.written = now
		// A full disk must not sign anybody out: the use is then remembered in memory alone.
		_ = s.table.Put(o.id, o.Token, o.session)
	}
	s.open[hash] = o
	return user, nil
}

// Sessions returns the open sessions of a user, the last used first. It marks the session with the given token.
func (u *Users) Sessions(user *User, token string) []OpenSession {
	s := u.sessions
	current, now := hashToken(token), s.now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []OpenSession
	for hash, o := range s.open {
		if o.UID == user.UID && o.Stamp == user.Stamp && !o.over(now) {
			list = append(list, OpenSession{o.id, o.Created, o.Seen, o.Address, hash == current})
		}
	}
	slices.SortFunc(list, func(a, b OpenSession) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(b.ID, a.ID)) })
	return list
}

// EndSession ends a session of a user by its number. It fails with ErrUnknown when the user has none of that number.
func (u *Users) EndSession(user *User, id uint64) error {
	s := u.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, o := range s.open {
		if o.id == id && o.UID == user.UID {
			return s.end(hash, nil)
		}
	}
	return fmt.Errorf("end session %d of %s: %w", id, user.Name, form.ErrNotFound)
}

// EndSessions ends all sessions of a user but the one with the given token; "" spares none.
func (u *Users) EndSessions(user *User, spare string) error {
	return u.sessions.endAll(user.UID, spare)
}

// SignOut ends the session of the token; one that never was is none to end.
func (u *Users) SignOut(token string) error {
	s := u.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end(hashToken(token), nil)
}

func (o *openSession) over(now time.Time) bool {
	return now.Sub(o.Seen) > SessionIdle || now.Sub(o.Created) > SessionMost
}

// end forgets a session and gives the answer, or the error of the database.
func (s *sessions) end(hash string, answer error) error {
	o, ok := s.open[hash]
	if !ok {
		return answer
	}
	delete(s.open, hash)
	s.ended()
	if err := s.table.Delete(o.id); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return answer
}

// endAll ends every session of the user with that uid but the one with the given token; "" spares none.
func (s *sessions) endAll(uid, spare string) error {
	spared := hashToken(spare)
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, o := range s.open {
		if o.UID != uid || hash == spared {
			continue
		}
		if err := s.end(hash, nil); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom ends what is over, and of a user with too many sessions the one that was not used for longest.
func (s *sessions) makeRoom(uid string, now time.Time) error {
	count, oldest := 0, ""
	for hash, o := range s.open {
		if o.over(now) {
			if err := s.end(hash, nil); err != nil {
				return err
			}
			continue
		}
		if o.UID != uid {
			continue
		}
		count++
		if oldest == "" || o.Seen.Before(s.open[oldest].Seen) {
			oldest = hash
		}
	}
	if count < maxSessions {
		return nil
	}
	return s.end(oldest, nil)
}
