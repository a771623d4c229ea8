package form

import "slices"

// Owned is what everything has that users keep and share.
type Owned struct {
	Owner string   `json:"owner"`         // uid of a user
	ACL   []string `json:"acl,omitempty"` // uids of groups and users beside the owner
}

// Replaced returns a list of uids with another in the place of one; it is there once.
func Replaced(list []string, from, to string) []string {
	i := slices.Index(list, from)
	if i < 0 {
		return list
	}
	now := slices.Clone(list)
	if now[i] = to; slices.Index(list, to) >= 0 {
		now = slices.Delete(now, i, i+1)
	}
	return now
}
