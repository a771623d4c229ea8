// Package reading tells how a filter is read, condition by condition, for those who typed it.
package reading

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// Condition is one condition of a filter, as it was read.
type Condition struct {
	Start, End int        // characters before it, and before what follows
	Text       string     // as it was typed
	Says       string     // as ship.Heard.Says
	Wrong      *rule.Rule // why it cannot be read, and what to type; then it says nothing
}

// Explanation is how a filter is read: conditions that must all hold, or of which one must.
type Explanation struct {
	Conditions []Condition
	Any        bool
}

// mostWrong is how many parts of a filter are told as wrong.
const mostWrong = 8

// Of tells how a filter is read. What is wrong in it is a condition with its reason, and what stands around that is read without it.
func Of(text string, env ship.Lookup) Explanation {
	if utf8.RuneCountInString(text) > ship.MaxFilter {
		return Explanation{}
	}
	var wrong []ship.Heard
	for left := text; ; {
		heard := ship.HearFilter(left, env)
		last := len(heard) - 1
		if last < 0 || heard[last].Wrong == nil {
			return joinHeard(text, heard, wrong)
		}
		bad := heard[last]
		if bad.To <= bad.From || len(wrong) == mostWrong {
			return joinHeard(text, heard[:last], wrong)
		}
		wrong = append(wrong, bad)
		left = left[:bad.JointFrom] + strings.Repeat(" ", bad.JointTo-bad.JointFrom) + left[bad.JointTo:]
	}
}

// joinHeard returns what was heard beside what is wrong, in the order of the text. Of several alternatives each is one condition.
func joinHeard(text string, heard, wrong []ship.Heard) Explanation {
	var all []ship.Heard
	several := slices.ContainsFunc(heard, func(h ship.Heard) bool { return h.Branch > 1 })
	for _, h := range heard {
		if last := len(all) - 1; several && last >= 0 && all[last].Branch == h.Branch {
			all[last].To, all[last].Says = h.To, "group"
			continue
		}
		all = append(all, h)
	}
	all = append(all, wrong...)
	slices.SortFunc(all, func(a, b ship.Heard) int { return cmp.Compare(a.From, b.From) })
	var parts []ship.Heard
	for _, h := range all {
		if last := len(parts) - 1; last >= 0 && h.Wrong != nil && (parts[last].Wrong != nil || h.From < parts[last].To) {
			before := &parts[last] // it was read around what is wrong, or is wrong too
			before.To, before.Says, before.Wrong = max(before.To, h.To), "", cmp.Or(before.Wrong, h.Wrong)
			continue
		}
		parts = append(parts, h)
	}
	r := Explanation{Any: several}
	for _, h := range parts {
		start := utf8.RuneCountInString(text[:h.From])
		r.Conditions = append(r.Conditions, Condition{start, start + utf8.RuneCountInString(text[h.From:h.To]), text[h.From:h.To], h.Says, h.Wrong})
	}
	return r
}
