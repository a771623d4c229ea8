package wire

import (
	"encoding/json"
	"io"
	"strconv"

	"quaywatch/ship"
)

// appendTrack appends the extended LineString of a track.
func (o *Object) appendTrack(track ship.Track) {
	o.B = append(o.B, `{"type":"LineString","extensions":["time","cog","sog"],"coordinates":[`...)
	for i := range track {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		o.coordinate(track[i])
		o.drainBytes(part)
	}
	o.B = append(o.B, ']')
	o.addUntrusted(track)
	o.B = append(o.B, '}')
}

// addUntrusted appends which fixes of a track are untrusted, by their numbers from 0; nothing where all are trusted.
func (o *Object) addUntrusted(track ship.Track) {
	before := `,"untrusted":[`
	for i := range track {
		if track[i].Trusted() {
			continue
		}
		o.B = strconv.AppendInt(append(o.B, before...), int64(i), 10)
		before = ","
		o.drainBytes(part)
	}
	if before == "," {
		o.B = append(o.B, ']')
	}
}

// Line returns a track as an extended LineString.
func Line(track ship.Track) json.RawMessage {
	var o Object
	o.appendTrack(track)
	return o.B
}

// Extended returns a fix as an extended Point.
func Extended(f ship.Fix) json.RawMessage {
	var o Object
	o.extended(f)
	return o.B
}

// part is how many bytes of a long answer are handed on together.
const part = 32 << 10

// drainBytes hands on what is written, where that is so many bytes. A writer that fails takes no more, and says so itself.
func (o *Object) drainBytes(least int) {
	if o.To != nil && len(o.B) >= least {
		_, _ = o.To.Write(o.B)
		o.B = o.B[:0]
	}
}

// Track writes a track as JSON, with its ship and the number of its job. The warnings are of the ship, the lacks of the track.
func Track(w io.Writer, id int64, of *ship.State, warnings, lacks []string, entry RegisterLookup, track ship.Track) {
	o := Object{To: w}
	o.B = append(o.B, '{')
	o.Integer(`"id":`, id)
	o.Key(`,"ship":`)
	o.B = append(o.B, Ship(of, warnings, entry, nil)...)
	o.Key(`,"track":`)
	o.appendTrack(track)
	o.warnings(lacks)
	o.B = append(o.B, '}')
	o.drainBytes(0)
}
