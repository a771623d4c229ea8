package app

import "strings"

// checkHome warns where the configuration names a port of the box that is not there. The service starts all the same: users make and delete ports.
func (a *App) checkHome() {
	name := strings.TrimSpace(a.Config.Port.Home)
	if name == "" {
		return
	}
	switch found := a.Ports.Current().Find(name); len(found) {
	case 1:
	case 0:
		a.Log.Warn("port.home: there is no such port; the client offers the port with most ships", "home", name)
	default:
		a.Log.Warn("port.home: several ports have this name; give a LOCODE or an id", "home", name, "ports", len(found))
	}
}
