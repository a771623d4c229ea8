package access

import (
	"context"
	"net/netip"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/access/filter"
	"quaywatch/access/right"
	"quaywatch/ais"
)

// usualStream is the stream of a user without settings.
func usualStream() StreamSettings {
	return StreamSettings{Format: FormatNMEA, Stamp: StampNone, CongestionFactor: 150, CongestionMost: 1000, CongestionEvery: 10 * time.Second}
}

func TestStreamSettings(t *testing.T) {
	h := newHouse(t)
	for settings, want := range map[string]func(*StreamSettings){
		`{}`:                            func(*StreamSettings) {},
		`{"output_format":""}`:          func(*StreamSettings) {},
		`{"output_format":"nmea_tag"}`:  func(s *StreamSettings) { s.Format, s.Stamp = FormatTag, StampTag },
		`{"output_format":"nmea_pghp"}`: func(s *StreamSettings) { s.Format, s.Stamp = FormatPGHP, StampPGHP },
		`{"output_format":"nmea_comment","use_timestamp":true}`:                        func(s *StreamSettings) { s.Format, s.Stamp = FormatComment, StampComment },
		`{"output_format":"nmea_tag","use_timestamp":false}`:                           func(s *StreamSettings) { s.Format, s.Stamp = FormatTag, StampNone },
		`{"output_format":"oth_gold","use_timestamp":true}`:                            func(s *StreamSettings) { s.Format = FormatOTHGold },
		`{"output_format":"xml"}`:                                                      func(s *StreamSettings) { s.Format = FormatXML },
		`{"use_timestamp":true}`:                                                       func(s *StreamSettings) { s.Stamp = StampTag },
		`{"time_stamp_method":"comment"}`:                                              func(s *StreamSettings) { s.Stamp = StampComment },
		`{"time_stamp_method":"comment","use_timestamp":false}`:                        func(*StreamSettings) {},
		`{"output_format":"nmea_tag","time_stamp_method":"none"}`:                      func(s *StreamSettings) { s.Format = FormatTag },
		`{"clock_sync_interval":60}`:                                                   func(s *StreamSettings) { s.ClockSync = time.Minute },
		`{"include_external_id":true,"custom_tag_info":"port"}`:                        func(s *StreamSettings) { s.ExternalID, s.CustomTag = true, "port" },
		`{"down_sample_interval":10,"fixed_downsampling_interval":30}`:                 func(s *StreamSettings) { s.DownSample, s.FixedDownSample = 10*time.Second, 30*time.Second },
		`{"max_message_rate":50}`:                                                      func(s *StreamSettings) { s.MaxRate = 50 },
		`{"congestion_adjustment_factor":200,"max_congestion_adjustment_factor":400}`:  func(s *StreamSettings) { s.CongestionFactor, s.CongestionMost = 200, 400 },
		`{"congestion_adjustment_factor":100,"time_between_congestion_adjustments":3}`: func(s *StreamSettings) { s.CongestionFactor, s.CongestionEvery = 0, 3*time.Second },
		`{"forward_cached_static_voyage_data":true,"receive_system_status":true}`:      func(s *StreamSettings) { s.CachedStatic, s.SystemStatus = true, true },
		`{"include_peep":true,"is_gad_user":true,"lss_group":"pilots"}`:                func(s *StreamSettings) { s.Peep, s.GAD, s.Group = true, true, "pilots" },
		`{"priority":"high"}`:                                                          func(s *StreamSettings) { s.Priority = High },
		`{"priority":"low"}`:                                                           func(s *StreamSettings) { s.Priority = Low },
		`{"mmsi_list":[219000002,219000001],"default_mmsi":219000002}`:                 func(s *StreamSettings) { s.Own = []ais.MMSI{219000001, 219000002} },
	} {
		keys, wanted := h.keysOf(filter.Settings, settings), usualStream()
		want(&wanted)
		for _, user := range []*User{{Profile: Profile{Settings: keys}}, {groups: []*Group{{Profile: Profile{Settings: keys}}}}} {
			if got := user.Stream(""); !reflect.DeepEqual(got, wanted) {
				t.Errorf("%s gives %+v, want %+v", settings, got, wanted)
			}
		}
	}
	own := &User{Profile: Profile{Settings: h.keysOf(filter.Settings, `{"priority":"","max_message_rate":5}`)}, groups: []*Group{
		{Profile: Profile{Settings: h.keysOf(filter.Settings, `{"priority":"high","max_message_rate":9}`)}},
		{Profile: Profile{Settings: h.keysOf(filter.Settings, `{"priority":"low","max_message_rate":7}`)}},
	}}
	if s := own.Stream(""); s.Priority != High || s.MaxRate != 5 {
		t.Errorf("own settings come first, an empty text is none: %+v", s)
	}
}

