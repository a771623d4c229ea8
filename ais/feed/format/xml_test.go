package format

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"quaywatch/ais"
)

const schemaFile = "../../../docs/nmea-stream.xsd"

// element is an XML element as a tree.
type element struct {
	XMLName  xml.Name
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

// elements reads a stream of elements without a root.
func elements(t testing.TB, stream []byte) (all []element) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(stream))
	for {
		var e element
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%v in\n%s", err, stream)
		}
		all = append(all, e)
	}
}

// What an element says is what `quaywatch decode` says, under the same names.
func TestXMLSaysWhatDecodeSays(t *testing.T) {
	for _, o := range append(invented(t), applications(t)...) {
		o.Station, o.Refused = `<&"\>`, "jump"
		f := New(LineStyle{Form: XML})
		line := f.Append(nil, o)
		if bytes.Count(line, []byte("\n")) != 1 || !bytes.HasSuffix(line, []byte("</message>\r\n")) {
			t.Fatalf("not one line: %q", line)
		}
		got := elements(t, line)
		if len(got) != 1 {
			t.Fatalf("%d elements", len(got))
		}
		want := map[string]any{}
		if err := json.Unmarshal(decoded(t, o), &want); err != nil {
			t.Fatal(err)
		}
		want["refused"] = "jump"
		if diff := cmp.Diff(texts(want), tree(got[0])); diff != "" {
			t.Errorf("%s\n%s", line, diff)
		}
	}
}

// decoded returns what a JSONPrinter makes of a message.
func decoded(t *testing.T, o *Outgoing) []byte {
	var b ais.Batch
	d := ais.NewDecoder(ais.DecoderConfig{Feed: o.Feed})
	for line := range ais.SplitLines(o.Raw) {
		d.Line(&b, line, o.Received)
	}
	if len(b.Reports) != 1 {
		t.Fatalf("%d messages in %q", len(b.Reports), o.Raw)
	}
	b.Reports[0].Station, b.Reports[0].Sent = o.Station, o.Sent
	return new(ais.JSONPrinter).Append(nil, &b.Reports[0], false)
}

// texts makes texts of the numbers and truth values of JSON; the items of lists come in order.
func texts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			if list, ok := member.([]any); ok && len(list) == 0 {
				continue // as many elements as the list is long
			}
			out[key] = texts(member)
		}
		return out
	case []any:
		var out []any
		for _, member := range v {
			out = append(out, texts(member))
		}
		if len(out) == 1 {
			return out[0]
		}
		return out
	case float64:
		return number(strconv.FormatFloat(v, 'f', -1, 64))
	case bool:
		return fmt.Sprint(v)
	}
	return number(fmt.Sprint(v))
}

// number returns a decimal number without zeros at its end, other text as it is.
func number(text string) string {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text
}

func tree(e element) any {
	if len(e.Children) == 0 {
		return number(e.Text)
	}
	out := map[string]any{}
	for _, child := range e.Children {
		name, value := child.XMLName.Local, tree(child)
		switch was := out[name].(type) {
		case nil:
			out[name] = value
		case []any:
			out[name] = append(was, value)
		default:
			out[name] = []any{was, value}
		}
	}
	return out
}

