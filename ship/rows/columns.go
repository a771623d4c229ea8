package rows

import (
	"strconv"
	"strings"
)

// Field is what a column holds.
type Field uint8

// The fields. ROT is the integer of AIS, Turn the degrees a minute. Message is the type of the AIS message. Source says whether a satellite
// heard it. Bow, Stern, Port and Starboard are the distances from the antenna. Date and the fields after it are parts of a time that stands in several
// columns: Clock is the time of day.
const (
	MMSI Field = iota
	Time
	Lat
	Lon
	SOG
	COG
	Heading
	ROT
	Turn
	Status
	Class
	Message
	Source
	IMO
	Name
	CallSign
	Type
	Cargo
	Length
	Width
	Bow
	Stern
	Port
	Starboard
	Draught
	Destination
	ETA
	Date
	Clock
	Year
	Month
	Day
	Hour
	Minute
	Second
	fields
)

// String returns the word for the field that --columns takes.
func (f Field) String() string {
	return [...]string{"mmsi", "time", "lat", "lon", "sog", "cog", "heading", "rot", "turn", "status", "class", "message", "source", "imo", "name",
		"callsign", "type", "cargo", "length", "width", "bow", "stern", "port", "starboard", "draught", "destination", "eta",
		"date", "clock", "year", "month", "day", "hour", "minute", "second"}[f]
}

// Fields returns all fields, in the order of their words in texts.
func Fields() []Field {
	all := make([]Field, fields)
	for i := range all {
		all[i] = Field(i)
	}
	return all
}

// usualNames are the names under which a field is found, the surest first, without case, blanks and marks.
func usualNames(f Field) string {
	return [...]string{
		MMSI:        "mmsi sourcemmsi mmsinumber mmsino shipmmsi vesselmmsi userid",
		Time:        "basedatetime positiontimestamp dtposutc datetimeutc timestamputc timestamp tstamp datetime timeutc utctime time msgtime movementdatetime positiontime receivedtime receivetime utc epoch unixtime unixtimestamp eventtime ts t",
		Lat:         "latitude lat latitudedegrees latitudedeg latdeg latdegrees latdd positionlatitude poslat y",
		Lon:         "longitude lon lng long longitudedegrees longitudedeg londeg londegrees londd positionlongitude poslon x",
		SOG:         "sog speedoverground sogknots sogkn sogkts speedknots speedkn speedkts speed",
		COG:         "cog courseoverground cogdegrees cogdeg coursedegrees course",
		Heading:     "heading trueheading hdg headingdegrees headingdeg truehdg",
		ROT:         "rot rateofturn",
		Turn:        "turn turnrate rotdegmin rotdegreesperminute rateofturndegmin",
		Status:      "navigationalstatus navigationstatus navstatus navstat statuscode status navstatuscode navigationalstatuscode",
		Class:       "transceiverclass transceiver typeofmobile aisclass transponderclass transpondertype mobiletype class",
		Message:     "msgtype messagetype messagenr messageid msgid aismsgtype aismessagetype",
		Source:      "collectiontype dsrc src",
		IMO:         "imo imonumber imono imonr shipimo vesselimo",
		Name:        "vesselname shipname name vslname",
		CallSign:    "callsign radiocallsign vesselcallsign shipcallsign",
		Type:        "typecode shipandcargotype shipcargotype vesseltypecode shiptypecode aisshiptype aistype vesseltype shiptype type",
		Cargo:       "cargotype",
		Length:      "length loa lengthoverall vessellength shiplength",
		Width:       "width beam breadth vesselwidth shipwidth",
		Bow:         "tobow dimensiontobow dimtobow dima sizea a",
		Stern:       "tostern dimensiontostern dimtostern dimb sizeb b",
		Port:        "toport dimensiontoport dimtoport dimc sizec c",
		Starboard:   "tostarboard dimensiontostarboard dimtostarboard dimd sized d",
		Draught:     "draught draft currentdraught maxdraught",
		Destination: "destination dest aisdestination",
		ETA:         "eta etaais",
		Date:        "date dateutc utcdate positiondate posdate reportdate messagedate msgdate receiveddate rxdate eventdate dategmt dtpos ymd yyyymmdd datum fecha day",
		Clock:       "time timeutc utctime timeofday clock positiontime postime reporttime messagetime msgtime receivedtime receivetime rxtime eventtime timegmt utc gmt hms hhmmss uhrzeit zeit hora heure hour",
		Year:        "year yyyy yr jahr",
		Month:       "month mm mon monat",
		Day:         "day dd dayofmonth tag",
		Hour:        "hour hours hh hr stunde",
		Minute:      "minute minutes min mi mn",
		Second:      "second seconds sec ss",
	}[f]
}

// columns tells in which column of the file each field stands.
type columns struct {
	header []string
	at     [fields]int // -1 for none
	joined bool        // the time stands in several
	wide   bool        // a time of day without marks has seconds
}

// find finds the columns of a header by their usual names. It returns how many it found, without parts of times: logs of sentences have them too.
func (c *columns) find(header []string) (found int) {
	c.header = header
	plain := make([]string, len(header))
	for i, name := range header {
		plain[i] = letters(name)
	}
	for f := range fields {
		c.at[f] = -1
		for name := range strings.FieldsSeq(usualNames(f)) {
			if i := indexOf(plain, name); i >= 0 && c.at[f] < 0 {
				c.at[f] = i
				if f < Date {
					found++
				}
			}
		}
	}
	return found
}

// columnName returns the name of a field's column, "" when the file has none.
func (c *columns) columnName(f Field) string {
	if f == Time && c.joined {
		return strings.Join(c.timeColumns(), " + ")
	}
	if c.at[f] < 0 {
		return ""
	}
	if i := int(c.at[f]); i < len(c.header) {
		return c.header[i]
	}
	return ""
}

// putFields puts fields into columns that the caller names, by name or by number from 1 on.
func (c *columns) putFields(named map[Field]string) (missing []string) {
	for f, name := range named {
		i := c.columnIndex(name)
		if i < 0 {
			missing = append(missing, f.String()+"="+name)
			continue
		}
		c.at[f] = i
	}
	return missing
}

func (c *columns) columnIndex(name string) int {
	if i := indexOf(c.header, name); i >= 0 {
		return i
	}
	for i, column := range c.header {
		if letters(column) == letters(name) && letters(name) != "" {
			return i
		}
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(c.header) {
		return n - 1
	}
	return -1
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// letters returns the letters and digits of a name in lower case, without what stands in brackets.
func letters(name string) string {
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "[")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, name)
}
