package ais

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// fields is a decoded JSON object.
type fields map[string]any

// ourKey returns the name that we use for a field of gpsd's (docs/ais.md, "Names").
func ourKey(key string, o fields) string {
	switch key {
	case "status":
		return "nav_status"
	case "status_text":
		return "nav_status_text"
	case "turn":
		return "rot"
	case "speed":
		return "sog"
	case "course":
		return "cog"
	case "shipname":
		return "name"
	}
	if o["dac"] == nil { // inland ship types are not AIS's
		switch key {
		case "shiptype":
			return "type_code"
		case "shiptype_text":
			return "type_text"
		}
	}
	return key
}

// parseObject reads one JSON line with its numbers as written.
func parseObject(t testing.TB, line []byte) fields {
	t.Helper()
	var o fields
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&o); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return o
}

// ours decodes a log and returns each message as our JSON has it, checked to be JSON.
func ours(t testing.TB, data []byte, raw bool) (list []fields) {
	t.Helper()
	_, b := decodeAll(data, DecoderConfig{})
	names := map[MMSI]any{}
	for i := range b.Reports {
		o := parseObject(t, new(JSONPrinter).Append(nil, &b.Reports[i], raw))
		if m, ok := b.Reports[i].Message.(*StaticReport); ok { // gpsd repeats in part B the name that part A had
			if m.Part == 0 {
				names[m.MMSI] = o["name"]
			} else if name, known := names[m.MMSI]; known {
				o["name"] = name
			}
		}
		o["raw"] = string(b.Reports[i].Raw)
		list = append(list, o)
	}
	return list
}

// gpsdLines returns the AIS objects among the lines.
func gpsdLines(t testing.TB, data []byte) (list []fields) {
	t.Helper()
	for line := range SplitLines(data) {
		if bytes.HasPrefix(line, []byte(`{"class":"AIS"`)) {
			list = append(list, parseObject(t, line))
		}
	}
	return list
}

// asText writes a value so that equal ones look equal. gpsd quotes the numbers of types 22 and 23.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case json.Number:
		return v.String()
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// same reports whether our value is the oracle's, within half a unit of the last digit that the oracle writes.
func same(key string, theirs, ours any, o fields) bool {
	switch key {
	case "turn":
		return turnText(ours) == turnText2(theirs, o)
	case "status":
		if _, words := theirs.(string); words { // type 27
			return strings.EqualFold(theirs.(string), asWords(o["our nav_status_text"]))
		}
	case "data":
		bits, digits, _ := strings.Cut(theirs.(string), ":")
		return asText(o["our data_bits"]) == bits && sameBits(digits, asWords(ours), bits)
	}
	a, okA := numeric(theirs)
	b, okB := numeric(ours)
	if !okA || !okB {
		return asText(theirs) == asText(ours)
	}
	text := strings.Trim(asText(theirs), `"`)
	decimals := 0
	if dot := strings.IndexByte(text, '.'); dot >= 0 {
		decimals = len(text) - dot - 1
	}
	return math.Abs(a-b) <= 0.51*math.Pow10(-decimals)
}

// sameBits compares hexadecimal digits without what stands in the last byte behind the last bit.
func sameBits(theirs, ours, bits string) bool {
	a, err := hex.DecodeString(theirs)
	b, err2 := hex.DecodeString(ours)
	n, err3 := strconv.Atoi(bits)
	if err != nil || err2 != nil || err3 != nil || len(b) != (n+7)/8 || len(a) < len(b) {
		return false
	}
	if n%8 != 0 {
		a[len(b)-1] &= 0xff << (8 - n%8)
	}
	return bytes.Equal(a[:len(b)], b)
}

func asWords(v any) string {
	text, _ := v.(string)
	return text
}

