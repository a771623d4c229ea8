package feed

import (
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var m meter
	begin := time.Now()
	at := func(seconds float64) time.Time { return begin.Add(time.Duration(seconds * float64(time.Second))) }
	if messages, bytes := m.perSecond(begin, sums{}); messages != 0 || bytes != 0 {
		t.Errorf("before anything: %v, %v", messages, bytes)
	}
	now := sums{}
	for second := range 30 {
		m.add(at(float64(second)), now)
		now.messages += 5
		now.bytes += 200
	}
	for _, row := range []struct{ after, messages, bytes float64 }{
		{30, 5, 200},    // steady: 10 s to now
		{35, 2.5, 100},  // silent for 5 s: 25 s to 35 s
		{39.5, 0.5, 19}, // nearly forgotten: 29 s to 39.5 s
		{60, 0.2, 6.4},  // the newest sample is 31 s old, and a message came since
	} {
		messages, bytes := m.perSecond(at(row.after), now)
		if d := messages - row.messages; d > 0.1 || d < -0.1 {
			t.Errorf("at %v s: %v messages a second, want %v", row.after, messages, row.messages)
		}
		if d := bytes - row.bytes; d > 1 || d < -1 {
			t.Errorf("at %v s: %v bytes a second, want %v", row.after, bytes, row.bytes)
		}
	}
}
