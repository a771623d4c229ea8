package watchdog

import "quaywatch/geo"

// home is where an aid to navigation was first.
type home struct {
	Lon float64 `json:"lon"` // degrees
	Lat float64 `json:"lat"`
}

// aid takes a report of an aid to navigation. A virtual one is where it is said to be.
func (m *Machine) aid(a *ShipMemory, r *Position, l *leg, dst []Occurrence) []Occurrence {
	s := r.State
	if s.Static != nil && s.Static.Virtual {
		a.Home = nil
		return m.does(a, s, l, false, Occurrence{}, dst)
	}
	first := a.Home == nil
	place := l.to
	switch {
	case r.Charted != nil:
		place = *r.Charted
	case !first:
		place = geo.Point{Lon: a.Home.Lon, Lat: a.Home.Lat}
	}
	if !m.inPolygon(place) {
		a.Home = nil
		return m.does(a, s, l, false, Occurrence{}, dst)
	}
	if first || a.Home.Lon != place.Lon || a.Home.Lat != place.Lat {
		a.Home = &home{place.Lon, place.Lat}
	}
	e := l.here(OffPosition)
	e.Initial = first
	return m.does(a, s, l, s.OffPlace || metresBetween(place, l.to) > borderMetres(m.d.Radius, a.Active), e, dst)
}
