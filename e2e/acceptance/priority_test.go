package acceptance

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/users/access/accesstest"
)

// crowdOf is how many subscribers of each priority there are, eight a user, and crowdMessages what each of them is to have.
const (
	crowdOf       = 16
	crowdMessages = 2000
)

// TestHighPriorityIsServedFirst: subscribers on real connections want more than the processors give. Those whose user has the setting
// priority = high have all of it before the normal ones, and those before the low ones. Each eighth turn goes the other way, and the
// machine adds chance of its own. So one round of five must have four in five pairs in this order. Chance alone would do that once in some
// thousand rounds.
func TestHighPriorityIsServedFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one turn at a time
	p := openStream(t, map[string][]string{"roof": {"terrestrial"}})
	crowd := map[string][]*bufio.Scanner{}
	for i, priority := range []string{"low", "normal", "high"} {
		crowd[priority] = p.crowd(t, byte(i+1), priority)
	}
	eventually(t, patience, "all subscribe", func() bool { return len(p.Status()[0].Subscribers) == 3*crowdOf })
	for range 5 {
		order := p.serve(t, crowd)
		high, middle, low := pairsInOrder(order, "high", "normal"), pairsInOrder(order, "normal", "low"), pairsInOrder(order, "high", "low")
		t.Logf("of %d pairs: high before normal %d, normal before low %d, high before low %d", crowdOf*crowdOf, high, middle, low)
		if min(high, middle, low) >= crowdOf*crowdOf*4/5 {
			return
		}
	}
	t.Error("the priorities make no difference")
}

// crowd makes users of a priority whose programs need no password, and subscribes them.
func (p *inProcess) crowd(t *testing.T, network byte, priority string) (readers []*bufio.Scanner) {
	t.Helper()
	for k := range crowdOf {
		from := net.IPv4(127, 0, network, byte(k/8+1))
		if k%8 == 0 {
			name := fmt.Sprint(priority, k)
			accesstest.Create(t, p.users, name, fmt.Sprintf(`"priority":%q,"congestion_adjustment_factor":100,"output_format":"xml"`, priority), "")
			p.admit(t, name, from)
		}
		conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).Dial("tcp", p.address)
		if errors.Is(err, syscall.EADDRNOTAVAIL) {
			t.Skipf("no second address of loopback: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		readers = append(readers, bufio.NewScanner(conn))
	}
	return readers
}

// serve publishes more at once than any subscriber can take soon. It returns the priorities in the order in which subscribers had all of it.
func (p *inProcess) serve(t *testing.T, crowd map[string][]*bufio.Scanner) (order []string) {
	t.Helper()
	var mu sync.Mutex
	var reading sync.WaitGroup
	for priority, readers := range crowd {
		for _, lines := range readers {
			reading.Go(func() {
				for range crowdMessages {
					if !lines.Scan() {
						t.Errorf("%s: lost: %v", priority, lines.Err())
						return
					}
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, priority)
			})
		}
	}
	report := ais.Report{Message: aShip(211000001, 1), Raw: sentences(t, aShip(211000001, 1))[:47], Feed: "roof", Received: time.Now()}
	u := ship.Update{Report: &report, Now: ship.State{MMSI: 211000001, Feed: "roof"}}
	for range crowdMessages {
		p.Observe(&u)
	}
	reading.Wait()
	return order
}

// pairsInOrder counts the pairs, one of each list, in which the first is less.
func pairsInOrder(order []string, first, second string) (n int) {
	firsts := 0
	for _, priority := range order {
		switch priority {
		case first:
			firsts++
		case second:
			n += firsts
		}
	}
	return n
}
