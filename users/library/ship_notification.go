package library

import (
	"strings"

	"quaywatch/ais/sixbit"
	"quaywatch/form"
	"quaywatch/internal/rule"
)

// ShipNotification says what a watchdog tells the ship itself when it raises an event, as a safety message on air.
type ShipNotification struct {
	Send      bool   `json:"send_ship_notification,omitempty"`
	Text      string `json:"ship_notification_text,omitempty"` // with the keywords of the templates
	Broadcast bool   `json:"ship_notification_broadcast,omitempty"`
}

// ApplyShipNotification takes what a watchdog tells the ship. The text is checked here, and not when it is sent: only what its keywords stand for may
// then be cut.
func (n *ShipNotification) ApplyShipNotification(f *form.Fields) {
	n.Send = f.Boolean("send_ship_notification", n.Send)
	n.Text = strings.Trim(f.TextOr("ship_notification_text", n.Text), " ")
	n.Broadcast = f.Boolean("ship_notification_broadcast", n.Broadcast)
	if n.Text == "" {
		if n.Send {
			f.Refuse("ship_notification_text", rule.New("required", "is required"))
		}
		return
	}
	if _, err := sixbit.Check(n.Text, n.Broadcast); err != nil {
		f.Refuse("ship_notification_text", rule.Of(err))
	}
}
