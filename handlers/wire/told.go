package wire

import (
	"context"
	"slices"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/voyage"
)

// AsTold returns a call as a user is told of it by now; false when the user is told of none as yet. What the user wrote is told at once. A user without
// view_ata_atd is told what was known at the last quarter of an hour. Else whoever asked each second would learn when a ship came.
func AsTold(v *sight.Viewer, of *ship.State, c *voyage.Call, who *access.User) (voyage.Call, bool) {
	until, late := v.ToldUntil(of)
	switch {
	case !who.May(right.ViewATAATD):
		if !late {
			until = v.Now()
		}
		until = voyage.AtQuarter(until)
	case !late:
		return *c, true
	}
	return c.AsOf(until, who.Name)
}

// Sighting tells where and when the ship was first seen in a call, for sight.Viewer.May.
func Sighting(c *voyage.Call) sight.Sighting {
	first := &c.Found.Stays[0]
	return sight.Sighting{MMSI: c.MMSI, Time: first.Seen.Time(), Place: geo.Point{Lon: first.Lon, Lat: first.Lat}, Feeds: c.Feeds}
}

// Lay returns when the ship of a call was first seen at rest and when it left, a zero time while it has not.
func Lay(c *voyage.Call) (from, to time.Time) {
	if to = c.Departed(); to.IsZero() {
		to = c.Found.Left.Time()
	}
	return c.Found.Stays[0].Seen.Time(), to
}

// Vessel is a ship as lists of calls name it.
type Vessel struct {
	MMSI     ais.MMSI `json:"mmsi"`
	IMO      uint32   `json:"imo,omitempty"`
	Name     string   `json:"name,omitempty"`
	CallSign string   `json:"callsign,omitempty"`
	Type     string   `json:"type,omitempty"`
	Length   int      `json:"length,omitempty"` // metres
}

// VesselOf returns a ship as lists of calls name it.
func VesselOf(told *ship.State) Vessel {
	v := Vessel{MMSI: told.MMSI}
	if st := told.Static; st != nil {
		v.IMO, v.Name, v.CallSign, v.Type, v.Length = st.IMO, st.Name, st.CallSign, st.Type.String(), st.Dimensions.Length()
	}
	return v
}

// AtCall returns a ship as it was when it left in a call, or as it is now while it lies there.
func AtCall(ctx context.Context, v *sight.Viewer, of *ship.State, c *voyage.Call) (ship.State, error) {
	_, left := Lay(c)
	if left.IsZero() {
		return *of, nil
	}
	return sight.AsAt(ctx, v, of, left)
}

// SeesPort reports whether a user may know of a port: a port that was made here is for users that may see ports.
func SeesPort(who *access.User, id uint64) bool {
	return id < chart.FirstMadePort || who.May(right.ViewPort)
}

// PortsSeen returns the ports that a text names, of those that a user may know of.
func PortsSeen(who *access.User, ports *chart.Ports, text string) []*chart.Port {
	return slices.DeleteFunc(slices.Clone(ports.Find(text)), func(p *chart.Port) bool { return !SeesPort(who, p.ID) })
}
