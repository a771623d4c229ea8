package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// decodeTOML reads text into the struct that c points to. It names every unknown key and every wrong type. The decoder stops at the first
// wrong type, so that line is blanked and the text read again until nothing new is found.
func decodeTOML(path string, text []byte, c any) []string {
	wrong := lackingUnits(path, text, c)
	into := reflect.ValueOf(c).Elem()
	for range 100 {
		fresh := reflect.New(into.Type())
		fresh.Elem().Set(into)
		decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
		err := decoder.Decode(fresh.Interface())
		var unknown *toml.StrictMissingError
		var broken *toml.DecodeError
		switch {
		case err == nil:
			into.Set(fresh.Elem())
			return wrong
		case errors.As(err, &unknown):
			for i := range unknown.Errors {
				wrong = append(wrong, unknownKey(path, &unknown.Errors[i], c))
			}
			return wrong
		case errors.As(err, &broken):
			row, column := broken.Position()
			wrong = append(wrong, fmt.Sprintf("%s:%d:%d: %s", path, row, column, BrokenText(broken)))
			if len(broken.Key()) == 0 || !blankLine(text, row) {
				return wrong
			}
		default:
			return append(wrong, fmt.Sprintf("%s: %v", path, err))
		}
	}
	return wrong
}

// lackingUnits returns the errors of the durations that are bare numbers. The decoder would take them as nanoseconds. 0 needs no unit.
func lackingUnits(path string, text []byte, c any) (wrong []string) {
	tree := map[string]any{}
	if err := toml.Unmarshal(text, &tree); err != nil {
		return nil // the decoder tells it
	}
	values := flatten(tree)
	for _, l := range leavesOf(c) {
		if n, isNumber := values[l.Name].(int64); isNumber && n != 0 && l.settable() && l.at.Type() == reflect.TypeFor[Duration]() {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %d has no unit: write a duration as \"365d\", \"24h\" or \"10s\"", path, l.Name, n))
		}
	}
	return wrong
}

// readText reads a configuration file, without the mark that some editors write before its first byte.
func readText(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// BrokenText returns the words of an error of the TOML reader, with the key where the reader knows it.
func BrokenText(e *toml.DecodeError) string {
	text := strings.TrimPrefix(e.Error(), "toml: ")
	if key := strings.Join(e.Key(), "."); key != "" {
		return key + ": " + text
	}
	return text
}

// unknownKey returns the error of one unknown key, with the nearest key that exists.
func unknownKey(path string, e *toml.DecodeError, c any) string {
	row, column := e.Position()
	key := strings.Join(e.Key(), ".")
	line := fmt.Sprintf("%s:%d:%d: unknown key %q", path, row, column, key)
	if near := nearestKey(c, key); near != "" {
		line += fmt.Sprintf(", did you mean %q?", near)
	}
	return line
}

func blankLine(text []byte, row int) bool {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if row < 1 || row > len(lines) || len(bytes.TrimSpace(lines[row-1])) == 0 {
		return false
	}
	for i := range bytes.TrimRight(lines[row-1], "\r\n") {
		lines[row-1][i] = ' '
	}
	return true
}
