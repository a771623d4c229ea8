package wire

import (
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/ship/portcall"
)

// InPort tells of a ship in which port it is.
type InPort struct {
	MMSI  ais.MMSI   `json:"mmsi"`
	Port  PortName   `json:"port"`
	Berth *BerthName `json:"berth,omitempty"` // while the ship lies there, and of those of the port alone
	Since string     `json:"since,omitempty"` // when it came
}

// InPort tells where the ship of an open call is, which came at a time.
func (t *Telling) InPort(c *portcalls.KeptCall, came time.Time) InPort {
	r := InPort{MMSI: c.MMSI, Port: t.Port(c.Found.Port), Since: t.Text(came)}
	if last, lies := c.Found.Lies(); lies && last.Kind == portcall.Berthed {
		if berth := t.berthName(c.Found.Port, last.Berth); berth != nil && berth.Name != "" {
			r.Berth = berth
		}
	}
	return r
}
