package format

import (
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// Outgoing is one message on its way to the subscribers of the outgoing stream, in memory of its own.
type Outgoing struct {
	Raw      []byte // the sentences as received ("!AIVDM,…*hh"), joined by CRLF
	Traits   ais.Traits
	Received time.Time // our clock, or the log's
	Sent     time.Time // by the tag block, the wrapper or the report's own UTC second; zero when unknown
	Feed     string    // name of the feed that heard it
	Heard    ais.Feeds // other feeds that heard it too
	Again    bool      // they did before this one, and it was published then
	Hash     uint64    // the same when the message comes again; 0 when it never does
	Station  string    // the receiving station that the sentence itself named, "" when none
	Channel  byte      // 'A', 'B' or 0
	Own      bool      // VDO
	Part     byte      // of a static report (message 24): 'A' or 'B'
	Refused  string    // why it failed a plausibility check; "" when it did not

	// Of the sending ship as it is known, for forms that are no NMEA sentences.
	Name, CallSign string
	ShipType       ais.ShipType
	HasFix         bool // this message has a place, and the place was accepted
	Place          geo.Point
	SOG            ais.SOG
	COG            ais.COG
}

// Form is the form of each message on an outgoing stream.
type Form uint8

// The formats, in the words of the setting output_format.
const (
	PlainNMEA   Form = iota // nmea: the sentence as heard
	TagNMEA                 // nmea_tag: with a TAG block
	CommentNMEA             // nmea_comment: with the older comment block
	PGHPNMEA                // nmea_pghp: after a $PGHP sentence
	OTHGold                 // oth_gold
	XML                     // xml
)

// Stamp is the setting time_stamp_method: how the time stands on the lines.
type Stamp uint8

// The methods.
const (
	StampNone Stamp = iota
	StampTag
	StampComment
	StampPGHP
)

// LineStyle is how the lines to one subscriber look.
type LineStyle struct {
	Form       Form
	Stamp      Stamp
	ExternalID bool          // the feed's name as s: of the block
	CustomTag  string        // a constant text field of the TAG block
	ClockSync  time.Duration // between ZDA sentences; 0 is none
	SystemInfo bool          // a sentence with the state of the feeds once a minute
}
