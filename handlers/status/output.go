package status

import (
	"cmp"

	"quaywatch/ais"
	"quaywatch/handlers/wire"
)

// outputRecord is an outgoing stream as the API gives it.
type outputRecord struct {
	Name        string              `json:"name"`
	URL         string              `json:"url"`
	Format      string              `json:"format"`
	User        string              `json:"user,omitempty"`
	Open        bool                `json:"open"`
	Error       string              `json:"error,omitempty"`
	Connects    uint64              `json:"connects"`
	Refused     uint64              `json:"refused"`
	Cut         uint64              `json:"cut"`
	Revoked     uint64              `json:"revoked"`
	Messages    uint64              `json:"messages"`
	Bytes       uint64              `json:"bytes"`
	Dropped     ais.DroppedMessages `json:"dropped"`
	Subscribers []subscriberRecord  `json:"subscribers"`
}

type subscriberRecord struct {
	User       string              `json:"user"`
	Address    string              `json:"address"`
	Since      string              `json:"since"`
	Lag        float64             `json:"lag_s"`
	Interval   float64             `json:"interval_s"`
	Congestion float64             `json:"congestion"`
	Messages   uint64              `json:"messages"`
	Bytes      uint64              `json:"bytes"`
	Dropped    ais.DroppedMessages `json:"dropped"`
}

func outputRecords(outputs []ais.OutputStatus) []outputRecord {
	records := make([]outputRecord, 0, len(outputs))
	for i := range outputs {
		o := &outputs[i]
		r := outputRecord{
			Name: o.Name, URL: o.URL, Format: cmp.Or(o.Format, "of the user"), User: o.User, Open: o.Open, Connects: o.Connects, Refused: o.Refused, Cut: o.Cut,
			Revoked: o.Revoked, Messages: o.Messages, Bytes: o.Bytes, Dropped: o.Dropped, Subscribers: []subscriberRecord{},
		}
		if !o.Open {
			r.Error = o.LastError
		}
		for _, s := range o.Subscribers {
			r.Subscribers = append(r.Subscribers, subscriberRecord{
				User: s.User, Address: s.From, Since: wire.TimeText(s.Since.UnixMilli()), Lag: roundTo(s.Lag.Seconds(), 1),
				Interval: roundTo(s.Interval.Seconds(), 1), Congestion: roundTo(s.Congestion, 2), Messages: s.Messages, Bytes: s.Bytes, Dropped: s.Dropped,
			})
		}
		records = append(records, r)
	}
	return records
}
