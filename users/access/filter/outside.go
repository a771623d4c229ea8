package filter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// outsideKind is which names of the configuration a key gives.
type outsideKind uint8

const (
	outsideNone outsideKind = iota
	outsideFeed
	outsideOutput
)

// outside returns which names of the configuration a key may hold, and those names. The kind is outsideNone if the key holds no
// such names, or if the names are not known.
func (n *NameSource) outside(key string) (kind outsideKind, known []string) {
	switch key {
	case "psss", "allowed_pss_list", "default_pss_list":
		kind, known = outsideFeed, n.Feeds
	case "lss_group":
		kind, known = outsideOutput, n.Outputs
	}
	if known == nil {
		kind = outsideNone
	}
	return kind, known
}

// outsideUID returns a uid for a feed or output of the configuration, which has none of its own. It is that of its name, the same on each box.
func outsideUID(key, name string) string {
	kind := "feed"
	if key == "lss_group" {
		kind = "output"
	}
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte("quaywatch "+kind+" "+fold.Name(name))).String()
}

// outsideName returns the name that a reference means: the feed or output with its uid, else the name beside the uid.
func (n *NameSource) outsideName(key string, raw json.RawMessage, ref string) (string, bool) {
	var both form.Ref
	if json.Unmarshal(raw, &both) != nil || both.UID == "" {
		return ref, true
	}
	_, known := n.outside(key)
	for _, name := range known {
		if strings.EqualFold(outsideUID(key, name), both.UID) {
			return name, true
		}
	}
	return both.Name, both.Name != ""
}

// Strangers returns an error for each feed or output in these keys that is not in the configuration. A name that the same key held
// before is accepted: the configuration may have lost it for a day only.
func (n *NameSource) Strangers(was, now form.Keys) (wrong form.Errors) {
	for _, key := range slices.Sorted(maps.Keys(now)) {
		kind, known := n.outside(key)
		if kind == outsideNone {
			continue
		}
		names, before := form.NamesOf(known), form.NamesOf(refsOf(was[key]))
		for i, name := range refsOf(now[key]) {
			if names.Has(name) || before.Has(name) {
				continue
			}
			at := fmt.Sprintf("%s/%d", key, i)
			if key == "lss_group" {
				at = key
			}
			wrong = append(wrong, *keyError(at, kind.unknownName(name, known)))
		}
	}
	return wrong
}

// mostListed bounds how many names an error lists.
const mostListed = 50

// unknownName is what is wrong with a name that the configuration has not.
func (k outsideKind) unknownName(name string, known []string) *rule.Rule {
	quoted, names := strconv.Quote(name), strings.Join(known[:min(len(known), mostListed)], ", ")
	if len(known) > mostListed {
		names += ", …"
	}
	switch {
	case k == outsideFeed && len(known) == 0:
		return rule.New("no_feeds", "names {name}, and the configuration has no feeds", "name", quoted)
	case k == outsideFeed:
		return rule.New("unknown_feed", "names {name}, and no feed is named so; the feeds are {names}", "name", quoted, "names", names)
	case len(known) == 0:
		return rule.New("no_outputs", "names {name}, and the configuration has no outputs", "name", quoted)
	}
	return rule.New("unknown_output", "names {name}, and no output is named so; the outputs are {names}", "name", quoted, "names", names)
}
