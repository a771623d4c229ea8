package feed

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
	"quaywatch/internal/await"
)

// told is what becomes of messages of one ship that come at so many seconds.
func told(p *pacer, kind uint8, every time.Duration, seconds ...float64) (out []fate) {
	for _, s := range seconds {
		at := time.Unix(1_763_600_000, 0).Add(time.Duration(s * float64(time.Second)))
		o := &format.Outgoing{Traits: ais.Traits{MMSI: 211000001, Type: kind}, Received: at}
		out = append(out, p.judgeMessage(o, every, at))
	}
	return out
}

func TestPacer(t *testing.T) {
	second := time.Second
	// 1763600000 is no multiple of 60: the clock shows 53:20.
	tests := []struct {
		name    string
		pace    StreamPace
		factor  float64
		every   time.Duration
		kind    uint8
		seconds []float64
		want    []fate
	}{
		{"everything", StreamPace{}, 1, 0, 1, []float64{0, 0.1, 0.2}, []fate{sent, sent, sent}},
		{"down_sample_interval", StreamPace{DownSample: 10 * second}, 1, 0, 1, []float64{0, 5, 9.9, 10, 19, 25}, []fate{sent, thinned, thinned, sent, thinned, sent}},
		{"static passes", StreamPace{DownSample: 10 * second}, 1, 0, 5, []float64{0, 1, 2}, []fate{sent, sent, sent}},
		{"a name passes, a safety message passes", StreamPace{DownSample: 10 * second}, 4, 0, 14, []float64{0, 1, 2}, []fate{sent, sent, sent}},
		{"aids and stations are positions", StreamPace{DownSample: 10 * second}, 1, 0, 21, []float64{0, 5, 10}, []fate{sent, thinned, sent}},
		{"fixed_downsampling_interval", StreamPace{FixedDownSample: 60 * second}, 1, 0, 1, []float64{0, 39, 40, 41, 99, 100}, []fate{sent, thinned, sent, thinned, thinned, sent}},
		{"update_interval", StreamPace{}, 1, 3 * second, 18, []float64{0, 2, 3}, []fate{sent, thinned, sent}},
		{"the longer one counts", StreamPace{DownSample: 10 * second}, 1, 3 * second, 1, []float64{0, 3, 10}, []fate{sent, thinned, sent}},
		{"a clock set back holds no ship back", StreamPace{DownSample: 10 * second}, 1, 0, 1, []float64{0, -3600, -3595, -3590}, []fate{sent, sent, thinned, sent}},
		{"max_message_rate", StreamPace{MaxRate: 2}, 1, 0, 5, []float64{0, 0, 0, 0.4, 0.6, 0.7}, []fate{sent, sent, overRate, overRate, sent, overRate}},
		{"congestion", StreamPace{DownSample: 10 * second}, 2, 0, 1, []float64{0, 5, 10, 19, 20}, []fate{sent, thinned, congested, congested, sent}},
		{"congestion without an interval begins at two seconds", StreamPace{}, 3, 0, 1, []float64{0, 5, 6}, []fate{sent, congested, sent}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPacer(tt.pace, time.Unix(1_763_600_000, 0))
			p.factor = tt.factor
			got := told(p, tt.kind, tt.every, tt.seconds...)
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("at %v s: %d, want %d", tt.seconds[i], got[i], tt.want[i])
				}
			}
		})
	}
}

// TestDistressIsNotThinned: whatever a subscriber asked for, and however slow it is.
func TestDistressIsNotThinned(t *testing.T) {
	for mmsi, want := range map[ais.MMSI]fate{970123456: sent, 972123456: sent, 974123456: sent, 211000001: thinned} {
		p := newPacer(StreamPace{DownSample: time.Minute}, time.Unix(0, 0))
		p.factor = 10
		for second := range int64(3) {
			f := p.judgeMessage(&format.Outgoing{Traits: ais.Traits{MMSI: mmsi, Type: 1}, Received: time.Unix(second, 0)}, 0, time.Unix(second, 0))
			if second > 0 && f != want {
				t.Errorf("%d: %d, want %d", mmsi, f, want)
			}
		}
	}
}

