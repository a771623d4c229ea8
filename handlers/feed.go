package handlers

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"quaywatch/geo"
	"quaywatch/traffic"
)

// FeedStatus is the state of one feed as the receiver sees it; what the picture counts of the feed (ships, duplicates,
// farthest reception) the server adds itself.
type FeedStatus struct {
	Name, URL         string
	Connected         bool
	LastError         string
	LastMessage       time.Time
	MessagesPerSecond float64
	BytesPerSecond    float64
	Lines, Bytes      uint64
	Sentences, Other  uint64            // AIS sentences, and other ones
	Messages          [28]uint64        // by AIS message type
	Bad               map[string]uint64 // by reason
	Overflow          uint64            // sentences dropped because the picture was busy
	KernelDrops       uint64
	Position          *geo.Point // of the antenna
	Tags              []string
	LogClock          bool     // the log's own clock rules
	Alarms            []string // active alarms of the transponder
}

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
func feedRecords(feeds []FeedStatus, stats traffic.Stats) []feedRecord {
	records := make([]feedRecord, 0, len(feeds))
	for i := range feeds {
		f := &feeds[i]
		heard := stats.Feeds[f.Name]
		r := feedRecord{
			Name: f.Name, URL: f.URL, Connected: f.Connected, MessagesPerSecond: round(f.MessagesPerSecond, 1),
			BytesPerSecond: round(f.BytesPerSecond, 1), Lines: f.Lines, Bytes: f.Bytes, Sentences: f.Sentences, Other: f.Other,
			Messages: messageCounts(f.Messages), Bad: f.Bad, Duplicates: heard.Duplicates, Ships: heard.Ships,
			Overflow: f.Overflow, KernelDrops: f.KernelDrops, Tags: f.Tags, Clock: "receiver", Alarms: f.Alarms,
		}
		if r.Bad == nil {
			r.Bad = map[string]uint64{}
		}
		if !f.Connected {
			r.Error = f.LastError
		}
		if !f.LastMessage.IsZero() {
			r.LastMessage = timeText(f.LastMessage.UnixMilli())
		}
		if f.LogClock {
			r.Clock = "log"
		}
		if f.Position != nil {
			r.Position = []float64{f.Position.Lon, f.Position.Lat}
		}
		if heard.Farthest > 0 {
			bearing := round(heard.Bearing, 1)
			r.Farthest, r.FarthestBearing = round(heard.Farthest, 0), &bearing
		}
		records = append(records, r)
	}
	return records
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

// round gives v to so many decimals; what is no number is 0, as JSON has none.
func round(v float64, decimals int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow10(decimals)
	return math.Round(v*scale) / scale
}

// health is what the live stream watches for changes: who is connected, and with what error.
func health(feeds []FeedStatus) string {
	text := []string{}
	for i := range feeds {
		text = append(text, feeds[i].Name, strconv.FormatBool(feeds[i].Connected), feeds[i].LastError)
	}
	b, err := json.Marshal(slices.Clip(text))
	if err != nil {
		return ""
	}
	return string(b)
}
