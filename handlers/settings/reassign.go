package settings

import (
	"net/http"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// reassignedAnswer tells how many of each kind came to another.
type reassignedAnswer struct {
	Reassigned map[string]int `json:"reassigned"`
}

// reassignGroup makes the members of a group members of another group, which also takes its place in access lists.
func (s *Server) reassignGroup(c *request.Request) error {
	from, err := s.namedGroup(c)
	if err != nil {
		return err
	}
	to, err := another(c, "group", s.deps.Users.Groups().Get, func(other *access.Group) bool { return other.UID == from.UID })
	if err != nil {
		return err
	}
	if err := s.mayReassign(c.Caller.User, from, to); err != nil {
		return err
	}
	counts, err := s.deps.Box.Reassign(access.GroupKind, from.UID, to.UID, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, reassignedAnswer{counts})
}

// another finds the user or group that the body names. It must not be the one of the path.
func another[T any](c *request.Request, kind string, find func(string) (T, bool), same func(T) bool) (found T, err error) {
	_, err = c.BoundName(func(name string) error {
		var ok bool
		if found, ok = find(name); !ok || same(found) {
			return rule.New("names_no_other", "must name another {kind}", "kind", kind)
		}
		return nil
	})
	return found, err
}

// mayReassign asks for the rights that it takes to change every member of a group.
func (s *Server) mayReassign(who *access.User, from, to *access.Group) error {
	needs := []right.Name{right.ChangeUser}
	if from.Locked || to.Locked {
		needs = append(needs, right.LockGroups)
	}
	if err := request.Entitled(who, needs...); err != nil {
		return err
	}
	if err := coversGroup(who, from, to); err != nil {
		return err
	}
	if err := mayLift(who, from, to); err != nil {
		return err
	}
	for _, member := range s.deps.Users.Groups().Members(from.UID) {
		if err := checkCovers(who, member); err != nil {
			return err
		}
	}
	return nil
}

// reassignSelections hands the selections of a user to another.
func (s *Server) reassignSelections(from, to string) (map[string]int, error) {
	count, err := s.deps.Selections.Reassign(from, to)
	return map[string]int{"selections": count}, err
}

// reassignJobs returns the jobs of a user, and their results, to another.
func (s *Server) reassignJobs(from, to string) (map[string]int, error) {
	return s.deps.Jobs.Reassign(request.OwnerKey(from), request.OwnerKey(to)), nil
}