// TestTheOutputsFormatCounts: instead of the user's, and the time stamp goes by it; nothing else of the settings changes.
func TestTheOutputsFormatCounts(t *testing.T) {
	h := newHouse(t)
	for settings, want := range map[string]StreamSettings{
		`{}`:                               {Format: FormatTag, Stamp: StampTag},
		`{"output_format":"nmea_comment"}`: {Format: FormatTag, Stamp: StampTag},
		`{"output_format":"xml","time_stamp_method":"pghp"}`: {Format: FormatTag, Stamp: StampPGHP},
		`{"output_format":"nmea","use_timestamp":false}`:     {Format: FormatTag, Stamp: StampNone},
	} {
		user := &User{Profile: Profile{Settings: h.keysOf(filter.Settings, settings)}}
		wanted := usualStream()
		wanted.Format, wanted.Stamp = want.Format, want.Stamp
		if got := user.Stream(FormatTag); !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s on an output of its own format gives %+v, want %+v", settings, got, wanted)
		}
	}
}

func TestFormatsTakeRights(t *testing.T) {
	rights := map[string]right.Name{
		FormatTag: right.AllowNMEATagMessages, FormatComment: right.AllowNMEACommentBlockMessages, FormatPGHP: right.AllowNMEAPGHPMessages,
		FormatOTHGold: right.AllowOTHGoldMessages, FormatXML: right.AllowXMLMessages,
	}
	for format, r := range rights {
		with, without := &User{Profile: own(r, right.Allow)}, &User{Profile: Profile{Rights: allow(right.All())}}
		without.Rights[r] = right.Deny
		if !with.MayFormat(format) || without.MayFormat(format) {
			t.Errorf("%s does not go by %s", format, r)
		}
	}
	if u := (&User{}); !u.MayFormat(FormatNMEA) || u.MayFormat("later") {
		t.Error("plain NMEA takes a right, or what is no format does not")
	}
}

// direct makes a user with direct_access.
func (h *house) directUser(name string, edit func(*User), hosts ...string) {
	h.t.Helper()
	user := User{Name: name, Direct: DirectAccess{Enabled: true, Hosts: hosts}, Profile: own(right.LSSAccess, right.Allow)}
	if edit != nil {
		edit(&user)
	}
	if _, err := h.users.Create(user, goodPassword); err != nil {
		h.t.Fatal(err)
	}
}

func TestDirectAccess(t *testing.T) {
	h := newHouse(t)
	h.directUser("zoe", nil, "10.0.0.0/8", "::ffff:192.0.2.9")
	h.directUser("bert", nil, "10.1.0.7", "2001:db8::/32", "localhost.")
	h.directUser("carl", func(u *User) { u.Direct.Enabled = false }, "10.2.0.0/16")
	h.directUser("anna", func(u *User) { u.Rights = nil }, "0.0.0.0/0")
	h.directUser("aaron", func(u *User) { u.Disabled = true }, "0.0.0.0/0")
	h.directUser("abel", func(u *User) { u.Expires = h.now().Add(time.Minute) }, "10.3.0.0/16")
	for from, want := range map[string]string{
		"10.9.0.1": "zoe", "10.1.0.7": "bert", "10.1.0.8": "zoe", "::ffff:10.1.0.7": "bert", "192.0.2.9": "zoe", "192.0.2.8": "",
		"2001:db8::5": "bert", "2001:db9::5": "", "fe80::1%eth0": "", "10.2.0.1": "zoe", "10.3.0.1": "abel", "127.0.0.1": "",
	} {
		h.directIs(from, want)
	}
	h.pass(2 * time.Minute)
	h.directIs("10.3.0.1", "zoe") // abel expired
	if _, ok := h.users.Hosts().User(netip.Addr{}); ok {
		t.Error("no address at all is a user's")
	}
}

func (h *house) directIs(from, want string) {
	h.t.Helper()
	user, ok := h.users.Hosts().User(netip.MustParseAddr(from))
	if ok != (want != "") || ok && user.Name != want {
		h.t.Errorf("%s is %v, want %q", from, user, want)
	}
}

// A name counts once it is resolved, which no connection waits for.
func TestDirectAccessByName(t *testing.T) {
	h := newHouse(t)
	h.directUser("bert", nil, "LocalHost", "no-such-host.invalid")
	h.directIs("127.0.0.1", "")
	if names := h.users.hosts.names(); len(names) != 2 {
		t.Fatalf("the names are %q", names)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if h.users.hosts.resolve(gone, []string{"localhost"}, true) {
		t.Error("a name that nobody answered for is not asked for again")
	}
	if !h.users.hosts.resolve(context.Background(), []string{"localhost"}, false) {
		t.Error("localhost has no address")
	}
	h.directIs("127.0.0.1", "bert")
	h.users.hosts.resolve(gone, []string{"localhost"}, true) // no answer: what was known stays
	h.directIs("127.0.0.1", "bert")
	h.users.hosts.resolve(context.Background(), nil, false)
	h.directIs("127.0.0.1", "")
}

func TestResolveHostsEndsWithItsContext(t *testing.T) {
	h := newHouse(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { h.users.Hosts().Resolve(ctx); close(done) }()
		synctest.Wait()
		cancel()
		<-done
	})
}
