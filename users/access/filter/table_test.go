package filter

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"quaywatch/users/access/right"
)

// seen names for each setting, key of a filter and right the test that sees its effect.
const seen = `
setting allowed_pss_list handlers.TestAHiddenShipStaysHidden
setting clock_sync_interval acceptance.TestStampsAndMarks
setting congestion_adjustment_factor acceptance.TestCongestionOverTCP
setting custom_tag_info acceptance.TestStampsAndMarks
setting default_mmsi handlers.TestSessionTellsWhereTheUserIs
setting default_pss_list handlers.TestAHiddenShipStaysHidden
setting down_sample_interval acceptance.TestPacesOverTCP
setting fixed_downsampling_interval acceptance.TestPacesOverTCP
setting forward_cached_static_voyage_data acceptance.TestPacesOverTCP
setting include_external_id acceptance.TestStampsAndMarks
setting include_peep acceptance.TestStampsAndMarks
setting is_gad_user handlers.TestUsersOfAnLSSGroup
setting lss_group handlers.TestUsersOfAnLSSGroup
setting max_congestion_adjustment_factor acceptance.TestCongestionOverTCP
setting max_message_rate acceptance.TestPacesOverTCP
setting mmsi_list handlers.TestSessionTellsWhereTheUserIs
setting origin_country handlers.TestSessionTellsWhereTheUserIs
setting origin_region handlers.TestSessionTellsWhereTheUserIs
setting output_format acceptance.TestEveryFormatOverTCP
setting priority stream.TestSettingsReachTheStream
setting receive_system_status acceptance.TestStampsAndMarks
setting region_mask handlers.TestSessionTellsWhereTheUserIs
setting report_max_job_size handlers.TestLargestReport
setting report_permission_allow_all handlers.TestReportPermissions
setting report_permissions handlers.TestReportPermissions
setting report_priority handlers.TestReportPriority
setting time_between_congestion_adjustments acceptance.TestCongestionOverTCP
setting time_stamp_method acceptance.TestStampsAndMarks
setting use_timestamp acceptance.TestStampsAndMarks
setting user_type handlers.TestUserTypes
setting web_max_lookback_time handlers.TestLookback

receive allow_addressed_messages acceptance.TestAHiddenShipIsNotInTheStream
receive areas handlers.TestAHiddenShipStaysHidden
receive binary_message_content acceptance.TestAHiddenShipIsNotInTheStream
receive countries handlers.TestAHiddenShipStaysHidden
receive delay handlers.TestNoRouteTellsTooEarlyOrTooOften
receive expression handlers.TestAHiddenShipStaysHidden
receive include_predefined_ship_list handlers.TestAHiddenShipStaysHidden
receive include_user_defined_ship_list handlers.TestAHiddenShipStaysHidden
receive message_types acceptance.TestAHiddenShipIsNotInTheStream
receive mobile_types handlers.TestAHiddenShipStaysHidden
receive predefined_ship_list handlers.TestAHiddenShipStaysHidden
receive psss handlers.TestAHiddenShipStaysHidden
receive range_dependant_update handlers.TestNoRouteTellsTooEarlyOrTooOften
receive regions handlers.TestAHiddenShipStaysHidden
receive source_mode_is_and handlers.TestAHiddenShipStaysHidden
receive source_tags handlers.TestAHiddenShipStaysHidden
receive types_of_ship handlers.TestAHiddenShipStaysHidden
receive unsupported_mobile_types handlers.TestAHiddenShipStaysHidden
receive unsupported_ship_types handlers.TestAHiddenShipStaysHidden
receive update_interval handlers.TestNoRouteTellsTooEarlyOrTooOften
receive user_defined_ship_list_callsign handlers.TestAHiddenShipStaysHidden
receive user_defined_ship_list_imo handlers.TestAHiddenShipStaysHidden
receive user_defined_ship_list_mmsi handlers.TestAHiddenShipStaysHidden

transmit binary_message_content access.TestEachKeyOfSingleMessages
transmit expression access.TestEachKeyOfTheTransmitFilter
transmit include_predefined_ship_list access.TestEachKeyOfTheTransmitFilter
transmit include_user_defined_ship_list access.TestEachKeyOfTheTransmitFilter
transmit message_types access.TestEachKeyOfSingleMessages
transmit mobile_types access.TestEachKeyOfTheTransmitFilter
transmit predefined_ship_list access.TestEachKeyOfTheTransmitFilter
transmit types_of_ship access.TestEachKeyOfTheTransmitFilter
transmit unsupported_mobile_types access.TestEachKeyOfTheTransmitFilter
transmit unsupported_ship_types access.TestEachKeyOfTheTransmitFilter
transmit user_defined_ship_list_callsign access.TestEachKeyOfTheTransmitFilter
transmit user_defined_ship_list_imo access.TestEachKeyOfTheTransmitFilter
transmit user_defined_ship_list_mmsi access.TestEachKeyOfTheTransmitFilter

right access_remote_configuration handlers.TestEachRightOpensWhatItGates
right access_remote_user_configuration handlers.TestEachRightOpensWhatItGates
right ack_ata_atd handlers.TestEachRightOpensWhatItGates
right add_remove_access_rights_groups handlers.TestEachRightOpensWhatItGates
right add_remove_aton handlers.TestEachRightOpensWhatItGates
right add_remove_filter_groups handlers.TestEachRightOpensWhatItGates
right add_remove_mmsi_entries handlers.TestEachRightOpensWhatItGates
right add_remove_region handlers.TestEachRightOpensWhatItGates
right add_remove_settings_groups handlers.TestEachRightOpensWhatItGates
right add_remove_users handlers.TestEachRightOpensWhatItGates
right add_remove_virtual_aton handlers.TestEachRightOpensWhatItGates
right admin_ata_atd handlers.TestEachRightOpensWhatItGates
right admin_filters handlers.TestEachRightOpensWhatItGates
right admin_port handlers.TestEachRightOpensWhatItGates
right admin_shapes handlers.TestEachRightOpensWhatItGates
right admin_shiplists handlers.TestEachRightOpensWhatItGates
right allow_nmea_commentblock_msgs acceptance.TestEveryFormatOverTCP
right allow_nmea_pghp_msgs acceptance.TestEveryFormatOverTCP
right allow_nmea_tag_msgs acceptance.TestEveryFormatOverTCP
right allow_oth_gold_msgs acceptance.TestEveryFormatOverTCP
right allow_web_service handlers.TestEachRightOpensWhatItGates
right allow_xml_msgs acceptance.TestEveryFormatOverTCP
right change_access_rights handlers.TestEachRightOpensWhatItGates
right change_filter_settings handlers.TestEachRightOpensWhatItGates
right change_mmsi_entries handlers.TestEachRightOpensWhatItGates
right change_proxy_filters handlers.TestEachRightOpensWhatItGates
right change_region handlers.TestEachRightOpensWhatItGates
right change_settings handlers.TestEachRightOpensWhatItGates
right change_user handlers.TestEachRightOpensWhatItGates
right configure_ship_lists handlers.TestEachRightOpensWhatItGates
right add_remove_events handlers.TestEachRightOpensWhatItGates
right configure_watchdog_definitions handlers.TestEachRightOpensWhatItGates
right download_historical_tracks handlers.TestEachRightOpensWhatItGates
right get_system_status_info handlers.TestEachRightOpensWhatItGates
right lock_groups handlers.TestEachRightOpensWhatItGates
right lss_access acceptance.TestSubscribersAreRefusedWithAReason
right message_service handlers.TestEachRightOpensWhatItGates
right pcs_access handlers.TestEachRightOpensWhatItGates
right reset_passwords handlers.TestEachRightOpensWhatItGates
right message_redirection handlers.TestTextsToOwnShipsAreForwarded
right send_messages handlers.TestEachRightOpensWhatItGates
right share_filters handlers.TestSharingTakesARight
right share_shapes handlers.TestSharingTakesARight
right share_shiplists handlers.TestSharingTakesARight
right sys_conf_access handlers.TestEachRightOpensWhatItGates
right send_mail handlers.TestWhoMayBeTold
right allow_mail_self handlers.TestWhoMayBeTold
right allow_mail_other_users handlers.TestWhoMayBeTold
right allow_mail_attachments acceptance.TestAMailHasTheTrack
right user_conf_access handlers.TestEachRightOpensWhatItGates
right view_ata_atd handlers.TestWithoutViewATAATDThereAreNoTimes
right view_historical_tracks handlers.TestEachRightOpensWhatItGates
right view_history handlers.TestEachRightOpensWhatItGates
right view_port handlers.TestEachRightOpensWhatItGates
right view_predicted_position handlers.TestEachRightOpensWhatItGates
right view_satellites handlers.TestAHiddenShipStaysHidden
right view_shiplist handlers.TestEachRightOpensWhatItGates
right view_watchdog handlers.TestEachRightOpensWhatItGates
right view_wmslayers handlers.TestEachRightOpensWhatItGates
right admin_watchdog_definitions handlers.TestEachRightOpensWhatItGates
right share_watchdogs handlers.TestSharingTakesARight
right web_online_access handlers.TestEachRightOpensWhatItGates
right admin_reports handlers.TestWhoSeesAStatistic
right share_reports handlers.TestWhoSeesAStatistic
right web_report_access handlers.TestAWebUserNeedsARightForStatistics
`

