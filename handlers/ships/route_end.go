package ships

import (
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/wire"
	"quaywatch/sight"
)

// resolveEnd finds the place of an end. The pointer is that of the end in the request.
func (s *Server) resolveEnd(c *request.Request, v *sight.Viewer, e *resolve.WayEnd, pointer string) (routeEnd, error) {
	found, err := e.Find(c, v, s.deps.Ports(), pointer)
	if err != nil {
		return routeEnd{}, err
	}
	if err := found.Placed(); err != nil {
		return routeEnd{}, err
	}
	end := routeEnd{Position: wire.At(found.Place), draught: found.Draught, ship: found.Ship, Warnings: found.Warnings}
	if found.Ship != nil {
		end.MMSI = int64(found.Ship.MMSI)
	}
	if found.Port != nil {
		port := wire.PortOf(found.Port)
		end.Port = &port
	}
	return end, nil
}
