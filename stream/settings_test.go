package stream

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"quaywatch/ais/feed"
	"quaywatch/ais/feed/format"
	"quaywatch/form"
	"quaywatch/users/access"
	"quaywatch/users/access/accesstest"
	"quaywatch/users/access/right"
)

// usual is the pass of a user without settings.
func usual(name string) *streamPass {
	return &streamPass{User: name, Pace: feed.StreamPace{Congestion: feed.Congestion{Factor: 150, Most: 1000, Every: 10 * time.Second}}}
}

// inGroup makes a user that has settings from a group alone.
func inGroup(t *testing.T, users *access.Users, name, settings string) *access.User {
	t.Helper()
	group := access.Group{Name: name}
	f := form.Of(form.Keys{"settings": json.RawMessage("{" + settings + "}")})
	users.Groups().Apply(f, &group)
	_, err := users.Groups().Add(group)
	accesstest.Create(t, users, name, "", "")
	user, err2 := users.Change(name, func(u *access.User) error { u.Groups = []string{name}; return nil })
	if err := errors.Join(f.Err(), err, err2); err != nil {
		t.Fatal(err)
	}
	return user
}

func TestSettingsOfUsersAndGroups(t *testing.T) {
	users := accesstest.Open(t)
	row := 0
	for settings, want := range map[string]func(*streamPass){
		``:                            func(*streamPass) {},
		`"output_format":""`:          func(*streamPass) {},
		`"output_format":"nmea_tag"`:  func(p *streamPass) { p.Style.Form, p.Style.Stamp = format.TagNMEA, format.StampTag },
		`"output_format":"nmea_pghp"`: func(p *streamPass) { p.Style.Form, p.Style.Stamp = format.PGHPNMEA, format.StampPGHP },
		`"output_format":"nmea_comment","use_timestamp":true`:                        func(p *streamPass) { p.Style.Form, p.Style.Stamp = format.CommentNMEA, format.StampComment },
		`"output_format":"nmea_tag","use_timestamp":false`:                           func(p *streamPass) { p.Style.Form = format.TagNMEA },
		`"output_format":"oth_gold","use_timestamp":true`:                            func(p *streamPass) { p.Style.Form = format.OTHGold },
		`"output_format":"xml"`:                                                      func(p *streamPass) { p.Style.Form = format.XML },
		`"use_timestamp":true`:                                                       func(p *streamPass) { p.Style.Stamp = format.StampTag },
		`"time_stamp_method":"comment"`:                                              func(p *streamPass) { p.Style.Stamp = format.StampComment },
		`"time_stamp_method":"comment","use_timestamp":false`:                        func(*streamPass) {},
		`"output_format":"nmea_tag","time_stamp_method":"none"`:                      func(p *streamPass) { p.Style.Form = format.TagNMEA },
		`"clock_sync_interval":60`:                                                   func(p *streamPass) { p.Style.ClockSync = time.Minute },
		`"include_external_id":true,"custom_tag_info":"port"`:                        func(p *streamPass) { p.Style.ExternalID, p.Style.CustomTag = true, "port" },
		`"down_sample_interval":10,"fixed_downsampling_interval":30`:                 func(p *streamPass) { p.Pace.DownSample, p.Pace.FixedDownSample = 10*time.Second, 30*time.Second },
		`"max_message_rate":50`:                                                      func(p *streamPass) { p.Pace.MaxRate = 50 },
		`"congestion_adjustment_factor":200,"max_congestion_adjustment_factor":400`:  func(p *streamPass) { p.Pace.Congestion.Factor, p.Pace.Congestion.Most = 200, 400 },
		`"congestion_adjustment_factor":100,"time_between_congestion_adjustments":3`: func(p *streamPass) { p.Pace.Congestion.Factor, p.Pace.Congestion.Every = 0, 3*time.Second },
		`"forward_cached_static_voyage_data":true,"receive_system_status":true`:      func(p *streamPass) { p.CachedStatic, p.Style.SystemInfo = true, true },
		`"include_peep":true`:                                                        func(p *streamPass) { p.Peep = true },
		`"priority":"high"`:                                                          func(p *streamPass) { p.Priority = feed.High },
		`"priority":"low"`:                                                           func(p *streamPass) { p.Priority = feed.Low },
	} {
		row++
		name := "user" + string(rune('a'+row))
		for _, user := range []*access.User{accesstest.Create(t, users, name, settings, ""), inGroup(t, users, name+"-of-group", settings)} {
			w := usual(user.Name)
			want(w)
			if got := wanted(user, formatOf(user, "")); !reflect.DeepEqual(got, w) {
				t.Errorf("%s gives %+v, want %+v", settings, got, w)
			}
		}
	}
}

