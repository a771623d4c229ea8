package health

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/store"
)

// TestPartsThatStandStill: a part that has not moved for half a minute is stuck. A disk that hangs is none, for five minutes.
func TestPartsThatStandStill(t *testing.T) {
	for name, row := range map[string]struct {
		store    store.Status
		picture  time.Duration // since it moved; -1 is never
		answered time.Duration
		ran      time.Duration // since the beginning
		patient  bool
		want     string
	}{
		"all move":                     {store.Status{Idle: time.Second}, time.Second, 5 * time.Second, time.Hour, false, ""},
		"the store is stuck":           {store.Status{Idle: 31 * time.Second}, 0, 0, time.Hour, false, "store"},
		"the disk hangs":               {store.Status{Idle: 4 * time.Minute, Stalled: 4 * time.Minute}, 0, 0, time.Hour, false, ""},
		"the disk hangs for good":      {store.Status{Idle: 5 * time.Minute, Stalled: 5 * time.Minute}, 0, 0, time.Hour, false, "store"},
		"the picture is stuck":         {store.Status{}, 30 * time.Second, 0, time.Hour, false, "picture"},
		"a patient picture waits":      {store.Status{Idle: time.Minute, Stalled: time.Minute}, time.Minute, 0, time.Hour, true, ""},
		"a patient picture is stuck":   {store.Status{Idle: time.Minute}, time.Minute, 0, time.Hour, true, "store, picture"},
		"a picture does not wait":      {store.Status{Idle: time.Minute, Stalled: time.Minute}, time.Minute, 0, time.Hour, false, "picture"},
		"the server does not answer":   {store.Status{}, 0, 30 * time.Second, time.Hour, false, "server"},
		"nothing has moved yet":        {store.Status{}, -1, -1, 29 * time.Second, false, ""},
		"nothing has moved for longer": {store.Status{}, -1, -1, 31 * time.Second, false, "picture, server"},
	} {
		t.Run(name, func(t *testing.T) {
			now := noon()
			at := func(ago time.Duration) time.Time {
				if ago < 0 {
					return time.Time{}
				}
				return now.Add(-ago)
			}
			m := NewMonitor(Parts{Picture: func() time.Time { return at(row.picture) }, Patient: row.patient})
			m.began = now.Add(-row.ran)
			if answered := at(row.answered); !answered.IsZero() {
				m.answered.Store(&answered)
			}
			if got := strings.Join(m.still(now, row.store), ", "); got != row.want {
				t.Errorf("stuck: %q, want %q", got, row.want)
			}
		})
	}
}

// TestReadyWhenAllHasMoved: a service whose server does not answer yet, or whose picture does not run, is not ready.
func TestReadyWhenAllHasMoved(t *testing.T) {
	var runs, answers, doubted atomic.Bool
	said := ""
	m := NewMonitor(Parts{
		Store: func() store.Status { return store.Status{NewestFix: time.Now().Add(time.Hour)} }, Feeds: func() []ais.FeedStatus { return nil },
		Picture: func() time.Time {
			if runs.Load() {
				return time.Now()
			}
			return time.Time{}
		},
		Server: func(context.Context) error {
			if answers.Load() {
				return nil
			}
			return errors.New("no answer")
		},
		Doubt: func(wrong bool) { doubted.Store(wrong) }, Told: func(_ time.Time, _ []ais.FeedStatus, list []Notice) { said = words(list) }, Log: slog.New(slog.DiscardHandler),
	})
	ready := func() bool {
		m.askServer(t.Context())
		for m.asking.Load() {
		}
		m.checkFigures(time.Now())
		select {
		case <-m.Moving():
			return true
		default:
			return false
		}
	}
	if ready() {
		t.Error("ready before anything moved")
	}
	if answers.Store(true); ready() {
		t.Error("ready before the picture ran")
	}
	if runs.Store(true); !ready() {
		t.Error("not ready, and all moves")
	}
	if said != "clock_wrong /alarm" {
		t.Errorf("told %q", said)
	}
	if !doubted.Load() || words(m.Notices()) != "clock_wrong /alarm" {
		t.Errorf("the clock is believed: %s", words(m.Notices()))
	}
}
