package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestStatesOfHiddenFeeds: receive_system_status tells of the feeds that the user may know of, and neither names nor counts others.
func TestStatesOfHiddenFeeds(t *testing.T) {
	s := openStation(t, fmt.Sprintf("[[feed]]\nname = \"attic\"\nurl = \"udp://127.0.0.1:%d\"\n", freePort(t, "udp")))
	for name, tt := range map[string]struct {
		settings string
		want     []string // beginnings of the lines
	}{
		"all":      {`"receive_system_status":true`, []string{"$PQWS,2,1,udp,", "$PQWS,2,2,attic,"}},
		"attic":    {`"receive_system_status":true,"allowed_pss_list":["attic"]`, []string{"$PQWS,1,1,attic,"}},
		"elements": {`"receive_system_status":true,"allowed_pss_list":["attic"],"output_format":"xml"`, []string{"<feed_status>"}},
		"nothing":  {`"clock_sync_interval":1`, nil},
		"nobody":   {`"receive_system_status":true,"allowed_pss_list":["cellar"],"clock_sync_interval":1`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s.addUser(name, `"settings":{`+tt.settings+`}`)
			sub := s.signIn(name)
			defer sub.Close()
			of := func() (lines []string) {
				for _, line := range sub.said()[1:] {
					if strings.HasPrefix(line, "$PQWS") || strings.HasPrefix(line, "<feed_status") {
						lines = append(lines, line)
					}
				}
				return lines
			}
			eventually(t, time.Minute, "what stands at the beginning", func() bool { return len(of()) >= len(tt.want) && len(sub.said()) > 1 })
			lines := of()
			if len(lines) != len(tt.want) {
				t.Fatalf("%q, want %q", lines, tt.want)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, tt.want[i]) || len(tt.want) == 1 && strings.Contains(line, "udp") {
					t.Errorf("%q, want %q", line, tt.want[i])
				}
			}
		})
	}
}
