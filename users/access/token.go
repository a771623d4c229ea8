package access

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
	"quaywatch/users/access/right"
)

// Bounds of tokens.
const (
	TokenDays    = 365       // until a token expires, where its maker says nothing
	LinkDays     = 7         // until that of a link does
	maxTokenDays = 3660      // until it expires at the latest
	maxTokens    = 20        // of one user
	usedEvery    = time.Hour // how often the last use is written down
	tokenBytes   = 32
	maxLinkDays  = 92
	tokenMark    = "qwt_" // begins each token, so that a search for leaked secrets finds it
	linkMark     = "qwl_" // begins the token of a link
)

// Token lets a program call the interface in the name of a user, with rights chosen among those of the user. That of a link lets a browser look at what the user
// sees, and do nothing.
type Token struct {
	ID      uint64       `json:"-"`
	Hash    string       `json:"hash"`             // hex SHA-256 of the text, which is stored nowhere
	UID     string       `json:"uid"`              // of the user
	Barred  uint64       `json:"barred,omitempty"` // of the user, when the token was made
	Name    string       `json:"name"`
	Link    bool         `json:"link,omitempty"`
	Rights  []right.Name `json:"rights"`
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires"`
	Used    time.Time    `json:"used,omitzero"`     // last; zero before the first use
	Address string       `json:"address,omitempty"` // of the machine that used it last

	written time.Time // Used, as the database has it
}

// Over reports whether the token has expired.
func (t *Token) Over(now time.Time) bool { return !now.Before(t.Expires) }

// Tokens are the tokens of all users, in memory and in the database.
type Tokens struct {
	table  *records.Table[Token]
	db     *records.Database
	now    func() time.Time
	ended  func()                         // called when tokens end
	user   func(uid string) (*User, bool) // finds the user of a token
	mu     sync.Mutex                     // held for a moment, never while the database writes
	byHash map[string]Token               // one that is about to be written has the ID 0
}

func openTokens(db *records.Database, u *Users) (*Tokens, error) {
	table, rows, err := records.ReadTable[Token](db, "tokens")
	if err != nil {
		return nil, err
	}
	t := &Tokens{table: table, db: db, now: u.now, ended: u.generation.Raise, user: u.User, byHash: map[string]Token{}}
	for _, row := range rows {
		token := row.Value
		token.ID, token.written = row.ID, token.Used
		t.byHash[token.Hash] = token
	}
	return t, nil
}

// IsLink reports whether a text is the token of a link, as far as can be seen from it.
func IsLink(text string) bool { return strings.HasPrefix(text, linkMark) }

// Make makes a token of a user, and returns its text, which is stored nowhere. Each token has allow_web_service, and that of a link web_online_access, because
// it would be of no use without it. It is made in one commit with also. Make fails with form.Errors, with form.ErrTaken, and with form.TooMany.
func (t *Tokens) Make(of *User, made Token, also ...records.CommitPart) (Token, string, error) {
	if wrong := made.findErrors(of, t.now()); len(wrong) > 0 {
		return made, "", wrong
	}
	mark, always := tokenMark, right.AllowWebService
	if made.Link {
		mark, always = linkMark, right.WebOnlineAccess
	}
	made.Rights = slices.DeleteFunc(right.All(), func(r right.Name) bool { return r != always && !slices.Contains(made.Rights, r) })
	text := mark + randomText(tokenBytes)
	made.Hash, made.UID, made.Barred = hashToken(text), of.UID, of.Barred
	made.Name, made.Created, made.Expires = form.Tidy(made.Name), t.now().UTC(), made.Expires.UTC()
	if err := t.reserve(of, made); err != nil {
		return made, "", fmt.Errorf("make token of %s: %w", of.Name, err)
	}
	id, err := t.table.Insert(made.Hash, made, also...)
	if err != nil {
		t.forgetTokens(made)
		return made, "", fmt.Errorf("make token of %s: %w", of.Name, err)
	}
	made.ID = id
	t.mu.Lock()
	_, there := t.byHash[made.Hash]
	if there {
		t.byHash[made.Hash] = made
	}
	t.mu.Unlock()
	if !there { // all tokens of the user ended meanwhile
		return made, "", errors.Join(fmt.Errorf("make token of %s: %w", of.Name, form.ErrStale), t.endTokens([]Token{made}))
	}
	return made, text, nil
}

