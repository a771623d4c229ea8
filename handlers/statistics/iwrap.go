package statistics

import (
	"context"
	"encoding/csv"
	"io"
	"time"

	"quaywatch/handlers/wire"
)

// iwrapTime is how IWRAP reads a time, in UTC.
const iwrapTime = "02-01-2006 15:04:05"

// iwrapColumns are those of the table of AIS reports that IWRAP Mk2 imports, with what stands in each before the fields of a position. The sizes are metres
// from the antenna to bow, stern, port and starboard, as AIS has them.
func iwrapColumns() (names, ofShip []string) {
	return []string{"MMSI", "IMO", "TIME", "NAME", "DESTINATION", "TYPE_OF_SHIP_AND_CARGO", "DRAUGHT", "SIZE_A", "SIZE_B", "SIZE_C", "SIZE_D", "LAT", "LON", "COG", "SOG"},
		[]string{"mmsi", "imo", "", "name", "destination", "type_code", "draught", "bow", "stern", "port", "starboard"}
}

// iwrap writes the positions of tracks as IWRAP imports them: a row each, in the order of the result. What is not known is empty.
func (s *source) iwrap(ctx context.Context, to io.Writer) error {
	w := csv.NewWriter(to)
	names, ofShip := iwrapColumns()
	_ = w.Write(names) // a writer that fails says so at the flush
	cells := make([]string, len(names))
	return s.each(ctx, func(record map[string]any) error {
		for i, key := range ofShip {
			cells[i] = wire.ValueText(wire.ValueAt(record, "ship."+key))
		}
		list, _ := wire.ValueAt(record, "track.coordinates").([]any)
		for _, point := range list {
			cells[2] = iwrapTimeOf(wire.ValueText(wire.ValueAt(point, "2")))
			for i, at := range []string{"1", "0", "3", "4"} {
				cells[len(ofShip)+i] = wire.ValueText(wire.ValueAt(point, at))
			}
			if err := w.Write(cells); err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		w.Flush()
		return w.Error()
	})
}

// iwrapTimeOf writes a time of the interface as IWRAP reads it, to the second.
func iwrapTimeOf(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(iwrapTime)
}
