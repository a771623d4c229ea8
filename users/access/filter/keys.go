// Package filter reads the settings and filters of users. It knows which keys they have, what the keys may name, and which ships and messages they let pass. It
// knows no users.
package filter

//go:generate go run ./gen -contract ../../../handlers/openapi.yaml

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/users/access/right"
)

// refKind is what the text values of a key name.
type refKind uint8

const (
	refNone refKind = iota
	refShape
	refShipList
	refOutside // a feed or a stream of the configuration file: known by its name alone
)

// keyRule is what a key takes: a check of its value, what it refers to, and how the contract describes it.
type keyRule struct {
	check   func(json.RawMessage) error
	refs    refKind
	single  bool   // a single reference, not a list
	form    string // of the value, as the inside of a schema in YAML
	unit    string // of numbers; "" for none
	usual   string // the value where the key is not set, in YAML; "" for none
	meaning string // where it is not set and that is no value
}

// withUnit returns the rule with the unit of its numbers.
func (k keyRule) withUnit(unit string) keyRule {
	k.unit = unit
	return k
}

// by returns the rule with the value that counts where the key is not set, in YAML.
func (k keyRule) by(value string) keyRule {
	k.usual = value
	return k
}

// otherwise returns the rule with what a key means that is not set.
func (k keyRule) otherwise(meaning string) keyRule {
	k.meaning = meaning
	return k
}

func typed[T any](must *rule.Rule, more func(T) bool) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var v *T
		if json.Unmarshal(raw, &v) != nil || v == nil || more != nil && !more(*v) {
			return must
		}
		return nil
	}
}

func isBool() keyRule {
	return keyRule{form: "type: boolean", usual: "false", check: typed[bool](rule.New("boolean", "must be true or false"), nil)}
}

func isText() keyRule {
	return keyRule{form: fmt.Sprintf("type: string, maxLength: %d", form.MaxText),
		check: typed(rule.New("bounded_text", "must be a string of at most {max} bytes", "max", form.MaxText),
			func(text string) bool { return form.CheckText(text) == nil })}
}

func isInt(low, high int64) keyRule {
	return keyRule{form: fmt.Sprintf("type: integer, minimum: %d, maximum: %d", low, high),
		check: typed(rule.New("integer_range", "must be an integer from {min} to {max}", "min", low, "max", high),
			func(n int64) bool { return n >= low && n <= high })}
}

func isInts(low, high int64) keyRule {
	return keyRule{form: fmt.Sprintf("type: array, items: {type: integer, minimum: %d, maximum: %d}", low, high),
		check: typed(rule.New("integers_range", "must be an array of integers from {min} to {max}", "min", low, "max", high),
			func(list []int64) bool {
				return !slices.ContainsFunc(list, func(n int64) bool { return n < low || n > high })
			})}
}

func isTexts() keyRule {
	return keyRule{form: "type: array, items: {type: string}", check: typed[[]string](rule.New("texts", "must be an array of strings"), nil)}
}

func isWord(words ...string) keyRule {
	all := strings.Join(words, ", ")
	return keyRule{form: "type: string, enum: [" + all + ", '']", check: typed(rule.New("one_of", "must be one of {words}", "words", all),
		func(text string) bool { return text == "" || slices.Contains(words, text) })}
}

func isWords(words ...string) keyRule {
	all := strings.Join(words, ", ")
	return keyRule{form: "type: array, items: {type: string, enum: [" + all + "]}",
		check: typed(rule.New("array_of", "must be an array of {words}", "words", all), func(list []string) bool {
			return !slices.ContainsFunc(list, func(text string) bool { return !slices.Contains(words, text) })
		})}
}

func namesOf(kind refKind) keyRule {
	return keyRule{refs: kind, form: fmt.Sprintf("type: array, maxItems: %d, items: {$ref: '#/components/schemas/NameOrReference'}", maxRefs)}
}

// maxRefs bounds how many names one key may have.
const maxRefs = 1000