// waiting are the keys that have no effect yet, by what they wait for. It is to be emptied; docs/api.md lists the same.
func waiting() map[string][]string {
	return map[string][]string{
		"messages of a type above 27, of which there are none yet": {"receive unsupported_message_types", "transmit unsupported_message_types"},
		"replay":            {"right replay", "right replay_from_db"},
		"layers of the map": {"right allow_colour_by_age", "right allow_open_street_maps", "right allow_provider_maps", "right allow_s57_maps", "right create_wms_services"},
		"control of feeds":  {"right allow_remote_control"},
	}
}

// TestEveryKeyHasAnEffectOrWaits: each setting, filter key and right has a test that names it and sees its effect. Those without
// effect stand in one list, which docs/api.md repeats word by word. A test counts if it asks the running program. For transmit
// filters the input does so.
func TestEveryKeyHasAnEffectOrWaits(t *testing.T) {
	left := map[string]bool{}
	for kind, set := range map[string]KnownKeys{"setting": Settings, "receive": Receive, "transmit": Transmit} {
		for _, key := range set.Keys() {
			left[kind+" "+key] = true
		}
	}
	for _, r := range right.All() {
		left["right "+string(r)] = true
	}
	take := func(key string) {
		if !left[key] {
			t.Errorf("%s is no key, or stands twice", key)
		}
		delete(left, key)
	}
	tests, constants := wordsOfTests(t), constantsOfRights(t)
	for line := range strings.Lines(strings.TrimSpace(seen)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		kind, key, test := fields[0], fields[1], fields[2]
		take(kind + " " + key)
		words, there := tests[test]
		if !there {
			t.Errorf("%s %s: there is no test %s", kind, key, test)
		} else if !words[key] && !(kind == "right" && words[constants[key]]) {
			t.Errorf("%s does not speak of %s", test, key)
		}
		if kind != "transmit" && strings.HasPrefix(test, "access.") {
			t.Errorf("%s %s is seen at no door: %s asks no program", kind, key, test)
		}
	}
	for _, keys := range waiting() {
		for _, key := range keys {
			take(key)
		}
	}
	for key := range left {
		t.Errorf("%s has neither a test that sees its effect nor a place among those that wait", key)
	}
}

