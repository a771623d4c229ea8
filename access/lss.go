package access

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/letters"
)

// The values of the setting output_format.
const (
	FormatNMEA    = "nmea"
	FormatTag     = "nmea_tag"
	FormatComment = "nmea_comment"
	FormatPGHP    = "nmea_pghp"
	FormatOTHGold = "oth_gold"
	FormatXML     = "xml"
)

// The values of the setting time_stamp_method.
const (
	StampNone    = "none"
	StampTag     = "tag"
	StampComment = "comment"
	StampPGHP    = "pghp"
)

// Priority is the value of the settings priority and report_priority. The higher goes first.
type Priority int8

// The priorities.
const (
	Low    Priority = -1
	Normal Priority = 0
	High   Priority = 1
)

// StreamSettings are what a user's settings say of the outgoing NMEA stream.
type StreamSettings struct {
	Format           string        // one of the Format constants; FormatNMEA where none is set
	Stamp            string        // one of the Stamp constants; see stamp for what is not set
	ClockSync        time.Duration // between ZDA sentences; 0 is none
	ExternalID       bool          // the feed's name on the line
	CustomTag        string        // a constant text of the TAG block; "" is none
	DownSample       time.Duration // at most one position of a ship in this time; 0 is all
	FixedDownSample  time.Duration // the same on the ticks of the clock; 0 is all
	MaxRate          int           // messages a second; 0 is no ceiling
	CongestionFactor int           // percent of the interval before, above 100; 150 where none is set, 0 switches it off
	CongestionMost   int           // percent of DownSample that congestion may reach; 1000 where none is set
	CongestionEvery  time.Duration // between two adjustments; 10 s where none is set
	CachedStatic     bool          // on connect first the static data that are known
	SystemStatus     bool          // a sentence with the state of the feeds once a minute
	Peep             bool          // also what failed a check of plausibility
	GAD              bool          // marks a user of an LSS group
	Group            string        // name of the LSS group; "" is none
	Priority         Priority      // order of delivery when the box is busy
	Own              []ais.MMSI    // the user's own ships, sorted
}

// What congestion control does where nothing is set.
const (
	usualCongestionFactor = 150
	usualCongestionMost   = 1000
	usualCongestionEvery  = 10 * time.Second
)

// Stream gives what the user's settings, else those of the groups, say of the outgoing NMEA stream. format, where there is one,
// counts instead of output_format.
func (u *User) Stream(format string) StreamSettings {
	s := StreamSettings{
		Format: cmp.Or(format, setting(u, "output_format", FormatNMEA)), ClockSync: u.seconds("clock_sync_interval", 0),
		ExternalID: setting(u, "include_external_id", false), CustomTag: setting(u, "custom_tag_info", ""),
		DownSample: u.seconds("down_sample_interval", 0), FixedDownSample: u.seconds("fixed_downsampling_interval", 0),
		MaxRate: setting(u, "max_message_rate", 0), CongestionFactor: setting(u, "congestion_adjustment_factor", usualCongestionFactor),
		CongestionMost:  setting(u, "max_congestion_adjustment_factor", usualCongestionMost),
		CongestionEvery: u.seconds("time_between_congestion_adjustments", usualCongestionEvery),
		CachedStatic:    setting(u, "forward_cached_static_voyage_data", false), SystemStatus: setting(u, "receive_system_status", false),
		Peep: setting(u, "include_peep", false), GAD: setting(u, "is_gad_user", false), Group: setting(u, "lss_group", ""),
		Priority: u.priority("priority"), Own: u.OwnShips(),
	}
	if s.CongestionFactor <= 100 {
		s.CongestionFactor = 0
	}
	s.Stamp = u.stamp(s.Format)
	return s
}

// stamp returns how the lines carry the time. Without time_stamp_method each format has its own way. Plain sentences get a TAG
// block only if use_timestamp is true. use_timestamp = false removes the time from all formats.
func (u *User) stamp(format string) string {
	asked := setting(u, "use_timestamp", false)
	if _, said := u.Setting("use_timestamp"); said && !asked {
		return StampNone
	}
	if method := setting(u, "time_stamp_method", ""); method != "" {
		return method
	}
	switch format {
	case FormatTag:
		return StampTag
	case FormatComment:
		return StampComment
	case FormatPGHP:
		return StampPGHP
	case FormatNMEA:
		if asked {
			return StampTag
		}
	}
	return StampNone // the other formats have a field for it
}

// FormatRight gives the right that a format of the outgoing stream needs, "" for plain NMEA.
func FormatRight(format string) right.Name {
	return map[string]right.Name{
		FormatTag: right.AllowNMEATagMessages, FormatComment: right.AllowNMEACommentBlockMessages, FormatPGHP: right.AllowNMEAPGHPMessages,
		FormatOTHGold: right.AllowOTHGoldMessages, FormatXML: right.AllowXMLMessages,
	}[format]
}

// MayFormat reports whether the user may read the outgoing stream in a format. Plain NMEA needs no right.
func (u *User) MayFormat(format string) bool {
	return format == FormatNMEA || u.May(FormatRight(format))
}

// InLSSGroup reports whether the user belongs to the LSS group of that name.
func (u *User) InLSSGroup(name string) bool {
	group := setting(u, "lss_group", "")
	return setting(u, "is_gad_user", false) && group != "" && letters.Fold(group) == letters.Fold(name)
}

// OwnShips gives the user's own ships, those of mmsi_list and default_mmsi, sorted.
func (u *User) OwnShips() []ais.MMSI {
	own := slices.Clone(setting[[]ais.MMSI](u, "mmsi_list", nil))
	if m := u.OwnShip(); m != 0 {
		own = append(own, m)
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// OwnShip gives the ship of default_mmsi, else the first of mmsi_list; 0 is none.
func (u *User) OwnShip() ais.MMSI {
	if m := setting[ais.MMSI](u, "default_mmsi", 0); m != 0 {
		return m
	}
	if list := setting[[]ais.MMSI](u, "mmsi_list", nil); len(list) > 0 {
		return list[0]
	}
	return 0
}

// setting reads a setting of a user, otherwise where it is not set.
func setting[T any](u *User, key string, otherwise T) T {
	raw, ok := u.Setting(key)
	v := otherwise
	if !ok || json.Unmarshal(raw, &v) != nil { // it was checked when it was written
		return otherwise
	}
	return v
}

func (u *User) seconds(key string, otherwise time.Duration) time.Duration {
	return time.Duration(setting(u, key, int64(otherwise/time.Second))) * time.Second
}

func (u *User) priority(key string) Priority {
	switch setting(u, key, "") {
	case "low":
		return Low
	case "high":
		return High
	}
	return Normal
}
