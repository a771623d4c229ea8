package alert

import (
	"time"

	"quaywatch/ais"
	"quaywatch/distress"
	"quaywatch/ship/watchdog"
	"quaywatch/store"
	"quaywatch/watch"
)

// raisedAlarm tells one alarm of distress from others: a number may raise another one later.
type raisedAlarm struct {
	mmsi  ais.MMSI
	since int64
}

// agree has alerts of people in distress and the alarms that they tell of agree: who acknowledged one has acknowledged the other. What a kill left undone
// is done with the next step. The caller holds writing.
func (k *Keeper) agree() {
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
	for _, s := range k.Current() {
		if s.Type != watchdog.Distress {
			continue
		}
		for i, p := range s.Parts {
			alarm := alarms[raisedAlarm{p.MMSI, p.At}]
			if alarm == nil || s.Events[i] == nil || alarm.Acknowledged() == (p.Seen != 0) {
				continue
			}
			err := k.settle(s.ID, p, alarm)
			k.outage.Note(k.config.Log, err, "alerts cannot be stored; they are tried again", "alerts are stored again")
			if err != nil {
				return
			}
		}
	}
}

// settle has a part of an alert and its alarm agree.
func (k *Keeper) settle(id uint64, p Part, alarm *distress.Alarm) error {
	if p.Seen != 0 {
		return k.config.Distress.AcknowledgeRaised(p.MMSI, p.At, p.By, time.UnixMilli(p.Seen))
	}
	d, a, err := k.current(id)
	if err != nil {
		return err
	}
	numbers := a.Acknowledge(Reader{Now: alarm.Seen, Sees: func(one *Part) bool { return one.Event == p.Event }}, alarm.By)
	var events []watch.Event
	err = k.commit(d, func(lines ...store.Change) (err error) {
		events, err = watch.AcknowledgeAll(k.config.Watch, numbers, alarm.By, time.UnixMilli(alarm.Seen), append([]store.Change{d.rows}, lines...)...)
		return err
	})
	if err == nil {
		k.knowAll(events)
	}
	return err
}