// TestDistressPassesTheCeiling: what devices in distress send goes out beyond max_message_rate, and no ship gets less for it.
func TestDistressPassesTheCeiling(t *testing.T) {
	begin := time.Unix(1_763_600_000, 0)
	p := newPacer(StreamPace{MaxRate: 2}, begin)
	judge := func(m ais.MMSI, kind uint8, at time.Time) fate {
		return p.judgeMessage(&format.Outgoing{Traits: ais.Traits{MMSI: m, Type: kind}, Received: at}, 0, at)
	}
	for i := range 26 {
		for _, kind := range []uint8{1, 14} {
			if f := judge(970123456, kind, begin); f != sent {
				t.Fatalf("message %d of the device: %d", i, f)
			}
		}
	}
	for i, want := range []fate{sent, sent, overRate} {
		if f := judge(211000001, 5, begin); f != want {
			t.Errorf("message %d of a ship: %d, want %d", i, f, want)
		}
	}
	later := begin.Add(time.Hour) // an hour leaves no more than a second
	for i, want := range []fate{sent, sent, overRate} {
		if f := judge(211000001, 5, later); f != want {
			t.Errorf("message %d an hour later: %d, want %d", i, f, want)
		}
	}
}

// TestCongestionStepsUpAndDown: by factor, at most so often, up to the most, and back.
func TestCongestionStepsUpAndDown(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPacer(StreamPace{Congestion: Congestion{Factor: 200, Most: 500, Every: 10 * time.Second}}, now)
	step := func(after, lag time.Duration, want float64) {
		t.Helper()
		now = now.Add(after)
		p.adjust(lag, now)
		if p.factor != want {
			t.Errorf("at %v with a lag of %v: %v, want %v", now.Sub(time.Unix(0, 0)), lag, p.factor, want)
		}
	}
	step(0, 900*time.Millisecond, 1)
	step(time.Second, 2*time.Second, 2) // the first one at once
	step(9*time.Second, 2*time.Second, 2)
	step(time.Second, 2*time.Second, 4)
	step(10*time.Second, 9*time.Second, 5)
	step(10*time.Second, 9*time.Second, 5)
	step(10*time.Second, 500*time.Millisecond, 5) // neither slow nor keeping up
	step(0, 0, 2.5)
	step(10*time.Second, 0, 1.25)
	step(10*time.Second, 0, 1)
	p.factor, p.pace.Congestion.Factor = 4, 0
	step(0, 2*time.Second, 1) // switched off
}

// TestPacerForgetsShips: a subscriber of a week remembers only ships whose last position still counts.
func TestPacerForgetsShips(t *testing.T) {
	p := newPacer(StreamPace{DownSample: 10 * time.Second}, time.Unix(0, 0))
	for i := range 100_000 {
		at := time.Unix(int64(i/100), 0) // a new ship each 10 ms
		p.judgeMessage(&format.Outgoing{Traits: ais.Traits{MMSI: ais.MMSI(i), Type: 1}, Received: at}, 0, at)
	}
	if len(p.last) > 100*121 {
		t.Errorf("%d ships remembered of those of two minutes", len(p.last))
	}
}

// TestSchedulerByPriority: which subscriber comes first when there are fewer processors than subscribers with something to do.
func TestSchedulerByPriority(t *testing.T) {
	slots := newScheduler(1)
	slots.acquire(Normal)
	order := make(chan OutputPriority, 9)
	queue := func(p OutputPriority) {
		before := slots.waitingNow()
		go func() {
			slots.acquire(p)
			order <- p
			slots.endSlot()
		}()
		await.That(t, "it waits for a slot", func() bool { return slots.waitingNow() > before })
	}
	for _, p := range []OutputPriority{Low, Normal, High, Low, Normal, High, Low, Normal, High} {
		queue(p)
	}
	slots.endSlot()
	want := []OutputPriority{High, High, High, Normal, Normal, Normal, Low, Low, Low}
	for i := range want {
		if got := <-order; got != want[i] {
			t.Errorf("turn %d went to priority %d, want %d", i+1, got, want[i])
		}
	}
}

// TestSchedulerStarvesNone: each eighth slot is for the subscriber that would be last.
func TestSchedulerStarvesNone(t *testing.T) {
	slots := newScheduler(1)
	slots.acquire(Normal)
	low := make(chan struct{})
	slots.waiting[Low.rank()] = append(slots.waiting[Low.rank()], low)
	for n := range 8 {
		high := make(chan struct{})
		slots.waiting[High.rank()] = append(slots.waiting[High.rank()], high)
		slots.endSlot()
		select {
		case <-low:
			if n != 7 {
				t.Errorf("the low one had turn %d", n+1)
			}
			return
		case <-high:
		}
	}
	t.Error("the low one had no turn of eight")
}

func (t *scheduler) waitingNow() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range t.waiting {
		n += len(line)
	}
	return n
}
