package access

import (
	"quaywatch/form"
	"quaywatch/internal/rule"
)

// The most that a box takes of each. A port has fewer. More of them, by mistake or by intent, would fill the
// memory.
const (
	maxUsers  = 5000
	MaxGroups = 1000
)

// maxWarnBefore bounds period_before_expire, in days.
const maxWarnBefore = 3650

func roomForUsers(now, then int) error {
	return form.Room(maxUsers, now, then, rule.New("too_many_users", "there may be at most {max} users", "max", maxUsers))
}

func roomForGroups(now, then int) error {
	return form.Room(MaxGroups, now, then, rule.New("too_many_groups", "there may be at most {max} groups", "max", MaxGroups))
}
