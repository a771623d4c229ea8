package ais

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// rule explains differences between gpsd's decode and ours. The patterns are regular expressions. They match the whole of
// the message type (with /dac/fid), of gpsd's key, of gpsd's value and of our value ("-": left out). If there is a relation,
// it must also hold between the values.
type rule struct {
	where, key, theirs, ours string
	relation                 func(theirs, ours string) bool
	reason                   string
}

const (
	notAvailable = "the value means 'not available', which a scaled decode leaves out"
	notThere     = "the message is too short for the field: gpsd writes 0, we nothing"
	notKnown     = "an application that we do not decode: dac, fid and data are given"
	outOfRange   = "outside the range of SN.1/Circ.236, where it means nothing"
	wording      = "the same code in other words"
)

// rules are all differences of the four oracles, by subject.
var rules = []rule{
	// Values that ITU-R M.1371-5, annex 8 names as not available.
	{"1|2|3|18|19", "heading", "511", "-", nil, notAvailable},
	{"1|2|3|9|18|19", "course", "360.0", "-", nil, notAvailable},
	{"1|2|3|9|18|19", "speed", `"nan"|102.3`, "-", nil, notAvailable},
	{"1|2|3|9|18|19|21", "second", "60", "-", nil, notAvailable},
	{"1|2|3|4|9|11|17|18|19|21|27", "lon", `181\.0+`, "-", nil, notAvailable},
	{"1|2|3|4|9|11|17|18|19|21|27", "lat", `91\.0+`, "-", nil, notAvailable},
	{"9", "alt", `"nan"`, "-", nil, notAvailable},
	{"22|23", "ne_lon|sw_lon", `"181.000000"`, "-", nil, notAvailable},
	{"22|23", "ne_lat|sw_lat", `"91.000000"`, "-", nil, notAvailable},
	{"5", "imo", "0", "-", nil, notAvailable},
	{"5", "draught", "0.0", "-", nil, notAvailable},
	{"5|19|24", "callsign|shipname|destination|vendorid", `""`, "-", nil, notAvailable},
	{"5|19|23|24", "shiptype", "0", "-", nil, notAvailable},
	{"5|19|23|24", "shiptype_text", `"Not available"`, "-", nil, notAvailable},
	{"5|19|21|24", "to_bow|to_stern|to_port|to_starboard", "0", "-", nil, notAvailable},
	{"4|5|11|19|21", "epfd_text", `"Undefined"`, "-", nil, notAvailable},
	{"21", "aid_type_text", `"Unspecified"`, "-", nil, notAvailable},
	{"5", "eta", `"00-\d\dT\d\d:\d\dZ"|"\d\d-00T\d\d:\d\dZ"`, "-", nil, notAvailable},
	{"5", "eta", `"\d\d-\d\dT24:\d\dZ"`, `"\d\d-\d\d"`, samePrefix, "hour 24 means 'not available': the day alone is given"},
	{"4|11", "timestamp", `"0000-00-00T24:60:60Z"|"2012-06-01T24:60:60Z"`, "-", nil, notAvailable},
	{"4|11", "timestamp", `"10196-00-24T.*"|"4161-15-31T.*"`, "-", nil, "no such month"},
	{"4", "lon|lat", "205.1168867|109.3320517", "-", nil, "no such place on Earth: longitude beyond 180 or latitude beyond 90 degrees"},
	{"2|9|17|18|27", "lon|lat", `205\.0+|109\.0+|10\.0`, "-", nil, "no such place on Earth, which a scaled decode leaves out"},
	{"27", "speed", "63", "-", nil, notAvailable},
	{"27", "course", "511", "-", nil, notAvailable},
	{"5", "eta", `"04-31T.*"|"13-03T.*"|"02-30T.*"`, "-", nil, "no year has that day"},
	{"5", "eta", `"12-03T05:60Z"`, `"12-03"`, nil, "minute 60 means 'not available': the day alone is given"},
	{"4", "timestamp", `"2016-04-31T.*"`, "-", nil, "no such day"},
	{"11", "timestamp", `"2016-04-30T24:60:60Z"`, "-", nil, notAvailable},
	{"23", "ne_lon|ne_lat", `"19.336667"|"102.613333"`, "-", nil, "no such place on Earth: a latitude of 102 degrees"},

	// The largest value, which means itself or more.
	{"1|9", "speed", `"fast"`, "102.2|1022", nil, "102.2 knots (1022 in message 9) or more: the number is given"},
	{"9", "alt", `"high"`, "4094", nil, "4094 m or more: the number is given"},

	// Fields that the message does not have.
	{"7|13", "mmsi[234]", "0", "-", nil, notThere},
	{"7", "mmsi3", "836359488|76161024", "-", nil, "a receipt has 32 bits, the message ends within it, there is no part of one"},
	{"15", "(type1_2|offset1_2|mmsi2|type2_1|offset2_1)", "0", "-", nil, notThere},
	{"16", "(mmsi|offset|increment)2", "0", "-", nil, notThere},
	{"20", "(offset|number|timeout|increment)[234]", "0", "-", nil, notThere},
	{"25|26", "dest_mmsi|app_id", "0", "-", nil, "not addressed, or not structured: the field is not in the message"},

	// Where gpsd 3.22 is wrong or reads an older edition.
	{"1|2|3", "turn", `\d+`, `-\d+`, turnWithoutSign, "gpsd 3.22 loses the sign of a turn to port in scaled values (table 48 keeps it); our rot is raw"},
	{"24", "vendorid", `".*"`, `".*"`, samePrefix, "message 24: the vendor id is 18 bits, three characters; gpsd reads model and serial number as four more"},
	{"26", "radio", "0", `\d+`, nil, "message 26: the last 20 bits are the communication state; gpsd gives 0"},
	{"9", "regional", `\d+`, `\d+`, withBarometer, "table 51: the first of the eight bits is the altitude sensor, our barometer"},
	{"25|26", "app_id", `\d+`, `\d+`, twoBitsOn, "tables 80 and 83: two spare bits follow the destination, which gpsd reads as the start of the id"},
	{"25|26", "data", `".*"`, `".*"`, dataTwoBitsOn, "the same two bits, which gpsd reads as the start of the data"},
	{"1", "radio", "1076", "34432", nil, "five bits short: the rest of the communication state reads as zeros, where gpsd shifts it"},
	{"19|21|23|5|4|11", "epfd_text", `"INVALID EPFD"`, `"Internal GNSS"`, nil, "message 4: 15 is internal GNSS"},
	{"8/200/10", "length|beam", `\d+`, `\d+\.\d`, scaledBy(10), "gpsd leaves decimetres unscaled"},
	{"8/200/10", "draught", `\d+`, `\d+\.\d\d`, scaledBy(100), "gpsd leaves centimetres unscaled"},
	{"8/1/11|8/1/31", "leveltrend|pressuretend", `"increasing"`, `"decreasing"`, nil, "SN.1/Circ.289: 1 is decreasing; gpsd has the words the other way round"},
	{"8/1/11|8/1/31", "leveltrend|pressuretend", `"decreasing"`, `"increasing"`, nil, "SN.1/Circ.289: 2 is increasing; gpsd has the words the other way round"},
	{"8/1/31", "waterlevel", "42949672.9", "-0.03", nil, "gpsd takes a value below the datum for an unsigned number"},

	// Application messages.
	{"6/1/(12|14|18|32)", ".*", ".*", "-", nil, notKnown},
	{"6/(235|250)/10", "ana_ext[12]", "0", "-", nil, "0 means that the input is not used"},
	{"8/1/(11|31)", "wspeed|wgust|humidity", "127", "-", nil, notAvailable},
	{"8/1/(11|31)", "humidity", "101|126", "-", nil, outOfRange},
	{"8/1/(11|31)", "(w|wgust|c|wave|swell)dir|cdir[23]", "360|511", "-", nil, notAvailable},
	{"8/1/(11|31)", "cspeed[23]?|waveheight|swellheight", "25.5|255", "-", nil, notAvailable},
	{"8/1/(11|31)", "cdepth[23]", "31", "-", nil, notAvailable},
	{"8/1/(11|31)", "waveperiod|swellperiod", "63", "-", nil, notAvailable},
	{"8/1/(11|31)", "seastate", "13|15", "-", nil, notAvailable},
	{"8/1/(11|31)", "salinity", "51.0|51.1|510|511", "-", nil, notAvailable},
	{"8/1/(11|31)", "ice|leveltrend|pressuretend", `3|"N/A"`, "-", nil, notAvailable},
	{"8/1/(11|31)", "preciptype", `7|"N/A"`, "-", nil, notAvailable},
	{"8/1/11", "airtemp", "144.7|2047", "-", nil, notAvailable},
	{"8/1/11", "airtemp", "136.7|138.2", "-", nil, outOfRange},
	{"8/1/11", "dewpoint", "82.3|1023", "-", nil, notAvailable},
	{"8/1/11", "watertemp", "92.3|1023", "-", nil, notAvailable},
	{"8/1/11", "pressure", "1311|511", "-", nil, notAvailable},
	{"8/1/11", "pressure", "1285", "-", nil, outOfRange},
	{"8/1/11", "visibility", "25.5|255", "-", nil, notAvailable},
	{"8/1/11", "waterlevel", "41.1|511", "-", nil, notAvailable},
	{"8/1/11", "waterlevel", "31.7", "-", nil, outOfRange},
	{"8/1/31", "airtemp", `-102\.4|-1024`, "-", nil, notAvailable},
	{"8/1/31", "dewpoint|watertemp", "50.1|501", "-", nil, notAvailable},
	{"8/1/31", "pressure", "1310|511", "-", nil, notAvailable},
	{"8/1/31", "visibility", "12.7|127", "-", nil, notAvailable},
	{"8/1/31", "waterlevel", "30.0|4001", "-", nil, notAvailable},
	{"8/1/11", "lat|lon|timestamp|wdir|wspeed", `55.0070|-5.1594|"11T11:46Z"|301|5`, "-", nil,
		"a message of 344 bits: SN.1/Circ.236 has 352, so we keep the bits and read no content"},
	{"8/1/11", "ice", "0", "-", nil, "the same message: its last fields are not there"},
	{"8/1/(11|31)|8/200/10", "(preciptype|ice|hazard|loaded|shiptype)_text", ".*", "-", nil, "the code alone is given"},
	{"8/1/31", "ice", `"no"`, "0", nil, "the code, not its word"},
	{"8/200/10", "hazard", "5", "-", nil, notAvailable},
	{"8/200/10", "loaded|shiptype|draught", "0", "-", nil, notAvailable},

	// Words.
	{"27", "status", `"Reserved"`, "11", nil, "gpsd 3.22 has the word in status"},
	{"27", "status", `"Restricted manoeuverability"`, "3", nil, "gpsd 3.22 has the word in status"},
	{"1|2|3|4|5|11|19|21|23|24|27", "(status|shiptype|aid_type|stationtype|epfd)_text", ".*", ".*", sameMeaning, wording},
}

