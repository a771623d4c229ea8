package app

import (
	"context"

	"quaywatch/ship"
	"quaywatch/ship/receiver"
	"quaywatch/store"
	"quaywatch/traffic"
)

// LearnReceivers tells a restored picture where the ships lay that were at rest, by what is stored. So a receiver that lies over a start is still known for it.
// A track that cannot be read is passed over: the store tells of damage itself.
func LearnReceivers(picture *traffic.Picture, db *store.DB, known []ship.State) {
	heard := int64(0)
	for i := range known {
		heard = max(heard, known[i].Heard)
	}
	for i := range known {
		s := &known[i]
		if !s.HasFix || s.Class != ship.ClassA && s.Class != ship.ClassB {
			continue
		}
		if from, asks := receiver.Past(s.Fix, heard); asks {
			if fixes, err := db.Track(context.Background(), s.MMSI, ship.Time(from), ship.Time(s.Fix.At)); err == nil {
				picture.Learn(s.MMSI, fixes)
			}
		}
	}
}