// findErrors returns what is wrong with a token that a user is to get.
func (t *Token) findErrors(of *User, now time.Time) (wrong form.Errors) {
	refuse := func(pointer string, why *rule.Rule) { wrong = append(wrong, form.Error{Pointer: pointer, Rule: why}) }
	var why *rule.Rule
	if errors.As(form.CheckTitle(t.Name), &why) {
		refuse("/name", why)
	}
	most, needs := maxTokenDays, []right.Name{right.AllowWebService}
	if t.Link {
		most, needs = maxLinkDays, append(needs, right.WebOnlineAccess)
	}
	if left := t.Expires.Sub(now); left <= 0 || left > time.Duration(most)*24*time.Hour {
		refuse("/expiration_time", rule.New("token_expiry", "must be in the future, and at most {days} days away", "days", most))
	}
	if i := slices.IndexFunc(needs, func(r right.Name) bool { return !of.May(r) }); i >= 0 {
		refuse("/rights", lacks(needs[i]))
	}
	if i := slices.IndexFunc(t.Rights, func(r right.Name) bool { return !of.May(r) }); i >= 0 {
		refuse(fmt.Sprintf("/rights/%d", i), lacks(t.Rights[i]))
	}
	if i := slices.IndexFunc(t.Rights, func(r right.Name) bool { return !slices.Contains(right.OfLink(), r) }); t.Link && i >= 0 {
		refuse(fmt.Sprintf("/rights/%d", i), rule.New("link_right", "{right} is none of the rights that a link can give", "right", form.CutName(string(t.Rights[i]))))
	}
	return wrong
}

func lacks(r right.Name) *rule.Rule {
	return rule.New("token_right", "{right} is none of the rights of the user", "right", form.CutName(string(r)))
}

// reserve takes a place and the name among the tokens of the user.
func (t *Tokens) reserve(of *User, made Token) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := 0
	for _, token := range t.byHash {
		if !token.belongsTo(of) {
			continue
		}
		if count++; fold.Name(token.Name) == fold.Name(made.Name) {
			return form.ErrTaken
		}
	}
	err := form.Room(maxTokens, count, count+1, rule.New("too_many_tokens", "a user may have at most {max} tokens", "max", maxTokens))
	if err == nil {
		t.byHash[made.Hash] = made
	}
	return err
}

// belongsTo reports whether the token is one of the user, and the user was not disabled since.
func (t *Token) belongsTo(user *User) bool { return t.UID == user.UID && t.Barred == user.Barred }

// User returns the user of the token with this text, used from this address, with no right that the token has not. "" leaves the
// address as it was. It fails with ErrWrong when there is no such token, when it or its user has expired, and when the user was
// disabled since.
func (t *Tokens) User(text, address string) (*User, *Token, error) {
	now := t.now().UTC()
	t.mu.Lock()
	token, ok := t.byHash[hashToken(text)]
	t.mu.Unlock()
	if !ok || token.Over(now) {
		return nil, nil, ErrWrong
	}
	user, known := t.user(token.UID)
	if !known || !token.belongsTo(user) || !user.Active(now) {
		return nil, nil, ErrWrong
	}
	t.noteUse(token.Hash, address, now)
	narrowed := *user
	narrowed.token = &token
	return &narrowed, &token, nil
}

// noteUse notes the use of a token. No caller waits until that is written, and it is written once an hour at most.
func (t *Tokens) noteUse(hash, address string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	token, ok := t.byHash[hash]
	if !ok {
		return
	}
	token.Used, token.Address = now, cmp.Or(address, token.Address)
	if now.Sub(token.written) >= usedEvery {
		token.written = now
		t.db.Later(func(tx *records.Tx) error { return t.table.PutIn(tx, token.ID, token.Hash, token) })
	}
	t.byHash[hash] = token
}

// Of returns the tokens of a user by name. Those that ended when the user was disabled are not among them.
func (t *Tokens) Of(user *User) []Token {
	list := t.which(func(token *Token) bool { return token.belongsTo(user) })
	slices.SortFunc(list, func(a, b Token) int { return cmp.Compare(fold.Name(a.Name), fold.Name(b.Name)) })
	return list
}

// Revoke ends a token of a user by its number, in one commit with the changes that also makes of it. It fails with form.ErrNotFound when the
// user has none of that number.
func (t *Tokens) Revoke(user *User, id uint64, also ...func(gone Token) records.CommitPart) error {
	list := t.which(func(token *Token) bool { return token.ID == id && token.belongsTo(user) })
	if len(list) == 0 {
		return fmt.Errorf("revoke token %d of %s: %w", id, user.Name, form.ErrNotFound)
	}
	var with []records.CommitPart
	for _, of := range also {
		with = append(with, of(list[0]))
	}
	return t.endTokens(list, with...)
}

// which returns the tokens of a kind.
func (t *Tokens) which(of func(*Token) bool) (list []Token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, token := range t.byHash {
		if of(&token) {
			list = append(list, token)
		}
	}
	return list
}

// endTokens forgets tokens at once, and takes them out of the database, in one commit with also.
func (t *Tokens) endTokens(list []Token, also ...records.CommitPart) error {
	t.forgetTokens(list...)
	if err := t.db.Together(t.freed(list), also...); err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	return nil
}

// freed is the change that takes tokens out of the database.
func (t *Tokens) freed(list []Token) records.CommitPart {
	return func(tx *records.Tx) error {
		for _, token := range list {
			if err := t.table.FreeIn(tx, token.ID); err != nil {
				return err
			}
		}
		return nil
	}
}

func (t *Tokens) forgetTokens(list ...Token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, token := range list {
		delete(t.byHash, token.Hash)
	}
	if len(list) > 0 {
		t.ended()
	}
}
