package ais

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/adrianmo/go-nmea"

	"quaywatch/geo"
)

// OwnState is what the receiver reports about itself. The times are when the sentence was received. A zero time means that
// there was none; the value beside it then has no meaning.
type OwnState struct {
	Position   geo.Point // by the last RMC or GGA with a valid fix
	PositionAt time.Time
	SOG, COG   float64   // knots, degrees true; by RMC
	MotionAt   time.Time // zero when RMC has none
	Clock      time.Time // UTC by the last RMC or ZDA
	ClockAt    time.Time
	Signal     VSI
	SignalAt   time.Time
	Alarms     []ALR // by number, the newest state of each, at most 64
	Texts      []TXT // the newest of each number, at most 64
	Receipts   []OwnReceipt
}

// VSI is a VSI sentence: how the message before it was received.
type VSI struct {
	Station  string
	Slot     int     // 0..2249, -1 when not said
	Strength float64 // dBm
	SNR      float64 // dB, 0 when not said
}

// ALR is an ALR sentence: an alarm of the transponder.
type ALR struct {
	Number       int
	Active       bool
	Acknowledged bool
	Text         string
	At           time.Time
}

// TXT is a TXT sentence: the transponder's status in words.
type TXT struct {
	Number int
	Text   string
	At     time.Time
}

// OwnReceipt is an ABK sentence: the result of a message that we asked the transponder to send.
type OwnReceipt struct {
	MMSI     MMSI // 0 when the message was a broadcast
	Channel  byte
	Type     int // of the message: 6, 12, ...
	Sequence int
	Result   int // 0 received, 1 sent but not acknowledged, 2 could not be sent, 3 broadcast, 4 late acknowledgement
	At       time.Time
}

// maxOwn bounds the lists of OwnState.
const maxOwn = 64

// Own returns a copy of the receiver's state.
func (d *Decoder) Own() OwnState {
	own := d.own
	own.Alarms = slices.Clone(own.Alarms)
	own.Texts = slices.Clone(own.Texts)
	own.Receipts = slices.Clone(own.Receipts)
	return own
}

// other reads a sentence that carries no AIS message and returns the rest of the line.
func (d *Decoder) other(b *Batch, w *wrapper, line []byte, received time.Time) []byte {
	sentence, rest, ok := checkedSentence(line)
	if !ok {
		d.bad(ErrorChecksum)
		return cutAt(line, rest)
	}
	d.counters.Other++
	if len(rest) > 0 {
		rest = d.suffix(w, rest)
	}
	switch {
	case bytes.HasPrefix(sentence[1:], []byte("PGHP,")):
		if sent, station, ok := ReadPGHP(sentence); ok {
			d.keepForNext(wrapper{sent: sent, station: d.intern(station)})
		}
	case len(sentence) > 7 && sentence[6] == ',' && sentence[1] != 'P':
		if err := d.ownSentence(b, sentence, received); err != nil {
			d.bad(ErrorOwn)
		}
	}
	return rest
}

// ownSentence reads the sentences about the own station. Others are passed over.
func (d *Decoder) ownSentence(b *Batch, sentence []byte, received time.Time) error {
	switch string(sentence[3:6]) {
	case "RMC", "GGA", "ZDA", "ALR", "TXT":
		return d.commonSentence(b, sentence, received)
	case "VSI":
		return d.signal(sentence, received)
	case "ABK":
		return d.ownReceipt(sentence, received)
	}
	return nil
}

// commonSentence reads the sentences that go-nmea knows. Sentences that report no fix are passed over.
func (d *Decoder) commonSentence(b *Batch, sentence []byte, received time.Time) error {
	if noFix(sentence) {
		return nil
	}
	text := "$" + string(sentence[1:])
	parsed, err := nmea.Parse(text + "*" + nmea.Checksum(text[1:]))
	if err != nil {
		return err
	}
	switch s := parsed.(type) {
	case nmea.RMC:
		d.setOwnPosition(geo.Point{Lon: s.Longitude, Lat: s.Latitude}, received)
		d.own.SOG, d.own.COG, d.own.MotionAt = s.Speed, s.Course, received
		d.setOwnClock(b, s.Date.YY, s.Date.MM, s.Date.DD, s.Time, received)
	case nmea.GGA:
		d.setOwnPosition(geo.Point{Lon: s.Longitude, Lat: s.Latitude}, received)
	case nmea.ZDA:
		d.setOwnClock(b, int(s.Year), int(s.Month), int(s.Day), s.Time, received)
	case nmea.ALR:
		d.setAlarm(ALR{int(s.AlarmIdentifier), s.Condition == "A", s.State == "A", s.Description, received})
	case nmea.TXT:
		d.setText(TXT{int(s.ID), s.Message, received})
	}
	return nil
}