// TestARightThatIsAskedForDoesNotWait: a right that the program checks has an effect; a right that it does not check has none.
func TestARightThatIsAskedForDoesNotWait(t *testing.T) {
	constants, text := constantsOfRights(t), sourceOfTheProgram(t)
	source := namesIn(text)
	waits := map[string]bool{}
	for _, keys := range waiting() {
		for _, key := range keys {
			waits[key] = true
		}
	}
	for _, r := range right.All() {
		asked := source[constants[string(r)]] || strings.Contains(text, `"`+string(r)+`"`) // a kind of the library names its rights in words
		if asked == waits["right "+string(r)] {
			t.Errorf("%s: asked for %v, waiting %v", r, asked, !asked)
		}
	}
}

// TestTheDocumentNamesEveryKey: docs/api.md says what each key does, and lists those that wait.
func TestTheDocumentNamesEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<!-- keys that wait: checked by access -->\n")
	told, _, ended := strings.Cut(rest, "<!-- end of the keys that wait -->")
	if !ended {
		t.Fatal("docs/api.md has no list of the keys that wait")
	}
	if want := waitingTable(); told != want {
		t.Errorf("docs/api.md has\n%s\nwant\n%s", told, want)
	}
	for line := range strings.Lines(strings.TrimSpace(seen)) {
		if fields := strings.Fields(line); len(fields) == 3 && !strings.Contains(string(text), "`"+fields[1]+"`") {
			t.Errorf("docs/api.md does not say what %s %s does", fields[0], fields[1])
		}
	}
}

