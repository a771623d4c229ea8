// Package hail tells ships by radio what watchdogs raise, as a channel of notify. It sends one safety message for each activation of a watchdog that says so.
//
// It promises that a ship gets one message of an activation at most, also over restarts and retries: safety takes one for each event. What is too old,
// over a limit, or without a transmitter is not sent, and the notice says why.
package hail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/safety"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/users/library"
)

// stale is how old an event may be when its message goes out: what it says of the ship is not true for longer.
const stale = 10 * time.Minute

// largest is the largest number that has a place on the air.
const largest = 999_999_999

// Channel returns the way to the ships. A nil now is the wall clock.
func Channel(sender *safety.Service, now func() time.Time) notify.Channel {
	if now == nil {
		now = time.Now
	}
	return notify.Channel{Kind: notify.Ship, Targets: targetsOf, Send: func(_ context.Context, m *notify.Delivery) error { return sendMessage(sender, m, now()) }}
}

// targetsOf returns the ship of an event, or all ships, where the watchdog tells them.
func targetsOf(of *library.Resource, e *watchdogs.Event) []string {
	n := of.Watchdog.ShipNotification
	switch {
	case !n.Send:
		return nil
	case n.Broadcast:
		return []string{"all"}
	case e.Ship.MMSI <= 0 || e.Ship.MMSI > largest || e.Ship.MMSI/10_000_000 == 99:
		return nil // it was entered by hand, or is an aid to navigation
	}
	return []string{fmt.Sprintf("%09d", e.Ship.MMSI)}
}

// permanent is the error of a message that is never sent.
type permanent struct{ error }

func (permanent) Permanent() bool { return true }
func (p permanent) Unwrap() error { return p.error }

// sendMessage hands the message of a notice to the transmitter.
func sendMessage(sender *safety.Service, m *notify.Delivery, now time.Time) error {
	n, e := m.Watchdog.Watchdog.ShipNotification, &m.Event
	if now.Sub(e.Known(now)) > stale { // also where the owner is told that late
		return permanent{rule.New("hail_stale", "the event is too old")}
	}
	if len(sender.Transmitters()) == 0 {
		return permanent{errors.New(string(safety.NoTransmitter))}
	}
	var to ais.MMSI
	if !n.Broadcast {
		to = e.Ship.MMSI
	}
	_, err := sender.Send(safety.SafetyMessage{To: to, Text: notify.ShipText(n.Text, n.Broadcast, e), Watchdog: e.Name, Event: e.ID}, now)
	var limit *safety.LimitError
	var wrong *safety.MessageError
	switch {
	case errors.As(err, &limit):
		return permanent{limit.Rule}
	case errors.As(err, &wrong):
		return permanent{wrong.Rule}
	}
	return err
}

// State returns what became of the message to the ship of an event, as it was known at a time: "" where there is none.
func State(sender *safety.Service, notices []notify.Record, event uint64, at time.Time) string {
	if m, ok := sender.OfEvent(event); ok {
		step, ok := m.Until(at)
		if !ok {
			return ""
		}
		return step.String()
	}
	for _, n := range notices {
		switch {
		case n.Channel != notify.Ship || n.Time.After(at):
		case n.State == notify.Waiting:
			return string(safety.Waiting)
		case n.State == notify.Suppressed:
			return fmt.Sprintf("%s: %s", safety.NotSent, safety.NoTransmitter)
		default:
			return fmt.Sprintf("%s: %s", safety.NotSent, n.Error)
		}
	}
	return ""
}
