package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"quaywatch/ais"
	"quaywatch/geo"
)

// noon is the time of the messages of our own fixture: a whole minute, so that the seconds in reports agree.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// outgoings reads a log as it would come from a feed.
func outgoings(t testing.TB, log io.Reader, clock ais.Clock) (all []*Outgoing) {
	t.Helper()
	raw, err := io.ReadAll(log)
	if err != nil {
		t.Fatal(err)
	}
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: clock})
	var batch ais.Batch
	received := noon
	for line := range ais.SplitLines(raw) {
		received = received.Add(50 * time.Millisecond)
		decoder.Line(&batch, line, received)
	}
	decoder.Flush(&batch, received)
	for i := range batch.Reports {
		r := &batch.Reports[i]
		all = append(all, &Outgoing{
			Raw: bytes.Clone(r.Raw), Traits: ais.TraitsOf(r.Message), Received: r.Received, Sent: r.Sent,
			Feed: r.Feed, Station: r.Station, Channel: r.Channel, Own: r.Own,
		})
	}
	if len(all) == 0 {
		t.Fatal("the log holds no message")
	}
	return all
}

// invented are messages of all types with values of our own.
func invented(t testing.TB) []*Outgoing {
	t.Helper()
	file, err := os.Open("../../testdata/invented.nmea")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return outgoings(t, file, ais.ReceiverClock)
}