// noFix reports whether RMC or GGA says that its position is not valid, or ZDA has no time.
func noFix(sentence []byte) bool {
	var fields [8][]byte
	n := splitFields(fields[:], sentence)
	switch string(sentence[3:6]) {
	case "RMC":
		return n < 8 || string(fields[2]) != "A"
	case "GGA":
		return n < 7 || len(fields[6]) == 0 || fields[6][0] == '0'
	case "ZDA":
		return n < 5 || len(fields[1]) == 0 || len(fields[2]) == 0
	}
	return false
}

func (d *Decoder) setOwnPosition(p geo.Point, received time.Time) {
	if p.Valid() {
		d.own.Position, d.own.PositionAt = p, received
	}
}

// setOwnClock takes the time of RMC or ZDA. A year of two digits is completed.
func (d *Decoder) setOwnClock(b *Batch, year, month, day int, t nmea.Time, received time.Time) {
	switch {
	case year < 90:
		year += 2000
	case year < 100:
		year += 1900
	}
	clock, ok := date(year, month, day, t.Hour, t.Minute, t.Second, t.Millisecond*1e6)
	if !ok || !t.Valid {
		return
	}
	if clock.Unix() < firstMoment {
		d.bad(ErrorClock)
		return
	}
	d.own.Clock, d.own.ClockAt = clock, received
	if d.clock.ownOff == 0 {
		d.setClock(b, clock, clockOwn)
	}
}

// setAlarm keeps the newest state of each alarm.
func (d *Decoder) setAlarm(a ALR) {
	at := slices.IndexFunc(d.own.Alarms, func(old ALR) bool { return old.Number == a.Number })
	if at >= 0 {
		d.own.Alarms[at] = a
		return
	}
	d.own.Alarms = keepNewest(d.own.Alarms, a)
}

func (d *Decoder) setText(t TXT) {
	at := slices.IndexFunc(d.own.Texts, func(old TXT) bool { return old.Number == t.Number })
	if at >= 0 {
		d.own.Texts[at] = t
		return
	}
	d.own.Texts = keepNewest(d.own.Texts, t)
}

// keepNewest appends v and drops the oldest beyond the bound.
func keepNewest[T any](list []T, v T) []T {
	if len(list) >= maxOwn {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
}

// signal reads VSI, which go-nmea does not know:
//
//	$--VSI,station,sequence,hhmmss.ss,slot,signal strength,signal to noise ratio
func (d *Decoder) signal(sentence []byte, received time.Time) error {
	var f [8][]byte
	if splitFields(f[:], sentence) < 7 {
		return ErrorOwn
	}
	strength, ok := parseNumber(f[5])
	if !ok || math.IsNaN(strength) || math.IsInf(strength, 0) {
		return ErrorOwn
	}
	s := VSI{Station: string(f[1]), Slot: -1, Strength: strength}
	if slot, ok := digits(f[4]); ok && slot < 2250 {
		s.Slot = int(slot)
	}
	if snr, ok := parseNumber(f[6]); ok && !math.IsNaN(snr) && !math.IsInf(snr, 0) {
		s.SNR = snr
	}
	d.own.Signal, d.own.SignalAt = s, received
	return nil
}

// ownReceipt reads ABK, which go-nmea does not know:
//
//	$--ABK,mmsi,channel,message,sequence,result
func (d *Decoder) ownReceipt(sentence []byte, received time.Time) error {
	var f [8][]byte
	if splitFields(f[:], sentence) < 6 || len(f[5]) != 1 || f[5][0] < '0' || f[5][0] > '9' {
		return ErrorOwn
	}
	mmsi, _ := digits(f[1])
	kind, _ := digits(bytes.TrimRight(f[3], "."))
	sequence, _ := digits(f[4])
	if mmsi > 999999999 || kind > 99 || sequence > 9 {
		return ErrorOwn
	}
	r := OwnReceipt{MMSI: MMSI(mmsi), Type: int(kind), Sequence: int(sequence), Result: int(f[5][0] - '0'), At: received}
	if len(f[2]) == 1 {
		r.Channel = channelLetter(f[2][0])
	}
	d.own.Receipts = keepNewest(d.own.Receipts, r)
	if d.config.Receipt != nil {
		d.config.Receipt(r)
	}
	return nil
}
