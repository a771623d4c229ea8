package traffic_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/traffic"
)

// watchkeeper writes down what a watch officer would notice, by name and time.
type watchkeeper struct {
	names  *shiptest.Script
	now    time.Time
	events []string
}

func (w *watchkeeper) Tick(time.Time) {}

func (w *watchkeeper) Observe(u *ship.Update) {
	note := func(word string) {
		w.events = append(w.events, fmt.Sprintf("%s %s %s", w.now.Format("15:04:05"), w.names.Names[u.Now.MMSI], word))
	}
	switch {
	case u.Change&ship.Appeared != 0:
		note("appears")
	case u.Change&ship.ChangedAge != 0 && u.Now.Age == ship.Live:
		note("back")
	case u.Change&ship.ChangedAge != 0:
		note(u.Now.Age.String())
	case u.Change&ship.ChangedFix != 0 && u.Fix.Mark&ship.NewSegment != 0:
		note("jumps")
	}
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("scripts: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	script, err := shiptest.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	p := traffic.New(traffic.DefaultConfig())
	w := &watchkeeper{names: script}
	second := time.Time{}
	for _, step := range script.Steps {
		for ; !second.IsZero() && second.Before(step.At); second = second.Add(time.Second) {
			w.now = second
			p.Tick(second, w)
		}
		second, w.now = step.At, step.At
		switch step.Kind {
		case shiptest.Report:
			p.Apply(batch(step.Report), w)
		case shiptest.Expect:
			want, got := strings.Join(step.Words, " "), "none"
			if len(w.events) > 0 {
				got, w.events = w.events[0], w.events[1:]
			}
			if got != want {
				t.Errorf("%s:%d: %s, want %s", file, step.Line, got, want)
			}
		case shiptest.Other:
			t.Fatalf("%s:%d: unknown line %q", file, step.Line, step.Words)
		}
	}
	if len(w.events) > 0 {
		t.Errorf("%s: unexpected %q", file, w.events)
	}
}
