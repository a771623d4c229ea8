package sim

import (
	"fmt"

	"quaywatch/ais"
	"quaywatch/geo"
)

// area is the surroundings of a harbour, 25 km from its middle to the edge, and what the ships in them share.
type area struct {
	*Harbour
	name    string // the destination of the craft of the harbour
	water   *water
	places  *places
	home    *port
	landing *port                    // of its ferries, on another shore; nil where there is none
	gate    int32                    // where ships come from and go to the other harbour
	craft   ais.Decimetres           // the largest draught of small craft
	most    map[int32]ais.Decimetres // the largest draught by each gate

	pilotJobs []*pilotage
	towJobs   []*towage
	rescue    *rescuePlan
	station   transmitter // base station and aids
}

// newArea reads the water around a place and chooses where ships go there. The first area is number 0.
func newArea(h *Harbour, at geo.Point, o Options, number int) (*area, error) {
	if !at.Valid() || at.Lat > 85 || at.Lat < -85 {
		return nil, fmt.Errorf("build a harbour at %v, %v: not a place between 85° south and 85° north", at.Lon, at.Lat)
	}
	water, err := newWater(at, o.Land, o.Crosses)
	if err != nil {
		return nil, err
	}
	a := &area{Harbour: h, water: water, most: map[int32]ais.Decimetres{}}
	if a.craft, err = shallowest(at); err != nil {
		return nil, err
	}
	here := describeHarbour(at, number)
	a.places = water.findPlaces(h.rng)
	switch far := a.places.far; {
	case here.landing != nil:
		a.places.far = water.findLanding(h.rng, water.vec(here.landing.at))
	case len(far) > 0 && number == 0:
		a.places.far = water.findLanding(h.rng, far[0].wall)
	default:
		a.places.far = nil
	}
	a.openPorts(here)
	return a, nil
}
