package status

import (
	"quaywatch/engine/tracking"
	"quaywatch/geo/route/passage"
	"quaywatch/handlers/wire"
)

// passageRecord is a limit of a passage beyond which ships sailed through it.
type passageRecord struct {
	Passage string  `json:"passage"`
	Limit   string  `json:"limit"` // draught, length, beam or air
	Max     float64 `json:"max"`   // metres
	Largest float64 `json:"largest"`
	Ships   int     `json:"ships"`
	Last    string  `json:"last"`
}

// passageRecords writes the limits that ships exceeded.
func passageRecords(limits []tracking.Exceeded) []passageRecord {
	names := map[passage.Fit]string{passage.TooDeep: "draught", passage.TooLong: "length", passage.TooWide: "beam", passage.TooHigh: "air"}
	records := make([]passageRecord, 0, len(limits))
	for _, limit := range limits {
		records = append(records, passageRecord{limit.Passage, names[limit.Why], limit.Limit, limit.Most, limit.Ships, wire.TimeText(limit.Last.UnixMilli())})
	}
	return records
}
