package access

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/store/records"
)

// A session ends when it was not used for SessionIdle, and in any case after SessionMost.
const (
	SessionIdle = 12 * time.Hour
	SessionMost = 7 * 24 * time.Hour
	seenEvery   = 5 * time.Minute // how often the last use is written down
	maxSessions = 50              // of one user; the one not used for longest goes
	mostPassing = 20              // sessions in memory alone, of all users; the one not used for longest goes
	passingIDs  = 1 << 52         // their numbers are above those of the database, and exact in JSON
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

// Sessions are all of them, in memory and in the database. A session that begins while nothing can be written is in memory alone, so that an operator can see
// what is wrong. It ends with the service.
type Sessions struct {
	table    *records.Table[session]
	now      func() time.Time
	ended    func()                          // called for each session that ends
	named    func(name string) (*User, bool) // finds the user of a session
	db       *records.Database
	together func(first records.CommitPart, also ...records.CommitPart) error // writes to the database
	mu       sync.Mutex                                                       // held for a moment, never while the database writes
	open     map[string]openSession                                           // by hashed token
	passed   uint64                                                           // sessions that were begun in memory alone
}

type openSession struct {
	id uint64
	session
	written time.Time // the last use, as the database has it
	passing bool      // is in memory alone
}

// OpenSession is what a user may know of a session of theirs.
type OpenSession struct {
	ID      uint64
	Since   time.Time
	Used    time.Time // last
	Address string    // of the machine that used it last; "" where that is not known
	Current bool      // the session that made the request
	Passing bool      // it is in memory alone, and ends with the service
}

func openSessions(db *records.Database, u *Users) (*Sessions, error) {
	table, rows, err := records.ReadTable[session](db, "sessions")
	if err != nil {
		return nil, err
	}
	s := &Sessions{table: table, now: u.now, ended: u.generation.Raise, named: u.userNamed, db: db, together: db.Together,
		open: map[string]openSession{}}
	for _, row := range rows {
		s.open[row.Value.Token] = openSession{row.ID, row.Value, row.Value.Seen, false}
	}
	return s, nil
}

func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Begin begins a session of a verified user from the address of a machine. It returns the token of the session, which is stored
// nowhere. While nothing can be written the session is in memory alone.
func (s *Sessions) Begin(user *User, address string) (token string, err error) {
	token = randomText(32)
	now := s.now().UTC()
	began := session{Token: hashToken(token), Name: user.Name, UID: user.UID, Stamp: user.Stamp, Created: now, Seen: now, Address: address}
	over := s.makeRoom(user.UID, now)
	var id uint64
	err = s.together(s.freed(over), func(tx *records.Tx) (err error) {
		id, err = s.table.SetIn(tx, 0, began.Token, began)
		return err
	})
	passing := errors.Is(err, records.ErrFull) || errors.Is(err, records.ErrReadOnly)
	if err != nil && !passing {
		return "", fmt.Errorf("begin session of %s: %w", user.Name, err)
	}
	if passing {
		s.makeRoomToPass()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if passing {
		s.passed++
		id = passingIDs + s.passed
	}
	s.open[began.Token] = openSession{id, began, now, passing}
	return token, nil
}

// User returns the user of the session with this token, used from this address. "" leaves the address as it was. User ends a
// session that is over, or whose user has changed since. The error is ErrWrong then, as for a token that never was.
func (s *Sessions) User(token, address string) (*User, error) {
	hash, now := hashToken(token), s.now().UTC()
	o, ok := s.noteUse(hash, address, now)
	if !ok {
		return nil, ErrWrong
	}
	user, known := s.named(o.Name)
	if !known || user.UID != o.UID || user.Stamp != o.Stamp || !user.Active(now) || o.isOver(now) {
		return nil, cmp.Or(s.endSessions([]openSession{o}), ErrWrong)
	}
	return user, nil
}

// noteUse notes the use of a session, and returns it as it was before. No caller waits until that is written: neither a full disk nor a slow
// one signs anybody out.
func (s *Sessions) noteUse(hash, address string, now time.Time) (was openSession, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok = s.open[hash]
	if !ok {
		return was, false
	}
	o := was
	o.Seen, o.Address = now, cmp.Or(address, o.Address)
	if now.Sub(o.written) >= seenEvery && !o.isOver(now) && !o.passing {
		o.written = now
		s.db.Later(func(tx *records.Tx) error { return s.table.PutIn(tx, o.id, o.Token, o.session) })
	}
	s.open[hash] = o
	return was, true
}

// Of returns the open sessions of a user, the last used first. It marks the session with the given token.
func (s *Sessions) Of(user *User, token string) []OpenSession {
	current, now := hashToken(token), s.now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []OpenSession
	for hash, o := range s.open {
		if o.UID == user.UID && o.Stamp == user.Stamp && !o.isOver(now) {
			list = append(list, OpenSession{o.id, o.Created, o.Seen, o.Address, hash == current, o.passing})
		}
	}
	slices.SortFunc(list, func(a, b OpenSession) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(b.ID, a.ID)) })
	return list
}

