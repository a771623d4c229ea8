package access

import (
	"time"

	"quaywatch/users/access/right"
)

// Kinds of reports, as the setting report_permissions names them.
const (
	ReportArea  = "area"            // ships in an area
	ReportTrack = "historicaltrack" // the recorded track of a ship
)

// MayReport reports whether the user may request reports of a kind. A deny of the kind refuses it; an allow grants it. For a kind
// with neither, report_permission_allow_all decides, which is true if it is not set.
func (u *User) MayReport(kind string) bool {
	switch Setting[map[string]right.Verdict](u, "report_permissions", nil)[kind] {
	case right.Allow:
		return true
	case right.Deny:
		return false
	}
	return Setting(u, "report_permission_allow_all", true)
}

// ReportLimit returns the most records that a result for the user may have, 0 for any number.
func (u *User) ReportLimit() int { return Setting(u, "report_max_job_size", 0) }

// ReportPriority returns the order of the user's jobs among those that wait. The higher goes first; 0 is normal.
func (u *User) ReportPriority() int {
	return map[string]int{"low": -1, "high": 1}[Setting(u, "report_priority", "")]
}

// Lookback returns how far into the past the user may look, 0 for any time.
func (u *User) Lookback() time.Duration {
	return time.Duration(Setting[int64](u, "web_max_lookback_time", 0)) * time.Hour
}

// LimitedAs reports whether the user looks no further back than another, and gets no more records.
func (u *User) LimitedAs(other *User) bool {
	within := func(limit, most int64) bool { return most == 0 || limit != 0 && limit <= most }
	return within(int64(u.Lookback()), int64(other.Lookback())) && within(int64(u.ReportLimit()), int64(other.ReportLimit()))
}

// Earliest returns the earliest time that the user may look back to now, the zero time for any.
func (u *User) Earliest(now time.Time) time.Time {
	if reach := u.Lookback(); reach > 0 {
		return now.Add(-reach)
	}
	return time.Time{}
}

// ExpiresSoon reports whether the user's warning period before the expiry has begun.
func (u *User) ExpiresSoon(now time.Time) bool {
	return u.WarnBefore > 0 && !u.Expires.IsZero() && !now.Before(u.Expires.AddDate(0, 0, -u.WarnBefore))
}
