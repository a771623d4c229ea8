package tracking

import (
	"quaywatch/engine/tracking"
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// corners is how many corners the circle in which a ship is expected has on the map.
const corners = 64

// arrivalArea returns the area in which the ship is expected, nil where it is not known.
func (t *told) arrivalArea(plan *erp) geo.Polygon {
	d := &t.track.Destination
	around := func(at geo.Point, metres float64) geo.Polygon {
		return geo.Circle{Center: at, Radius: metres}.Polygon(corners)
	}
	switch {
	case d.Port != 0:
		port, ok := t.ports.ByID(d.Port)
		switch inner := innerOf(port, plan.quay); {
		case !ok:
			return nil
		case inner != nil:
			return inner
		case port.Outer != nil:
			return port.Outer
		case port.Placed:
			return around(port.Position, chart.DefaultRadius)
		}
	case t.track.Target != nil:
		if t.track.Target.HasFix {
			return around(t.track.Target.Fix.Point(), tracking.ArrivedRadius)
		}
	case d.Position != nil:
		return around(*d.Position, tracking.ArrivedRadius)
	case len(d.Location) > 0:
		switch first := d.Location[0]; {
		case first.Area != nil:
			return first.Area
		case len(d.Location) > 1 && d.Location[1].Area != nil:
			return d.Location[1].Area
		case len(d.Location) > 1:
			return around(d.Location[1].Middle(), tracking.ArrivingRadius)
		default:
			return around(first.Middle(), tracking.ArrivedRadius)
		}
	}
	return nil
}

// innerOf returns the inner shape of a port in which a berth lies, nil when there is none.
func innerOf(port *chart.Port, quay int64) geo.Polygon {
	if port == nil || quay == 0 {
		return nil
	}
	for i := range port.Berths {
		b := &port.Berths[i]
		if b.QuayID != quay || b.Position == nil {
			continue
		}
		for _, inner := range port.Inner {
			if inner.Contains(*b.Position) {
				return inner
			}
		}
	}
	return nil
}