// End ends a session of a user by its number, in one commit with also. It fails with form.ErrNotFound when the user has none of that
// number.
func (s *Sessions) End(user *User, id uint64, also ...records.CommitPart) error {
	of := s.which(func(o *openSession) bool { return o.id == id && o.UID == user.UID })
	if len(of) == 0 {
		return fmt.Errorf("end session %d of %s: %w", id, user.Name, form.ErrNotFound)
	}
	return s.endSessions(of, also...)
}

// SignOut ends the session of the token; one that never was is none to end.
func (s *Sessions) SignOut(token string) error {
	hash := hashToken(token)
	return s.endSessions(s.which(func(o *openSession) bool { return o.Token == hash }))
}

func (o *openSession) isOver(now time.Time) bool {
	return now.Sub(o.Seen) > SessionIdle || now.Sub(o.Created) > SessionMost
}

// which returns the open sessions of a kind.
func (s *Sessions) which(of func(o *openSession) bool) (list []openSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.open {
		if of(&o) {
			list = append(list, o)
		}
	}
	return list
}

// endSessions forgets sessions at once, and then takes them out of the database, in one commit with also. It commits nothing where none is in
// the database and there is nothing else.
func (s *Sessions) endSessions(list []openSession, also ...records.CommitPart) error {
	if len(list) == 0 {
		return nil
	}
	s.forgetSessions(list)
	if len(also) == 0 && !slices.ContainsFunc(list, func(o openSession) bool { return !o.passing }) {
		return nil
	}
	err := s.together(s.freed(list), also...)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

func (s *Sessions) forgetSessions(list []openSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range list {
		if _, there := s.open[o.Token]; there {
			delete(s.open, o.Token)
			s.ended()
		}
	}
}

// freed is the change that takes sessions out of the database.
func (s *Sessions) freed(list []openSession) records.CommitPart {
	return func(tx *records.Tx) error {
		for _, o := range list {
			if o.passing {
				continue
			}
			if err := s.table.FreeIn(tx, o.id); err != nil {
				return err
			}
		}
		return nil
	}
}

// EndAll ends every session of the user with that uid but the one with the given token, in one commit with also; "" spares none. Where
// there is none to end, it commits nothing.
func (s *Sessions) EndAll(uid, spare string, also ...records.CommitPart) error {
	spared := hashToken(spare)
	return s.endSessions(s.which(func(o *openSession) bool { return o.UID == uid && o.Token != spared }), also...)
}

// makeRoom forgets what is over, and of a user with too many sessions the one that was not used for longest. It returns what the database
// has still to forget.
func (s *Sessions) makeRoom(uid string, now time.Time) []openSession {
	gone := s.which(func(o *openSession) bool { return o.isOver(now) })
	own := s.which(func(o *openSession) bool { return !o.isOver(now) && o.UID == uid })
	if len(own) >= maxSessions {
		gone = append(gone, slices.MinFunc(own, func(a, b openSession) int { return a.Seen.Compare(b.Seen) }))
	}
	s.forgetSessions(gone)
	return gone
}

// makeRoomToPass forgets, of too many sessions in memory alone, the one that was not used for longest.
func (s *Sessions) makeRoomToPass() {
	if list := s.which(func(o *openSession) bool { return o.passing }); len(list) >= mostPassing {
		s.forgetSessions([]openSession{slices.MinFunc(list, func(a, b openSession) int { return a.Seen.Compare(b.Seen) })})
	}
}
