package tracking

import (
	"errors"

	"quaywatch/engine/tracking"
	"quaywatch/geo/chart"
	"quaywatch/handlers/wire"
	"quaywatch/sight/telling"
)

// told is a track as a caller is told of it, and what writes it.
type told struct {
	wire.Telling
	track *telling.ToldTrack
	ports *chart.Ports
	way   bool // answers tell the way ahead
}

// writerOf returns what writes a track for a listener.
func (s *Server) writerOf(l *telling.Listener, t *telling.ToldTrack) *told {
	ports := s.deps.Ports()
	return &told{wire.TellingTo(l, ports), t, ports, s.deps.IncludeRoute && t.Way}
}

// trackByID returns a track by its number as a listener is told of it; nil where there is none for it.
func (s *Server) trackByID(l *telling.Listener, id int64) (*told, error) {
	t, err := s.deps.Tracks.ByID(l, id)
	if errors.Is(err, tracking.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.writerOf(l, t), nil
}
