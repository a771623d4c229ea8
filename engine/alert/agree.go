package alert

import (
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/engine/watchdogs"
	"quaywatch/ship/watchdog"
	"quaywatch/store/records"
)

// raisedAlarm tells one alarm of distress from others: a number may raise another one later.
type raisedAlarm struct {
	mmsi  ais.MMSI
	since int64
}

// agreeWithAlarms has alerts of people in distress and the alarms that they tell of agree: who acknowledged one has acknowledged the other. What a kill left undone
// is done with the next step. The caller holds writing.
func (k *Keeper) agreeWithAlarms() {
	if k.config.Distress == nil {
		return
	}
	raised := k.config.Distress.Raised()
	if len(raised) == 0 {
		return
	}
	alarms := map[raisedAlarm]*distress.Alarm{}
	for i := range raised {
		alarms[raisedAlarm{raised[i].Ship.MMSI, raised[i].Since}] = &raised[i]
	}
	var seen []distress.SeenAlarm
	acks := map[acknowledgement]map[uint64]bool{}
	for _, s := range k.Current() {
		if s.Type != watchdog.Distress {
			continue
		}
		for i, p := range s.Parts {
			alarm := alarms[raisedAlarm{p.MMSI, p.At}]
			switch {
			case alarm == nil || s.Events[i] == nil || alarm.Acknowledged() == (p.Seen != 0):
			case p.Seen != 0:
				seen = append(seen, distress.SeenAlarm{MMSI: p.MMSI, Since: p.At, By: p.By, At: p.Seen})
			default:
				of := acknowledgement{s.ID, alarm.By, alarm.Seen}
				if acks[of] == nil {
					acks[of] = map[uint64]bool{}
				}
				acks[of][p.Event] = true
			}
		}
	}
	err := k.config.Distress.AcknowledgeRaised(seen)
	for of, events := range acks {
		if err == nil {
			err = k.acknowledgeParts(of, events)
		}
	}
	if len(seen)+len(acks) > 0 {
		k.outage.Note(k.config.Log, err, "alerts cannot be stored; they are tried again", "alerts are stored again")
	}
}

// acknowledgement is what a user has acknowledged of an alert at a time.
type acknowledgement struct {
	alert uint64
	by    string
	at    int64
}

// acknowledgeParts has the parts of an alert know what a user acknowledged elsewhere, in one commit.
func (k *Keeper) acknowledgeParts(of acknowledgement, parts map[uint64]bool) error {
	d, a, err := k.currentDraft(of.alert)
	if err != nil {
		return err
	}
	numbers := a.Acknowledge(Reader{Now: of.at, Sees: func(p *Part) bool { return parts[p.Event] }}, of.by)
	var events []watchdogs.Event
	err = k.commitDraft(d, func(lines ...records.CommitPart) (err error) {
		events, err = watchdogs.AcknowledgeAll(k.config.Watch, numbers, of.by, time.UnixMilli(of.at), append([]records.CommitPart{d.writeRows}, lines...)...)
		return err
	})
	if err == nil {
		k.knowAll(events)
	}
	return err
}
