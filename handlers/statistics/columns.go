package statistics

import "strings"

// sheet is a kind of statistics as a table: its columns, and the list of a record of which each element is a row. Without one a record is a row.
type sheet struct {
	rows    string
	columns []column
}

// column is a column of a table, and where its cell stands in a record: keys and indexes with a dot between. Those of an element of rows begin with "@.".
type column struct{ name, at string }

// sheetOf gives the table of a kind; nil for none.
func sheetOf(kind string) *sheet {
	switch kind {
	case "area":
		return &sheet{"", columns(ofShip("ship", ""), "period time_in time_out entered_before left_by_silence longitude=position.coordinates.0 latitude=position.coordinates.1 "+
			"times_in times_out times_inside time_inside distance")}
	case "passageline":
		return &sheet{"", columns("timestamp longitude=position.coordinates.0 latitude=position.coordinates.1 direction direction_flag distance", ofShip("ship", ""))}
	case "multipassageline":
		return &sheet{"", columns("time_first time_last duration direction direction_index", ofShip("ship", ""))}
	case "sogdist":
		return &sheet{"", columns("result_id", ofShip("ship", ""), "day gap_seconds sogs")}
	case "nmss":
		return &sheet{"", columns("timestamp distance", ofReport("ship.0", "_1"), ofReport("ship.1", "_2"))}
	case "nmsp":
		return &sheet{"", columns("timestamp distance", ofReport("ship", ""))}
	case "multiship":
		return &sheet{"", columns("timestamp change mmsi=ship.mmsi longitude latitude sog cog name imo callsign type length width draught destination eta")}
	case "historicaltrack":
		return &sheet{"track.coordinates", columns("mmsi=ship.mmsi imo=ship.imo name=ship.name callsign=ship.callsign time=@.2 longitude=@.0 latitude=@.1 sog=@.4 cog=@.3")}
	case "transitpilot":
		return &sheet{"", columns(ofShip("ship", ""), ofTransfer("pilot.0", "_1"), ofTransfer("pilot.1", "_2"))}
	case "trip":
		return &sheet{"", columns("id", ofShip("ship", ""), ofPort("from.port", "from"), "atd=from.atd", ofPort("to.port", "to"), "ata=to.ata distance duration avg_sog max_sog gap")}
	case "pilotboat":
		return &sheet{"operations", columns(ofShip("ship", ""), ofPort("port", "port"), "atd ata", ofPort("to", "to"),
			"kind=@.kind timestamp=@.timestamp longitude=@.position.coordinates.0 latitude=@.position.coordinates.1", ofShip("@.ship", "_served"))}
	case "portcalls":
		return &sheet{"", columns(ofShip("ship", ""), ofPort("port", "port"), "ata atd draught_a draught_d confidence berth=berth.name waiting")}
	}
	return nil
}

// columns reads columns as they are written in sheetOf: a name, or a name and a place.
func columns(texts ...string) (all []column) {
	for word := range strings.FieldsSeq(strings.Join(texts, " ")) {
		name, at, other := strings.Cut(word, "=")
		if !other {
			at = name
		}
		all = append(all, column{name, at})
	}
	return all
}

// entries gives columns of an entry, with an end of their names.
func entries(entry, end string, keys ...string) string {
	var words []string
	for _, key := range keys {
		name := key[strings.LastIndexByte(key, '.')+1:]
		words = append(words, name+end+"="+entry+"."+key)
	}
	return strings.Join(words, " ")
}

func ofShip(entry, end string) string {
	return entries(entry, end, "mmsi", "imo", "name", "callsign", "type", "length", "width", "draught", "destination", "sog", "cog")
}

func ofReport(entry, end string) string {
	return entries(entry, end, "mmsi", "imo", "name", "callsign", "draught", "sog", "cog") +
		" longitude" + end + "=" + entry + ".position.coordinates.0 latitude" + end + "=" + entry + ".position.coordinates.1"
}

func ofTransfer(entry, end string) string {
	return "boat" + end + "=" + entry + ".ship.mmsi " + entries(entry, end, "index", "label", "timestamp") +
		" longitude" + end + "=" + entry + ".position.coordinates.0 latitude" + end + "=" + entry + ".position.coordinates.1"
}

func ofPort(entry, name string) string {
	return name + "_id=" + entry + ".id " + name + "_locode=" + entry + ".locode " + name + "_name=" + entry + ".name"
}
