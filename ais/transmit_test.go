package ais_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"quaywatch/ais"
)

// permitted are all characters of a text.
const permitted = " !\"#$%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_"

// textOfLength returns a text of so many characters that does not end with a blank.
func textOfLength(n int) string {
	return strings.Repeat(permitted, 3)[1 : n+1]
}

// transmittedBits joins the payload of the sentences of an ABM or BBM, which have it in a field, and returns its bits as characters. It holds the heads
// against what they must be.
func transmittedBits(t *testing.T, sentences []byte, head func(parts, part int) string) (bits string) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(string(sentences), "\r\n"), "\r\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r\n") + "\r\n"
		checkSentence(t, line)
		want := head(len(lines), i+1)
		rest, ok := strings.CutPrefix(line, want)
		if !ok {
			t.Fatalf("%q does not begin with %q", line, want)
		}
		end := strings.LastIndexByte(rest, ',')
		for _, c := range []byte(rest[:end]) {
			six := c - 48
			if six > 40 {
				six -= 8
			}
			bits += fmt.Sprintf("%06b", six)
		}
		fill := int(rest[end+1] - '0')
		if fill != 0 && i < len(lines)-1 {
			t.Fatalf("%d fill bits before the last sentence", fill)
		}
		bits = bits[:len(bits)-fill]
	}
	return bits
}

// airBits returns the bits of a message as it goes on air.
func airBits(t *testing.T, m ais.Message) (bits string) {
	t.Helper()
	data, n, err := ais.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range data {
		bits += fmt.Sprintf("%08b", b)
	}
	return bits[:n]
}

// TestATransponderGetsTheWholeText: the data of ABM and BBM is what the message has behind its head, at each length that the message can have, and
// gpsdecode reads the message back as it was written.
func TestATransponderGetsTheWholeText(t *testing.T) {
	var log []byte
	var want []string
	encoder := ais.NewEncoder("AIVDM")
	add := func(m ais.Message, text string) {
		var err error
		if log, err = encoder.Sentences(log, m, 'A'); err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
	}
	for n := 1; n <= 161; n++ {
		text := strings.TrimRight(textOfLength(n), " ")
		all := &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: 2190047}, Text: text}
		out, err := ais.AppendBBM(nil, all, n%4, 0)
		if err != nil {
			t.Fatalf("%d characters to all: %v", n, err)
		}
		got := transmittedBits(t, out, func(parts, part int) string { return fmt.Sprintf("!AIBBM,%d,%d,%d,0,14,", parts, part, n%4) })
		if got != airBits(t, all)[40:] {
			t.Fatalf("%d characters to all are others", n)
		}
		add(all, text)
		if n > 156 {
			continue
		}
		one := &ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: 2190047}, Sequence: uint8(n % 4), Destination: 219018765, Text: text}
		if out, err = ais.AppendABM(nil, one, 0); err != nil {
			t.Fatalf("%d characters to one: %v", n, err)
		}
		got = transmittedBits(t, out, func(parts, part int) string { return fmt.Sprintf("!AIABM,%d,%d,%d,219018765,0,12,", parts, part, n%4) })
		if got != airBits(t, one)[72:] {
			t.Fatalf("%d characters to one are others", n)
		}
		add(one, text)
	}
	long := strings.Repeat("A", 157)
	if _, err := ais.AppendABM(nil, &ais.AddressedSafety{Header: ais.Header{Type: 12}, Destination: 219018765, Text: long}, 0); err == nil {
		t.Error("157 characters to one")
	}
	if _, err := ais.AppendBBM(nil, &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: long + "AAAAA"}, 0, 0); err == nil {
		t.Error("162 characters to all")
	}
	if _, err := exec.LookPath("gpsdecode"); err != nil {
		t.Skip("gpsdecode is not installed: the texts are not read back by a second decoder")
	}
	command := exec.Command("gpsdecode")
	command.Stdin = bytes.NewReader(log)
	said, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	for line := range strings.Lines(string(said)) {
		var m struct{ Class, Text string }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if m.Class == "AIS" {
			read = append(read, m.Text)
		}
	}
	for i := range max(len(read), len(want)) {
		if i >= len(read) || i >= len(want) || read[i] != want[i] {
			t.Fatalf("gpsdecode reads %d texts of %d, and this one differs: %q", len(read), len(want), want[min(i, len(want)-1)])
		}
	}
}
