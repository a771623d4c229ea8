package settings

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// mostReferrers bounds how many are named that still refer to something.
const mostReferrers = 20

// referrerRecord names a thing that still refers to another. Name and uid are missing where the caller may not read them.
type referrerRecord struct {
	Type string `json:"type"` // user, group, shiplist, shape, filter, watchdog, statistic; user_or_group or shared_thing where it is not told which
	Name string `json:"name,omitempty"`
	UID  string `json:"uid,omitempty"`
}

// stillReferred names the things that refer to the one that was to be deleted or renamed, as far as the caller may read their names.
func (s *Server) stillReferred(c *request.Request, err error) error {
	var r *form.Referenced
	if !errors.As(err, &r) {
		return err
	}
	p := &request.Problem{Status: http.StatusConflict, Code: request.CodeConflict}
	if len(r.By) == 0 {
		p.Rule = rule.New("for_good", "it is there for good")
		return p
	}
	var named, hidden []referrerRecord
	for _, by := range r.By {
		record := s.referrer(c, by)
		switch {
		case record.Name == "" && !slices.Contains(hidden, record):
			hidden = append(hidden, record)
		case record.Name != "" && len(named) < mostReferrers:
			named = append(named, record)
		}
	}
	named = append(named, hidden...)
	var words []string
	for _, record := range named {
		p.Records = append(p.Records, record)
		words = append(words, record.referrerText())
	}
	by := strings.Join(words, ", ")
	p.Rule = rule.New("referred_to", "still referred to by {referrers}", "referrers", by)
	if more := len(r.By) - len(named); more > 0 && len(hidden) == 0 {
		p.Rule = rule.New("referred_to_and_more", "still referred to by {referrers} and {more} more", "referrers", by, "more", more)
	}
	return p
}

func (r referrerRecord) referrerText() string {
	switch r.Type {
	case "user_or_group":
		return "a user or group"
	case "shared_thing":
		return "a ship list, shape, filter, watchdog or statistic"
	}
	return "the " + r.Type + " " + r.Name
}

// referrer returns a referrer as the caller may see it. A caller reads the names of itself, of its groups and of what is shared with it.
// With the right to read them it reads those of all users and groups.
func (s *Server) referrer(c *request.Request, by form.Referrer) referrerRecord {
	who, told := c.Caller.User, referrerRecord{by.Kind, by.Name, by.UID}
	if by.Kind == access.UserKind || by.Kind == access.GroupKind {
		all := who.May(right.UserConfigurationAccess) && c.FromHere(request.RemoteUsers) == nil
		if all || by.UID == who.UID || slices.Contains(who.Groups, by.UID) {
			return told
		}
		return referrerRecord{Type: "user_or_group"}
	}
	for _, k := range []library.Kind{library.ShipLists, library.Shapes, library.Filters, library.Watchdogs} {
		if r, ok := s.deps.Library.Get(k, by.UID); ok && k.String() == by.Kind && who.MayUse(r.Owned, overOthers(k)) {
			return told
		}
	}
	if by.Kind == "statistic" && s.deps.Statistic(who, by.UID) {
		return told
	}
	return referrerRecord{Type: "shared_thing"}
}