// applications are binary messages with all that we read in them.
func applications(t testing.TB) (all []*Outgoing) {
	t.Helper()
	encoder := ais.NewEncoder("AIVDM")
	for _, a := range []ais.Application{
		{DAC: 1, FI: 16, Bits: 13, Data: []byte{0x12, 0x30}},
		{DAC: 1, FI: 17, Bits: 240, Data: bytes.Repeat([]byte{0x15, 0x83, 0x61}, 10)},
		{DAC: 1, FI: 22, Bits: 216, Data: bytes.Repeat([]byte{0x09, 0x21, 0x44}, 9)},
		{DAC: 1, FI: 31, Bits: 344, Data: bytes.Repeat([]byte{0x09, 0x21, 0x44, 0x18}, 11)},
		{DAC: 1, FI: 11, Bits: 336, Data: bytes.Repeat([]byte{0x09, 0x21, 0x44, 0x18}, 11)},
		{DAC: 200, FI: 10, Bits: 168, Data: bytes.Repeat([]byte{0x09, 0x21, 0x44}, 7)},
		{DAC: 200, FI: 55, Bits: 80, Data: bytes.Repeat([]byte{0x09, 0x21}, 5)},
		{DAC: 367, FI: 33, Bits: 448, Data: bytes.Repeat([]byte{0x01, 0x21, 0x44, 0x52, 0x11, 0x73, 0x21, 0x14, 0x22, 0x31, 0x41, 0x51, 0x61, 0x71}, 4)},
	} {
		lines, err := encoder.Sentences(nil, &ais.BroadcastBinary{Header: ais.Header{Type: 8, MMSI: 2190001}, Application: a}, 'A')
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, outgoings(t, bytes.NewReader(lines), ais.ReceiverClock)...)
	}
	return all
}

// Whatever stands in names, the element is well-formed, valid and says what can be said of it.
func TestXMLOfForeignText(t *testing.T) {
	for name, want := range map[string]string{
		"plain":                  "plain",
		`<script>&"'`:            `<script>&"'`,
		"]]>":                    "]]>",
		"bell\a nul\x00 del\x7f": "bell\ufffd nul\ufffd del\ufffd",
		"bad\xff\xfe utf":        "bad\ufffd\ufffd utf",
		"no character\ufffe":     "no character\ufffd",
		"Århus 港":                "Århus 港",
		"two\r\nlines\ttab":      "two\ufffd\ufffdlines\ufffdtab",
	} {
		o := one(1)
		o.Feed, o.Station, o.Refused = name, name, name
		f := New(LineStyle{Form: XML, SystemInfo: true})
		for _, line := range [][]byte{f.Append(nil, o), f.Tick(nil, noon, []ais.FeedStatus{{Name: name}})} {
			if bytes.Count(line, []byte("\n")) != 1 {
				t.Errorf("%q: not one line: %q", name, line)
			}
			for _, child := range elements(t, line)[0].Children {
				switch child.XMLName.Local {
				case "feed", "station", "refused", "name":
					if child.Text != want {
						t.Errorf("%q: %s is %q, want %q", name, child.XMLName.Local, child.Text, want)
					}
				}
			}
		}
	}
}

// xmlStream is a stream of everything that can be in one.
func xmlStream(t testing.TB, messages []*Outgoing) []byte {
	f := New(LineStyle{Form: XML, ClockSync: time.Second, SystemInfo: true})
	stream := f.Tick(nil, noon, []ais.FeedStatus{{Name: "<roof>", Connected: true, MessagesPerSecond: 1.5, LastMessage: noon}, {Name: "pier"}})
	for i, o := range messages {
		if i%7 == 0 {
			o.Refused = "jump"
		}
		stream = f.Append(stream, o)
	}
	return stream
}

// Every element that is written is declared in the schema.
func TestSchemaDeclaresAll(t *testing.T) {
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var hold func(e element)
	hold = func(e element) {
		if !bytes.Contains(schema, []byte(`<xs:element name="`+e.XMLName.Local+`"`)) {
			t.Errorf("%s declares no element %s", schemaFile, e.XMLName.Local)
		}
		for _, child := range e.Children {
			hold(child)
		}
	}
	for _, e := range elements(t, xmlStream(t, append(invented(t), applications(t)...))) {
		hold(e)
	}
}

