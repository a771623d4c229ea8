package access

import (
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
)

// View works out what a user may see. It joins the receive filters of the user and of all groups, the feeds that the settings name,
// and view_satellites. The function tags gives the tags of a feed by its name. A view is for one Generation.
func (u *Users) View(of *User, tags func(feed string) []string) *filter.View {
	rules := filter.Rules{Filters: of.filters(receives), Satellites: of.May(right.ViewSatellites), Own: of.OwnShips(), Tags: tags}
	rules.Feeds, _ = of.Setting("allowed_pss_list")
	rules.Usual, _ = of.Setting("default_pss_list")
	return u.names.View(rules)
}

// Paced reports whether a receive filter tells the user of ships late, or not each time that they report.
func (u *User) Paced() bool { return !filter.PaceOf(u.filters(receives)).Zero() }

// TransmitView works out the transmit filters of the user and of all groups. They decide which messages the box accepts from the user
// on an input with sign-in.
func (u *Users) TransmitView(of *User) *filter.View {
	return u.names.TransmitView(of.filters(transmits))
}
