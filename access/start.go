package access

import (
	"math/big"

	"quaywatch/ais"
	"quaywatch/geo"
)

// Start is what the client shows a user first. It hides nothing.
type Start struct {
	Bounds *geo.Rect // of the map; nil is the client's own
	Filter string    // in the filter language; "" is none
}

// Start works out where the user is: the map shows origin_region, else all regions of region_mask; the filter is the country of
// origin_country. A region that nobody drew and a number that no country has are left out.
func (u *Users) Start(of *User) Start {
	var s Start
	if n := setting(of, "origin_region", 0); n > 0 {
		s.Bounds = u.regions(func(region int) bool { return region == n })
	}
	if mask, ok := new(big.Int).SetString(setting(of, "region_mask", ""), 16); ok && s.Bounds == nil {
		s.Bounds = u.regions(func(region int) bool { return mask.Bit(region) == 1 })
	}
	if mid := setting(of, "origin_country", 0); mid > 0 {
		if _, code, ok := (ais.MMSI(mid) * 1000000).Country(); ok {
			s.Filter = "country_code = " + code
		}
	}
	return s
}

// regions gives the rectangle around all numbered shapes that are wanted, nil without any.
func (u *Users) regions(wanted func(region int) bool) *geo.Rect {
	var all *geo.Rect
	for _, r := range u.library.List(Shapes) {
		if r.Region == 0 || !wanted(r.Region) {
			continue
		}
		shape, err := r.Geometry()
		if err != nil {
			continue // it was checked when it was written
		}
		bounds := shape.Bounds()
		if all != nil {
			south, north := geo.Point{Lon: bounds.West, Lat: bounds.South}, geo.Point{Lon: bounds.East, Lat: bounds.North}
			bounds = all.Extend(south).Extend(bounds.Center()).Extend(north)
		}
		all = &bounds
	}
	return all
}
