package tracking

import (
	"quaywatch/engine/tracking"
	"quaywatch/geo/route/passage"
	"quaywatch/internal/rule"
)

// warningsOfWay names the passages ahead that the ship may not fit through, and says once when the ETA covers the way round as well.
func warningsOfWay(doubts []tracking.Doubt) (warnings []*rule.Rule) {
	open := false
	for i := range doubts {
		d := &doubts[i]
		if why := whyNarrow(d); why != nil {
			warnings, open = append(warnings, why), open || d.Open
		}
	}
	if open {
		warnings = append(warnings, rule.New("way_open", "another way leads round, and the ETA covers both until the ship has chosen"))
	}
	return warnings
}

// whyNarrow tells why the ship may not fit through a passage, nil where it does.
func whyNarrow(d *tracking.Doubt) *rule.Rule {
	switch d.Fit {
	case passage.TooDeep:
		return rule.New("way_too_deep", "{passage} lies ahead and takes {max} m of draught; the ship says {is} m", "passage", d.Passage, "max", d.Most, "is", d.Has)
	case passage.TooLong:
		return rule.New("way_too_long", "{passage} lies ahead and takes {max} m of length; the ship says {is} m", "passage", d.Passage, "max", d.Most, "is", d.Has)
	case passage.TooWide:
		return rule.New("way_too_wide", "{passage} lies ahead and takes {max} m of beam; the ship says {is} m", "passage", d.Passage, "max", d.Most, "is", d.Has)
	case passage.Unsure:
		return rule.New("way_unsure", "{passage} lies ahead: only small ships fit, and the size of this one is not known", "passage", d.Passage)
	}
	return nil
}
