package watchdogs

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/users/library"
)

// usualKinds returns the event by which a watchdog of each type tells of a ship first.
func usualKinds() map[watchdog.Type]watchdog.Kind {
	return map[watchdog.Type]watchdog.Kind{watchdog.Line: watchdog.Cross, watchdog.Polygon: watchdog.Enter, watchdog.Port: watchdog.Enter,
		watchdog.Cable: watchdog.Risk, watchdog.Fishing: watchdog.Enter, watchdog.CPA: watchdog.TooClose, watchdog.LostShip: watchdog.SignalLost,
		watchdog.Anchor: watchdog.Adrift, watchdog.Aid: watchdog.OffPosition, watchdog.Speed: watchdog.Overspeed, watchdog.Route: watchdog.OffTrack,
		watchdog.Nameless: watchdog.Unidentified, watchdog.Around: watchdog.Enter}
}

// kindsOfShips are the events that a text can be made of.
func kindsOfShips() []string {
	var words []string
	for _, k := range []watchdog.Kind{watchdog.Enter, watchdog.Leave, watchdog.Cross, watchdog.Moored, watchdog.Unmoored, watchdog.Risk, watchdog.Timeout,
		watchdog.TooClose, watchdog.SignalLost, watchdog.Adrift, watchdog.OffPosition, watchdog.Overspeed, watchdog.OffTrack, watchdog.Unidentified} {
		words = append(words, string(k))
	}
	return words
}

// typesOfShips are the types of watchdogs whose texts are of ships.
func typesOfShips() []string {
	var words []string
	for t := range usualKinds() {
		words = append(words, string(t))
	}
	slices.Sort(words)
	return words
}

// exampleShip is a ship for texts where the caller names none. No radio has its number.
func exampleShip(at int64) ship.State {
	return ship.State{MMSI: 219999999, HasFix: true, Static: &ship.Static{IMO: 9074729, Name: "EXAMPLE", CallSign: "OXYZ2", Type: 70},
		Voyage: &ship.VoyageData{Draught: 74, Destination: "DKAAR"},
		Fix:    ship.Fix{At: at, Lon: 6_180_000, Lat: 33_684_000, SOG: ais.SOGTenths(84), COG: ais.COGTenths(440)}}
}

// texts is what notices would say.
type texts struct {
	Mail mailTexts `json:"mail"`
	SMS  string    `json:"sms"`
	Ship string    `json:"ship_notification,omitempty"` // as it would go on air
}

type mailTexts struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// preview fills the templates of a definition for a ship, or for an example. Nothing is kept or sent.
func (s *Server) preview(c *request.Request) error {
	f, err := c.Bind(request.MaxShapeBody)
	if err != nil {
		return err
	}
	f.Require("definition")
	definition := f.Inner("definition", rule.New("object", "must be an object"))
	of, toShip := library.Notices{}, library.ShipNotification{}
	of.ApplyTemplates(definition)
	toShip.ApplyShipNotification(definition)
	kind := watchdog.Type(definition.Text("type"))
	usual, known := usualKinds()[kind]
	if !known {
		definition.Refuse("type", rule.New("one_of", "must be one of {words}", "words", strings.Join(typesOfShips(), ", ")))
	}
	event := f.TextOr("event", string(usual))
	if known && !slices.Contains(kindsOfShips(), event) {
		f.Refuse("event", rule.New("one_of", "must be one of {words}", "words", strings.Join(kindsOfShips(), ", ")))
	}
	name := definition.TidyOr("name", "Watchdog")
	definition.Check("name", form.CheckTitle(name))
	e := watchdogs.Event{Name: name, Type: kind, Kind: watchdog.Kind(event), Severity: definition.TextOr("severity", library.Severities()[0]), Active: true}
	if !slices.Contains(library.Severities(), e.Severity) {
		definition.Refuse("severity", rule.New("one_of", "must be one of {words}", "words", strings.Join(library.Severities(), ", ")))
	}
	number := f.Integer("mmsi", 0, form.MaxInteger)
	if err := f.Err(); err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if err := s.happen(v, c, definition, &e, ais.MMSI(number)); err != nil {
		return err
	}
	var filled texts
	filled.Mail.Subject, filled.Mail.Text = notify.MailText(of.MailTemplate, &e)
	filled.SMS = notify.SMSText(of.SMSTemplate, &e)
	if toShip.Text != "" {
		filled.Ship = notify.ShipText(toShip.Text, toShip.Broadcast, &e)
	}
	return c.SendJSON(http.StatusOK, filled)
}

// happen adds to an event its ship, as the caller sees it now, and what belongs to its kind.
func (s *Server) happen(v *sight.Viewer, c *request.Request, definition *form.Fields, e *watchdogs.Event, m ais.MMSI) error {
	found := exampleShip(v.Now().UnixMilli())
	if m != 0 {
		var err error
		found, err = v.Ship(m)
		if errors.Is(err, sight.ErrUnknown) {
			return &request.Problem{Status: http.StatusUnprocessableEntity, Code: request.CodeShipNotFound,
				Fields: form.Errors{{Pointer: "/mmsi", Rule: rule.New("unknown_ship", "no ship {mmsi} is known", "mmsi", int64(m))}}}
		}
		if err != nil {
			return err
		}
	}
	e.Ship, e.Time = watchdogs.ShipOf(&found), v.Now().UnixMilli()
	if found.HasFix {
		fix := found.Fix
		e.Fix = &fix
	}
	switch e.Kind {
	case watchdog.Cross:
		e.Direction = "N"
	case watchdog.Risk:
		e.Reason = watchdog.Stopped
	case watchdog.TooClose:
		other := exampleShip(e.Time)
		e.Other, e.CPA, e.TCPA = &watchdogs.OtherShip{ShipOfEvent: watchdogs.ShipOf(&other)}, 300, 600
	}
	if e.Type == watchdog.Around {
		return s.addCentreShip(v, definition, e)
	}
	if e.Type != watchdog.Port || !definition.Given("port") {
		return nil
	}
	port, err := s.deps.PortOf(definition, c.Caller.User)
	if err != nil {
		return err
	}
	if err := definition.Err(); err != nil || port == nil {
		return err
	}
	e.Port = &watchdogs.PortOfEvent{ID: port.ID, LOCODE: port.LOCODE, Name: port.Name}
	return nil
}

// addCentreShip returns an event of a zone the ship that the zone moves with, as the caller sees it now. One that it does not see is an example.
func (s *Server) addCentreShip(v *sight.Viewer, definition *form.Fields, e *watchdogs.Event) error {
	center := exampleShip(e.Time)
	zone := definition.Inner("zone", rule.New("object", "must be an object"))
	m := ais.MMSI(zone.Integer("mmsi", 0, int64(ship.LargestMMSI)))
	if err := definition.Err(); err != nil {
		return err
	}
	if m != 0 {
		switch of, err := v.Ship(m); {
		case err == nil:
			center = of
		case !errors.Is(err, sight.ErrUnknown):
			return err
		}
	}
	e.Other = &watchdogs.OtherShip{ShipOfEvent: watchdogs.ShipOf(&center)}
	return nil
}
