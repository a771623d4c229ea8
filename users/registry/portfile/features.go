package portfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// features gathers the features of a GeoJSON FeatureCollection by port.
type features struct {
	rows    []PortRow
	refused []RefusedLine
	byPort  map[string]int // index of the row, by the folded reference
}

func readFeatures(text string) ([]PortRow, []RefusedLine, error) {
	f := features{byPort: map[string]int{}}
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil { // a Decoder does not tell the place of a fault
		return nil, nil, located(err, text, 0)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := f.readCollection(decoder, text); err != nil {
		return nil, nil, located(err, text, decoder.InputOffset())
	}
	return f.rows, f.refused, nil
}

// located returns an error of JSON with its line and column.
func located(err error, text string, offset int64) error {
	var refusal RefusedLine
	if errors.As(err, &refusal) {
		return err
	}
	var fault *json.SyntaxError
	if errors.As(err, &fault) {
		offset = fault.Offset
	}
	before := text[:min(offset, int64(len(text)))]
	line := 1 + strings.Count(before, "\n")
	return RefusedLine{line, fmt.Sprintf("character %d", len(before)-strings.LastIndex(before, "\n")), err.Error()}
}

// readCollection reads the members of the collection. It holds one feature at a time.
func (f *features) readCollection(decoder *json.Decoder, text string) error {
	if _, err := decoder.Token(); err != nil {
		return err
	}
	kind, line, counted := "", 1, int64(0)
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		switch key {
		case "type":
			err = decoder.Decode(&kind)
		case "features":
			err = eachElement(decoder, func(raw json.RawMessage) error {
				begin := decoder.InputOffset() - int64(len(raw))
				line += strings.Count(text[counted:begin], "\n")
				counted = begin
				return f.read(line, raw)
			})
		default:
			err = decoder.Decode(&json.RawMessage{})
		}
		if err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return err
	}
	if kind != "FeatureCollection" {
		return RefusedLine{1, "/type", "must be FeatureCollection"}
	}
	return nil
}

// eachElement calls do for each element of the array that comes next.
func eachElement(decoder *json.Decoder, do func(json.RawMessage) error) error {
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
		return errors.Join(err, errors.New("features must be an array"))
	}
	for decoder.More() {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return err
		}
		if err := do(raw); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

// read takes one feature, or notes why not.
func (f *features) read(line int, raw json.RawMessage) error {
	if len(f.rows)+len(f.refused) > mostRows {
		return RefusedLine{Line: line, Why: fmt.Sprintf("a file may have at most %d ports", mostRows)}
	}
	feature, err := form.Read(raw)
	if err == nil {
		properties := feature.Inner("properties", rule.New("object", "must be an object"))
		if err = feature.Err(); err == nil {
			f.readFeature(line, feature, properties)
			err = feature.Err()
		}
	}
	var faults form.Errors
	switch {
	case err == nil:
	case errors.As(err, &faults) && len(faults) > 0:
		f.refused = append(f.refused, RefusedLine{line, faults[0].Pointer, faults[0].Rule.Error()})
	default:
		f.refused = append(f.refused, RefusedLine{Line: line, Why: err.Error()})
	}
	return nil
}

// readFeature reads a feature into the row of its port. What is wrong with it is noted there, and then the row stays as it is.
func (f *features) readFeature(line int, feature, properties *form.Fields) {
	kind, ref := properties.Text("kind"), reference(properties)
	row := PortRow{Line: line, Own: true, Ref: ref}
	if i, ok := f.byPort[fold.Name(ref)]; ok {
		row = f.rows[i]
	}
	switch kind {
	case "port":
		at := feature.Point("geometry")
		row.Position, row.Name, row.MaxDraught = &at, properties.TidyOr("name", ""), properties.Number("max_draught")
		row.LOCODE = properties.Text("locode")
		if code, ok := chart.ParseLOCODE(row.LOCODE); ok {
			row.LOCODE = code
		}
		properties.Into("aliases", &row.Aliases, rule.New("texts", "must be an array of strings"))
	case "outer":
		row.Outer = feature.Polygon("geometry")
	case "inner":
		row.Inner = append(row.Inner, feature.Polygon("geometry"))
	case "berth":
		at := feature.Point("geometry")
		row.Berths = append(row.Berths, chart.Berth{Name: properties.TidyOr("name", ""), LOCODE: properties.TidyOr("locode", ""),
			QuayID: properties.Integer("quay_id", 0, 1<<53), Position: &at, Length: properties.Number("length"), MaxDraught: properties.Number("max_draught")})
	default:
		properties.Refuse("kind", rule.New("one_of", "must be one of {words}", "words", "port, outer, inner, berth"))
	}
	if ref == "" {
		properties.Refuse("port", rule.New("required", "is required"))
	}
	if feature.Err() == nil {
		f.putRow(row)
	}
}

func (f *features) putRow(row PortRow) {
	key := fold.Name(row.Ref)
	i, ok := f.byPort[key]
	if !ok {
		f.byPort[key] = len(f.rows)
		f.rows = append(f.rows, row)
		return
	}
	f.rows[i] = row
}

// reference tells which port a feature is of: port, else locode or name of a feature that is a port.
func reference(properties *form.Fields) string {
	if n, err := strconv.ParseUint(string(properties.Raw("port")), 10, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	ref := form.Tidy(properties.Text("port"))
	if properties.Text("kind") != "port" || ref != "" {
		return ref
	}
	if ref = form.Tidy(properties.Text("locode")); ref == "" {
		ref = form.Tidy(properties.Text("name"))
	}
	return ref
}
