package traffic

import (
	"testing"
	"time"

	"quaywatch/ais"
)

// TestAPictureSaysHowFarItIsBehind: as long as what it takes waited since its feed heard it. A report without that time says nothing.
func TestAPictureSaysHowFarItIsBehind(t *testing.T) {
	var p Pulse
	if p.Behind() != 0 {
		t.Errorf("%v before anything", p.Behind())
	}
	now := time.Now()
	p.waited(&ais.Batch{Reports: []ais.Report{{Received: now.Add(-41 * time.Second)}, {Received: now}}})
	p.waited(&ais.Batch{Reports: []ais.Report{{}}})
	p.waited(&ais.Batch{})
	if by := p.Behind(); by < 41*time.Second {
		t.Errorf("%v", by)
	}
	p.waited(&ais.Batch{Reports: []ais.Report{{Received: time.Now().Add(time.Hour)}}})
	if p.Behind() != 0 {
		t.Errorf("%v after a report of later", p.Behind())
	}
}
