package messages

import (
	"testing"

	"quaywatch/ais"
)

// TestTextsThatWaitAreBounded: while the disk stands still no more texts wait than there is place for.
func TestTextsThatWaitAreBounded(t *testing.T) {
	k := kept{of: map[ais.MMSI]int{}, open: map[uint64]*record{}}
	for at, waits := int64(0), 0; waits <= mostDirty; waits++ {
		at += sameFor.Milliseconds() // each in an hour of its own
		if got := k.hasRoom(&KeptMessage{}, at); got != (waits < mostDirty) {
			t.Fatalf("with %d that wait there is room: %v", waits, got)
		}
		k.dirty = append(k.dirty, &record{})
	}
}
