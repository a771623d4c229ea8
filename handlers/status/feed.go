package status

import (
	"fmt"
	"math"
	"strconv"

	"quaywatch/ais"
	"quaywatch/handlers/wire"
	"quaywatch/traffic"
)

// feedRecord is a feed as the API gives it.
type feedRecord struct {
	Name              string            `json:"name"`
	URL               string            `json:"url,omitempty"`
	Connected         bool              `json:"connected"`
	Error             string            `json:"error,omitempty"`
	LastMessage       string            `json:"last_message,omitempty"`
	MessagesPerSecond float64           `json:"messages_per_second"`
	BytesPerSecond    float64           `json:"bytes_per_second"`
	Lines             uint64            `json:"lines"`
	Bytes             uint64            `json:"bytes"`
	Sentences         uint64            `json:"sentences"`
	Other             uint64            `json:"other_sentences"`
	Messages          map[string]uint64 `json:"messages"`
	Bad               map[string]uint64 `json:"bad"`
	Duplicates        uint64            `json:"duplicates"`
	Ships             int               `json:"ships"`
	Farthest          float64           `json:"farthest_m,omitempty"`
	FarthestBearing   *float64          `json:"farthest_bearing,omitempty"`
	Overflow          uint64            `json:"overflow"`
	KernelDrops       uint64            `json:"kernel_drops"`
	Position          []float64         `json:"position,omitempty"`
	Tags              []string          `json:"tags,omitempty"`
	Clock             string            `json:"clock"`
	Alarms            []string          `json:"alarms,omitempty"`
}

// feedRecords joins what the receivers and the picture know of each feed.
func feedRecords(feeds []ais.FeedStatus, stats traffic.Stats) []feedRecord {
	records := make([]feedRecord, 0, len(feeds))
	for i := range feeds {
		f := &feeds[i]
		heard := stats.Feeds[f.Name]
		r := feedRecord{
			Name: f.Name, URL: f.URL, Connected: f.Connected, MessagesPerSecond: roundTo(f.MessagesPerSecond, 1),
			BytesPerSecond: roundTo(f.BytesPerSecond, 1), Lines: f.Lines, Bytes: f.Bytes, Sentences: f.Sentences, Other: f.Other,
			Messages: messageCounts(f.Messages), Bad: f.BadByReason(), Duplicates: heard.Duplicates, Ships: heard.Ships,
			Overflow: f.Overflow.Sentences, KernelDrops: f.KernelDrops, Tags: f.Tags, Clock: "receiver", Alarms: activeAlarms(&f.Own),
		}
		if !f.Connected {
			r.Error = f.LastError
		}
		if !f.LastMessage.IsZero() {
			r.LastMessage = wire.TimeText(f.LastMessage.UnixMilli())
		}
		if f.Clock == ais.LogClock {
			r.Clock = "log"
		}
		if f.Position != nil {
			r.Position = []float64{f.Position.Lon, f.Position.Lat}
		}
		if heard.Farthest > 0 {
			bearing := roundTo(heard.Bearing, 1)
			r.Farthest, r.FarthestBearing = roundTo(heard.Farthest, 0), &bearing
		}
		records = append(records, r)
	}
	return records
}

// activeAlarms are those of a transponder, by number and text.
func activeAlarms(own *ais.OwnState) []string {
	var list []string
	for _, alarm := range own.Alarms {
		if alarm.Active {
			list = append(list, fmt.Sprintf("%03d %s", alarm.Number, alarm.Text))
		}
	}
	return list
}

func messageCounts(byType [28]uint64) map[string]uint64 {
	counts := map[string]uint64{}
	for kind, n := range byType {
		if n > 0 {
			counts[strconv.Itoa(kind)] = n
		}
	}
	return counts
}

// roundTo returns v to so many decimals; what is no number is 0, as JSON has none.
func roundTo(v float64, decimals int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow10(decimals)
	return math.Round(v*scale) / scale
}