// settingRules are the known settings.
func settingRules() map[string]keyRule {
	number := isInt(0, 1<<31-1)
	level := isWord("low", "normal", "high").by("normal")
	seconds := number.withUnit("seconds").by("0")
	return map[string]keyRule{
		"allowed_pss_list":                    namesOf(refOutside).otherwise("all feeds"),
		"clock_sync_interval":                 seconds,
		"congestion_adjustment_factor":        number.withUnit("percent").by("150"),
		"custom_tag_info":                     isText(),
		"default_mmsi":                        isInt(0, form.MaxInteger).withUnit("MMSI").otherwise("the first of mmsi_list"),
		"default_pss_list":                    namesOf(refOutside).otherwise("all feeds"),
		"down_sample_interval":                seconds,
		"fixed_downsampling_interval":         seconds,
		"forward_cached_static_voyage_data":   isBool(),
		"include_external_id":                 isBool(),
		"include_peep":                        isBool(),
		"is_gad_user":                         isBool(),
		"lss_group":                           {refs: refOutside, single: true, form: "$ref: '#/components/schemas/NameOrReference'", meaning: "any output"},
		"max_congestion_adjustment_factor":    number.withUnit("percent").by("1000"),
		"max_message_rate":                    number.withUnit("messages a second").by("0"),
		"mmsi_list":                           isInts(1, form.MaxInteger).withUnit("MMSI"),
		"origin_country":                      isInt(0, 999).withUnit("MID"),
		"origin_region":                       number.withUnit("number of a region"),
		"output_format":                       isWord("nmea", "nmea_tag", "nmea_comment", "nmea_pghp", "oth_gold", "xml").by("nmea"),
		"priority":                            level,
		"receive_system_status":               isBool(),
		"region_mask":                         isHex(),
		"report_max_job_size":                 number.withUnit("ships or fixes").by("0"),
		"report_permission_allow_all":         isBool().by("true"),
		"report_permissions":                  isPermissions(),
		"report_priority":                     level,
		"time_between_congestion_adjustments": number.withUnit("seconds").by("10"),
		"time_stamp_method":                   isWord("none", "tag", "comment", "pghp").otherwise("that of the output_format"),
		"use_timestamp":                       isBool().by("").otherwise("as the output_format has it"),
		"user_type":                           isWord("user", "client", "proxy", "admin").by("user"),
		"web_max_lookback_time":               isInt(0, mostHours).withUnit("hours").by("0"),
	}
}

// mostHours bounds web_max_lookback_time: a century, and fewer nanoseconds than 64 bits hold.
const mostHours = 1_000_000

// mostInterval is the longest delay or interval of a user's ships: a day, in seconds.
const mostInterval = 86400

// mostHex bounds region_mask: regions 0 to 1023.
const mostHex = 256

func isHex() keyRule {
	return keyRule{form: fmt.Sprintf("type: string, maxLength: %d, pattern: '^[0-9A-Fa-f]*$'", mostHex),
		check: typed(rule.New("hexadecimal", "must be hexadecimal text of at most {max} digits", "max", mostHex), func(text string) bool {
			return len(text) <= mostHex && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
		})}
}

func isPermissions() keyRule {
	return keyRule{form: "type: object, additionalProperties: {enum: [allow, deny, '']}",
		check: typed(rule.New("permissions", "must map kinds of reports to allow or deny"), func(all map[string]string) bool {
			for _, verdict := range all {
				if verdict != "" && verdict != string(right.Allow) && verdict != string(right.Deny) {
					return false
				}
			}
			return true
		})}
}

// content is one row of binary_message_content.
type content struct {
	DAC  int    `json:"dac"`
	FI   int    `json:"fi"`
	Type string `json:"type"` // addressed, broadcast, or "" for both
}

// transmitRules are the known keys of a transmit_filter.
func transmitRules() map[string]keyRule {
	return map[string]keyRule{
		"binary_message_content":          isContents(),
		"expression":                      isText(),
		"include_predefined_ship_list":    isBool(),
		"include_user_defined_ship_list":  isBool(),
		"message_types":                   isInts(1, 27),
		"mobile_types":                    isWords(classes()...),
		"predefined_ship_list":            namesOf(refShipList),
		"types_of_ship":                   {form: "type: array, items: {type: string}", check: checkShipTypes},
		"unsupported_message_types":       isBool(),
		"unsupported_mobile_types":        isBool(),
		"unsupported_ship_types":          isBool(),
		"user_defined_ship_list_callsign": isTexts(),
		"user_defined_ship_list_imo":      isInts(0, 1<<32-1).withUnit("IMO number"),
		"user_defined_ship_list_mmsi":     isInts(1, form.MaxInteger).withUnit("MMSI"),
	}
}

// isContents is the rule of binary_message_content.
func isContents() keyRule {
	const item = "{type: object, properties: {dac: {type: integer, minimum: 0, maximum: 1023}, fi: {type: integer, minimum: 0, maximum: 63}, " +
		"type: {enum: [addressed, broadcast, '']}}}"
	return keyRule{form: "type: array, items: " + item,
		check: typed(rule.New("contents", "must be an array of objects with dac, fi and type"), func(list []content) bool {
			return !slices.ContainsFunc(list, func(c content) bool {
				return c.DAC < 0 || c.DAC > 1023 || c.FI < 0 || c.FI > 63 || !slices.Contains([]string{"", "addressed", "broadcast"}, c.Type)
			})
		})}
}

