package handlers

import (
	"net/http"

	"quaywatch/access"
	"quaywatch/handlers/call"
	"quaywatch/rule"
)

// reassignedAnswer tells how many of each kind came to another.
type reassignedAnswer struct {
	Reassigned map[string]int `json:"reassigned"`
}

func reassigned(count access.Reassigned) map[string]int {
	return map[string]int{
		"shiplists": count.Kept[access.ShipLists], "shapes": count.Kept[access.Shapes], "filters": count.Kept[access.Filters],
	}
}

// reassignGroup makes the members of a group members of another, which also takes its place in access lists.
func (s *Server) reassignGroup(c *call.Call) error {
	from, err := s.namedGroup(c)
	if err != nil {
		return err
	}
	to, err := another(c, "group", s.deps.Users.Group, func(other *access.Group) bool { return other.UID == from.UID })
	if err != nil {
		return err
	}
	if err := s.mayReassign(c.Caller.User, from, to); err != nil {
		return err
	}
	counts, err := s.deps.Users.ReassignGroup(from, to)
	if err != nil {
		return err
	}
	answer := reassigned(counts)
	answer["users"] = counts.Users
	return c.SendJSON(http.StatusOK, reassignedAnswer{answer})
}

// another finds the user or group that the body names, which must not be the same one.
func another[T any](c *call.Call, kind string, find func(string) (T, bool), same func(T) bool) (found T, err error) {
	_, err = c.BoundName(func(name string) error {
		var ok bool
		if found, ok = find(name); !ok || same(found) {
			return rule.New("names_no_other", "must name another {kind}", "kind", kind)
		}
		return nil
	})
	return found, err
}

// mayReassign asks for what it takes to change every member of a group.
func (s *Server) mayReassign(who *access.User, from, to *access.Group) error {
	needs := []access.Right{access.ChangeUser}
	if from.Locked || to.Locked {
		needs = append(needs, access.LockGroups)
	}
	for _, right := range needs {
		if err := call.Entitled(who, right); err != nil {
			return err
		}
	}
	if err := coversGroup(who, from, to); err != nil {
		return err
	}
	if err := mayLift(who, from, to); err != nil {
		return err
	}
	for _, member := range s.deps.Users.Members(from.UID) {
		if err := covers(who, member); err != nil {
			return err
		}
	}
	return nil
}
