package settings

import (
	"encoding/json"
	"net/http"
	"time"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
)

// TokensPath is the path of the caller's own tokens.
const TokensPath = "/api/token"

// tokenRoutes make, show and revoke tokens: the caller's own, and show and revoke those of other users.
func (s *Server) tokenRoutes() []request.Route {
	const others = Path + "/user/:name/tokens"
	return []request.Route{
		{Method: "GET", Path: TokensPath, Handle: s.ownTokens},
		{Method: "POST", Path: TokensPath, Personal: true, Audit: "token", Handle: s.makeToken},
		{Method: "DELETE", Path: TokensPath + "/:id", Personal: true, Audit: "token", Handle: s.revokeOwnToken},
		{Method: "GET", Path: others, Right: right.ChangeUser, Remote: request.RemoteUsers, Handle: s.userTokens},
		{Method: "DELETE", Path: others + "/:id", Right: right.ChangeUser, Remote: request.RemoteUsers, Audit: "token", Handle: s.revokeUserToken},
	}
}

// tokenRecord is a token as its user sees it.
type tokenRecord struct {
	ID       uint64       `json:"id"`
	Name     string       `json:"name"`
	Rights   []right.Name `json:"rights"`
	Link     bool         `json:"link,omitempty"` // it is for a browser, to look
	Since    string       `json:"since"`
	Expires  string       `json:"expiration_time"`
	Expired  bool         `json:"expired"`
	LastUsed string       `json:"last_used,omitempty"` // not before the first use
	Address  string       `json:"address,omitempty"`   // of the machine that used it last
}

// madeToken is a new token, with the text that the program sends. No other answer has it.
type madeToken struct {
	tokenRecord
	Token string `json:"token"`
}

func recordOf(t *access.Token, now time.Time) tokenRecord {
	return tokenRecord{t.ID, t.Name, t.Rights, t.Link, wire.OptionalTime(t.Created), wire.OptionalTime(t.Expires), t.Over(now), wire.OptionalTime(t.Used), t.Address}
}

func (s *Server) sendTokens(c *request.Request, of *access.User) error {
	records := []tokenRecord{}
	for _, t := range s.deps.Users.Tokens().Of(of) {
		records = append(records, recordOf(&t, s.deps.Users.Now()))
	}
	return c.SendJSON(http.StatusOK, request.Records[tokenRecord]{Records: records})
}

// makeToken makes a token of the caller. With a session it takes the password: a browser that was left open must not be enough for an
// access that outlasts the session.
func (s *Server) makeToken(c *request.Request) error {
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	c.Object = f.Text("name")
	requireName(f)
	now := s.deps.Users.Now()
	made := access.Token{Name: f.Text("name"), Rights: rightsOf(f), Link: f.Boolean("link", false)}
	days := access.TokenDays
	if made.Link {
		days = access.LinkDays
	}
	made.Expires = f.Time("expiration_time", now.AddDate(0, 0, days))
	current := f.Text("current_password")
	if c.Caller.Token != "" && current == "" {
		f.Refuse("current_password", rule.New("token_password", "is required to make a token"))
	}
	if err := f.Err(); err != nil {
		return err
	}
	if c.Caller.Token != "" {
		if err := s.proveCurrent(c, current); err != nil {
			return err
		}
	}
	made, text, err := s.deps.Users.Tokens().Make(c.Caller.User, made, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, madeToken{recordOf(&made, now), text})
}

// rightsOf reads the rights of a body.
func rightsOf(f *form.Fields) (rights []right.Name) {
	f.Require("rights")
	for _, raw := range f.List("rights") {
		var name right.Name
		if json.Unmarshal(raw, &name) != nil {
			f.Refuse("rights", rule.New("rights_list", "must be a list of the names of rights"))
			return nil
		}
		rights = append(rights, name)
	}
	return rights
}

func (s *Server) revokeToken(c *request.Request, of *access.User) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	err = s.deps.Users.Tokens().Revoke(of, uint64(id), func(gone access.Token) audit.LineWriter {
		c.Object = gone.Name
		if of.UID != c.Caller.User.UID {
			c.Object += " of " + of.Name
		}
		return c.Line()
	})
	if err != nil {
		return err
	}
	return c.NoContent()
}

func (s *Server) ownTokens(c *request.Request) error      { return s.sendTokens(c, c.Caller.User) }
func (s *Server) revokeOwnToken(c *request.Request) error { return s.revokeToken(c, c.Caller.User) }

func (s *Server) userTokens(c *request.Request) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	return s.sendTokens(c, u)
}

func (s *Server) revokeUserToken(c *request.Request) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	return s.revokeToken(c, u)
}
