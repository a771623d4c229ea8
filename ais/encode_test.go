package ais_test

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/ais"
)

func TestSentences(t *testing.T) {
	position := &ais.PositionReport{
		Header: ais.Header{Type: 1, MMSI: 219000001}, Status: ais.StatusMoored, SOG: ais.SOGTenths(0),
		Place: ais.Place{Lon: 6150000, Lat: 33684000}, Second: 12,
	}
	static := &ais.StaticVoyage{
		Header: ais.Header{Type: 5, MMSI: 219000001}, Name: "GRAY HERON", CallSign: "OXYZ1",
		ShipType: 70, Dimensions: ais.Dimensions{Bow: 100, Stern: 20, Port: 9, Starboard: 9},
		ETA: ais.ETA{Hour: 24, Minute: 60}, Draught: 71, Destination: "DK AAR",
	}
	tests := []struct {
		name    string
		m       ais.Message
		channel byte
		parts   int
		fill    string
	}{
		{"a position in one part", position, 'A', 1, "0"},
		{"a position without a channel", position, 0, 1, "0"},
		{"a static report in two parts", static, 'B', 2, "2"},
		{"a long text in several parts", &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: 2190001}, Text: strings.Repeat("X", 156)}, 'A', 3, "2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := ais.NewEncoder("AIVDM").Sentences(nil, tt.m, tt.channel)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(out), "\r\n")
			lines = lines[:len(lines)-1]
			if len(lines) != tt.parts {
				t.Fatalf("%d sentences, want %d: %q", len(lines), tt.parts, out)
			}
			for i, line := range lines {
				checkSentence(t, line)
				field := strings.Split(line, ",")
				channel := strings.TrimRight(string([]byte{tt.channel}), "\x00")
				if field[0] != "!AIVDM" || field[1] != fmt.Sprint(tt.parts) || field[2] != fmt.Sprint(i+1) || field[4] != channel {
					t.Errorf("head of %q", line)
				}
			}
			last := lines[len(lines)-1]
			if got := last[strings.LastIndexByte(last, ',')+1 : strings.IndexByte(last, '*')]; got != tt.fill {
				t.Errorf("fill bits %s, want %s", got, tt.fill)
			}
		})
	}
}

// checkSentence checks a sentence by IEC 61162-1: its length, its checksum, its end.
func checkSentence(t *testing.T, line string) {
	t.Helper()
	if len(line) > 82 || !strings.HasSuffix(line, "\r\n") {
		t.Errorf("%d characters: %q", len(line), line)
	}
	body, sum, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), "*")
	var want byte
	for i := 1; i < len(body); i++ {
		want ^= body[i]
	}
	if sum != fmt.Sprintf("%02X", want) {
		t.Errorf("checksum %s, want %02X: %q", sum, want, line)
	}
}

func TestSequenceNumbersTurnAround(t *testing.T) {
	e := ais.NewEncoder("AIVDM")
	m := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 219000001}}
	for i := range 12 {
		out, err := e.Sentences(nil, m, 'A')
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("!AIVDM,2,1,%d,A,", i%10); !strings.HasPrefix(string(out), want) {
			t.Fatalf("message %d: %q, want %q", i, out, want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		name string
		m    ais.Message
		want string
	}{
		{"a type of another struct", &ais.PositionReport{Header: ais.Header{Type: 5}}, "message type 5: not a *ais.PositionReport"},
		{"an identity of ten digits", &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 9900000001}}, "mmsi 9900000001"},
		{"a name that is too long", &ais.StaticVoyage{Header: ais.Header{Type: 5}, Name: strings.Repeat("A", 21)}, "at most 20 fit"},
		{"small letters", &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: "Fog"}, "character 'o' has no six-bit code"},
		{"a text of six slots", &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: strings.Repeat("A", 162)}, "at most 1008 fit"},
		{"fewer bytes than bits", &ais.BroadcastBinary{Header: ais.Header{Type: 8}, Application: ais.Application{Bits: 9, Data: []byte{1}}}, "9 bits announced, 1 bytes given"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := ais.Encode(tt.m); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			before := []byte("kept")
			if out, err := ais.NewEncoder("AIVDM").Sentences(before, tt.m, 'A'); err == nil || string(out) != "kept" {
				t.Errorf("sentences %q, error %v", out, err)
			}
		})
	}
}

func TestTransmitSentences(t *testing.T) {
	addressed := &ais.AddressedSafety{Header: ais.Header{Type: 12}, Sequence: 2, Destination: 219000001, Text: "KEEP CLEAR"}
	out, err := ais.AppendABM(nil, addressed, 0)
	if err != nil {
		t.Fatal(err)
	}
	// "KEEP CLEAR": K E E P blank C L E A R are 11 5 5 16 32 3 12 5 1 18.
	checkSentence(t, string(out))
	if !strings.HasPrefix(string(out), "!AIABM,1,1,2,219000001,0,12,;55@P3<51B,0*") {
		t.Errorf("abm %q", out)
	}
	long := &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: strings.Repeat("A", 50)}
	if out, err = ais.AppendBBM(nil, long, 13, 3); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(out), "\r\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "!AIBBM,2,2,3,3,14,111,0*") {
		t.Errorf("bbm %q", lines)
	}
	checkSentence(t, lines[0])
	if _, err = ais.AppendABM(nil, long, 0); err == nil || !strings.Contains(err.Error(), "is not addressed") {
		t.Errorf("abm of a broadcast: %v", err)
	}
	if _, err = ais.AppendBBM(nil, addressed, 0, 0); err == nil || !strings.Contains(err.Error(), "is not broadcast") {
		t.Errorf("bbm of an addressed message: %v", err)
	}
}

func TestPermittedText(t *testing.T) {
	tests := []struct {
		text string
		at   int
		ok   bool
	}{
		{"", 0, true}, {"FOG. VIS < 0.5 NM?", 0, true}, {"[\\]^_!\"#$%&'()*+,-./:;<=>?", 0, true},
		{"A@B", 1, false}, {"FÄHRE", 1, false}, {"a", 0, false}, {"A\nB", 1, false}, {"{", 0, false},
	}
	for _, tt := range tests {
		if at, ok := ais.PermittedText(tt.text); at != tt.at || ok != tt.ok {
			t.Errorf("%q: %d %v, want %d %v", tt.text, at, ok, tt.at, tt.ok)
		}
	}
	if got := ais.SixBitText("Fog at 3 nm"); got != "FOG AT 3 NM" {
		t.Errorf("six-bit text %q", got)
	}
}

func TestTag(t *testing.T) {
	if got := string(ais.AppendTag(nil, "demo", 1400000000)); got != `\s:demo,c:1400000000*3A\` {
		t.Errorf("tag %q", got)
	}
}

func TestSentencesDoNotAllocate(t *testing.T) {
	e := ais.NewEncoder("AIVDM")
	var m ais.Message = &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000001}}
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { buf, _ = e.Sentences(buf[:0], m, 'A') }); n != 0 {
		t.Errorf("%v allocations a position report, want none", n)
	}
}

func BenchmarkSentences(b *testing.B) {
	e := ais.NewEncoder("AIVDM")
	var m ais.Message = &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000001}, SOG: ais.SOGTenths(123), COG: ais.COGTenths(900)}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = e.Sentences(buf[:0], m, 'A')
	}
	if len(buf) == 0 {
		b.Fatal("nothing is encoded")
	}
}