func numeric(v any) (float64, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
		if !strings.Contains(text, ".") {
			return 0, false
		}
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// turnText and turnText2 bring our raw rate of turn and gpsd's to one form: gpsd's scaled one is degrees a minute or a word.
func turnText(ours any) string {
	n, ok := ours.(json.Number)
	if !ok {
		return "none"
	}
	v, _ := n.Int64()
	switch v {
	case -128:
		return "none"
	case 127:
		return "fastright"
	case -127:
		return "fastleft"
	}
	degrees, _ := RawROT(int(v)).DegreesPerMinute()
	return fmt.Sprintf("%.0f", degrees)
}

func turnText2(theirs any, o fields) string {
	text := strings.Trim(asText(theirs), `"`)
	if o["scaled"] == false {
		return turnText(json.Number(text))
	}
	switch text {
	case "nan", "n/a":
		return "none"
	case "fastleft", "fastright":
		return text
	}
	v, _ := strconv.ParseFloat(text, 64)
	return fmt.Sprintf("%.0f", math.Round(v))
}

// compare adds to diffs what is not the same, as "type key: theirs -> ours".
func compare(diffs map[string]int, theirs, ours fields) {
	theirs["our data_bits"], theirs["our nav_status_text"] = ours["data_bits"], ours["nav_status_text"]
	for key, v := range theirs {
		if key == "class" || key == "device" || strings.HasPrefix(key, "our ") {
			continue
		}
		our := ours[ourKey(key, theirs)]
		if !same(key, v, our, theirs) {
			diffs[difference(theirs, key, v, our)]++
		}
	}
}

func difference(o fields, key string, theirs, ours any) string {
	kind := asText(o["type"])
	if o["dac"] != nil {
		kind += "/" + asText(o["dac"]) + "/" + asText(o["fid"])
	}
	return fmt.Sprintf("%s %s: %s -> %s", kind, key, asText(theirs), asText(ours))
}

// pair goes through two lists of messages in order and pairs those of the same type, sender and, where needed, content. A
// message without a partner among the next few is missing or extra.
func pair(theirs, ours []fields, each func(theirs, ours fields)) (missing, extra []fields) {
	identity := func(o fields) string {
		second := o["second"]
		if second == nil {
			second = json.Number("60")
		}
		return fmt.Sprint(o["type"], o["mmsi"], o["repeat"], second, o["model"] != nil)
	}
	next := 0
	for _, o := range theirs {
		want := identity(o)
		at := slices.IndexFunc(ours[next:min(next+60, len(ours))], func(m fields) bool { return identity(m) == want })
		if at < 0 {
			missing = append(missing, o)
			continue
		}
		extra = append(extra, ours[next:next+at]...)
		each(o, ours[next+at])
		next += at + 1
	}
	return missing, append(extra, ours[next:]...)
}

// checkPairs wants every message of gpsd's, and of ours beyond those only
//   - sentences of the talkers BY, SS and --, which gpsd 3.22 does not know: ITU-R and IEC 61162-1 let any talker
//     pass AIS on, and the messages are whole;
//   - parts of type 24 that gpsd holds back until it can join A and B: each is a message of its own (annex 8, 3.22).
func checkPairs(t *testing.T, missing, extra []fields) {
	t.Helper()
	for _, o := range missing {
		t.Errorf("missing: %v", o)
	}
	for _, o := range extra {
		talker := asWords(o["raw"])[1:3]
		if talker != "BY" && talker != "SS" && talker != "--" && asText(o["type"]) != "24" {
			t.Errorf("extra: %v", o)
		}
	}
}

// checkDiffs compares the differences with the rules that explain them.
func checkDiffs(t *testing.T, diffs map[string]int, used map[int]bool) {
	t.Helper()
	keys := make([]string, 0, len(diffs))
	for key := range diffs {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		if !explained(key, used) {
			t.Errorf("%d times %s", diffs[key], key)
		}
	}
}

// TestOracles compares our decode with gpsd's, field by field: a hand-made sample of all types scaled and raw, 4,546
// received messages, and two whole streams. Each difference needs a rule, and each rule a difference.
func TestOracles(t *testing.T) {
	used := map[int]bool{}
	realData(t, "oracle/gpsd_sample.aivdm") // skips the whole test when the data is not here
	t.Run("sample scaled", func(t *testing.T) { oracleSample(t, "oracle/gpsd_sample.aivdm.js.chk", false, used) })
	t.Run("sample raw", func(t *testing.T) { oracleSample(t, "oracle/gpsd_sample.aivdm.ju.chk", true, used) })
	t.Run("all types", func(t *testing.T) { oracleAllTypes(t, used) })
	t.Run("kadetrenden", func(t *testing.T) {
		oracleStream(t, "nmea/kadetrenden_2013-07-31.nmea.gz", "oracle/kadetrenden_2013-07-31.gpsdecode.jsonl.gz", used)
	})
	t.Run("world", func(t *testing.T) {
		oracleStream(t, "nmea/world_2010-06-11_pghp.txt.gz", "oracle/world_2010-06-11.gpsdecode.jsonl.gz", used)
	})
	t.Run("edges", func(t *testing.T) { oracleEdges(t, used) })
	for i, r := range rules {
		if !used[i] {
			t.Errorf("rule %d explains nothing: %s %s %s -> %s", i, r.where, r.key, r.theirs, r.ours)
		}
	}
}

func oracleSample(t *testing.T, name string, raw bool, used map[int]bool) {
	theirs := gpsdLines(t, realData(t, name))
	diffs := map[string]int{}
	missing, extra := pair(theirs, ours(t, realData(t, "oracle/gpsd_sample.aivdm"), raw), func(a, b fields) { compare(diffs, a, b) })
	checkPairs(t, missing, extra)
	checkDiffs(t, diffs, used)
}

// oracleEdges compares messages of our own with the largest values and impossible ones, of which recordings have few.
func oracleEdges(t *testing.T, used map[int]bool) {
	theirs := gpsdLines(t, fixture(t, "edges.gpsd.jsonl"))
	all := ours(t, fixture(t, "edges.nmea"), false)
	if len(all) != len(theirs) || len(all) < 15 {
		t.Fatalf("%d messages, %d of gpsd", len(all), len(theirs))
	}
	diffs := map[string]int{}
	for i := range all {
		compare(diffs, theirs[i], all[i])
	}
	checkDiffs(t, diffs, used)
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func oracleAllTypes(t *testing.T, used map[int]bool) {
	diffs := map[string]int{}
	n := 0
	for line := range SplitLines(realData(t, "oracle/goais_alltypes_A.jsonl.gz")) {
		var row struct {
			N         int
			Sentences []string
			GPSD      json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		n++
		list := ours(t, []byte(strings.Join(row.Sentences, "\n")), false)
		if len(list) != 1 {
			t.Errorf("message %d: %d decoded", row.N, len(list))
			continue
		}
		if len(row.GPSD) == 0 || string(row.GPSD) == "null" {
			diffs[fmt.Sprintf("%v: gpsd decodes nothing", list[0]["type"])]++
			continue
		}
		compare(diffs, parseObject(t, row.GPSD), list[0])
	}
	if n != 4546 {
		t.Errorf("%d messages, want 4546", n)
	}
	checkDiffs(t, diffs, used)
}

func oracleStream(t *testing.T, log, oracle string, used map[int]bool) {
	theirs := gpsdLines(t, realData(t, oracle))
	all := ours(t, realData(t, log), false)
	diffs := map[string]int{}
	missing, extra := pair(theirs, all, func(a, b fields) { compare(diffs, a, b) })
	t.Logf("%d of gpsd, %d of ours", len(theirs), len(all))
	checkPairs(t, missing, extra)
	checkDiffs(t, diffs, used)
}