// waitingTable is the list as the document shows it.
func waitingTable() string {
	var b strings.Builder
	b.WriteString("| waits for | keys |\n|---|---|\n")
	all := waiting()
	for _, what := range slices.Sorted(maps.Keys(all)) {
		byKind := map[string][]string{}
		for _, key := range all[what] {
			kind, name, _ := strings.Cut(key, " ")
			byKind[kind] = append(byKind[kind], name)
		}
		var parts []string
		for _, kind := range []struct{ kind, words string }{{"setting", "settings"}, {"receive", "in a receive_filter"},
			{"transmit", "in a transmit_filter"}, {"right", "rights"}} {
			if names := byKind[kind.kind]; len(names) > 0 {
				slices.Sort(names)
				parts = append(parts, kind.words+" `"+strings.Join(names, "`, `")+"`")
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", what, strings.Join(parts, "; "))
	}
	return b.String()
}

// namesIn returns the names in a text.
func namesIn(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = true
	}
	return words
}

// wordsOfTests returns, for every test of the packages that use the keys, the names in its code and the words in its texts. The key
// is "package.TestName". The functions that the test calls count too; comments do not.
func wordsOfTests(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, dir := range []string{"users/access", "handlers", "ais/feed", "traffic", "stream", "e2e/acceptance"} {
		files, err := filepath.Glob(filepath.Join("../../..", dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		functions, name := map[string]map[string]bool{}, ""
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			name = file.Name.Name
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					functions[f.Name.Name] = saidIn(f)
				}
			}
		}
		for test := range functions {
			if strings.HasPrefix(test, "Test") {
				all[name+"."+test] = withCalled(functions, test, map[string]bool{})
			}
		}
	}
	return all
}

// saidIn returns the names in a piece of code and the words in its texts.
func saidIn(code ast.Node) map[string]bool {
	words := map[string]bool{}
	ast.Inspect(code, func(n ast.Node) bool {
		switch one := n.(type) {
		case *ast.Ident:
			words[one.Name] = true
		case *ast.BasicLit:
			maps.Copy(words, namesIn(one.Value))
		}
		return true
	})
	return words
}

// withCalled returns the words of a function and of those that it names.
func withCalled(functions map[string]map[string]bool, name string, seen map[string]bool) map[string]bool {
	all := maps.Clone(functions[name])
	seen[name] = true
	for word := range functions[name] {
		if _, is := functions[word]; is && !seen[word] && !strings.HasPrefix(word, "Test") {
			maps.Copy(all, withCalled(functions, word, seen))
		}
	}
	return all
}

// constantsOfRights returns the name of the constant of each right.
func constantsOfRights(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../right/right.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) +Name = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		names[m[2]] = m[1]
	}
	if len(names) != len(right.All()) {
		t.Fatalf("%d constants of rights, want %d", len(names), len(right.All()))
	}
	return names
}

// sourceOfTheProgram is all that may ask for a right: what is no test.
func sourceOfTheProgram(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"users/access/*.go", "users/access/filter/*.go", "users/library/*.go", "sight/*.go", "stream/*.go", "sight/telling/*.go", "notify/*.go", "notify/redirect/*.go", "app/*.go", "handlers/*.go", "handlers/*/*.go"} {
		files, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	return all.String()
}
