package command

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// csvFormat is one layout of decoded history: the columns that we keep, and how times and codes are written.
type csvFormat struct {
	name    string
	needs   []string // columns without which a file is not of this format
	columns csvColumns
	time    func(string) (time.Time, error)
	status  func(string) ais.NavStatus
	kind    func(string) ais.ShipType
}

// csvColumns names the column of each value in lower case; "" where the format has none.
type csvColumns struct {
	mmsi, time, lat, lon, sog, cog, heading, rot, status           string
	imo, name, callSign, kind, length, width, draught, destination string
	bow, stern, port, starboard                                    string
}

// csvFormats lists the layouts that import knows.
func csvFormats() []csvFormat {
	return []csvFormat{
		{ // MarineCadastre.gov, vessel traffic data dictionary
			name: "noaa", needs: []string{"mmsi", "basedatetime", "lat", "lon"},
			columns: csvColumns{mmsi: "mmsi", time: "basedatetime", lat: "lat", lon: "lon", sog: "sog", cog: "cog", heading: "heading",
				status: "status", imo: "imo", name: "vesselname", callSign: "callsign", kind: "vesseltype", length: "length",
				width: "width", draught: "draft"},
			time: isoTime, status: numericStatus, kind: numericKind,
		},
		{ // Danish Maritime Authority, AIS data
			name: "dma", needs: []string{"# timestamp", "type of mobile", "mmsi", "latitude", "longitude"},
			columns: csvColumns{mmsi: "mmsi", time: "# timestamp", lat: "latitude", lon: "longitude", sog: "sog", cog: "cog",
				heading: "heading", rot: "rot", status: "navigational status", imo: "imo", name: "name", callSign: "callsign",
				kind: "ship type", length: "length", width: "width", draught: "draught", destination: "destination",
				bow: "a", stern: "b", port: "c", starboard: "d"},
			time:   func(s string) (time.Time, error) { return time.Parse("02/01/2006 15:04:05", s) },
			status: danishStatus, kind: danishKind,
		},
		{ // our own export
			name: "quaywatch", needs: []string{"mmsi", "time", "longitude", "latitude"},
			columns: csvColumns{mmsi: "mmsi", time: "time", lat: "latitude", lon: "longitude", sog: "sog", cog: "cog",
				heading: "heading", rot: "rot", status: "nav_status", imo: "imo", name: "name", callSign: "callsign",
				kind: "type_code", draught: "draught", destination: "destination",
				bow: "dim_a", stern: "dim_b", port: "dim_c", starboard: "dim_d"},
			time: isoTime, status: numericStatus, kind: numericKind,
		},
	}
}

// csvRow is one decoded row.
type csvRow struct {
	mmsi   ais.MMSI
	fix    ship.Fix
	static ship.Static
	voyage ship.VoyageData
}

// csvReader reads rows of one file.
type csvReader struct {
	format csvFormat
	rows   *csv.Reader
	at     map[string]int // column -> index
	bad    map[string]int // reason -> rows left out
	read   uint64         // lines, the header included
}

// newCSVReader reads the header and finds the format by it, or takes the named one.
func newCSVReader(in io.Reader, name string) (*csvReader, error) {
	rows := csv.NewReader(in)
	rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = -1, true, true
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	at := map[string]int{}
	for i, column := range header {
		at[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(column, "\ufeff")))] = i
	}
	for _, format := range csvFormats() {
		if name != "" && name != format.name {
			continue
		}
		missing := slices.DeleteFunc(slices.Clone(format.needs), func(c string) bool { _, has := at[c]; return has })
		if len(missing) == 0 {
			return &csvReader{format: format, rows: rows, at: at, bad: map[string]int{}, read: 1}, nil
		}
		if name != "" {
			return nil, fmt.Errorf("header: format %s needs the column(s) %s", name, strings.Join(missing, ", "))
		}
	}
	return nil, errors.New("header: not one of the formats noaa, dma, quaywatch")
}

// next gives the next good row, and io.EOF after the last. Bad rows are counted by reason.
func (r *csvReader) next() (csvRow, error) {
	for {
		record, err := r.rows.Read()
		if errors.Is(err, io.EOF) {
			return csvRow{}, io.EOF
		}
		r.read++
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			r.bad["not a CSV row"]++
			continue
		}
		if err != nil {
			return csvRow{}, err
		}
		row, reason := r.decode(record)
		if reason == "" {
			return row, nil
		}
		r.bad[reason]++
	}
}

// field gives the trimmed text of a column, "" when the row or the format has none.
func (r *csvReader) field(record []string, column string) string {
	i, ok := r.at[column]
	if column == "" || !ok || i >= len(record) {
		return ""
	}
	return strings.TrimSpace(record[i])
}

