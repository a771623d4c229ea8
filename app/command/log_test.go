package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestALogLineIsBounded whatever it is to tell, and is JSON all the same. What is short is told whole.
func TestALogLineIsBounded(t *testing.T) {
	for name, long := range map[string]string{"letters": strings.Repeat("a", 1<<20), "marks": strings.Repeat("\x00", 1<<20), "danish": strings.Repeat("ø", 1<<16)} {
		var out bytes.Buffer
		log := newLog(&out, slog.LevelInfo)
		log.Info("signed in", "user", "anna", "address", "10.0.0.1")
		if line := out.String(); !strings.Contains(line, `"msg":"signed in","user":"anna","address":"10.0.0.1"}`) {
			t.Errorf("a short line is %s", line)
		}
		out.Reset()
		log.Warn("denied", "user", long, "path", long, "count", 3)
		log.Warn(long, "error", errors.New(long))
		log.With("user", long, "address", long).WithGroup("g").Info("done", "object", long)
		many := make([]any, 0, 200)
		for range 100 {
			many = append(many, "key", long[:4])
		}
		log.Info("many", many...)
		lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 4 {
			t.Fatalf("%s: %d lines", name, len(lines))
		}
		for _, line := range lines {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil || len(line) > mostLine {
				t.Errorf("%s: %d bytes, %v: %.200s", name, len(line), err, line)
			}
		}
		if !strings.Contains(lines[0], `"count":3`) {
			t.Errorf("%s: what is short is left out: %.200s", name, lines[0])
		}
	}
}

// TestAStackIsWhole: it is the program's own, and what a fault is found by.
func TestAStackIsWhole(t *testing.T) {
	var out bytes.Buffer
	newLog(&out, slog.LevelInfo).Error("panic", "path", strings.Repeat("p", 5000), "stack", strings.Repeat("s", 5000)+"end")
	if line := out.String(); !strings.Contains(line, "send\"") || len(line) > 5000+2*mostLine {
		t.Errorf("%d bytes", len(line))
	}
}
