package stats

import (
	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship/statistic"
)

// pilotVessel is the AIS type of a pilot vessel (ITU-R M.1371, table 53).
const pilotVessel = 50

// transfersOf asks when some pilot boats were alongside ships in the period.
func (r *Run) transfersOf(boats []ais.MMSI) statistic.TransferQuestion {
	ports := r.stats.config.Ports()
	return statistic.TransferQuestion{Period: r.Period, Boats: boats, Known: r.hull, Berth: func(at geo.Point) bool { return liesAlongside(ports, at) }}
}

// askTransfers makes the question of a Counter that finds transfers. It reads so much more that each is seen whole. The filter picks the ships, not the boats.
func (r *Run) askTransfers(q *statistic.TransferQuestion, c statistic.Counter) Question {
	read := &statistic.Period{Begin: q.Period.Begin.Add(-statistic.TransferMargin), End: q.Period.End.Add(statistic.TransferMargin)}
	return Question{Counter: c, Aside: q.Boats, Read: read}
}

// hull returns what was known of a ship at a time.
func (r *Run) hull(m statistic.Moment) (h statistic.Hull) {
	then, err := r.Past.At(m.MMSI, m.Fix)
	if err != nil {
		r.failRun(err)
		return h
	}
	if s := then.Static; s != nil {
		h.Size, h.Pilot = s.Dimensions, s.Type == pilotVessel
	}
	return h
}

// liesAlongside reports whether a place lies where ships lie alongside in a port.
func liesAlongside(ports *chart.Ports, at geo.Point) bool {
	for _, p := range ports.At(nil, at) {
		for _, inner := range p.Inner {
			if inner.Contains(at) {
				return true
			}
		}
	}
	return false
}
