package feed

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// stateLike is about as large as what main attaches.
type stateLike [20]uint64

func benchOutputs(b *testing.B) *Outputs[stateLike] {
	all, err := NewOutputs([]Output{{Name: "port", URL: "tcp-listen://127.0.0.1:0"}}, Options[stateLike]{
		Latest: func(ais.MMSI, *stateLike) bool { return true }, Feeds: func() []ais.FeedStatus { return nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	b.Cleanup(stop)
	go all.wakeLoop(ctx)
	return all
}

// subscribe serves a connection over loopback whose far end reads, or does not.
func subscribe(b *testing.B, all *Outputs[stateLike], pass *Pass[stateLike], reads bool) {
	b.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer port.Close()
	far, err := net.Dial("tcp", port.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	near, err := port.Accept()
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	s := all.outputs[0].newSubscriber(pass, near, far.LocalAddr().String(), time.Now())
	if err := all.admitSubscriber(s); err != nil {
		b.Fatal(err)
	}
	group.Go(func() { all.outputs[0].attend(ctx, s) })
	if reads {
		group.Go(func() {
			for buffer := make([]byte, 64<<10); ; {
				if _, err := far.Read(buffer); err != nil {
					return
				}
			}
		})
	}
	b.Cleanup(func() { stop(); far.Close(); group.Wait() })
}

func message(i int) *format.Outgoing {
	return &format.Outgoing{
		Raw:    []byte("!AIVDM,1,1,,A,13@ndh0vjt7ugfn7Pb>HpG6f0000,0*67"),
		Traits: ais.Traits{MMSI: ais.MMSI(211000000 + i%5000), Type: 1}, Received: time.Now(), Feed: "roof", Channel: 'A',
	}
}

// BenchmarkPublish is what one message costs the picture: without subscribers, with fifty that read, and with one of them stalled.
func BenchmarkPublish(b *testing.B) {
	for name, n := range map[string]int{"nobody": 0, "fifty": 50, "fifty, one stalled": 50} {
		b.Run(name, func(b *testing.B) {
			all := benchOutputs(b)
			for i := range n {
				stalls := i == 0 && name == "fifty, one stalled"
				may := func(o *format.Outgoing, _ *stateLike) bool { return o.Traits.MMSI%50 == ais.MMSI(i) || stalls }
				subscribe(b, all, &Pass[stateLike]{User: fmt.Sprint(i), May: may}, !stalls)
			}
			o, about := message(1), &stateLike{}
			var spent time.Duration
			pace := time.NewTicker(10 * time.Millisecond)
			defer pace.Stop()
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				if i%30 == 29 && n > 0 { // 3,000 a second
					b.StopTimer()
					<-pace.C
					b.StartTimer()
				}
				began := time.Now()
				all.Publish(o, about)
				spent += time.Since(began)
			}
			if all.Status()[0].Messages == 0 && n > 0 && b.N > 1000 {
				b.Fatal("nobody got a message")
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/message")
		})
	}
}

// BenchmarkFiftySubscribers is what a message costs for each subscriber, with fifty filters and 3,000 messages a second over loopback. It
// is processor time of the whole process, with the kernel's share of both ends.
func BenchmarkFiftySubscribers(b *testing.B) {
	const subscribers = 50
	all := benchOutputs(b)
	for i := range subscribers {
		every := ais.MMSI(1 + i%5)
		subscribe(b, all, &Pass[stateLike]{
			User: fmt.Sprint(i), Style: format.LineStyle{Form: format.Form(i % 4), ExternalID: true},
			May:  func(o *format.Outgoing, _ *stateLike) bool { return o.Traits.MMSI%every == 0 },
			Pace: StreamPace{DownSample: time.Duration(i%3) * time.Second},
		}, true)
	}
	about := &stateLike{}
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	before := processorTime(b)
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		if i%30 == 29 {
			<-pace.C
		}
		all.Publish(message(i), about)
	}
	for range 5 * gatherFor / (10 * time.Millisecond) { // what gathers still goes out
		<-pace.C
	}
	used := processorTime(b) - before
	st := all.Status()[0]
	b.ReportMetric(float64(used.Nanoseconds())/1000/float64(b.N)/subscribers, "µs/message/subscriber")
	b.ReportMetric(float64(st.Messages)/float64(b.N)/subscribers, "sent/message/subscriber")
	if st.Messages == 0 {
		b.Fatal("nobody got a message")
	}
	if st.Dropped.Behind > 0 {
		b.Errorf("%+v", st.Dropped)
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCachedStatic is what is kept of a ship for new subscribers: both parts of message 24, or message 5.
func BenchmarkCachedStatic(b *testing.B) {
	c := cachedStatic{slots: map[ais.MMSI]int{}}
	before := heap()
	raw := make([]byte, 140)
	for i := 0; b.Loop(); i++ {
		c.keepMessage(&format.Outgoing{Raw: raw, Traits: ais.Traits{MMSI: ais.MMSI(i % 20000), Type: 5}}, 0)
	}
	b.ReportMetric(float64(heap()-before)/float64(c.len()), "bytes/ship")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