// meanings are the pairs of gpsd's words and ours that stand for the same code.
var meanings = map[[2]string]bool{
	{"Anti-pollution equipment", "Anti-pollution vessel"}:                                                  true,
	{"Beacon, Port hand", "Beacon, port hand"}:                                                             true,
	{"Beacon, Safe water", "Beacon, safe water"}:                                                           true,
	{"Beacon, Starboard hand", "Beacon, starboard hand"}:                                                   true,
	{"Cardinal Mark E", "Cardinal mark E"}:                                                                 true,
	{"Cardinal Mark N", "Cardinal mark N"}:                                                                 true,
	{"Cardinal Mark S", "Cardinal mark S"}:                                                                 true,
	{"Cardinal Mark W", "Cardinal mark W"}:                                                                 true,
	{"Cargo - Hazardous category A", "Cargo, hazardous category A"}:                                        true,
	{"Cargo - Hazardous category B", "Cargo, hazardous category B"}:                                        true,
	{"Cargo - Hazardous category D", "Cargo, hazardous category D"}:                                        true,
	{"Cargo - No additional information", "Cargo"}:                                                         true,
	{"Cargo - Reserved for future use", "Cargo"}:                                                           true,
	{"Cargo - all ships of this type", "Cargo"}:                                                            true,
	{"Diving ops", "Diving operations"}:                                                                    true,
	{"Dredging or underwater ops", "Dredging or underwater operations"}:                                    true,
	{"Fixed offshore structure", "Fixed structure off shore"}:                                              true,
	{"High speed craft (HSC) - all ships of this type", "High speed craft"}:                                true,
	{"INVALID SHIP TYPE", "Reserved"}:                                                                      true,
	{"Law Enforcement", "Law enforcement vessel"}:                                                          true,
	{"Leading Light Front", "Leading light front"}:                                                         true,
	{"Leading Light Rear", "Leading light rear"}:                                                           true,
	{"Light Vessel / LANBY / Rigs", "Light vessel, LANBY or rig"}:                                          true,
	{"Military ops", "Military operations"}:                                                                true,
	{"Other Type - all ships of this type", "Other"}:                                                       true,
	{"Other Type - no additional information", "Other"}:                                                    true,
	{"Passenger - Hazardous category C", "Passenger, hazardous category C"}:                                true,
	{"Passenger - No additional information", "Passenger"}:                                                 true,
	{"Passenger - all ships of this type", "Passenger"}:                                                    true,
	{"Pilot Vessel", "Pilot vessel"}:                                                                       true,
	{"Pleasure Craft", "Pleasure craft"}:                                                                   true,
	{"Port Tender", "Port tender"}:                                                                         true,
	{"Port hand Mark", "Port hand mark"}:                                                                   true,
	{"Preferred Channel Port hand", "Preferred channel port hand"}:                                         true,
	{"Preferred Channel Starboard hand", "Preferred channel starboard hand"}:                               true,
	{"Regional use and inland waterways", "Inland waterways"}:                                              true,
	{"Reserved (14)", "Reserved"}:                                                                          true,
	{"Reserved for HSC", "Reserved for high speed craft"}:                                                  true,
	{"Reserved for future use", "Reserved"}:                                                                true,
	{"Reserved", "Power-driven vessel pushing ahead or towing alongside"}:                                  true,
	{"Reserved", "Power-driven vessel towing astern"}:                                                      true,
	{"Restricted maneuverability", "Restricted manoeuvrability"}:                                           true,
	{"Restricted manoeuverability", "Restricted manoeuvrability"}:                                          true,
	{"Safe Water", "Safe water"}:                                                                           true,
	{"Search and Rescue vessel", "Search and rescue vessel"}:                                               true,
	{"Spare - Local Vessel", "Local vessel"}:                                                               true,
	{"Special Mark", "Special mark"}:                                                                       true,
	{"Starboard hand Mark", "Starboard hand mark"}:                                                         true,
	{"Tanker - Hazardous category A", "Tanker, hazardous category A"}:                                      true,
	{"Tanker - Hazardous category B", "Tanker, hazardous category B"}:                                      true,
	{"Tanker - Hazardous category C", "Tanker, hazardous category C"}:                                      true,
	{"Tanker - Hazardous category D", "Tanker, hazardous category D"}:                                      true,
	{"Tanker - No additional information", "Tanker"}:                                                       true,
	{"Tanker - Reserved for future use", "Tanker"}:                                                         true,
	{"Tanker - all ships of this type", "Tanker"}:                                                          true,
	{"Towing: length exceeds 200m or breadth exceeds 25m", "Towing, longer than 200 m or wider than 25 m"}: true,
}

