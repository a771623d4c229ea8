package wake

import (
	"sync"
	"testing"
)

// A reader that takes the channel before it looks sees every change, or is woken by it.
func TestNoChangeIsMissed(t *testing.T) {
	var s Signal
	var mu sync.Mutex
	value := 0
	const last = 1000
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				next := s.Next()
				mu.Lock()
				seen := value
				mu.Unlock()
				if seen == last {
					return
				}
				<-next
			}
		})
	}
	for range last {
		mu.Lock()
		value++
		mu.Unlock()
		s.Raise()
	}
	readers.Wait()
}