// xmllint, where it is, finds the stream valid by the schema.
func TestStreamIsValid(t *testing.T) {
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not here (Debian: libxml2-utils); that every element is declared is held without it")
	}
	schema, err := filepath.Abs(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]func(*testing.T) []*Outgoing{
		"own fixture": func(t *testing.T) []*Outgoing { return append(invented(t), applications(t)...) },
		"kadetrenden": func(t *testing.T) []*Outgoing {
			all := recorded(t, "kadetrenden_2013-07-31.nmea.gz", ais.LogClock)
			return all[:min(len(all), 10000)]
		},
		"world": func(t *testing.T) []*Outgoing { return recorded(t, "world_2010-06-11_pghp.txt.gz", ais.LogClock) },
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			stream := xmlStream(t, source(t))
			// A schema is for a document: each line is one, and a thousand of them are read faster under a root that lets them in.
			root := filepath.Join(t.TempDir(), "root.xsd")
			write(t, root, `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="file://`+schema+`"/>
				<xs:element name="stream"><xs:complexType><xs:choice maxOccurs="unbounded">
				<xs:element ref="message"/><xs:element ref="clock"/><xs:element ref="feed_status"/>
				</xs:choice></xs:complexType></xs:element></xs:schema>`)
			document := filepath.Join(t.TempDir(), "stream.xml")
			write(t, document, "<stream>"+string(stream)+"</stream>")
			holdValid(t, lint, root, document)
			for i, line := range bytes.SplitAfterN(stream, []byte("\n"), 4)[:3] {
				one := filepath.Join(t.TempDir(), fmt.Sprintf("%d.xml", i))
				write(t, one, string(line))
				holdValid(t, lint, schema, one)
			}
		})
	}
	t.Run("what is wrong is found", func(t *testing.T) {
		document := filepath.Join(t.TempDir(), "wrong.xml")
		write(t, document, "<message><sog>fast</sog></message>")
		if err := exec.Command(lint, "--noout", "--schema", schema, document).Run(); err == nil {
			t.Error("xmllint takes anything")
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func holdValid(t *testing.T, lint, schema, document string) {
	t.Helper()
	if out, err := exec.Command(lint, "--noout", "--huge", "--schema", schema, document).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
}

// FuzzAppend holds for each format, whatever the names and sentences are: no panic, whole lines, blocks within their limit and with a
// right checksum, one well-formed element a line.
func FuzzAppend(f *testing.F) {
	f.Add([]byte("!AIVDM,1,1,,A,13@:`L001N0ded0O6Fp8wW<00<0t,0*7B"), "roof", "r2190001", "jump", "port", "GRAY HERON", uint8(0xff), int64(1763633101))
	f.Add([]byte("!AIVDM,2,1,4,A,539LiHP2;42`@pE<000<tq@V1<TpL4000000001?1SV@@73R0J0TQCAD,0*1E\r\n!AIVDM,2,2,4,A,R0EQCP000000000,2*45"),
		"<&\x00\xff>", `\*,$!^`, "", "\r\n", "É/\x7f", uint8(0), int64(-1))
	f.Add([]byte("\r\n\r\n*"), "", "", "x", "", "", uint8(3), int64(1<<40))
	f.Add([]byte("0"), "", strings.Repeat("station", 20), "x", "", "", uint8(2), int64(1<<37-1)) // a time of twelve digits
	f.Fuzz(func(t *testing.T, raw []byte, feed, station, refused, custom, name string, bits uint8, seconds int64) {
		o := &Outgoing{Raw: raw, Feed: feed, Station: station, Refused: refused, Name: name, CallSign: name, HasFix: true,
			Sent: time.Unix(seconds%(1<<37), 0), Received: noon}
		o.Traits.MMSI, o.Place.Lon, o.Place.Lat = ais.MMSI(seconds), float64(seconds%181), float64(seconds%91)
		o.SOG, o.COG, o.ShipType = ais.SOG(seconds), ais.COGTenths(int(seconds%3600)), ais.ShipType(bits)
		for format := PlainNMEA; format <= XML; format++ {
			style := LineStyle{Form: format, Stamp: Stamp(bits & 3), ExternalID: bits&4 != 0, SystemInfo: true, ClockSync: time.Second}
			if bits&8 != 0 {
				style.CustomTag = custom
			}
			formatter := New(style)
			lines := formatter.Append(nil, o)
			lines = formatter.Tick(lines, noon, []ais.FeedStatus{{Name: name}})
			lines = formatter.Append(lines, o)
			if len(lines) > 0 && !bytes.HasSuffix(lines, lineEnd) {
				t.Fatalf("format %d: %q is not whole lines", format, lines)
			}
			if format == XML {
				elements(t, lines)
				continue
			}
			holdOurs(t, lines, raw)
		}
	})
}

// holdOurs holds what is written before the sentences; the sentences themselves are what they were.
func holdOurs(t *testing.T, lines, raw []byte) {
	for sentence := range bytes.SplitSeq(raw, lineEnd) {
		if len(sentence) > 0 && bytes.ContainsAny(sentence[:1], `\$`) {
			return // what is ours cannot be told from it
		}
	}
	for line := range bytes.SplitSeq(lines, lineEnd) {
		switch {
		case bytes.HasPrefix(line, []byte(`\`)):
			block, _, found := bytes.Cut(line[1:], []byte(`\`))
			if !found || len(block)+2 > longestBlock {
				t.Fatalf("block of %d characters: %q", len(block)+2, line)
			}
			holdSum(t, block)
		case bytes.HasPrefix(line, []byte("$")):
			holdSum(t, line[1:])
		}
	}
}

func holdSum(t *testing.T, sentence []byte) {
	if len(sentence) < 3 || sentence[len(sentence)-3] != '*' {
		t.Fatalf("no checksum at the end of %q", sentence)
	}
	var sum byte
	for _, c := range sentence[:len(sentence)-3] {
		if c < ' ' || c > '~' || c == '*' || c == '$' || c == '!' || c == '\\' {
			t.Fatalf("%q holds %q", sentence, c)
		}
		sum ^= c
	}
	if want := fmt.Sprintf("%02X", sum); string(sentence[len(sentence)-2:]) != want {
		t.Fatalf("checksum of %q is not %s", sentence, want)
	}
}

// The formats that carry most of the traffic cost no allocation.
func TestAppendAllocatesNothing(t *testing.T) {
	for _, style := range []LineStyle{
		{}, {Form: TagNMEA, Stamp: StampTag, ExternalID: true, CustomTag: "port"}, {Form: CommentNMEA, Stamp: StampComment},
		{Form: PGHPNMEA}, {Stamp: StampTag},
	} {
		f, b := New(style), make([]byte, 0, 1024)
		messages := []*Outgoing{one(1), one(2)}
		messages[1].Refused = "jump"
		if n := testing.AllocsPerRun(100, func() {
			for _, o := range messages {
				b = f.Append(b[:0], o)
			}
		}); n > 0 {
			t.Errorf("%+v: %v allocations", style, n)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	messages := invented(b)
	for i, o := range messages {
		o.HasFix, o.Traits.MMSI, o.Name = true, ais.MMSI(211000000+i), "GRAY HERON"
	}
	for name, style := range map[string]LineStyle{
		"nmea": {}, "nmea_tag": {Form: TagNMEA, Stamp: StampTag}, "nmea_comment": {Form: CommentNMEA, Stamp: StampComment},
		"nmea_pghp": {Form: PGHPNMEA, Stamp: StampPGHP}, "oth_gold": {Form: OTHGold}, "xml": {Form: XML},
	} {
		b.Run(name, func(b *testing.B) {
			f, lines := New(style), make([]byte, 0, 4096)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				o := messages[i%len(messages)]
				if style.Form == OTHGold {
					o.Sent = o.Sent.Add(time.Minute) // each has something to say
				}
				if lines = f.Append(lines[:0], o); len(lines) == 0 && style.Form != OTHGold {
					b.Fatal("nothing is written")
				}
			}
		})
	}
}
