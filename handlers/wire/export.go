package wire

import (
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"quaywatch/ais"
	"quaywatch/ship"
)

func appendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

// Cell makes text safe for a spreadsheet: what begins like a formula gets a leading apostrophe. Names come from the air,
// and anybody can send one.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// wholeCell returns an integer as a cell, empty for 0, which means unknown.
func wholeCell(v int64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatInt(v, 10)
}

// tenthsCell returns tenths as a cell, empty when unknown.
func tenthsCell(v int, ok bool) string {
	if !ok {
		return ""
	}
	return string(appendTenths(nil, v))
}

// hundredths returns nothing for 0.
func hundredths(v int) string {
	if v == 0 {
		return ""
	}
	return string(appendHundredths(nil, v))
}

func integer(v int, ok bool) string {
	if !ok {
		return ""
	}
	return strconv.Itoa(v)
}

func degreesText(units int32) string { return string(appendDegrees([]byte{' '}, units)[1:]) }

// fixCells returns time, place and motion, in the order of their columns.
func fixCells(f ship.Fix) []string {
	return []string{
		TimeText(f.At), degreesText(f.Lon), degreesText(f.Lat), tenthsCell(f.SOG.Tenths()), tenthsCell(f.COG.Tenths()),
		integer(f.Heading.Degrees()), integer(f.ROT.Raw()), integer(int(f.Status), f.Status != ais.StatusUndefined), markCell(f),
	}
}

// markCell returns the cell of a fix that is untrusted, and an empty one.
func markCell(f ship.Fix) string {
	if f.Trusted() {
		return ""
	}
	return "true"
}

func fixColumns() []string {
	return []string{"time", "longitude", "latitude", "sog", "cog", "heading", "rot", "nav_status", "untrusted"}
}

func staticColumns() []string {
	return []string{"mmsi", "imo", "name", "callsign", "type", "type_code", "class", "length", "width", "draught",
		"destination", "eta", "country", "country_code", "signal", "heard"}
}

// staticCells returns what the ship is, in the order of staticColumns.
func staticCells(s *ship.State) []string {
	var k ship.Static
	if s.Static != nil {
		k = *s.Static
	}
	var v ship.VoyageData
	if s.Voyage != nil {
		v = *s.Voyage
	}
	country, code := s.Country()
	return []string{
		strconv.FormatInt(int64(s.MMSI), 10), wholeCell(int64(k.IMO)), Cell(k.Name), Cell(k.CallSign), Cell(ship.TypeText(k.Type)),
		wholeCell(int64(k.Type)), s.Class.String(), wholeCell(int64(k.Dimensions.Length())), wholeCell(int64(k.Dimensions.Width())),
		hundredths(v.Centimetres()), Cell(v.Destination), ship.ETAText(v.ETA, ship.Time(v.At)), country, code,
		s.Age.String(), TimeText(s.Heard),
	}
}

// ShipsCSV writes ships as a table with a header line; unknown values are empty.
func ShipsCSV(w io.Writer, ships []ship.State) {
	table(w, append(staticColumns(), fixColumns()...), func(row func([]string)) {
		for i := range ships {
			cells := staticCells(&ships[i])
			if ships[i].HasFix {
				cells = append(cells, fixCells(ships[i].Fix)...)
			} else {
				cells = append(cells, make([]string, len(fixColumns()))...)
			}
			row(cells)
		}
	})
}

// TrackCSV writes a track as a table that `quaywatch import` reads back.
func TrackCSV(w io.Writer, s *ship.State, track ship.Track) {
	mmsi := strconv.FormatInt(int64(s.MMSI), 10)
	var k ship.Static
	if s.Static != nil {
		k = *s.Static
	}
	table(w, append([]string{"mmsi", "imo", "name", "callsign"}, fixColumns()...), func(row func([]string)) {
		for _, f := range track {
			row(append([]string{mmsi, wholeCell(int64(k.IMO)), Cell(k.Name), Cell(k.CallSign)}, fixCells(f)...))
		}
	})
}

func table(to io.Writer, header []string, rows func(row func([]string))) {
	w := csv.NewWriter(to)
	row := func(cells []string) { _ = w.Write(cells) } // a writer that fails takes no more, and says so itself
	row(header)
	rows(row)
	w.Flush()
}

