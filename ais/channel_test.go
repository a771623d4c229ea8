package ais

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestTheChannelIsOneOfAReceiver: what receivers send is taken, and all else is refused and counted.
func TestTheChannelIsOneOfAReceiver(t *testing.T) {
	const payload = "13u?etPv2;0n:dDPwUM1U1Cb069D"
	for channel, want := range map[string]string{
		"A": "A", "B": "B", "a": "A", "b": "B", "1": "A", "2": "B", "": "none", "C": "none", "0": "none",
		"\x00": "channel", "\x1b": "channel", " ": "channel", "\xff": "channel", "A\x00": "channel", "-": "channel",
	} {
		d := NewDecoder(DecoderConfig{Feed: "roof"})
		var b Batch
		line := "!" + sealed("AIVDM,1,1,,"+channel+","+payload+",0")
		d.Line(&b, []byte(line), time.Unix(1764000000, 0))
		got := "refused"
		for _, r := range b.Reports {
			if got = string(r.Channel); r.Channel == 0 {
				got = "none"
			}
		}
		counters := d.Counters()
		for reason, n := range counters.Bad {
			if n > 0 {
				got = ErrorReason(reason).String()
			}
		}
		if got != want {
			t.Errorf("channel %q: %s, want %s", channel, got, want)
		}
	}
}

// TestWhatGoesOutIsPrintable: of a sentence with any byte at any place nothing reaches a subscriber that is not printable ASCII.
func TestWhatGoesOutIsPrintable(t *testing.T) {
	whole := "!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0"
	parts := []string{"!AIVDM,2,1,3,B,55P5TL01VIaAL@7WKO@mBplU@<PDhh000000001S;AJ::4A80?4i@E53,0", "!AIVDM,2,2,3,B,1@0000000000000,2,x"}
	taken := 0
	for _, lines := range [][]string{{whole}, {whole + ",surplus"}, parts} {
		for i, line := range lines {
			for at := 1; at < len(line); at++ {
				for _, c := range []byte{0, '\t', '\r', 0x1b, 0x7f, 0x80, 0xff, 'A'} {
					sent := append([]string{}, lines...)
					sent[i] = line[:at] + string([]byte{c}) + line[at+1:]
					d := NewDecoder(DecoderConfig{Feed: "roof"})
					var b Batch
					for _, one := range sent {
						d.Line(&b, []byte(one[:1]+sealed(one[1:])), time.Unix(1764000000, 0))
					}
					for _, r := range b.Reports {
						taken++
						if !isPrintable(bytes.ReplaceAll(r.Raw, []byte("\r\n"), nil)) {
							t.Fatalf("%q goes out as %q", strings.Join(sent, " "), r.Raw)
						}
					}
				}
			}
		}
	}
	if taken < 100 {
		t.Errorf("only %d were taken", taken)
	}
}
