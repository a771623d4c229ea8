package watchdogs

import (
	"cmp"
	"net/http"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/alert"
	"quaywatch/form"
	"quaywatch/handlers/request"
)

// mostLoad bounds the hours of a load.
const mostLoad = 7 * 24

// loadRecord is how much the alerts that a caller sees ask of whoever answers them.
type loadRecord struct {
	From           string          `json:"from"`
	Until          string          `json:"until"`
	Alerts         int             `json:"alerts"`
	Cautions       int             `json:"cautions"`
	Average        float64         `json:"average"`
	Judgement      string          `json:"judgement"`
	Peak           int             `json:"peak"`
	PeakTime       string          `json:"peak_time,omitempty"`
	Floods         int             `json:"floods"`
	Periods        []int           `json:"periods"`
	Standing       int             `json:"standing"`
	Unacknowledged int             `json:"unacknowledged"`
	NotUseful      int             `json:"not_useful"`
	Limits         limitsRecord    `json:"limits"`
	Chattering     []chatterRecord `json:"chattering"`
	Definitions    []loadOf        `json:"definitions"`
	More           bool            `json:"more,omitempty"`
}

// limitsRecord is what EEMUA 191 calls good for one operator.
type limitsRecord struct {
	Average      int `json:"average"`
	Manageable   int `json:"manageable"`
	Unacceptable int `json:"unacceptable"`
	Peak         int `json:"peak"`
	Standing     int `json:"standing"`
}

type chatterRecord struct {
	Definition uint64   `json:"definition_id"`
	Watchdog   string   `json:"watchdog"`
	MMSI       ais.MMSI `json:"mmsi"`
	Name       string   `json:"name,omitempty"`
	Times      int      `json:"times"`
}

type loadOf struct {
	Definition     uint64 `json:"definition_id"`
	Watchdog       string `json:"watchdog"`
	Priority       string `json:"priority"`
	Alerts         int    `json:"alerts"`
	Events         int    `json:"events"`
	Unacknowledged int    `json:"unacknowledged"`
	NotUseful      int    `json:"not_useful"`
	Chattering     int    `json:"chattering"`
	Answered       string `json:"acknowledged_after,omitempty"`
}

// sendLoad answers with the load of the last hours.
func (s *Server) sendLoad(c *request.Request) error {
	hours, err := c.QueryWithin("hours", mostLoad, 24)
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	ctx, user := c.HTTP.Context(), c.Caller.User
	until := v.Now()
	from := until.Add(-time.Duration(hours) * time.Hour)
	past, err := s.past(ctx, v, from, mostPast)
	if err != nil {
		return err
	}
	all := append(s.deps.Alerts.Current(), past...)
	load, names := alert.NewLoad(from.UnixMilli(), until.UnixMilli()), map[ais.MMSI]string{}
	l := s.deps.Desk.ListenerOf(user, v)
	err = v.InTurns(ctx, len(all), func(i int) {
		a := s.see(l, all[i])
		if a == nil {
			return
		}
		load.Add(a.Standing.Alert, a.reader)
		for _, k := range a.Seen {
			ship := &a.Events[k].Ship
			names[ship.MMSI] = cmp.Or(ship.Name, names[ship.MMSI])
		}
	})
	if err != nil {
		return err
	}
	answer := loadRecordOf(load.Figures(), names)
	answer.From, answer.Until, answer.More = timeText(from), timeText(until), len(past) == mostPast
	return c.SendJSON(http.StatusOK, answer)
}

// loadRecordOf returns a load as it is written.
func loadRecordOf(f alert.LoadFigures, names map[ais.MMSI]string) loadRecord {
	r := loadRecord{Alerts: f.Alerts, Cautions: f.Cautions, Average: f.Average, Judgement: judgementOf(f.Average), Peak: f.Peak, Floods: f.Floods,
		Periods: f.Periods, Standing: f.Standing, Unacknowledged: f.Unacknowledged, NotUseful: f.NotUseful,
		Limits:     limitsRecord{alert.Acceptable, alert.Manageable, alert.Unacceptable, alert.Unacceptable, alert.MostStanding},
		Chattering: []chatterRecord{}, Definitions: []loadOf{}}
	if f.Peak > 0 {
		r.PeakTime = timeText(time.UnixMilli(f.PeakAt))
	}
	for _, c := range f.Chattering {
		r.Chattering = append(r.Chattering, chatterRecord{c.Watchdog, c.Name, c.MMSI, names[c.MMSI], c.Times})
	}
	for _, of := range f.Watchdogs {
		record := loadOf{Definition: of.Watchdog, Watchdog: of.Name, Priority: string(of.Priority), Alerts: of.Alerts, Events: of.Events,
			Unacknowledged: of.Unacknowledged, NotUseful: of.NotUseful, Chattering: of.Chattering}
		if of.Answered > 0 {
			record.Answered = form.DurationText(of.Answered)
		}
		r.Definitions = append(r.Definitions, record)
	}
	return r
}

// judgementOf says in a word what a mean of alerts in ten minutes is to one operator.
func judgementOf(average float64) string {
	switch {
	case average <= alert.Acceptable:
		return "acceptable"
	case average <= alert.Manageable:
		return "manageable"
	case average <= alert.Unacceptable:
		return "demanding"
	}
	return "unacceptable"
}
