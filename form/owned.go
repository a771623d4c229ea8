package form

// Owned is what everything has that users keep and share.
type Owned struct {
	Owner string   `json:"owner"`         // uid of a user
	ACL   []string `json:"acl,omitempty"` // uids of groups and users beside the owner
}