// EscapeXML returns text as it may stand between tags and in attributes.
func EscapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}

// shipTitle is the title of a ship for a reader.
func shipTitle(s *ship.State) string {
	if s.Static != nil && s.Static.Name != "" {
		return s.Static.Name
	}
	return strconv.FormatInt(int64(s.MMSI), 10)
}

// trackGPX returns a track as GPX 1.1, with a segment for each piece without a gap. GPX 1.1 has no place for SOG and COG, so they
// stand in an extension, and so does that a fix is untrusted. Such a fix is a segment of its own.
func TrackGPX(w io.Writer, s *ship.State, track ship.Track) {
	b := bufio.NewWriterSize(w, part)
	defer b.Flush() // a writer that fails takes no more, and says so itself
	b.WriteString(xml.Header)
	b.WriteString(`<gpx version="1.1" creator="quaywatch" xmlns="http://www.topografix.com/GPX/1/1" xmlns:qw="urn:quaywatch:gpx:1">` + "\n")
	b.WriteString("<trk><name>" + EscapeXML(shipTitle(s)) + "</name><desc>MMSI " + strconv.FormatInt(int64(s.MMSI), 10) + "</desc>\n")
	for _, piece := range trackPieces(track) {
		b.WriteString("<trkseg>\n")
		for _, f := range piece {
			b.WriteString(`<trkpt lat="` + degreesText(f.Lat) + `" lon="` + degreesText(f.Lon) + `"><time>` + TimeText(f.At) + "</time>" + gpxMotion(f) + "</trkpt>\n")
		}
		b.WriteString("</trkseg>\n")
	}
	b.WriteString("</trk>\n</gpx>\n")
}

func gpxMotion(f ship.Fix) string {
	text := ""
	if !f.Trusted() {
		text = "<qw:untrusted>true</qw:untrusted>"
	}
	if sog := tenthsCell(f.SOG.Tenths()); sog != "" {
		text += "<qw:sog>" + sog + "</qw:sog>"
	}
	if cog := tenthsCell(f.COG.Tenths()); cog != "" {
		text += "<qw:cog>" + cog + "</qw:cog>"
	}
	if text == "" {
		return ""
	}
	return "<extensions>" + text + "</extensions>"
}

// TrackKML gives a track as KML 2.2 with Google's gx:Track, which carries the times. Each untrusted fix is a gx:Track of its own with a mark in its
// ExtendedData.
func TrackKML(w io.Writer, s *ship.State, track ship.Track) {
	b := bufio.NewWriterSize(w, part)
	defer b.Flush() // a writer that fails takes no more, and says so itself
	b.WriteString(xml.Header)
	b.WriteString(`<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">` + "\n<Document>\n")
	name := EscapeXML(shipTitle(s))
	b.WriteString("<name>" + name + "</name>\n<Placemark><name>" + name + "</name><description>MMSI " +
		strconv.FormatInt(int64(s.MMSI), 10) + "</description>\n<gx:MultiTrack>\n")
	for _, piece := range trackPieces(track) {
		b.WriteString("<gx:Track>\n")
		for _, f := range piece {
			b.WriteString("<when>" + TimeText(f.At) + "</when>\n")
		}
		for _, f := range piece {
			b.WriteString("<gx:coord>" + degreesText(f.Lon) + " " + degreesText(f.Lat) + " 0</gx:coord>\n")
		}
		if !piece[0].Trusted() {
			b.WriteString(`<ExtendedData><Data name="untrusted"><value>true</value></Data></ExtendedData>` + "\n")
		}
		b.WriteString("</gx:Track>\n")
	}
	b.WriteString("</gx:MultiTrack></Placemark>\n</Document>\n</kml>\n")
}

// Plain writes each row of a table as lines of a name and a value, without what is not known. It writes an empty line after each row.
func Plain(w io.Writer, table io.Reader) error {
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		return err
	}
	for _, row := range rows[min(1, len(rows)):] {
		var b strings.Builder
		for i, cell := range row {
			if cell != "" {
				fmt.Fprintf(&b, "%s: %s\n", rows[0][i], strings.NewReplacer("\r", " ", "\n", " ").Replace(cell))
			}
		}
		if _, err := io.WriteString(w, b.String()+"\n"); err != nil {
			return err
		}
	}
	return nil
}