// checkShipTypes refuses what names no type, and codes that are of no type: a filter of them alone would hide every ship.
func checkShipTypes(raw json.RawMessage) error {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return rule.New("texts", "must be an array of strings")
	}
	for _, text := range list {
		code, err := strconv.ParseUint(text, 10, 64)
		switch {
		case err == nil && (code < firstType || code > lastType):
			return rule.New("type_code", "names {code}: codes of types go from {min} to {max}, and unsupported_ship_types lets the others pass",
				"code", text, "min", firstType, "max", lastType)
		case err != nil && !namesType(text):
			return rule.New("type_or_code", "names {name}, which is neither a type of ship nor a code from {min} to {max}",
				"name", strconv.Quote(text), "min", firstType, "max", lastType)
		}
	}
	return nil
}

// The codes that are a type of ship; ITU-R M.1371 keeps the lower ones for later and has no words for the higher.
const (
	firstType = 20
	lastType  = 99
)

// namesType reports whether a text is a type of ship in the filter language. Programs write the key, so each type has one word here.
func namesType(text string) bool {
	if ship.IsTypeSynonym(text) {
		return false
	}
	holds := shipTypes([]string{text}, false)
	trial := ship.State{Static: &ship.Static{}}
	for trial.Static.Type = firstType; trial.Static.Type <= lastType; trial.Static.Type++ {
		if holds(&trial, time.Time{}) {
			return true
		}
	}
	return false
}

// classes are the values of class in the interface.
func classes() []string {
	return []string{"A", "B", "base", "aton", "sar", "sart", "mob", "epirb", "group", "coast", "unknown"}
}

// receiveRules are the known keys of a receive_filter: those of a transmit_filter and more.
func receiveRules() map[string]keyRule {
	rules := transmitRules()
	maps.Copy(rules, receiveOnlyRules())
	return rules
}

// receiveOnlyRules are the keys that restrict in a receive_filter and would do nothing in a transmit_filter.
func receiveOnlyRules() map[string]keyRule {
	interval := isInt(0, mostInterval).withUnit("seconds").by("0")
	return map[string]keyRule{
		"allow_addressed_messages": isBool().by("true"),
		"areas":                    namesOf(refShape),
		"countries":                isInts(100, 999).withUnit("MID"),
		"delay":                    interval,
		"psss":                     namesOf(refOutside).otherwise("all feeds"),
		"range_dependant_update":   isRanges(),
		"regions":                  namesOf(refShape),
		"source_mode_is_and":       isBool(),
		"source_tags":              isTexts(),
		"update_interval":          interval,
	}
}

// ranges is the value of range_dependant_update: seconds between updates by metres from a place.
type ranges struct {
	Position []*float64 `json:"position"` // null is no number
	Ranges   []struct {
		Distance int `json:"distance"`
		Interval int `json:"interval"`
	} `json:"ranges"`
}

// centrePoint returns the place from which the ranges are measured. A null that was kept before it was refused is 0, as it was then.
func (r *ranges) centrePoint() (p geo.Point) {
	for i, to := range []*float64{&p.Lon, &p.Lat} {
		if r.Position[i] != nil {
			*to = *r.Position[i]
		}
	}
	return p
}

// isRanges is the rule of range_dependant_update.
func isRanges() keyRule {
	const place = "position: {type: array, minItems: 2, maxItems: 2, items: {type: number}, description: 'longitude, latitude in degrees'}"
	const item = "{type: object, properties: {distance: {type: integer, minimum: 0, description: metres}, " +
		"interval: {type: integer, minimum: 0, maximum: 86400, description: seconds}}}"
	return keyRule{form: "type: object, required: [position], properties: {" + place + ", ranges: {type: array, items: " + item + "}}", check: checkRanges}
}

func checkRanges(raw json.RawMessage) error {
	var v ranges
	must := rule.New("ranges", "must have position, as [longitude, latitude], and ranges of distance in metres and interval of at most a day in seconds")
	if json.Unmarshal(raw, &v) != nil || len(v.Position) != 2 || slices.Contains(v.Position, nil) || !v.centrePoint().Valid() {
		return must
	}
	for _, r := range v.Ranges {
		if r.Distance < 0 || r.Interval < 0 || r.Interval > mostInterval {
			return must
		}
	}
	return nil
}

// KnownKeys says which keys are known.
type KnownKeys uint8

// The three sets of keys.
const (
	Settings KnownKeys = iota
	Receive
	Transmit
)

// Keys returns the names of the keys.
func (s KnownKeys) Keys() []string { return slices.Collect(maps.Keys(s.rules())) }

func (s KnownKeys) rules() map[string]keyRule {
	switch s {
	case Receive:
		return receiveRules()
	case Transmit:
		return transmitRules()
	}
	return settingRules()
}

// foreign returns the keys that this set refuses, although they are known elsewhere.
func (s KnownKeys) foreign() map[string]keyRule {
	if s != Transmit {
		return nil
	}
	return receiveOnlyRules()
}
