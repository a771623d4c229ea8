package wire

import (
	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/voyage"
	"slices"
)

// AsTold gives a call as a user is told of it by now; false when the user is told of none as yet. What the user wrote is told at once. A user
// without view_ata_atd is told what was known at the last quarter of an hour: whoever asked each second would learn else when a ship came.
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

// SeesPort tells whether a user may know of a port: a port that was made here is for users that may see ports.
func SeesPort(who *access.User, id uint64) bool {
	return id < chart.FirstMadePort || who.May(right.ViewPort)
}

// PortsSeen gives the ports that a text names, of those that a user may know of.
func PortsSeen(who *access.User, ports *chart.Ports, text string) []*chart.Port {
	return slices.DeleteFunc(slices.Clone(ports.Find(text)), func(p *chart.Port) bool { return !SeesPort(who, p.ID) })
}
