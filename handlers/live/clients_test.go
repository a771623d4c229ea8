package live

import (
	"fmt"
	"testing"
)

// TestStrangersLeaveStreamsToUsers: streams of callers without a name, from many addresses, leave a quarter of the places.
func TestStrangersLeaveStreamsToUsers(t *testing.T) {
	l := clients{most: 256, streams: map[string]int{}}
	got := 0
	for i := range 8 * StreamsOfOne {
		if l.enter(fmt.Sprint("address ", i/StreamsOfOne), true) {
			got++
		}
	}
	if got != 192 || !l.enter("user 1", false) {
		t.Fatalf("strangers have %d of 256 places", got)
	}
	l.leave("address 0", true, false)
	if !l.enter("address 9", true) || l.enter("address 9", true) {
		t.Error("a place that was given back is not that of one further stranger")
	}
}
