package ais

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// sealed completes a sentence without its first and last characters, as "AIVDM,1,1,,A,…,0", or a TAG block's content.
func sealed(body string) string { return fmt.Sprintf("%s*%02X", body, Checksum([]byte(body))) }

const position = "!AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0*66"

// TestWrappers reads one position in each kind of wrapper, by both clocks.
func TestWrappers(t *testing.T) {
	at := time.Date(2026, 11, 20, 11, 59, 58, 0, time.UTC)
	unix := fmt.Sprint(at.Unix())
	for _, row := range []struct {
		name    string
		lines   []string
		sent    time.Time // zero: the report's own second, 47
		station string
	}{
		{"bare", []string{position}, time.Time{}, ""},
		{"blanks and line ends behind", []string{position + " \r"}, time.Time{}, ""},
		{"junk behind", []string{position + "'"}, time.Time{}, ""},
		{"tag in seconds", []string{`\` + sealed("s:roof,c:"+unix) + `\` + position}, at, "roof"},
		{"tag in milliseconds", []string{`\` + sealed("c:"+unix+"250") + `\` + position}, at.Add(250 * time.Millisecond), ""},
		{"tag with a fraction", []string{`\` + sealed("c:"+unix+".5,s:roof,n:12") + `\` + position}, at.Add(500 * time.Millisecond), "roof"},
		{"tag with the station of a suffix", []string{`\` + sealed("s:r003669987,c:"+unix) + `\` + position}, at, "003669987"},
		{"tag with a name that begins with r", []string{`\` + sealed("s:r2d2,c:"+unix) + `\` + position}, at, "r2d2"},
		{"suffix with a station and a time", []string{position + ",d-091,S0077,r003669987," + unix}, at, "003669987"},
		{"tag without a checksum", []string{`\s:roof,c:` + unix + `\` + position}, at, "roof"},
		{"tag with a wrong checksum", []string{`\s:roof,c:` + unix + `*00\` + position}, time.Time{}, ""},
		{"tag with unknown letters", []string{`\` + sealed("x:1,t:who,s:roof,T:2026-11-20 11.59,i:a") + `\` + position}, time.Time{}, "roof"},
		{"comment block", []string{`\` + sealed("s:roof,c:"+unix+",i:port") + `\` + position}, at, "roof"},
		{"comment block of a group", []string{`\` + sealed("1G1:0125,s:roof,c:"+unix) + `\` + position}, at, "roof"},
		{"tag on its own line", []string{`\` + sealed("s:roof,c:"+unix) + `\`, position}, at, "roof"},
		{"si line, PGHP and the sentence", []string{`\` + sealed("si:AISD") + `\`, "$" + sealed("PGHP,1,2026,11,20,11,59,58,0,219,,2190067,1,69"), position}, at, "2190067"},
		{"PGHP with milliseconds and no station", []string{"$" + sealed("PGHP,1,2026,11,20,11,59,58,42,276,0,,1,69"), position}, at.Add(42 * time.Millisecond), ""},
		{"PGHP, another sentence between", []string{"$" + sealed("PGHP,1,2026,11,20,11,59,58,0,219,,2190067,1,69"), "$" + sealed("PSTT,10A,1"), position}, at, "2190067"},
		{"PGHP with a day that is none", []string{"$" + sealed("PGHP,1,2026,2,30,11,59,58,0,219,,2190067,1,69"), position}, time.Time{}, ""},
		{"suffix", []string{position + ",r002190001," + unix}, at, "002190001"},
		{"long suffix", []string{position + ",S1234,s25089,d-103,T22.79870672,x12,bFM112," + unix}, at, "FM112"},
		{"prefix in nanoseconds", []string{unix + "000000000 " + position}, at, ""},
		{"prefix by RFC 3339", []string{"2026-11-20T11:59:58Z " + position}, at, ""},
		{"prefix by RFC 3339 with a zone", []string{"[2026-11-20T12:59:58+01:00] " + position}, at, ""},
		{"bus log", []string{"nmea0183 n0183-AIVDM AIVDM " + position}, time.Time{}, ""},
		{"IEC 61162-450", []string{"UdPbC\x00" + `\` + sealed("s:VR0001,c:"+unix+",n:7") + `\` + position}, at, "VR0001"},
		{"two sentences on a line, the second is ours", []string{`\` + sealed("s:cellar,c:1") + `\!AIVDM,1,1,,A,,0*26\` + sealed("s:roof,c:"+unix) + `\` + position}, at, "roof"},
	} {
		for _, clock := range []Clock{ReceiverClock, LogClock} {
			d, b := NewDecoder(DecoderConfig{Feed: "roof", Clock: clock}), &Batch{}
			for _, line := range row.lines {
				d.Line(b, []byte(line), start)
			}
			d.Flush(b, start)
			if len(b.Reports) != 1 {
				t.Errorf("%s: %d reports, refused %v", row.name, len(b.Reports), d.Counters().Bad)
				continue
			}
			r := b.Reports[0]
			received, sent := start, row.sent
			if sent.IsZero() {
				sent = time.Date(2026, 11, 20, 11, 59, 47, 0, time.UTC)
			} else if clock == LogClock {
				received = sent
			}
			if !r.Sent.Equal(sent) || !r.Received.Equal(received) || r.Station != row.station || r.Feed != "roof" || string(r.Raw) != position {
				t.Errorf("%s, clock %d: sent %v received %v station %q raw %q", row.name, clock, r.Sent, r.Received, r.Station, r.Raw)
			}
		}
	}
}

// TestTalkers takes VDM and VDO of any talker, and each name of a channel.
func TestTalkers(t *testing.T) {
	for _, row := range []struct {
		head    string
		own     bool
		channel byte
	}{
		{"AIVDM,1,1,,A", false, 'A'}, {"AIVDO,1,1,,B", true, 'B'}, {"--VDM,1,1,,1", false, 'A'}, {"BSVDM,1,1,,2", false, 'B'},
		{"ABVDO,1,1,7,", true, 0}, {"XXVDM,1,1,,0", false, 0}, {"AIVDM,1,1,,", false, 0}, {"AIVDM,1,1,12,B", false, 'B'},
	} {
		d, b := NewDecoder(DecoderConfig{}), &Batch{}
		line := "!" + sealed(row.head+",13@ngj@11G0fj22P8RLDlSsN00S9,0")
		d.Line(b, []byte(line), start)
		d.Line(b, []byte(strings.ToLower(line[len(line)-2:])), start) // no sentence: passed over
		if len(b.Reports) != 1 || b.Reports[0].Own != row.own || b.Reports[0].Channel != row.channel {
			t.Errorf("%s: %+v, refused %v", row.head, b.Reports, d.Counters().Bad)
		}
	}
}

// TestRefused checks the reason for each kind of error.
func TestRefused(t *testing.T) {
	for line, reason := range map[string]ErrorReason{
		"!AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0*00":               ErrorChecksum,
		"!AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0":                  ErrorChecksum,
		"!" + sealed("AIVDM,1,1,,A,,0"):                                 ErrorPayload,
		"!" + sealed("AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00X9,0"):     ErrorPayload,
		"!" + sealed("AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00x9,0"):     ErrorPayload,
		"!" + sealed("AIVDM,1,1,,A,13@ngj\x8011G0fj22P8RLDlSsN00S9,0"):  ErrorPayload,
		"!" + sealed("AIVDM,1,1,,A,"+strings.Repeat("8", 2000)+",0"):    ErrorPayload,
		"!" + sealed("AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00,0"):       ErrorLength,
		"!" + sealed("AIVDM,1,1,,A,0,0"):                                ErrorLength,
		"!" + sealed("AIVDM,1,1,,A,03@ngj@11G0fj22P8RLDlSsN00S9,0"):     ErrorType,
		"!" + sealed("AIVDM,1,1,,A,L3@ngj@11G0fj22P8RLDlSsN00S9,0"):     ErrorType,
		"!" + sealed("AIVDM,2,2,3,A,88888888880,2"):                     ErrorFragment,
		"!" + sealed("AIVDM,1,2,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0"):     ErrorFormat,
		"!" + sealed("AIVDM,0,0,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0"):     ErrorFormat,
		"!" + sealed("AIVDM,1,1,1234,A,13@ngj@11G0fj22P8RLDlSsN00S9,0"): ErrorFormat,
		"!" + sealed("AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,9"):     ErrorFormat,
		"$" + sealed("AIVSI,r1,1,120000.00,1234,loud,12"):               ErrorOwn,
		"$" + sealed("GPZDA,120000.00,AA,11,2026,00,00"):                ErrorOwn,
	} {
		d, b := NewDecoder(DecoderConfig{}), &Batch{}
		d.Line(b, []byte(line), start)
		var want [ErrorReasons]uint64
		want[reason] = 1
		if got := d.Counters().Bad; got != want || len(b.Reports) != 0 {
			t.Errorf("%.60q: refused %v, want one for %v; %d reports", line, got, reason, len(b.Reports))
		}
	}
}

// TestSmallChecksum takes checksums in small letters.
func TestSmallChecksum(t *testing.T) {
	d, b := NewDecoder(DecoderConfig{}), &Batch{}
	body := "AIVDM,1,1,,B,13@ngj@11G0fj22P8RLDlSsN00S6,0" // *6a
	d.Line(b, fmt.Appendf(nil, "!%s*%02x", body, Checksum([]byte(body))), start)
	if len(b.Reports) != 1 {
		t.Errorf("refused %v", d.Counters().Bad)
	}
}

// TestSurplusFields takes sentences with fields behind the fill bits, as a common multiplexer writes them, and counts them.
func TestSurplusFields(t *testing.T) {
	const multiplexed = "!AIVDM,1,1,,1,13aI8e?P00PGpU:NR6s00?vT2000,0,0*1C"
	part := func(n int, chars string) string {
		return "!" + sealed(fmt.Sprintf("AIVDM,2,%d,3,A,%s,%d,7,x", n, chars, 2*(n-1)))
	}
	for _, row := range []struct {
		line             string
		reports, surplus int
		other            int // of all other reasons together
	}{
		{multiplexed, 1, 1, 0},
		{multiplexed + multiplexed, 2, 2, 0},
		{"!" + sealed("AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,,a,,b"), 1, 1, 0},
		{"!" + sealed("AIVDM,1,1,,A,13@ngj@11G0fj22P8RLDlSsN00S9,0,"), 1, 1, 0},
		{part(1, "55?MbV02;H;s<HtKR20EHE:0@T4@Dn2222222216L961O5Gf0NSQEp6ClRp8") + "\n" + part(2, "88888888880"), 1, 2, 0},
		{strings.Replace(multiplexed, "*1C", "*1D", 1), 0, 0, 1},
		{strings.Replace(multiplexed, "*1C", "", 1), 0, 0, 1},
		{strings.Replace(multiplexed, "*1C", "", 1) + position, 1, 0, 1},
	} {
		for _, clock := range []Clock{ReceiverClock, LogClock} {
			d, b := NewDecoder(DecoderConfig{Clock: clock}), &Batch{}
			d.Datagram(b, []byte(row.line), start)
			d.Flush(b, start)
			c := d.Counters()
			if len(b.Reports) != row.reports || c.Bad[ErrorSurplus] != uint64(row.surplus) || c.TotalBad() != uint64(row.surplus+row.other) {
				t.Errorf("%s: %d reports, refused %v; want %d reports, %d surplus, %d other", row.line, len(b.Reports), c.Bad, row.reports, row.surplus, row.other)
			}
		}
	}
}
