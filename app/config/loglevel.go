package config

import (
	"fmt"
	"log/slog"
	"strings"
)

// LogLevel is the least weight of what is logged: "debug", "info", "warn" or "error". Zero is "info".
type LogLevel slog.Level

// UnmarshalText reads the word of a level.
func (l *LogLevel) UnmarshalText(text []byte) error {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if strings.EqualFold(string(text), level.String()) {
			*l = LogLevel(level)
			return nil
		}
	}
	return fmt.Errorf("log level %q: want \"debug\", \"info\", \"warn\" or \"error\"", text)
}

// MarshalText returns the word of the level.
func (l LogLevel) MarshalText() ([]byte, error) {
	return []byte(strings.ToLower(slog.Level(l).String())), nil
}
