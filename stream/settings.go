package stream

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"quaywatch/ais/feed"
	"quaywatch/ais/feed/format"
	"quaywatch/internal/fold"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// plain is the value of output_format for plain sentences, the one that needs no right.
const plain = "nmea"

// outputFormat is what a value of output_format means.
type outputFormat struct {
	form  format.Form
	needs right.Name
	stamp format.Stamp // where no setting says another
}

func outputFormats() map[string]outputFormat {
	return map[string]outputFormat{
		plain:          {form: format.PlainNMEA},
		"nmea_tag":     {format.TagNMEA, right.AllowNMEATagMessages, format.StampTag},
		"nmea_comment": {format.CommentNMEA, right.AllowNMEACommentBlockMessages, format.StampComment},
		"nmea_pghp":    {format.PGHPNMEA, right.AllowNMEAPGHPMessages, format.StampPGHP},
		"oth_gold":     {form: format.OTHGold, needs: right.AllowOTHGoldMessages}, // this and the next have a field for the time
		"xml":          {form: format.XML, needs: right.AllowXMLMessages},
	}
}

// Formats lists the values of output_format and of the key format of an output.
func Formats() []string { return slices.Sorted(maps.Keys(outputFormats())) }

// What congestion control does where nothing is set.
const (
	usualFactor = 150
	usualMost   = 1000
	usualEvery  = 10 * time.Second
)

// wanted returns what the user's settings, else those of the groups, say of the outgoing stream. formatName is that of the output, or of
// the user.
func wanted(u *access.User, formatName string) *streamPass {
	factor := access.Setting(u, "congestion_adjustment_factor", usualFactor)
	if factor <= 100 {
		factor = 0
	}
	return &streamPass{
		User: u.Name, CachedStatic: access.Setting(u, "forward_cached_static_voyage_data", false), Peep: access.Setting(u, "include_peep", false),
		Priority: map[string]feed.OutputPriority{"low": feed.Low, "high": feed.High}[access.Setting(u, "priority", "")],
		Style: format.LineStyle{
			Form: outputFormats()[formatName].form, Stamp: stampOf(u, formatName), ExternalID: access.Setting(u, "include_external_id", false),
			CustomTag: access.Setting(u, "custom_tag_info", ""), ClockSync: settingSeconds(u, "clock_sync_interval", 0),
			SystemInfo: access.Setting(u, "receive_system_status", false),
		},
		Pace: feed.StreamPace{
			DownSample: settingSeconds(u, "down_sample_interval", 0), FixedDownSample: settingSeconds(u, "fixed_downsampling_interval", 0),
			MaxRate: access.Setting(u, "max_message_rate", 0),
			Congestion: feed.Congestion{
				Factor: factor, Most: access.Setting(u, "max_congestion_adjustment_factor", usualMost),
				Every: settingSeconds(u, "time_between_congestion_adjustments", usualEvery),
			},
		},
	}
}

// formatOf returns the name of the format: that of the output, or where it has none that of the user.
func formatOf(u *access.User, outputs string) string {
	return cmp.Or(outputs, access.Setting(u, "output_format", plain))
}

// stampOf returns how the lines carry the time. Without time_stamp_method each format has its own way. Plain sentences get a TAG
// block only if use_timestamp is true. use_timestamp = false removes the time from all formats.
func stampOf(u *access.User, formatName string) (none format.Stamp) {
	asked := access.Setting(u, "use_timestamp", false)
	method := access.Setting(u, "time_stamp_method", "")
	switch _, said := u.Setting("use_timestamp"); {
	case said && !asked:
		return none
	case method != "":
		return map[string]format.Stamp{"tag": format.StampTag, "comment": format.StampComment, "pghp": format.StampPGHP}[method]
	case formatName == plain && asked:
		return format.StampTag
	}
	return outputFormats()[formatName].stamp
}

func settingSeconds(u *access.User, key string, otherwise time.Duration) time.Duration {
	return time.Duration(access.Setting(u, key, int64(otherwise/time.Second))) * time.Second
}

// mayConnect tells why a user may not have the output in a format.
func mayConnect(u *access.User, formatName, output string) error {
	group, needs := access.Setting(u, "lss_group", ""), outputFormats()[formatName].needs
	switch {
	case !u.May(right.LSSAccess):
		return refusedRight(right.LSSAccess)
	case formatName != plain && !u.May(needs):
		return refusedRight(needs)
	case group != "" && fold.Name(group) != fold.Name(output):
		return refusedGroup
	}
	return nil
}