func sameMeaning(theirs, ours string) bool {
	theirs, _ = strconv.Unquote(theirs)
	ours, _ = strconv.Unquote(ours)
	return meanings[[2]string{theirs, ours}]
}

func samePrefix(theirs, ours string) bool {
	return strings.HasPrefix(theirs, strings.TrimSuffix(ours, `"`)) && len(ours) >= 2
}

// turnWithoutSign reports whether theirs is the square of ours over 4.733, rounded.
func turnWithoutSign(theirs, ours string) bool {
	degrees, _ := strconv.ParseFloat(theirs, 64)
	raw, _ := strconv.ParseFloat(ours, 64)
	return math.Abs(raw*raw/4.733/4.733-degrees) <= 0.5
}

// withBarometer reports whether theirs is ours with one bit more before it.
func withBarometer(theirs, ours string) bool {
	a, _ := strconv.Atoi(theirs)
	b, _ := strconv.Atoi(ours)
	return a == b|1<<7
}

// twoBitsOn reports whether ours is the number of 16 bits that begins two bits behind theirs.
func twoBitsOn(theirs, ours string) bool {
	a, _ := strconv.Atoi(theirs)
	b, _ := strconv.Atoi(ours)
	return a&0x3fff == b>>2
}

// dataTwoBitsOn reports whether ours is the data of theirs from its third bit on.
func dataTwoBitsOn(theirs, ours string) bool {
	length, digits, ok := strings.Cut(strings.Trim(theirs, `"`), ":")
	n, _ := strconv.Atoi(length)
	a, okA := new(big.Int).SetString(digits, 16)
	b, okB := new(big.Int).SetString(strings.Trim(ours, `"`), 16)
	if !ok || !okA || !okB || n <= 2 {
		return false
	}
	a.Rsh(a, uint(4*len(digits)-n))
	b.Rsh(b, uint(4*(len(ours)-2)-(n-2)))
	a.And(a, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n-2)), big.NewInt(1)))
	return a.Cmp(b) == 0
}

func scaledBy(n float64) func(theirs, ours string) bool {
	return func(theirs, ours string) bool {
		a, _ := strconv.ParseFloat(theirs, 64)
		b, _ := strconv.ParseFloat(ours, 64)
		return math.Abs(a/n-b) < 1e-9
	}
}

var differencePattern = regexp.MustCompile(`^(\S+) (\S+): (.*) -> (.*)$`)

// explained reports whether a rule covers the difference, and marks the rule as needed.
func explained(diff string, used map[int]bool) bool {
	part := differencePattern.FindStringSubmatch(diff)
	if part == nil {
		return false
	}
	for i, r := range rules {
		if whole(r.where, part[1]) && whole(r.key, part[2]) && whole(r.theirs, part[3]) && whole(r.ours, part[4]) &&
			(r.relation == nil || r.relation(part[3], part[4])) {
			used[i] = true
			return true
		}
	}
	return false
}

// patterns keeps the compiled expressions of rules.
var patterns = map[string]*regexp.Regexp{}

func whole(pattern, text string) bool {
	p := patterns[pattern]
	if p == nil {
		p = regexp.MustCompile(`^(?:` + pattern + `)$`)
		patterns[pattern] = p
	}
	return p.MatchString(text)
}
