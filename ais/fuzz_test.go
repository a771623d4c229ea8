package ais

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"quaywatch/ais/aistest"

	goais "github.com/BertoldVdb/go-ais"
)

// oddLines are forms of input that the fuzzers start from.
var oddLines = []string{
	"!AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0*66",
	"\\s:r2190001,c:1795000000,g:1-2-77*2C\\!AIVDM,1,1,,B,,0*25",
	"$PGHP,1,2026,11,20,12,0,0,11,219,,2190067,1,62*26",
	"#GPRMC,120000,A,5609.000,N,01013.000,E,0.0,0.0,201126,,*15",
	"UdPbC\x00\\s:VR0001,n:1*1C\\!AIVDM,2,1,3,A,5,0*00",
	"1795000000 !AIVDM,1,1,,A,,0*26,rSTATION,1795000000",
	"$AIALR,120000.00,025,A,V,AIS: external EPFS lost*6D",
	"$AIVSI,r2190001,1,120000.00,1234,-98,12*00",
}

// checkReports checks what holds for each report, and its JSON.
func checkReports(t *testing.T, b *Batch) {
	t.Helper()
	for i := range b.Reports {
		r := &b.Reports[i]
		head := r.Message.Head()
		if head.Type < 1 || head.Type > 27 || head.MMSI < 0 || head.MMSI >= 1<<30 || head.Repeat > 3 {
			t.Errorf("header %+v", head)
		}
		if len(r.Raw) == 0 || r.Raw[0] != '!' || bytes.ContainsRune(r.Raw, '\\') {
			t.Errorf("raw %q", r.Raw)
		}
		for _, raw := range []bool{false, true} {
			if out := new(JSONPrinter).Append(nil, r, raw); !json.Valid(out) {
				t.Errorf("no JSON: %s", out)
			}
		}
	}
}

// FuzzSentence gives the decoder lines of any bytes, by both clocks.
func FuzzSentence(f *testing.F) {
	for _, line := range oddLines {
		f.Add([]byte(line))
	}
	for line := range SplitLines(sentencesOf(f, inventedMessages())) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, clock := range []Clock{ReceiverClock, LogClock} {
			d, b := NewDecoder(DecoderConfig{Feed: "fuzz", Clock: clock}), &Batch{}
			d.Datagram(b, data, start)
			d.Line(b, data, start)
			d.Flush(b, start)
			checkReports(t, b)
			c := d.Counters()
			if uint64(len(b.Reports)) != c.TotalMessages() {
				t.Errorf("%d reports, %d counted", len(b.Reports), c.TotalMessages())
			}
		}
	})
}

