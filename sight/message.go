package sight

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/users/access"
	"quaywatch/users/access/filter"
)

// OutgoingMessage is what of an outgoing message decides which users get it.
type OutgoingMessage struct {
	Traits   *ais.Traits
	Ship     *ship.State // the sender after the message
	Received time.Time
	Feed     string
	Heard    ais.Feeds // of a message that came before: the feeds that heard it then
	Again    bool      // another feed hears the same message again
}

// MessageFilter is what of the outgoing messages a user may get, and when. It holds for the user as the user was when it was made. It is safe
// for concurrent use.
type MessageFilter struct {
	Delay    time.Duration                   // how late the user gets a message
	Interval func(*ship.State) time.Duration // between two positions of a ship; nil is all of them

	view *filter.View
}

// MessagesTo returns what a user may get. The function tags gives the tags of a feed.
func MessagesTo(user *access.User, users *access.Users, tags func(feed string) []string) *MessageFilter {
	view := users.View(user, tags)
	m := &MessageFilter{Delay: view.Pace().Delay, view: view}
	if view.Pace().Thins() {
		m.Interval = view.Pace().Interval
	}
	return m
}

// May reports whether a message is for the user: the user must see the ship, and one of the feeds that heard the message. A message that comes
// again is for users that had none of the feeds that heard it before.
func (m *MessageFilter) May(message OutgoingMessage) bool {
	hears, heard := m.view.Hears(message.Feed), message.Heard.Any(m.view.Hears)
	if message.Again {
		hears = hears && !heard
	} else {
		hears = hears || heard
	}
	return hears && m.view.ShowsMessage(message.Traits, message.Ship, message.Received)
}

// SeesFeed reports whether the user may hear of a feed at all.
func (m *MessageFilter) SeesFeed(feed string) bool { return m.view.SeesFeed(feed) }
