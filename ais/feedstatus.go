package ais

import (
	"time"

	"quaywatch/geo"
)

// FeedStatus is the state of one feed. Counts are since the start.
type FeedStatus struct {
	Name, URL         string
	Position          *geo.Point // of the antenna, where it is known
	Tags              []string
	Clock             Clock     // LogClock: the log's own clock rules
	Connected         bool      // the port, connection or file is open
	LastError         string    // why it was lost last, "" when it never was
	LastMessage       time.Time // when the last AIS message came, by our clock; zero when none did
	MessagesPerSecond float64   // AIS messages, mean of the last ten seconds
	BytesPerSecond    float64   // bytes in lines, mean of the last ten seconds
	Counters
	LongLines   uint64 // lines dropped because they were longer than 1024 bytes
	Overflow    FeedOverflow
	KernelDrops uint64 // UDP: datagrams that the kernel dropped because the receiver was too slow
	Connects    uint64 // how often it was opened or, for tcp-listen, a sender came
	Senders     int    // tcp-listen: connections that are open; udp: addresses that sent recently
	Refused     uint64 // tcp-listen: senders turned away because there were too many
	Unsigned    uint64 // tcp-listen with sign-in: senders turned away because their sign-in failed
	Revoked     uint64 // tcp-listen with sign-in: senders cut because they were no longer allowed
	Filtered    uint64 // tcp-listen with sign-in: messages that the sender's filter does not let in
	Device      string // serial://auto: the port and baud rate that were found
	Transmits   bool   // a transponder is there, to which messages are written
	Transmitted uint64 // how many were
	Own         OwnState
}

// FeedOverflow is what a live feed dropped because the reader of its batches was too slow.
type FeedOverflow struct {
	Batches   uint64
	Sentences uint64
}

// BadByReason returns how often the feed refused something, by reason. Reasons that did not occur are left out.
func (s *FeedStatus) BadByReason() map[string]uint64 {
	bad := map[string]uint64{}
	for reason, n := range s.Bad {
		if n > 0 {
			bad[ErrorReason(reason).String()] = n
		}
	}
	for reason, n := range map[string]uint64{
		"line too long": s.LongLines, "too many senders": s.Refused, "sign-in refused": s.Unsigned,
		"sender no longer allowed": s.Revoked, "transmit filter": s.Filtered,
	} {
		if n > 0 {
			bad[reason] = n
		}
	}
	return bad
}

// OutputStatus is the state of one outgoing stream. Counts are since the start.
type OutputStatus struct {
	Name, URL   string
	Format      string // "" where the user's settings choose it
	User        string // the user whose rights the stream has; "" where subscribers sign in
	Open        bool   // it listens, or is connected
	Address     string // where it listens
	LastError   string // why it was lost last
	Subscribers []SubscriberStatus
	Connects    uint64 // subscribers that came, or how often it was opened
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
	From       string // address of the other side
	Since      time.Time
	Lag        time.Duration // how far the subscriber is behind what it should have by now
	Interval   time.Duration // between two positions of a ship, as of now; 0 is all of them
	Congestion float64       // the factor by which congestion lengthens the interval; 1 is none
	Messages   uint64
	Bytes      uint64
	Dropped    DroppedMessages
}

// DroppedMessages counts messages that subscribers could have had and did not get, by reason.
type DroppedMessages struct {
	Behind     uint64 `json:"behind"`     // the subscriber was so slow that they were gone
	Rate       uint64 `json:"rate"`       // above the ceiling of messages a second
	Interval   uint64 `json:"interval"`   // positions within the interval that was asked for
	Congestion uint64 `json:"congestion"` // positions within the interval that congestion made longer
}
