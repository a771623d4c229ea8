package watchdog

import "quaywatch/internal/rule"

// Shipless tells the types whose events come from elsewhere, and not from the positions of ships. Their machines do nothing.
func (t Type) Shipless() bool { return t == Distress || t == Feed || t == Box }

// checkShipless refuses what only ships have.
func (d *Spec) checkShipless() error {
	for _, n := range []struct {
		pointer string
		given   bool
	}{
		{"/line", len(d.Line) > 0}, {"/polygon", len(d.Polygon) > 0}, {"/port", d.Port != 0}, {"/draught", d.Draught != 0}, {"/filter", d.Filter != nil},
		{"/check_direction", d.Course != nil}, {"/samples_to_activate", d.ToActivate > 1}, {"/samples_to_deactivate", d.ToDeactivate > 1},
		{"/samples_between_trigger", d.BetweenTriggers != 0}, {"/time_between_triggers", d.BetweenTimes != 0}, {"/inactivity_timeout", d.Inactivity != 0},
		{"/min_sog", d.MinSOG != 0}, {"/max_sog", d.MaxSOG != 0}, {"/calendar", d.Hours != nil},
	} {
		if n.given {
			return &FieldError{n.pointer, rule.New("watchdog_shipless", "is not for watchdogs of type {type}", "type", string(d.Type))}
		}
	}
	return nil
}
