package watchdogs

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/users/library"
)

// TestTheEventsOfADeletedWatchdogEnd: what it began is over with it, whether it was stored already or not. No event tells of it, and the same holds of one
// that is turned off.
func TestTheEventsOfADeletedWatchdogEnd(t *testing.T) {
	for _, stored := range []bool{true, false} {
		for what, change := range map[string]func(b *box, r library.Resource) error{
			"deleted": func(b *box, r library.Resource) error { return b.areas.Library.Delete(library.Watchdogs, r.UID) },
			"off": func(b *box, r library.Resource) error {
				_, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
					dog := *r.Watchdog
					dog.Enabled = false
					r.Watchdog = &dog
					return nil
				})
				return err
			},
		} {
			b := newBox(t)
			id := b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
			other := b.define(`{"name":"wider","type":"polygon","polygon":` + areaOf(9.9, 53.9, 11.1, 55.1) + `}`)
			b.watch.Tick(begin)
			b.hear(211000001, begin, geo.Point{Lon: 9, Lat: 54.5}, 100)
			b.hear(211000001, begin.Add(time.Minute), geo.Point{Lon: 10.5, Lat: 54.5}, 100)
			if stored {
				b.watch.Save(false)
			}
			end := begin.Add(2 * time.Minute)
			b.watch.Tick(end)
			r, _ := b.areas.Library.Get(library.Watchdogs, fmt.Sprint(id))
			if err := change(b, r); err != nil {
				t.Fatal(err)
			}
			b.watch.Compile()
			b.watch.Save(false)
			count := 0
			for e := range b.watch.After(0) {
				count++
				if e.Watchdog == id && e.Deactivated != end.UnixMilli() || e.Watchdog == other && e.Deactivated != 0 {
					t.Errorf("%s, stored before %t: the event of %s is over at %d", what, stored, e.Name, e.Deactivated)
				}
			}
			if count != 2 {
				t.Errorf("%s, stored before %t: %d events", what, stored, count)
			}
		}
	}
}
