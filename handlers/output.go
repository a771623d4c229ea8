package handlers

import "time"

// OutputStatus is the state of one outgoing stream.
type OutputStatus struct {
	Name, URL   string
	Format      string
	User        string // whom it acts as; "" where subscribers sign in
	Open        bool
	LastError   string
	Subscribers []SubscriberStatus
	Connects    uint64
	Refused     uint64 // connections that were not let in
	Cut         uint64 // subscribers that took nothing for too long
	Revoked     uint64 // subscribers that were no longer allowed
	Messages    uint64
	Bytes       uint64
	Dropped     DroppedMessages
}

// SubscriberStatus is the state of one subscriber of an outgoing stream.
type SubscriberStatus struct {
	User       string
	From       string
	Since      time.Time
	Lag        time.Duration
	Interval   time.Duration // between two positions of a ship; 0 is all of them
	Congestion float64       // what congestion makes of the interval; 1 is nothing
	Messages   uint64
	Bytes      uint64
	Dropped    DroppedMessages
}

// DroppedMessages counts messages that subscribers did not get, by reason.
type DroppedMessages struct {
	Behind     uint64 `json:"behind"`
	Rate       uint64 `json:"rate"`
	Interval   uint64 `json:"interval"`
	Congestion uint64 `json:"congestion"`
}

// outputRecord is an outgoing stream as the API gives it.
type outputRecord struct {
	Name        string             `json:"name"`
	URL         string             `json:"url"`
	Format      string             `json:"format"`
	User        string             `json:"user,omitempty"`
	Open        bool               `json:"open"`
	Error       string             `json:"error,omitempty"`
	Connects    uint64             `json:"connects"`
	Refused     uint64             `json:"refused"`
	Cut         uint64             `json:"cut"`
	Revoked     uint64             `json:"revoked"`
	Messages    uint64             `json:"messages"`
	Bytes       uint64             `json:"bytes"`
	Dropped     DroppedMessages    `json:"dropped"`
	Subscribers []subscriberRecord `json:"subscribers"`
}

type subscriberRecord struct {
	User       string          `json:"user"`
	Address    string          `json:"address"`
	Since      string          `json:"since"`
	Lag        float64         `json:"lag_s"`
	Interval   float64         `json:"interval_s"`
	Congestion float64         `json:"congestion"`
	Messages   uint64          `json:"messages"`
	Bytes      uint64          `json:"bytes"`
	Dropped    DroppedMessages `json:"dropped"`
}

func outputRecords(outputs []OutputStatus) []outputRecord {
	records := make([]outputRecord, 0, len(outputs))
	for i := range outputs {
		o := &outputs[i]
		r := outputRecord{
			Name: o.Name, URL: o.URL, Format: o.Format, User: o.User, Open: o.Open, Connects: o.Connects, Refused: o.Refused, Cut: o.Cut,
			Revoked: o.Revoked, Messages: o.Messages, Bytes: o.Bytes, Dropped: o.Dropped, Subscribers: []subscriberRecord{},
		}
		if !o.Open {
			r.Error = o.LastError
		}
		for _, s := range o.Subscribers {
			r.Subscribers = append(r.Subscribers, subscriberRecord{
				User: s.User, Address: s.From, Since: timeText(s.Since.UnixMilli()), Lag: round(s.Lag.Seconds(), 1),
				Interval: round(s.Interval.Seconds(), 1), Congestion: round(s.Congestion, 2), Messages: s.Messages, Bytes: s.Bytes, Dropped: s.Dropped,
			})
		}
		records = append(records, r)
	}
	return records
}
