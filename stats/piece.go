package stats

import (
	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// Piece is a part of a track as a record keeps it: in the rows of the archive, of which a fix takes some bytes, and is read without JSON.
type Piece struct {
	MMSI  ais.MMSI `json:"mmsi"`
	Count int      `json:"count"` // of its fixes
	Rows  []byte   `json:"rows"`
}

// pieceOf keeps a part of a track.
func pieceOf(m ais.MMSI, part ship.Track) *Piece {
	p, rows := &Piece{MMSI: m, Count: len(part)}, track.Coder{}
	for _, f := range part {
		p.Rows = rows.Append(p.Rows, f)
	}
	return p
}

// Track gives the fixes. It fails where the rows are not those that were kept.
func (p *Piece) Track() (ship.Track, error) {
	room := min(p.Count, len(p.Rows)) // a row has a byte, or more
	return track.DecodeRows(make(ship.Track, 0, max(0, room)), track.Coder{}, p.Rows)
}
