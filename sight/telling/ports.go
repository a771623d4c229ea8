package telling

import (
	"slices"

	"quaywatch/geo/chart"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// SeesPort reports whether a user may know of a port: a port that was made here is for users that may see ports.
func SeesPort(user *access.User, id uint64) bool {
	return id < chart.FirstMadePort || user.May(right.ViewPort)
}

// PortsSeen returns the ports that a text names, of those that a user may know of.
func PortsSeen(user *access.User, ports *chart.Ports, text string) []*chart.Port {
	return slices.DeleteFunc(slices.Clone(ports.Find(text)), func(p *chart.Port) bool { return !SeesPort(user, p.ID) })
}
