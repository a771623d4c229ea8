// Package portlist reads a port's own list of calls, to compare ours with it. The list is CSV, an array of JSON objects, or the truth of the simulator.
package portlist

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/engine/portcalls"
)

// deepest bounds a draught in metres: no ship is deeper.
const deepest = 30

// Read reads a list. Port stands for that of lines that name none. Times without a zone are in the zone given. An error names the line or call.
func Read(text []byte, port string, zone *time.Location) (list []portcalls.ListedCall, err error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		list, err = readTruth(text)
	case bytes.HasPrefix(text, []byte("[")):
		list, err = readJSON(text, zone)
	default:
		list, err = readCSV(text, zone)
	}
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("the list has no call")
	}
	for i := range list {
		k := &list[i]
		if k.Port == "" {
			k.Port = port
		}
		switch {
		case k.Ship == "":
			return nil, fmt.Errorf("call %d names no ship", i+1)
		case k.Port == "":
			return nil, fmt.Errorf("call %d names no port, and neither does --port", i+1)
		case k.ATA.IsZero() && k.ATD.IsZero():
			return nil, fmt.Errorf("call %d has neither ata nor atd", i+1)
		}
	}
	return list, nil
}

// row returns the text of the first of some columns that is not empty.
type row func(names ...string) string

func readCSV(text []byte, zone *time.Location) (list []portcalls.ListedCall, err error) {
	reader := csv.NewReader(bytes.NewReader(text))
	if head, _, _ := bytes.Cut(text, []byte("\n")); bytes.Count(head, []byte(";")) > bytes.Count(head, []byte(",")) {
		reader.Comma = ';'
	}
	rows, err := reader.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	heads := make([]string, len(rows[0]))
	for i, head := range rows[0] {
		heads[i] = plainHeading(head)
	}
	if !slices.ContainsFunc(heads, func(head string) bool { return slices.Contains(ships, head) }) {
		return nil, fmt.Errorf("line 1 has none of the columns %s: it has %s", strings.Join(ships, ", "), strings.Join(rows[0], ", "))
	}
	if !slices.ContainsFunc(heads, func(head string) bool { return slices.Contains(arrivals, head) || slices.Contains(departures, head) }) {
		return nil, fmt.Errorf("line 1 has none of the columns %s, %s: it has %s",
			strings.Join(arrivals, ", "), strings.Join(departures, ", "), strings.Join(rows[0], ", "))
	}
	for i, cells := range rows[1:] {
		k, err := readCall(func(names ...string) string {
			for _, name := range names {
				at := slices.Index(heads, name)
				if at >= 0 && strings.TrimSpace(cells[at]) != "" {
					return strings.TrimSpace(cells[at])
				}
			}
			return ""
		}, zone)
		if err != nil {
			return nil, fmt.Errorf("line %d, %w", i+2, err)
		}
		list = append(list, k)
	}
	return list, nil
}

func readJSON(text []byte, zone *time.Location) (list []portcalls.ListedCall, err error) {
	var objects []map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&objects); err != nil {
		return nil, err
	}
	for i, object := range objects {
		keys := make(map[string]any, len(object))
		for key, value := range object {
			keys[plainHeading(key)] = value
		}
		k, err := readCall(func(names ...string) string {
			for _, name := range names {
				if value := keys[name]; value != nil && fmt.Sprint(value) != "" {
					return strings.TrimSpace(fmt.Sprint(value))
				}
			}
			return ""
		}, zone)
		if err != nil {
			return nil, fmt.Errorf("call %d, %w", i+1, err)
		}
		list = append(list, k)
	}
	return list, nil
}

// What columns are called, as plain has them, the surest first.
var (
	ships      = []string{"mmsi", "imo", "imo number", "imo no", "ship", "ship name", "vessel", "vessel name", "name"}
	berths     = []string{"berth", "quay"}
	arrivals   = []string{"ata", "actual arrival", "arrival", "arrived"}
	departures = []string{"atd", "actual departure", "departure", "departed"}
)

