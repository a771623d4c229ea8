// Package users opens what the users of a box configure, and lets each area know the others.
package users

import (
	"quaywatch/geo/chart"
	"quaywatch/internal/wake"
	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/document"
	"quaywatch/users/library"
	"quaywatch/users/registry"
)

// Areas are those of a document, joined to each other.
type Areas struct {
	Users       *access.Users
	Library     *library.Library
	Register    *registry.Register
	Ports       *registry.PortTable
	Box         *document.Box
	PortFilters *PortFilters
	MadeLists   *MadeLists
}

// Open opens all areas.
func Open(db *records.Database, o access.Options) (c Areas, err error) {
	o.Generation = &wake.ChangeCount{}
	c.PortFilters, c.MadeLists = &PortFilters{}, &MadeLists{}
	if c.Library, err = library.Open(db, library.Options{Now: o.Now, Generation: o.Generation, Quota: o.Quota, Ports: c.PortFilters.lookup(), Listed: c.MadeLists.has}); err != nil {
		return c, err
	}
	if c.Users, err = access.OpenUsers(db, o); err != nil {
		return c, err
	}
	if c.Register, err = registry.OpenRegister(db, o.Now); err != nil {
		return c, err
	}
	listed, err := chart.LoadPorts()
	if err != nil {
		return c, err
	}
	if c.Ports, err = registry.OpenPorts(db, listed, o.Now, o.Generation); err != nil {
		return c, err
	}
	c.PortFilters.ports = c.Ports
	c.Box = document.NewBox(db, c.Users, c.Library, c.Register, c.Ports)
	c.Library.Join(c.Box)
	c.Users.Join(access.Neighbours{Box: c.Box, Names: c.Library.Anything(), Regions: c.Library.Regions, Stored: c.Library.Stored})
	return c, nil
}
