package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
)

// TestPeopleInDistressWaitForNoLimit: when the limit of an hour is used up, what is told of people in distress goes out at once, and an alert that went on too.
// Neither counts for the limit, also after a restart.
func TestPeopleInDistressWaitForNoLimit(t *testing.T) {
	far := &letters{}
	b := newBox(t, far.send, func(c *Config) { c.Channels[0].PerHour = 1 })
	b.chief("bert")
	b.define(`"mail_to":["anna"]`)
	b.tells(`{"mail_to":["bert"]}`, nil)
	stop := b.run()
	b.enters(nordic, noon())
	b.becomes("[sent]")
	b.enters(nordic+1, noon().Add(time.Minute))
	b.becomes("[sent waiting]")
	b.rescueAt(noon().Add(6*time.Minute), overboard)
	b.becomes("[sent waiting sent]")
	b.must(b.outbox.Escalate(t.Context(), Mail, EscalationStep{Key: "1.1", Events: []uint64{3}, Users: []*access.User{b.chief("carl")}}))
	b.becomes("[sent waiting sent sent]")
	stop()
	b.close()
	b.open()
	if sent := sentLately(b.outbox, &b.outbox.config.Channels[0], b.clock().UnixMilli()); len(sent) != 1 {
		t.Errorf("%d count for the limit", len(sent))
	}
}

// TestPeopleInDistressGoFirst: of what waits for a target, and for a place, the notice of people in distress is the next, though it came last.
func TestPeopleInDistressGoFirst(t *testing.T) {
	far := newEnds()
	let := make(chan struct{})
	far.hang["anna@port.example"] = let
	b := newBox(t, far.send, func(c *Config) { c.Channels[0].Width, c.Channels[0].Limit = 1, time.Hour })
	b.define(`"mail_to":["anna"]`)
	b.tells(`{"mail_to":["anna"]}`, nil)
	b.run()
	for i := range 4 {
		b.enters(nordic+ais.MMSI(i), noon().Add(time.Duration(i)*time.Second))
	}
	b.rescueAt(noon().Add(6*time.Minute), overboard)
	b.becomes("[waiting waiting waiting waiting waiting]")
	close(let)
	b.becomes("[sent sent sent sent sent]")
	if got := fmt.Sprint(far.got("anna@port.example")); got != "[1 5 2 3 4]" {
		t.Errorf("it took %s", got)
	}
}

// TestPeopleInDistressGiveWayLast: where more wait than there is room for, others are given up before, also new ones.
func TestPeopleInDistressGiveWayLast(t *testing.T) {
	far := &mailed{err: errBusy}
	b := newBox(t, far.send, func(c *Config) { c.Most = 2 })
	b.chief("bert")
	b.define(`"mail_to":["anna"]`)
	b.tells(`{"mail_to":["bert","guard@coast.example"]}`, b.owner)
	b.run()
	b.enters(nordic, noon())
	b.becomes("[waiting]")
	b.rescueAt(noon().Add(6*time.Minute), overboard)
	b.becomes("[failed waiting waiting]")
	b.enters(nordic+1, noon().Add(7*time.Minute))
	b.becomes("[failed waiting waiting failed]")
	if of := b.outbox.Of(3)[0]; !strings.Contains(of.Error, "more than 2 notices") {
		t.Errorf("%+v", of)
	}
}