// FuzzDecode gives payloads of any characters. Those that decode are encoded again and must give the same message.
func FuzzDecode(f *testing.F) {
	for line := range SplitLines(sentencesOf(f, inventedMessages())) {
		var part fragment
		if _, err := parseFragment(&part, line); err == nil {
			f.Add(part.chars, part.fill)
		}
	}
	f.Fuzz(func(t *testing.T, chars []byte, fill int) {
		m, err := Decode(chars, fill)
		if err != nil {
			if _, known := err.(ErrorReason); !known || m != nil {
				t.Errorf("message %v, error %v", m, err)
			}
			return
		}
		packed, n, err := Encode(m)
		if err != nil {
			return // fields that the encoder refuses
		}
		var p payload
		for i := range n {
			p.addBit(packed[i/8]>>(7-i%8)&1 != 0)
		}
		again, err := p.decodeMessage(&Batch{})
		if err != nil {
			t.Fatalf("%+v is not decoded again: %v", m, err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Errorf("encoded %+v, decoded %+v", m, again)
		}
	})
}

// addBit appends one bit.
func (p *payload) addBit(set bool) {
	if p.bits%64 == 0 {
		p.words[p.bits/64], p.words[p.bits/64+1] = 0, 0
	}
	if set {
		p.words[p.bits/64] |= 1 << (63 - p.bits%64)
	}
	p.bits++
}

// FuzzTag gives TAG blocks, prefixes and suffixes of any bytes. The sentence between them must be read.
func FuzzTag(f *testing.F) {
	f.Add([]byte("s:r2190001,c:1795000000123,g:1-2-77"), []byte("1795000000.25 "), []byte(",rSTATION,1795000000"))
	f.Add([]byte("c:1795000000.5,x:,,s:"), []byte("2026-11-20T12:00:00.5Z "), []byte(",S1,T22.5,b002190001,1795000000"))
	f.Fuzz(func(t *testing.T, tag, prefix, suffix []byte) {
		for _, part := range [][]byte{tag, prefix, suffix} {
			if bytes.ContainsAny(part, "\\!$\n#U") {
				t.Skip("it has a sign that ends a part or begins another")
			}
		}
		sentence := []byte("!AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0*66")
		var line []byte
		line = append(line, prefix...)
		line = append(append(append(line, '\\'), tag...), '\\')
		line = append(append(line, sentence...), suffix...)
		d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
		d.Line(b, line, start)
		d.Flush(b, start)
		if len(b.Reports) != 1 || !bytes.Equal(b.Reports[0].Raw, sentence) {
			t.Errorf("%q: %d reports", line, len(b.Reports))
		}
		checkReports(t, b)
	})
}

// FuzzAssembly mixes the parts of messages in any order and checks that what waits is bounded.
func FuzzAssembly(f *testing.F) {
	f.Add([]byte{0x11, 0x12, 0x21, 0x22})
	f.Add([]byte{0x11, 0x91, 0x12, 0x92, 0x13})
	f.Fuzz(func(t *testing.T, script []byte) {
		var a assembler
		a.init()
		now := start
		waiting := 0
		for i, step := range script {
			part := fragment{total: 1 + step>>4&3, number: 1 + step&3, sequence: '0' + step>>2&3, channel: 'A'}
			part.sentence = []byte("!AIVDM,1,1,,A,0,0*00")
			part.chars = part.sentence[14:15]
			if part.number > part.total || part.total < 2 {
				now = now.Add(fragmentLimit / 4)
				continue
			}
			w := wrapper{group: "", station: []string{"", "north", "south"}[i%3]}
			if step&0x80 != 0 {
				w.group = "7"
			}
			s, err := a.addFragment(&part, &w, now)
			if s != nil {
				if err != nil || s.have != s.key.total {
					t.Fatalf("step %d: a set of %d parts with %d, error %v", i, s.key.total, s.have, err)
				}
				for n := range s.key.total {
					if s.parts[n].to == 0 {
						t.Fatalf("step %d: part %d is not there", i, n+1)
					}
				}
				a.releaseSet(s)
			}
			waiting = len(a.sets)
		}
		ring := 0
		for s := a.root.next; s != &a.root; s = s.next {
			ring++
			if a.sets[s.key] != s {
				t.Error("a set of the ring is not in the map")
			}
		}
		if ring != waiting && len(script) > 0 {
			t.Errorf("%d sets in the ring, %d in the map", ring, len(a.sets))
		}
		a.expireSets(now.Add(2 * fragmentLimit))
		if len(a.sets) != 0 || a.bytes != 0 {
			t.Errorf("%d sets and %d bytes left over", len(a.sets), a.bytes)
		}
	})
}

// FuzzAgainstGoAIS compares the main fields with those that go-ais reads, for each payload that both take.
func FuzzAgainstGoAIS(f *testing.F) {
	for line := range SplitLines(sentencesOf(f, inventedMessages())) {
		var part fragment
		if _, err := parseFragment(&part, line); err == nil && part.total == 1 {
			f.Add(part.chars, part.fill)
		}
	}
	second := aistest.NewSecondOpinion()
	f.Fuzz(func(t *testing.T, chars []byte, fill int) {
		m, err := Decode(chars, fill)
		if err != nil {
			return
		}
		theirs := second.Decode(chars, fill)
		if theirs == nil {
			return // it refuses more lengths than we do
		}
		if id := theirs.GetHeader(); id.MessageID != m.Head().Type || MMSI(id.UserID) != m.Head().MMSI || id.RepeatIndicator != m.Head().Repeat {
			t.Fatalf("header %+v, theirs %+v", m.Head(), id)
		}
		agree(t, m, theirs)
	})
}

func agree(t *testing.T, m Message, theirs goais.Packet) {
	t.Helper()
	switch o := theirs.(type) {
	case goais.PositionReport:
		m := m.(*PositionReport)
		agreePlace(t, m.Place, float64(o.Longitude), float64(o.Latitude))
		agreeTenths(t, "SOG", int(m.SOG)-1, float64(o.Sog), 1023)
		agreeTenths(t, "COG", int(m.COG)-1, float64(o.Cog), 3600)
		agreeNumber(t, "heading", int(m.Heading)-1, int(o.TrueHeading), 360)
		agreeNumber(t, "second", int(m.Second), int(o.Timestamp), 64)
		agreeNumber(t, "status", int(m.Status), int(o.NavigationalStatus), 16)
	case goais.StandardClassBPositionReport:
		m := m.(*ClassBReport)
		agreePlace(t, m.Place, float64(o.Longitude), float64(o.Latitude))
		agreeTenths(t, "SOG", int(m.SOG)-1, float64(o.Sog), 1023)
		agreeTenths(t, "COG", int(m.COG)-1, float64(o.Cog), 3600)
	case goais.ShipStaticData:
		m := m.(*StaticVoyage)
		agreeNumber(t, "IMO", int(m.IMO), int(o.ImoNumber), 1<<30)
		agreeNumber(t, "type", int(m.ShipType), int(o.Type), 256)
		agreeNumber(t, "bow", int(m.Dimensions.Bow), int(o.Dimension.A), 512)
		agreeNumber(t, "starboard", int(m.Dimensions.Starboard), int(o.Dimension.D), 64)
		agreeNumber(t, "month", int(m.ETA.Month), int(o.Eta.Month), 16)
		agreeTenths(t, "draught", int(m.Draught), float64(o.MaximumStaticDraught), 256)
	case goais.BaseStationReport:
		m := m.(*BaseStationReport)
		agreePlace(t, m.Place, float64(o.Longitude), float64(o.Latitude))
		agreeNumber(t, "year", m.Year, int(o.UtcYear), 1<<14)
		agreeNumber(t, "minute", m.Minute, int(o.UtcMinute), 64)
	}
}

func agreePlace(t *testing.T, p Place, lon, lat float64) {
	t.Helper()
	ourLon, ourLat := p.Degrees()
	if math.Abs(ourLon-lon) > 1e-7 || math.Abs(ourLat-lat) > 1e-7 {
		t.Errorf("place %v %v, theirs %v %v", ourLon, ourLat, lon, lat)
	}
}

// agreeTenths compares tenths. Their values from none on have no meaning; ours is then unknown, -1.
func agreeTenths(t *testing.T, what string, ours int, theirs float64, none int) {
	t.Helper()
	agreeNumber(t, what, ours, int(math.Round(theirs*10)), none)
}

func agreeNumber(t *testing.T, what string, ours, theirs, none int) {
	t.Helper()
	if theirs >= none {
		theirs = -1
	}
	if ours != theirs {
		t.Errorf("%s %d, theirs %d", what, ours, theirs)
	}
}
