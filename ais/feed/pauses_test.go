package feed

import (
	"bytes"
	"context"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
)

// cable is a connection with a buffer, as the kernel's: a reader takes all that has gathered.
type cable struct {
	mu      sync.Mutex
	waiting bytes.Buffer
	news    chan struct{}
}

func (c *cable) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting.WriteString(text)
	select {
	case c.news <- struct{}{}:
	default:
	}
}

func (c *cable) Read(p []byte) (int, error) {
	select {
	case <-c.news:
	case <-time.After(tickEvery):
		return 0, os.ErrDeadlineExceeded
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting.Read(p)
}

// TestNoPauseAfterSilence: what comes after a silence is passed on in the same instant, and sentences gather while many come. The clock
// of testing/synctest moves only while all goroutines wait.
func TestNoPauseAfterSilence(t *testing.T) {
	r := prepare(t, Source{Name: "roof", URL: "tcp://127.0.0.1:1"})
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		out := make(chan *ais.Batch, 1000)
		inlet := r.feeds.inlets[0]
		inlet.out, inlet.pool = out, ais.NewPool(64)
		began, from := time.Now(), &cable{news: make(chan struct{}, 1)}
		go func() {
			intake := inlet.newIntake()
			defer close(out)
			defer intake.close(ctx)
			if err := intake.readStream(ctx, from); err != ctx.Err() {
				t.Error(err)
			}
		}()
		report := position(t, 211000001)
		for range 2 {
			for range 3 {
				from.say(report)
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(970 * time.Millisecond)
		}
		for range 500 { // at 100 a second
			from.say(report)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		stop()
		synctest.Wait()
		var at []time.Duration
		heard := 0
		for b := range out {
			at = append(at, b.Reports[0].Received.Sub(began))
			heard += len(b.Reports)
			b.Release()
		}
		const ms = time.Millisecond
		want := []time.Duration{0, 10 * ms, 110 * ms, 1000 * ms, 1010 * ms, 1110 * ms}
		if len(at) < len(want) || !slices.Equal(at[:len(want)], want) {
			t.Errorf("passed on at %v, want %v", at, want)
		}
		if batches := len(at) - len(want); heard != 506 || batches > 55 {
			t.Errorf("%d of 506 reports; 500 of them in %d batches, want one each 100 ms", heard, batches)
		}
	})
}

// BenchmarkAfterSilence is how long a UDP datagram takes to the reader of batches: the first after a silence, and one 2 ms later.
func BenchmarkAfterSilence(b *testing.B) {
	r := prepare(b, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	out, done := make(chan *ais.Batch, 256), make(chan error, 1)
	go func() { done <- r.feeds.Run(ctx, out) }()
	conn, err := net.Dial("udp", r.events.await(b, "feed opened").at)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	report := position(b, 211000001)
	var took [2]time.Duration
	silence, shortly := time.NewTicker(300*time.Millisecond), time.NewTicker(2*time.Millisecond)
	defer silence.Stop()
	defer shortly.Stop()
	for b.Loop() {
		silence.Reset(300 * time.Millisecond)
		<-silence.C
		for i := range took {
			sent := time.Now()
			send(b, conn, report)
			batch := <-out
			took[i] += time.Since(sent)
			batch.Release()
			shortly.Reset(2 * time.Millisecond)
			<-shortly.C
		}
	}
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "first-µs")
	b.ReportMetric(float64(took[1].Microseconds())/float64(b.N), "second-µs")
	stop()
	if err := <-done; err != nil {
		b.Error(err)
	}
}