func (r *csvReader) number(record []string, column string) (float64, bool) {
	v, err := strconv.ParseFloat(r.field(record, column), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (r *csvReader) decode(record []string) (csvRow, string) {
	c := r.format.columns
	mmsi, err := strconv.ParseInt(r.field(record, c.mmsi), 10, 64)
	if err != nil || mmsi <= 0 || mmsi > 9999999999 {
		return csvRow{}, "mmsi is not a number of at most ten digits"
	}
	at, err := r.format.time(r.field(record, c.time))
	if err != nil || at.Year() < 1990 || at.Year() > 2100 {
		return csvRow{}, "time cannot be read"
	}
	lon, okLon := r.number(record, c.lon)
	lat, okLat := r.number(record, c.lat)
	if !okLon || !okLat || math.Abs(lon) > 180 || math.Abs(lat) > 90 || lon == 0 && lat == 0 {
		return csvRow{}, "position is not possible"
	}
	row := csvRow{mmsi: ais.MMSI(mmsi)}
	row.fix = ship.Fix{At: at.UnixMilli(), Lon: placeUnits(lon), Lat: placeUnits(lat), Status: r.format.status(r.field(record, c.status))}
	r.motion(record, &row.fix)
	r.static(record, &row)
	return row, ""
}

func placeUnits(degrees float64) int32 { return int32(math.Round(degrees / ais.PlaceUnit)) }

func (r *csvReader) motion(record []string, fix *ship.Fix) {
	c := r.format.columns
	if v, ok := r.number(record, c.sog); ok && v < 102.3 {
		fix.SOG = ais.SOGTenths(int(math.Round(v * 10)))
	}
	if v, ok := r.number(record, c.cog); ok {
		fix.COG = ais.COGTenths(int(math.Round(v * 10)))
	}
	if v, ok := r.number(record, c.heading); ok {
		fix.Heading = ais.HeadingDegrees(int(v))
	}
	if v, ok := r.number(record, c.rot); ok && math.Abs(v) < 1000 {
		fix.ROT = ais.RawROT(int(v))
	}
}

func (r *csvReader) static(record []string, row *csvRow) {
	c := r.format.columns
	row.static = ship.Static{Name: known(r.field(record, c.name)), CallSign: known(r.field(record, c.callSign)),
		Type: r.format.kind(r.field(record, c.kind))}
	if n, err := strconv.ParseUint(strings.TrimPrefix(r.field(record, c.imo), "IMO"), 10, 32); err == nil {
		row.static.IMO = uint32(n)
	}
	row.static.Dimensions = r.dimensions(record)
	row.voyage = ship.VoyageData{Destination: known(r.field(record, c.destination))}
	if v, ok := r.number(record, c.draught); ok && v > 0 && v <= 25.5 {
		row.voyage.Draught = ais.Decimetres(math.Round(v * 10))
	}
}

// dimensions takes the distances from the antenna where the row has them, else length and width alone.
func (r *csvReader) dimensions(record []string) ais.Dimensions {
	c := r.format.columns
	metres := func(column string) uint16 {
		v, ok := r.number(record, column)
		if !ok || v < 0 || v > 1022 {
			return 0
		}
		return uint16(math.Round(v))
	}
	d := ais.Dimensions{Bow: metres(c.bow), Stern: metres(c.stern), Port: metres(c.port), Starboard: metres(c.starboard)}
	if d == (ais.Dimensions{}) {
		d = ais.Dimensions{Stern: metres(c.length), Starboard: metres(c.width)}
	}
	return d
}

// known drops the words that Danish files write for a value that is not there.
func known(text string) string {
	switch strings.ToLower(text) {
	case "unknown", "unknown value", "undefined":
		return ""
	}
	return text
}

func isoTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999", "2006-01-02 15:04:05.999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("time %q: want 2006-01-02T15:04:05", text)
}

func numericStatus(text string) ais.NavStatus {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= 15 {
		return ais.NavStatus(n)
	}
	return ais.StatusUndefined
}

func numericKind(text string) ais.ShipType {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= 255 {
		return ais.ShipType(n)
	}
	return 0
}

// danishStatus reads the texts that the Danish files write for the navigational status.
func danishStatus(text string) ais.NavStatus {
	for code, word := range []string{"under way using engine", "at anchor", "not under command", "restricted maneuverability",
		"constrained by her draught", "moored", "aground", "engaged in fishing", "under way sailing"} {
		if strings.EqualFold(text, word) {
			return ais.NavStatus(code)
		}
	}
	return ais.StatusUndefined
}

// danishKind reads the texts of Danish files for the type of ship. It gives the first code of the group.
func danishKind(text string) ais.ShipType {
	switch strings.ToLower(text) {
	case "fishing":
		return 30
	case "towing":
		return 31
	case "towing long/wide":
		return 32
	case "dredging":
		return 33
	case "diving":
		return 34
	case "military":
		return 35
	case "sailing":
		return 36
	case "pleasure":
		return 37
	case "hsc":
		return 40
	case "pilot":
		return 50
	case "sar":
		return 51
	case "tug":
		return 52
	case "port tender":
		return 53
	case "anti-pollution":
		return 54
	case "law enforcement":
		return 55
	case "medical":
		return 58
	case "passenger":
		return 60
	case "cargo":
		return 70
	case "tanker":
		return 80
	case "other":
		return 90
	}
	return 0
}