// recorded reads a log of the folder of recorded data, and skips where it is not there.
func recorded(t testing.TB, name string, clock ais.Clock) []*Outgoing {
	t.Helper()
	folder := os.Getenv("QUAYWATCH_TESTDATA")
	if folder == "" {
		folder = "../../../../shared/data"
	}
	file, err := os.Open(filepath.Join(folder, "nmea", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !strings.HasSuffix(name, ".gz") {
		return outgoings(t, file, clock)
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return outgoings(t, unpacked, clock)
}

// one is a message that a table starts from, in two parts where asked.
func one(parts int) *Outgoing {
	o := &Outgoing{
		Raw:  []byte("!AIVDM,1,1,,A,13@:`L001N0ded0O6Fp8wW<00<0t,0*7B"),
		Feed: "roof", Received: noon.Add(1500 * time.Millisecond), Sent: time.Unix(1763633101, 0), Channel: 'A',
	}
	if parts == 2 {
		o.Raw = []byte("!AIVDM,2,1,4,A,539LiHP2;42`@pE<000<tq@V1<TpL4000000001?1SV@@73R0J0TQCAD,0*1E\r\n!AIVDM,2,2,4,A,R0EQCP000000000,2*45")
	}
	return o
}

func TestLines(t *testing.T) {
	const first, second = "!AIVDM,2,1,4,A,539LiHP2;42`@pE<000<tq@V1<TpL4000000001?1SV@@73R0J0TQCAD,0*1E\r\n", "!AIVDM,2,2,4,A,R0EQCP000000000,2*45\r\n"
	const single = "!AIVDM,1,1,,A,13@:`L001N0ded0O6Fp8wW<00<0t,0*7B\r\n"
	tests := []struct {
		name  string
		style LineStyle
		parts int
		edit  func(*Outgoing)
		want  string // with the checksums of blocks and of our own sentences as *hh
	}{
		{"plain", LineStyle{}, 1, nil, single},
		{"plain, two parts", LineStyle{}, 2, nil, first + second},
		{"plain, refused", LineStyle{}, 1, func(o *Outgoing) { o.Refused = "jump" }, "$PQWR,jump,7B*hh\r\n" + single},
		{"tag", LineStyle{Form: TagNMEA, Stamp: StampTag}, 1, nil, `\s:roof,c:1763633101*hh\` + single},
		{"tag, two parts", LineStyle{Form: TagNMEA, Stamp: StampTag}, 2, nil,
			`\g:1-2-0001,s:roof,c:1763633101*hh\` + first + `\g:2-2-0001*hh\` + second},
		{"tag, no stamp", LineStyle{Form: TagNMEA}, 1, nil, `\s:roof*hh\` + single},
		{"tag, of a station", LineStyle{Form: TagNMEA, Stamp: StampTag}, 1, func(o *Outgoing) { o.Station = "r2190001" },
			`\s:r2190001,c:1763633101*hh\` + single},
		{"tag, the feed's name", LineStyle{Form: TagNMEA, Stamp: StampTag, ExternalID: true}, 1, func(o *Outgoing) { o.Station = "r2190001" },
			`\s:roof,c:1763633101*hh\` + single},
		{"tag, time not known", LineStyle{Form: TagNMEA, Stamp: StampTag}, 1,
			func(o *Outgoing) { o.Sent = time.Time{} }, fmt.Sprintf(`\s:roof,c:%d*hh\`, noon.Unix()+1) + single},
		{"tag, custom", LineStyle{Form: TagNMEA, Stamp: StampTag, CustomTag: "port*of\\,Århus"}, 1, nil,
			`\s:roof,c:1763633101,t:port_of___rhus*hh\` + single},
		{"tag, refused", LineStyle{Form: TagNMEA, Stamp: StampTag, CustomTag: "port"}, 1, func(o *Outgoing) { o.Refused = "late_jump" },
			`\s:roof,c:1763633101,t:refused=late_jump*hh\` + single},
		{"tag, asked for as a comment too", LineStyle{Form: TagNMEA, Stamp: StampComment}, 1, nil, `\s:roof,c:1763633101*hh\` + single},
		{"tag, stamp before it", LineStyle{Form: TagNMEA, Stamp: StampPGHP}, 1, nil,
			"$PGHP,1,2025,11,20,10,5,1,0,,,,1,7B*hh\r\n" + `\s:roof*hh\` + single},
		{"comment", LineStyle{Form: CommentNMEA, Stamp: StampComment, CustomTag: "port"}, 1, nil, `\s:roof,c:1763633101,i:port*hh\` + single},
		{"comment, two parts", LineStyle{Form: CommentNMEA, Stamp: StampComment}, 2, nil,
			`\1G2:0001,s:roof,c:1763633101*hh\` + first + `\2G2:0001*hh\` + second},
		{"pghp", LineStyle{Form: PGHPNMEA, Stamp: StampPGHP}, 1, func(o *Outgoing) { o.Sent = o.Sent.Add(47 * time.Millisecond) },
			"$PGHP,1,2025,11,20,10,5,1,47,,,,1,7B*hh\r\n" + single},
		{"pghp, two parts", LineStyle{Form: PGHPNMEA}, 2, func(o *Outgoing) { o.Station = "r002190067" },
			"$PGHP,1,2025,11,20,10,5,1,0,219,,002190067,1,5B*hh\r\n" + first + second},
		{"pghp, of a coast station", LineStyle{Form: PGHPNMEA}, 1, func(o *Outgoing) { o.Station = "2190067" },
			"$PGHP,1,2025,11,20,10,5,1,0,219,,2190067,1,7B*hh\r\n" + single},
		{"pghp, the feed's name", LineStyle{Form: PGHPNMEA, ExternalID: true}, 1, nil,
			"$PGHP,1,2025,11,20,10,5,1,0,,,,1,7B*hh\r\n" + `\s:roof*hh\` + single},
		{"pghp, refused", LineStyle{Form: PGHPNMEA}, 1, func(o *Outgoing) { o.Refused = "jump" },
			"$PQWR,jump,7B*hh\r\n$PGHP,1,2025,11,20,10,5,1,0,,,,1,7B*hh\r\n" + single},
		{"pghp, no time at all", LineStyle{Form: PGHPNMEA}, 1, func(o *Outgoing) { o.Sent, o.Received = time.Time{}, time.Time{} }, single},
		{"plain, stamped by tag", LineStyle{Stamp: StampTag}, 2, nil, `\g:1-2-0001,c:1763633101*hh\` + first + `\g:2-2-0001*hh\` + second},
		{"plain, stamped by comment", LineStyle{Stamp: StampComment}, 1, nil, `\c:1763633101*hh\` + single},
		{"plain, stamped by pghp", LineStyle{Stamp: StampPGHP}, 1, nil, "$PGHP,1,2025,11,20,10,5,1,0,,,,1,7B*hh\r\n" + single},
		{"plain, the feed's name", LineStyle{ExternalID: true}, 1, nil, `\s:roof*hh\` + single},
		{"plain, custom", LineStyle{CustomTag: "port"}, 1, nil, `\t:port*hh\` + single},
		{"plain, stamped by comment, custom", LineStyle{Stamp: StampComment, CustomTag: "port"}, 1, nil, `\c:1763633101,i:port*hh\` + single},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := one(test.parts)
			if test.edit != nil {
				test.edit(o)
			}
			got := string(New(test.style).Append([]byte("before"), o))
			if diff := cmp.Diff("before"+test.want, maskOwnSums(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// maskOwnSums holds that the checksums of blocks and of our own sentences are right, and writes hh for them.
func maskOwnSums(t *testing.T, lines string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.SplitAfterSeq(lines, "\r\n") {
		line, before := strings.TrimPrefix(line, "before"), ""
		if len(out.String()) == 0 {
			before = "before"
		}
		out.WriteString(before)
		end := len(line)
		switch {
		case strings.HasPrefix(line, `\`):
			end = strings.IndexByte(line[1:], '\\') + 1
		case strings.HasPrefix(line, "$"):
			end -= 2
		default:
			out.WriteString(line)
			continue
		}
		var sum byte
		for _, c := range []byte(line[1 : end-3]) {
			sum ^= c
		}
		if want := fmt.Sprintf("*%02X", sum); line[end-3:end] != want {
			t.Errorf("%q: checksum %s, want %s", line, line[end-3:end], want)
		}
		out.WriteString(line[:end-2] + "hh" + line[end:])
	}
	return out.String()
}

// A block is never longer than the standard lets it be, and what must be there is.
func TestLongBlocks(t *testing.T) {
	long := strings.Repeat("harbour-office-", 20)
	for _, format := range []Form{PlainNMEA, TagNMEA, CommentNMEA, PGHPNMEA} {
		for _, refused := range []string{"", "impossible_place", long} {
			o := one(2)
			o.Feed, o.Station, o.Refused = long, long, refused
			f := New(LineStyle{Form: format, Stamp: StampTag, ExternalID: true, CustomTag: long})
			lines := string(f.Append(nil, o))
			_, lines, _ = strings.Cut(lines, `\`)
			block, _, _ := strings.Cut(lines, `\`)
			if len(block)+2 > longestBlock || len(block)+2 < longestBlock-20 {
				t.Errorf("format %d, refused %q: %d characters: %s", format, refused, len(block)+2, block)
			}
			if !strings.Contains(block, "s:harbour-office") || !strings.Contains(block, "c:1763633101") ||
				strings.Contains(block, "refused=") != (refused != "") {
				t.Errorf("format %d, refused %q: %s", format, refused, block)
			}
		}
	}
}

// Group numbers run per subscriber, four digits, and never reach five.
func TestGroupNumbers(t *testing.T) {
	f := New(LineStyle{Form: TagNMEA})
	var last string
	for range 10000 {
		last = string(f.Append(nil, one(2)))
	}
	if want := `\g:1-2-0001,`; !strings.HasPrefix(last, want) {
		t.Errorf("the group after 9999 is %.14s, want %s", last, want)
	}
	if first := string(New(LineStyle{Form: TagNMEA}).Append(nil, one(2))); !strings.HasPrefix(first, `\g:1-2-0001,`) {
		t.Errorf("another subscriber begins with %.14s", first)
	}
	if single := string(f.Append(nil, one(1))); strings.Contains(single, "g:") {
		t.Errorf("a single sentence has a group: %s", single)
	}
}

// readBack is what our own decoder makes of lines.
func readBack(t *testing.T, lines []byte) []*Outgoing {
	t.Helper()
	return outgoings(t, bytes.NewReader(lines), ais.ReceiverClock)
}

// What leaves in an NMEA format is read back as the same sentences, of the same time and station.
func TestReadBack(t *testing.T) {
	sources := map[string]func(*testing.T) []*Outgoing{
		"own fixture":             func(t *testing.T) []*Outgoing { return invented(t) },
		"tagblock_2021-11-01.nm4": nil, "world_2010-06-11_pghp.txt.gz": nil, "kattegat_2022-08-18_tcp.log": nil,
		"denmark_2013-11-12_pghp.txt.gz": nil, "kadetrenden_2013-07-31.nmea.gz": nil,
	}
	styles := map[string]LineStyle{
		"nmea": {}, "nmea_tag": {Form: TagNMEA, Stamp: StampTag}, "nmea_comment": {Form: CommentNMEA, Stamp: StampComment},
		"nmea_pghp": {Form: PGHPNMEA, Stamp: StampPGHP}, "nmea stamped by pghp and named": {Stamp: StampPGHP, ExternalID: true},
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			if source == nil {
				source = func(t *testing.T) []*Outgoing { return recorded(t, name, ais.LogClock) }
			}
			sent := source(t)
			for i, o := range sent { // stations of all forms
				if o.Station == "" && i%3 == 0 {
					o.Station = fmt.Sprintf("%09d", 2190000+i%90)
				}
			}
			for name, style := range styles {
				t.Run(name, func(t *testing.T) { holdSame(t, style, sent) })
			}
		})
	}
}

func holdSame(t *testing.T, style LineStyle, sent []*Outgoing) {
	var lines []byte
	f := New(style)
	for _, o := range sent {
		lines = f.Append(lines, o)
	}
	got := readBack(t, lines)
	if len(got) != len(sent) {
		t.Fatalf("%d messages left, %d were read back", len(sent), len(got))
	}
	for i, o := range sent {
		if !bytes.Equal(got[i].Raw, o.Raw) {
			t.Fatalf("message %d left as %q and came as %q", i, o.Raw, got[i].Raw)
		}
		if want := timeOnLine(style, o); !want.IsZero() && !got[i].Sent.Equal(want) {
			t.Fatalf("message %d of %v came as of %v: %s", i, o.messageTime(), got[i].Sent, o.Raw)
		}
		if want, known := stationOnLine(style, o); known && got[i].Station != want {
			t.Fatalf("message %d of %q came as of %q", i, want, got[i].Station)
		}
	}
}

// timeOnLine is the time that a style's lines give a message: blocks hold whole seconds, plain lines nothing.
func timeOnLine(style LineStyle, o *Outgoing) time.Time {
	switch style.Stamp {
	case StampTag, StampComment:
		return o.messageTime().Truncate(time.Second)
	case StampPGHP:
		return o.messageTime().Truncate(time.Millisecond)
	}
	return time.Time{}
}

func stationOnLine(style LineStyle, o *Outgoing) (string, bool) {
	switch {
	case style.ExternalID:
		return "", false // the station of $PGHP and the name in the block are both there
	case style.Form == TagNMEA || style.Form == CommentNMEA:
		if o.Station == "" {
			return o.Feed, true
		}
		return string(AppendField(nil, o.Station, 40)), true
	case style.Form == PGHPNMEA:
		_, number := stationNumber(o.Station)
		return number, true
	}
	return "", true
}

// The messages of two stations that use the same sequence number at once are told apart by the groups.
func TestGroupsKeepPartsApart(t *testing.T) {
	a, b := one(2), one(2)
	b.Raw = bytes.ReplaceAll(b.Raw, []byte("539LiHP"), []byte("539LiHQ"))
	b.Raw = bytes.Replace(b.Raw, []byte("*1E"), []byte("*1F"), 1)
	for _, style := range []LineStyle{{Form: TagNMEA}, {Form: CommentNMEA}} {
		f := New(style)
		first, second := string(f.Append(nil, a)), string(f.Append(nil, b))
		a1, a2, _ := strings.Cut(first, "\r\n")
		b1, b2, _ := strings.Cut(second, "\r\n")
		mixed := a1 + "\r\n" + b1 + "\r\n" + b2 + a2
		got := readBack(t, []byte(mixed))
		if len(got) != 2 || !bytes.Equal(got[0].Raw, b.Raw) || !bytes.Equal(got[1].Raw, a.Raw) {
			t.Errorf("format %d: mixed parts gave %d messages", style.Form, len(got))
		}
	}
}

func TestTick(t *testing.T) {
	feeds := []ais.FeedStatus{
		{Name: "roof, north", Connected: true, MessagesPerSecond: 12.34, LastMessage: noon.Add(-4 * time.Second)},
		{Name: "pier"},
	}
	at := noon.Add(30*time.Second + 400*time.Millisecond)
	t.Run("clock and state", func(t *testing.T) {
		f := New(LineStyle{ClockSync: 10 * time.Second, SystemInfo: true})
		got := string(f.Tick(nil, at, feeds))
		want := "$ZQZDA,120030.40,21,11,2026,00,00*hh\r\n$PQWS,2,1,roof_ north,A,12.3,34*hh\r\n$PQWS,2,2,pier,V,0.0,*hh\r\n"
		if diff := cmp.Diff(want, maskOwnSums(t, got)[len("before"):]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("how often", func(t *testing.T) {
		f := New(LineStyle{ClockSync: 10 * time.Second, SystemInfo: true})
		clocks, states := 0, 0
		for second := range 600 {
			now := at.Add(time.Duration(second)*time.Second + time.Duration(second%7)*time.Millisecond)
			if due := f.StatusDue(now); due != (f.status.IsZero() || !now.Before(f.status)) {
				t.Fatalf("StatusDue %v at %v", due, now)
			}
			lines := string(f.Tick(nil, now, feeds))
			clocks += strings.Count(lines, "ZDA")
			states += strings.Count(lines, "PQWS")
		}
		if clocks != 60 || states != 2*11 {
			t.Errorf("in ten minutes %d clocks and %d states, want 60 and 22", clocks, states)
		}
	})
	t.Run("clock set back", func(t *testing.T) {
		f := New(LineStyle{ClockSync: 10 * time.Second})
		f.Tick(nil, at, feeds)
		if len(f.Tick(nil, at.Add(-time.Hour), feeds)) == 0 {
			t.Error("no clock after it was set back by an hour")
		}
	})
	t.Run("not asked for", func(t *testing.T) {
		for _, style := range []LineStyle{{}, {Form: OTHGold, ClockSync: time.Second, SystemInfo: true}} {
			if got := New(style).Tick(nil, at, feeds); len(got) > 0 {
				t.Errorf("%+v: %q", style, got)
			}
		}
	})
	t.Run("our decoder passes it over", func(t *testing.T) {
		f := New(LineStyle{ClockSync: time.Second, SystemInfo: true})
		o := one(1)
		o.Refused = "jump"
		lines := f.Append(f.Tick(nil, at, feeds), o)
		if got := readBack(t, lines); len(got) != 1 || !bytes.Equal(got[0].Raw, o.Raw) {
			t.Errorf("%d messages", len(got))
		}
	})
}

func TestGold(t *testing.T) {
	contact := func() *Outgoing {
		o := one(1)
		o.Sent = time.Date(2026, 11, 21, 18, 30, 7, 0, time.UTC)
		o.Traits.MMSI, o.HasFix = 211234560, true
		o.Place = geo.Point{Lon: 12.175, Lat: -54.0866666}
		o.Name, o.CallSign, o.ShipType = "GRAY HERON/<1>", "OXAB2", 71
		o.SOG, o.COG = ais.SOGTenths(126), ais.COGTenths(451)
		return o
	}
	tests := []struct {
		name string
		edit func(*Outgoing)
		want string
	}{
		{"all known", func(*Outgoing) {}, "MSGID/QUAYWATCH/GOLD/001/NOV\r\n" +
			"CTC/T36673/GRAY HERON  1///MER////////////AIS211234560/OXAB2\r\n" +
			"POS/21183007Z2/NOV/540512S7/0121030E7/AIS////045.1T/13K\r\nENDAT\r\n"},
		{"nothing but a place", func(o *Outgoing) {
			o.Name, o.CallSign, o.ShipType, o.SOG, o.COG, o.Place = "", "", 0, 0, 0, geo.Point{Lon: -179.99999, Lat: 0}
		}, "MSGID/QUAYWATCH/GOLD/001/NOV\r\n" +
			"CTC/T36673/MMSI 211234560///UNK////////////AIS211234560\r\n" +
			"POS/21183007Z2/NOV/000000N0/1800000W9/AIS\r\nENDAT\r\n"},
		{"no place", func(o *Outgoing) { o.HasFix = false }, ""},
		{"place refused", func(o *Outgoing) { o.Refused = "jump" }, ""},
		{"base station", func(o *Outgoing) { o.Traits.MMSI = 2190001 }, ""},
		{"buoy", func(o *Outgoing) { o.Traits.MMSI = 992190001 }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := contact()
			test.edit(o)
			got := string(New(LineStyle{Form: OTHGold}).Append(nil, o))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("one a ship and minute", func(t *testing.T) {
		f := New(LineStyle{Form: OTHGold})
		var told []int
		for _, second := range []int{0, 20, 52, 53, 59, 65, 113, 50, 3600, 3599, 7300, 7000, 100} {
			o := contact()
			o.Sent = o.Sent.Add(time.Duration(second) * time.Second)
			if len(f.Append(nil, o)) > 0 {
				told = append(told, second)
			}
		}
		if diff := cmp.Diff([]int{0, 53, 113, 3600, 7300, 100}, told); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("two ships never share a track", func(t *testing.T) {
		f := New(LineStyle{Form: OTHGold})
		a, b := contact(), contact()
		b.Traits.MMSI += goldTracks
		first, second := string(f.Append(nil, a)), string(f.Append(nil, b))
		if !strings.Contains(first, "CTC/T36673/") || !strings.Contains(second, "CTC/T36674/") {
			t.Errorf("%s%s", first, second)
		}
	})
}

func TestGoldRemembersNoEnd(t *testing.T) {
	f := New(LineStyle{Form: OTHGold})
	o := one(1)
	o.HasFix = true
	var b []byte
	for mmsi := range ais.MMSI(2*goldMost + 10) {
		o.Traits.MMSI = 200000000 + mmsi
		if b = f.Append(b[:0], o); len(b) == 0 {
			t.Fatalf("nothing of %d", o.Traits.MMSI)
		}
	}
	if n := len(f.book.tracks); n > goldMost {
		t.Errorf("%d ships remembered", n)
	}
}
