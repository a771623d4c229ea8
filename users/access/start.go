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

// Start returns where the user's map begins. It shows origin_region, or without it all regions of region_mask. The filter is the
// country of origin_country. A region without a shape and an unknown country number are left out.
func (u *Users) Start(of *User) Start {
	var s Start
	if n := Setting(of, "origin_region", 0); n > 0 {
		s.Bounds = u.regionsOf(func(region int) bool { return region == n })
	}
	if mask, ok := new(big.Int).SetString(Setting(of, "region_mask", ""), 16); ok && s.Bounds == nil {
		s.Bounds = u.regionsOf(func(region int) bool { return mask.Bit(region) == 1 })
	}
	if mid := Setting(of, "origin_country", 0); mid > 0 {
		if _, code, ok := (ais.MMSI(mid) * 1000000).Country(); ok {
			s.Filter = "country_code = " + code
		}
	}
	return s
}

// regionsOf returns the rectangle around the regions that are wanted, nil without any.
func (u *Users) regionsOf(wanted func(region int) bool) *geo.Rect {
	if u.near.Regions == nil {
		return nil
	}
	return u.near.Regions(wanted)
}
