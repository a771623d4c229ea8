package statistics

import (
	"strings"

	"quaywatch/handlers/wire"
)

// sheet is a kind of statistics as a table: its columns, and the list of a record of which each element is a row. Without one a record is a row.
type sheet struct {
	rows    string
	columns []wire.Column // of which the places of an element of rows begin with "@."
}

// sheetOf returns the table of a kind; nil for none.
func sheetOf(kind string) *sheet {
	switch kind {
	case "area":
		return &sheet{"", wire.Columns(ofShip("ship", ""), "period time_in time_out entered_before left_by_silence longitude=position.coordinates.0 latitude=position.coordinates.1 "+
			"times_in times_out times_inside time_inside distance")}
	case "passageline":
		return &sheet{"", wire.Columns("timestamp longitude=position.coordinates.0 latitude=position.coordinates.1 direction direction_flag distance", ofShip("ship", ""))}
	case "multipassageline":
		return &sheet{"", wire.Columns("time_first time_last duration direction direction_index", ofShip("ship", ""))}
	case "sogdist":
		return &sheet{"", wire.Columns("result_id", ofShip("ship", ""), "day gap_seconds sogs")}
	case "density": // of the cells, which are summed
		return &sheet{"", wire.Columns("x y longitude latitude hours hours_per_km2_month trips crossings ships")}
	case "nmss":
		return &sheet{"", wire.Columns("timestamp distance meeting domain domain_of", ofReport("ship.0", "_1"), ofReport("ship.1", "_2"))}
	case "nmsp":
		return &sheet{"", wire.Columns("timestamp distance", ofReport("ship", ""))}
	case "multiship":
		return &sheet{"", wire.Columns("timestamp change mmsi=ship.mmsi longitude latitude sog cog name imo callsign type length width draught destination eta")}
	case "historicaltrack":
		return &sheet{"track.coordinates", wire.Columns("mmsi=ship.mmsi imo=ship.imo name=ship.name callsign=ship.callsign time=@.2 longitude=@.0 latitude=@.1 sog=@.4 cog=@.3")}
	case "transitpilot":
		return &sheet{"", wire.Columns(ofShip("ship", ""), ofTransfer("pilot.0", "_1"), ofTransfer("pilot.1", "_2"))}
	case "trip":
		return &sheet{"", wire.Columns("id", ofShip("ship", ""), ofPort("from.port", "from"), "atd=from.atd", ofPort("to.port", "to"), "ata=to.ata distance duration avg_sog max_sog gap")}
	case "pilotboat":
		return &sheet{"operations", wire.Columns(ofShip("ship", ""), ofPort("port", "port"), "atd ata", ofPort("to", "to"),
			"kind=@.kind timestamp=@.timestamp longitude=@.position.coordinates.0 latitude=@.position.coordinates.1", ofShip("@.ship", "_served"))}
	case "portcalls":
		return &sheet{"", wire.Columns(ofShip("ship", ""), ofPort("port", "port"), "ata atd draught_a draught_d confidence berth=berth.name waiting")}
	}
	return nil
}

// entryColumns returns columns of an entry, with an end of their names.
func entryColumns(entry, end string, keys ...string) string {
	var words []string
	for _, key := range keys {
		name := key[strings.LastIndexByte(key, '.')+1:]
		words = append(words, name+end+"="+entry+"."+key)
	}
	return strings.Join(words, " ")
}

func ofShip(entry, end string) string {
	return entryColumns(entry, end, "mmsi", "imo", "name", "callsign", "type", "length", "width", "draught", "destination", "sog", "cog")
}

func ofReport(entry, end string) string {
	return entryColumns(entry, end, "mmsi", "imo", "name", "callsign", "draught", "sog", "cog") +
		" longitude" + end + "=" + entry + ".position.coordinates.0 latitude" + end + "=" + entry + ".position.coordinates.1"
}

func ofTransfer(entry, end string) string {
	return "boat" + end + "=" + entry + ".ship.mmsi " + entryColumns(entry, end, "index", "label", "timestamp") +
		" longitude" + end + "=" + entry + ".position.coordinates.0 latitude" + end + "=" + entry + ".position.coordinates.1"
}

func ofPort(entry, name string) string {
	return name + "_id=" + entry + ".id " + name + "_locode=" + entry + ".locode " + name + "_name=" + entry + ".name"
}
