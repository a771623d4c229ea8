package stream

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ais/feed/format"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
	"quaywatch/users/access/accesstest"
)

// observerFor makes an observer over users of its own, with one feed and one output.
func observerFor(t testing.TB, tags map[string][]string) *Relay {
	t.Helper()
	p, err := New(Options{
		Outputs: []feed.Output{{Name: "port", URL: "tcp-listen://127.0.0.1:0"}}, Tags: tags, Users: accesstest.Open(t),
		Picture: traffic.New(traffic.DefaultConfig()), Feeds: func() []ais.FeedStatus { return nil }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// passOf makes a user and returns its pass.
func (p *Relay) passOf(t testing.TB, name, settings, filter string) *streamPass {
	t.Helper()
	pass, err := p.makePass(accesstest.Create(t, p.users, name, settings, filter), "port", nil)
	if err != nil {
		t.Fatal(err)
	}
	return pass
}

// aPlace is a position report of a ship at one of several places.
func aPlace(mmsi ais.MMSI, step int) *ais.PositionReport {
	return &ais.PositionReport{
		Header: ais.Header{Type: 1, MMSI: mmsi}, Place: ais.Place{Lon: 6000000, Lat: 33600000 + int32(step)*20}, SOG: ais.SOGTenths(50), Second: 60,
	}
}

// TestSettingsReachTheStream: each setting and filter key of the stream ends where the engine obeys it; package feed shows
// what it does there.
func TestSettingsReachTheStream(t *testing.T) {
	p := observerFor(t, map[string][]string{"roof": {"terrestrial"}})
	near := ship.State{MMSI: 211000001, HasFix: true, Feed: "roof", Fix: ship.Fix{Lon: 6000000, Lat: 33600000}}
	tests := []struct {
		settings, filter string
		want             func(*streamPass) bool
	}{
		{`"output_format":"xml"`, "", func(p *streamPass) bool { return p.Style.Form == format.XML }},
		{`"use_timestamp":true,"time_stamp_method":"comment"`, "", func(p *streamPass) bool { return p.Style.Stamp == format.StampComment }},
		{`"clock_sync_interval":30`, "", func(p *streamPass) bool { return p.Style.ClockSync == 30*time.Second }},
		{`"include_external_id":true,"custom_tag_info":"harbour"`, "", func(p *streamPass) bool { return p.Style.ExternalID && p.Style.CustomTag == "harbour" }},
		{`"receive_system_status":true`, "", func(p *streamPass) bool { return p.Style.SystemInfo }},
		{`"down_sample_interval":10`, "", func(p *streamPass) bool { return p.Pace.DownSample == 10*time.Second }},
		{`"fixed_downsampling_interval":60`, "", func(p *streamPass) bool { return p.Pace.FixedDownSample == time.Minute }},
		{`"max_message_rate":50`, "", func(p *streamPass) bool { return p.Pace.MaxRate == 50 }},
		{`"congestion_adjustment_factor":200,"max_congestion_adjustment_factor":400,"time_between_congestion_adjustments":5`, "", func(p *streamPass) bool {
			return p.Pace.Congestion == feed.Congestion{Factor: 200, Most: 400, Every: 5 * time.Second}
		}},
		{`"forward_cached_static_voyage_data":true`, "", func(p *streamPass) bool { return p.CachedStatic }},
		{`"include_peep":true`, "", func(p *streamPass) bool { return p.Peep }},
		{`"priority":"high"`, "", func(p *streamPass) bool { return p.Priority == feed.High }},
		{`"priority":"low"`, "", func(p *streamPass) bool { return p.Priority == feed.Low }},
		{`"allowed_pss_list":["Roof"]`, "", func(p *streamPass) bool { return p.SeesFeed("roof") && !p.SeesFeed("attic") }},
		{"", `"delay":30`, func(p *streamPass) bool { return p.Pace.Delay == 30*time.Second }},
		{"", `"update_interval":20`, func(p *streamPass) bool { return p.Every(&near) == 20*time.Second }},
		{"", `"range_dependant_update":{"position":[10,56],"ranges":[{"distance":1000,"interval":7}]}`, func(p *streamPass) bool { return p.Every(&near) == 7*time.Second }},
		{"", `"message_types":[5]`, func(p *streamPass) bool {
			return !p.May(&format.Outgoing{Feed: "roof", Traits: ais.Traits{MMSI: near.MMSI, Type: 1}}, &near) &&
				p.May(&format.Outgoing{Feed: "roof", Traits: ais.Traits{MMSI: near.MMSI, Type: 5}}, &near)
		}},
		{"", `"psss":["attic"]`, func(p *streamPass) bool {
			heard := near // by both: what the other one said is hidden all the same
			heard.Feed = "attic"
			return !p.May(&format.Outgoing{Feed: "roof", Traits: ais.Traits{MMSI: near.MMSI, Type: 1}}, &heard)
		}},
	}
	for i, tt := range tests {
		if pass := p.passOf(t, fmt.Sprint("user", i), tt.settings, tt.filter); !tt.want(pass) {
			t.Errorf("%s %s: %+v", tt.settings, tt.filter, pass)
		}
	}
}

// TestWhatIsPassedOn: an update becomes a message with all that the formats say.
func TestWhatIsPassedOn(t *testing.T) {
	p := observerFor(t, map[string][]string{"roof": {"terrestrial"}})
	pass := p.passOf(t, "anna", `"output_format":"xml","include_peep":true`, "")
	report := &ais.Report{Message: aPlace(211000001, 1), Raw: []byte("!x"), Received: time.Now(), Feed: "roof"}
	now := ship.State{MMSI: 211000001, Feed: "roof", Static: &ship.Static{Name: "ANNA", CallSign: "DABC", Type: 70}}
	p.Observe(&ship.Update{Report: report, Now: now, Fix: ship.Fix{Lon: 6000000, Lat: 33600000}, Change: ship.ChangedFix})
	if o := &p.out; o.Name != "ANNA" || o.CallSign != "DABC" || o.ShipType != 70 || !o.HasFix || o.Place != (geo.Point{Lon: 10, Lat: 56}) ||
		o.Traits.Type != 1 || o.Refused != "" {
		t.Errorf("%+v", o)
	}
	if !pass.May(&p.out, &now) {
		t.Error("hidden without a filter")
	}
	for reason, want := range map[ship.Reason]string{ship.Jump: "jump", ship.ImpossiblePlace: "impossible_place", ship.NoPlace: "", ship.Accepted: ""} {
		p.Observe(&ship.Update{Report: report, Now: now, Refused: reason})
		if p.out.Refused != want || p.out.HasFix {
			t.Errorf("%v: %q", reason, p.out.Refused)
		}
	}
	part := &ais.StaticReport{Header: ais.Header{Type: 24, MMSI: 211000001}, Part: 1}
	p.Observe(&ship.Update{Report: &ais.Report{Message: part, Raw: []byte("!x"), Received: time.Now()}, Now: now})
	if p.out.Part != 'B' {
		t.Errorf("part %q", p.out.Part)
	}
}
