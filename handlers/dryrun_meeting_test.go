package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access/right"
)

const (
	meets  = ais.MMSI(211222333)
	passes = ais.MMSI(244000001)
)

// meeting lets two ships come to each other head on, and pass each other at 55 m after eight minutes. A third one keeps 4 km away.
func (s *site) meeting(from time.Time) (to time.Time) {
	s.t.Helper()
	for m, name := range map[ais.MMSI]string{nordic: "NORDIC HAV", meets: "TWIN", passes: "FAR OFF"} {
		s.hear(from, voyage(m, name))
	}
	for i := range 90 {
		to = from.Add(time.Duration(i) * 10 * time.Second)
		way := float64(i) * 0.000996 // 12 knots
		s.hear(to, position(nordic, 10.25+way, 56.14, 120, 900))
		s.hear(to, position(meets, 10.35-way, 56.1405, 120, 2700))
		s.hear(to, position(passes, 10.25+way, 56.18, 120, 900))
	}
	s.settle()
	return to.Add(time.Minute)
}

// TestADryRunOfTwoShips: what asks where two ships are at one moment is tried too, and says why nothing was raised about one of them.
func TestADryRunOfTwoShips(t *testing.T) {
	s := newSite(t)
	from := noon()
	to := s.meeting(from)
	guard := func(limits string) string { return `"type":"cpa","cpa":{"polygon":` + harbour + limits + `}` }
	zone := func(center ais.MMSI, radius int) string {
		return fmt.Sprintf(`"type":"zone","zone":{"mmsi":%d,"radius":%d}`, center, radius)
	}
	for _, row := range []struct {
		body, want string
		asked      ais.MMSI
	}{
		{guard(""), "cpa 211222333 219018765", 0},
		{guard(""), "cpa 211222333 219018765", nordic},
		{guard(""), "cpa 211222333 219018765", meets},
		{guard(""), "[why_no_danger]", passes},
		{guard("") + `,"filter":"type = tanker"`, "[why_filter]", nordic},
		{guard("") + `,"calendar":{"rules":[{"from":"02:00","to":"04:00"}]}`, "[why_hours]", nordic},
		{guard("") + `,"samples_to_activate":500`, "[why_count]", nordic},
		{guard(`,"cpa_m":30`), "[why_apart]", nordic},
		{`"type":"cpa","cpa":{"polygon":{"type":"Polygon","coordinates":[[[11,57],[11.1,57],[11.1,57.1],[11,57]]]}}`, "[why_far]", nordic},
		{guard(""), "[why_unheard]", 244999999},
		{zone(nordic, 500), "enter 211222333 219018765 leave 211222333 219018765", 0},
		{zone(nordic, 500), "enter 211222333 219018765 leave 211222333 219018765", meets},
		{zone(nordic, 500), "[why_far]", passes},
		{zone(nordic, 500), "[why_center]", nordic},
		{zone(nordic, 500) + `,"filter":"type = tanker"`, "[why_filter]", meets},
		{zone(nordic, 500), "[why_unheard]", 244999999},
		{zone(244999999, 500), "[why_center_unheard]", meets},
		{zone(244999999, 500), "", 0},
	} {
		more := ""
		if row.asked != 0 {
			more = fmt.Sprint(`,"mmsi":`, row.asked)
		}
		result := s.rehearse("{"+row.body+"}", from, to, more)
		var got []string
		for _, one := range result["events"].([]any) {
			e := one.(map[string]any)
			got = append(got, fmt.Sprintf("%s %.0f %.0f", e["event"], e["ship"].(map[string]any)["mmsi"], e["other"].(map[string]any)["mmsi"]))
		}
		if reasons := reasonsOf(result); len(reasons) > 0 {
			got = append(got, fmt.Sprint(reasons))
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("%s of %d: %s, want %s", row.body, row.asked, text, row.want)
		}
	}
}

// TestAHiddenShipMeetsNobodyInADryRun: a ship that the caller does not see raises nothing as either of the two, also when it is hidden before the answer.
func TestAHiddenShipMeetsNobodyInADryRun(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ConfigureWatchdogDefinitions, right.ViewHistory)
	from := noon()
	to := s.meeting(from)
	ask := func(definition string) string {
		body := fmt.Sprintf(`{"definition":{%s},"from":%q,"to":%q}`, definition, from.Format(time.RFC3339), to.Format(time.RFC3339))
		return dryrunPath + "/" + s.started(s.call("anna", "POST", dryrunPath, body), 200)
	}
	guard, zone := `"type":"cpa","cpa":{"polygon":`+harbour+`}`, `"type":"zone","zone":{"mmsi":211222333,"radius":500}`
	met, near := ask(guard), ask(zone)
	for path, want := range map[string]float64{met: 1, near: 2} {
		if a := s.finish("anna", path).is(t, 200).json(t); a["count"] != want {
			t.Errorf("who sees both: %v", a)
		}
	}
	s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
	if a := s.finish("anna", met).is(t, 200); a.json(t)["count"] != 0.0 || strings.Contains(string(a.body), "211222333") {
		t.Errorf("hidden since: %s", a.body)
	}
	s.finish("anna", near).is(t, 404)
	for _, definition := range []string{guard, zone, `"type":"zone","zone":{"mmsi":219018765,"radius":500}`} {
		if a := s.finish("anna", ask(definition)).is(t, 200); a.json(t)["count"] != 0.0 || strings.Contains(string(a.body), "211222333") {
			t.Errorf("%s: %s", definition, a.body)
		}
	}
	hidden, unknown := s.finish("anna", ask(zone)).is(t, 200).json(t), s.finish("anna", ask(strings.Replace(zone, "211222333", "244999999", 1))).is(t, 200).json(t)
	delete(hidden, "id")
	delete(unknown, "id")
	if fmt.Sprint(hidden) != fmt.Sprint(unknown) {
		t.Errorf("%v\n%v", hidden, unknown)
	}
}