// plainHeading returns the heading of a column in lower case, with a blank for other signs.
func plainHeading(head string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(head), func(r rune) bool { return strings.ContainsRune(" _-.", r) }), " ")
}

// readCall reads a call. The number of a ship goes before its name.
func readCall(column row, zone *time.Location) (k portcalls.ListedCall, err error) {
	k.Ship = column(ships...)
	if kind, number, ok := strings.Cut(k.Ship, " "); ok && (strings.EqualFold(kind, "IMO") || strings.EqualFold(kind, "MMSI")) {
		k.Ship = strings.TrimSpace(number)
	}
	k.Port, k.Berth = column("port", "locode"), column(berths...)
	if k.ATA, err = timeOf(column, arrivals, zone); err == nil {
		k.ATD, err = timeOf(column, departures, zone)
	}
	if err == nil {
		k.DraughtA, err = draughtOf(column, "draught a")
	}
	if err == nil {
		k.DraughtD, err = draughtOf(column, "draught d")
	}
	return k, err
}

// timeOf reads a time, zero where there is none.
func timeOf(column row, names []string, zone *time.Location) (time.Time, error) {
	text := column(names...)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04",
		"2006-01-02T15:04:05", "2006-01-02T15:04", "02.01.2006 15:04", "02.01.2006 15:04:05",
	} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: %q is no time, as 2026-11-22T14:00:00Z or 2026-11-22 14:00", names[0], text)
}

// draughtOf reads a draught, 0 where there is none.
func draughtOf(column row, name string) (metres float64, err error) {
	text := column(name)
	if text == "" {
		return 0, nil
	}
	metres, err = strconv.ParseFloat(text, 64)
	if err != nil || !(metres >= 0 && metres <= deepest) {
		return 0, fmt.Errorf("%s: %q must be metres from 0 to %d", strings.ReplaceAll(name, " ", "_"), text, deepest)
	}
	return metres, nil
}

// event is what a ship did, as the simulator tells it.
type event struct {
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	MMSI    int       `json:"mmsi"`
	Port    string    `json:"port"`
	Berth   string    `json:"berth"`
	Draught float64   `json:"draught"`
	Shift   bool      `json:"shift"`
}

// readTruth reads what ships did, a line of JSON each. A call begins with a berthing that is no shift, and ends with the last departure before
// the next one. Of a ship that lay there at the beginning the departure alone is known.
func readTruth(text []byte) (list []portcalls.ListedCall, err error) {
	open := map[int]int{} // the call of each ship, by its place in the list
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var e event
		if err := decoder.Decode(&e); err != nil {
			return nil, fmt.Errorf("call %d: %w", len(list)+1, err)
		}
		at, known := open[e.MMSI]
		switch {
		case e.Kind == "berthing" && e.Shift && known:
			list[at].ATD, list[at].Berth, list[at].DraughtD = time.Time{}, e.Berth, 0
		case e.Kind == "berthing":
			open[e.MMSI] = len(list)
			list = append(list, portcalls.ListedCall{Ship: strconv.Itoa(e.MMSI), Port: e.Port, Berth: e.Berth, ATA: e.Time, DraughtA: e.Draught})
		case e.Kind == "departure" && known:
			list[at].ATD, list[at].DraughtD = e.Time, e.Draught
		case e.Kind == "departure":
			open[e.MMSI] = len(list)
			list = append(list, portcalls.ListedCall{Ship: strconv.Itoa(e.MMSI), Port: e.Port, Berth: e.Berth, ATD: e.Time, DraughtD: e.Draught})
		}
	}
	// A ship that was there all the time only shifted.
	return slices.DeleteFunc(list, func(k portcalls.ListedCall) bool { return k.ATA.IsZero() && k.ATD.IsZero() }), nil
}