// TestOwnSettingsComeFirst: an empty text is none, and that of the group counts.
func TestOwnSettingsComeFirst(t *testing.T) {
	users := accesstest.Open(t)
	inGroup(t, users, "first", `"priority":"high","max_message_rate":9`)
	user := inGroup(t, users, "second", `"priority":"low","max_message_rate":7`)
	f := form.Of(form.Keys{"settings": json.RawMessage(`{"priority":"","max_message_rate":5}`)})
	now, err := users.Change(user.Name, func(u *access.User) error {
		u.Groups = []string{"second", "first"}
		users.Apply(f, u)
		return f.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := wanted(now, plain); p.Priority != feed.High || p.Pace.MaxRate != 5 {
		t.Errorf("%+v", p)
	}
}

// TestTheOutputsFormatCounts: instead of the user's, and the time stamp goes by it; nothing else of the settings changes.
func TestTheOutputsFormatCounts(t *testing.T) {
	users := accesstest.Open(t)
	row := 0
	for settings, stamp := range map[string]format.Stamp{
		``: format.StampTag, `"output_format":"nmea_comment"`: format.StampTag, `"output_format":"xml","time_stamp_method":"pghp"`: format.StampPGHP,
		`"output_format":"nmea","use_timestamp":false`: 0,
	} {
		row++
		user := accesstest.Create(t, users, "user"+string(rune('a'+row)), settings, "")
		want := usual(user.Name)
		want.Style.Form, want.Style.Stamp = format.TagNMEA, stamp
		if got := wanted(user, formatOf(user, "nmea_tag")); !reflect.DeepEqual(got, want) {
			t.Errorf("%s on an output of its own format gives %+v, want %+v", settings, got, want)
		}
	}
}

func TestFormatsTakeRights(t *testing.T) {
	rights := map[string]right.Name{
		"nmea_tag": right.AllowNMEATagMessages, "nmea_comment": right.AllowNMEACommentBlockMessages, "nmea_pghp": right.AllowNMEAPGHPMessages,
		"oth_gold": right.AllowOTHGoldMessages, "xml": right.AllowXMLMessages,
	}
	for name, r := range rights {
		with := &access.User{Profile: access.Profile{Rights: map[right.Name]right.Verdict{right.LSSAccess: right.Allow, r: right.Allow}}}
		without := &access.User{Profile: access.Profile{Rights: map[right.Name]right.Verdict{}}}
		for _, other := range right.All() {
			without.Rights[other] = right.Allow
		}
		without.Rights[r] = right.Deny
		if err := mayConnect(with, name, "port"); err != nil {
			t.Errorf("%s with its right: %v", name, err)
		}
		if err := mayConnect(without, name, "port"); err != refusedRight(r) {
			t.Errorf("%s does not go by %s: %v", name, r, err)
		}
	}
	listener := &access.User{Profile: access.Profile{Rights: map[right.Name]right.Verdict{right.LSSAccess: right.Allow}}}
	if mayConnect(listener, plain, "port") != nil || mayConnect(listener, "later", "port") == nil {
		t.Error("plain NMEA takes a right, or what is no format does not")
	}
}
