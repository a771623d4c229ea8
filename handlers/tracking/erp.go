package tracking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"quaywatch/form"
	"quaywatch/internal/rule"
)

// erp is what is understood of ERP information, and what is wrong with the parts that are known.
type erp struct {
	quay  int64 // of the first warp, 0 for none
	wrong form.Errors
}

// mostLooked bounds the warps, bollards and attributes that are looked at.
const mostLooked = 1000

// readERP reads ERP information. Nothing in it is an error of the caller's: what is not understood is told as a warning.
func readERP(raw json.RawMessage) (plan erp) {
	if len(raw) == 0 {
		return plan
	}
	var keys form.Keys
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		return plan // any JSON may be kept
	}
	f := form.Of(keys)
	readTime(f, "eta")
	readTime(f, "etd")
	readTime(f, "first_line")
	colour(f)
	var before time.Time
	for i, warp := range firstObjects(f, "warp") {
		when := readTime(warp, "eta")
		if left := readTime(warp, "etd"); !when.IsZero() && !left.IsZero() && left.Before(when) {
			warp.Refuse("etd", rule.New("warp_etd", "is before eta"))
		}
		if !when.IsZero() && when.Before(before) {
			warp.Refuse("eta", rule.New("warp_order", "is before that of the warp before"))
		}
		if !when.IsZero() {
			before = when
		}
		readTime(warp, "first_line")
		checkSide(warp)
		if quay := readWhole(warp, "quay_id"); i == 0 {
			plan.quay = quay
		}
		bollards(warp)
	}
	attributes(f)
	plan.wrong = f.Take()
	return plan
}

// firstObjects returns the objects of an array, the first of very many.
func firstObjects(f *form.Fields, key string) []*form.Fields {
	list := f.List(key)
	return f.Objects(key, list[:min(len(list), mostLooked)])
}

// readTime returns a time, the zero time for none.
func readTime(f *form.Fields, key string) time.Time { return f.Time(key, time.Time{}) }

// colour looks whether the colour is one.
func colour(f *form.Fields) {
	if !f.Given("color") {
		return
	}
	text := f.Text("color")
	_, err := strconv.ParseUint(text[min(1, len(text)):], 16, 32)
	if len(text) != 7 || text[0] != '#' || err != nil {
		f.Refuse("color", rule.New("hex_color", "must be #rrggbb"))
	}
}

// checkSide looks whether a berthing side is one.
func checkSide(f *form.Fields) {
	if raw := bytes.TrimSpace(f.Raw("side")); f.Given("side") && string(raw) != "true" && string(raw) != "false" && string(raw) != `"N/A"` {
		f.Refuse("side", rule.New("erp_side", "must be true for starboard, false for port, or N/A"))
	}
}

// readWhole returns a whole number that stands there as a number or as text, 0 for none.
func readWhole(f *form.Fields, key string) int64 {
	if !f.Given(key) {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.Trim(bytes.TrimSpace(f.Raw(key)), `"`)), 10, 64)
	if err != nil {
		f.Refuse(key, rule.New("integer", "must be an integer"))
	}
	return n
}

// bollards looks whether bollards have numbers and places.
func bollards(warp *form.Fields) {
	for _, b := range firstObjects(warp, "bollard") {
		readWhole(b, "number")
		if b.Given("position") {
			b.Point("position")
		}
	}
}

// attributes looks whether each attribute has a key, and flags that are flags.
func attributes(f *form.Fields) {
	for i, a := range firstObjects(f, "attributes") {
		if a.Text("key") == "" {
			f.Refuse(fmt.Sprintf("attributes/%d/key", i), rule.New("required", "is required"))
		}
		a.Boolean("edit", false)
		a.Boolean("edit_key", false)
		a.List("options")
		a.Text("datatype")
	}
}
