package access

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"quaywatch/form"
)

// fill puts so many users or groups into memory, as if they had been read at the start.
func (h *house) fill(kind string, count int) {
	for i := range count {
		uid := fmt.Sprintf("%08x-0000-4000-8000-%012x", len(kind), i)
		switch kind {
		case "users":
			h.users.byName[fmt.Sprintf("user%d", i)] = entry{uint64(i + 1000), &User{UID: uid, Name: fmt.Sprintf("user%d", i)}}
		case "groups":
			h.users.byUID[uid] = groupEntry{uint64(i + 1000), &Group{UID: uid, Name: fmt.Sprintf("group%d", i)}}
		}
	}
	h.users.version++
}

// Neither the interface nor an import can make more than the limit. At the limit a user can still be changed, and a deletion makes
// room for one more.
func TestThereIsRoomForSoMany(t *testing.T) {
	for kind, row := range map[string]struct {
		fill     func(h *house)
		add      func(h *house) error
		document string
		words    string
		change   string // a document that makes nothing new
	}{
		"users": {
			func(h *house) { h.fill("users", maxUsers-len(h.users.byName)) },
			func(h *house) error { _, err := h.users.Create(User{Name: "more"}, goodPassword); return err },
			`{"users":[{"name":"more"}]}`, "there may be at most 5000 users", `{"users":[{"name":"root","phone":"1"}]}`,
		},
		"clones": {
			func(h *house) { h.fill("users", maxUsers-len(h.users.byName)) },
			func(h *house) error {
				root, _ := h.users.User("root")
				_, err := h.users.Clone(root, "more")
				return err
			},
			`{"users":[{"name":"more"}]}`, "there may be at most 5000 users", `{"users":[{"name":"root","phone":"1"}]}`,
		},
		"groups": {
			func(h *house) { h.fill("groups", MaxGroups-len(h.users.byUID)) },
			func(h *house) error { _, err := h.users.Groups().Add(Group{Name: "more"}); return err },
			`{"groups":[{"name":"more"}]}`, "there may be at most 1000 groups", `{"groups":[{"name":"viewer","phone":"1"}]}`,
		},
	} {
		t.Run(kind, func(t *testing.T) {
			h := newHouse(t)
			h.add("root", GroupAdmin)
			row.fill(h)
			var many form.TooMany
			if err := row.add(h); !errors.As(err, &many) || many.Error() != row.words {
				t.Errorf("one more: %v; want %q", err, row.words)
			}
			if did, err := h.take(row.document); err == nil || !strings.Contains(err.Error(), row.words) {
				t.Errorf("one more by an import: %v, %s; want %q", err, did, row.words)
			}
			if _, err := h.take(row.change); err != nil {
				t.Errorf("what makes no more: %v", err)
			}
		})
	}
	t.Run("room again", func(t *testing.T) {
		h := newHouse(t)
		h.add("root", GroupAdmin)
		h.fill("users", maxUsers-1)
		delete(h.users.byName, "user0")
		if _, err := h.users.insertUser(User{Name: "last"}, nil); err != nil {
			t.Error(err)
		}
		if _, err := h.users.insertUser(User{Name: "more"}, nil); err == nil {
			t.Error("one more than there may be")
		}
	})
	t.Run("more than there may be", func(t *testing.T) { // as an older database may have them
		h := newHouse(t)
		h.add("root", GroupAdmin)
		h.fill("users", maxUsers+5)
		if _, err := h.take(`{"users":[{"name":"root","phone":"1"}]}`); err != nil {
			t.Error(err)
		}
	})
}
