package configured

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/library"
	"quaywatch/ship"
	"quaywatch/store"
)

// wordsMean is the name of the amendment by which words of the filter language got a meaning of their own.
const wordsMean = "words of filters"

// amendment is what a newer build did once to what an older one had stored.
type amendment struct {
	Done time.Time `json:"done"`
}

// quoteWords rewrites the filters that were stored when no word had a meaning of its own, so that they pick what they picked. It does so once
// for a store: later a word is meant as it is written. What it changes is logged.
func (c *Areas) quoteWords(db *store.DB, o access.Options) error {
	table, rows, err := store.ReadTable[amendment](db, "amendments")
	if err != nil || len(rows) > 0 {
		return err
	}
	q := quoter{log: o.Log}
	for _, r := range c.Library.List(library.Filters) {
		if q.rewritten("filter", r.Name, r.Filter) == r.Filter {
			continue
		}
		_, err := c.Library.Change(library.Filters, r.UID, func(r *library.Resource) error {
			r.Filter, _ = ship.QuoteWords(r.Filter)
			return nil
		})
		if err != nil {
			return fmt.Errorf("rewrite filter %s: %w", r.Name, err)
		}
	}
	for _, g := range c.Users.Groups().All() {
		if !q.profile("group", g.Name, &g.Profile) {
			continue
		}
		if _, err := c.Users.Groups().Change(g.UID, func(g *access.Group) error { return quoteProfile(&g.Profile) }); err != nil {
			return fmt.Errorf("rewrite the filters of group %s: %w", g.Name, err)
		}
	}
	for _, user := range c.Users.List() {
		if !q.profile("user", user.Name, &user.Profile) {
			continue
		}
		if _, err := c.Users.Change(user.Name, func(user *access.User) error { return quoteProfile(&user.Profile) }); err != nil {
			return fmt.Errorf("rewrite the filters of user %s: %w", user.Name, err)
		}
	}
	if _, err = table.Insert(wordsMean, amendment{c.Users.Now().UTC()}); err != nil {
		q.log.Warn("filters are looked through again at the next start", "error", err)
	}
	return nil
}

// quoter tells what it rewrites.
type quoter struct{ log *slog.Logger }

// rewritten returns a filter as it is to be.
func (q *quoter) rewritten(kind, name, text string) string {
	now, gained := ship.QuoteWords(text)
	if now != text {
		q.log.Info("filter rewritten: a word of it means something else now, unless it stands in quotes", kind, name, "was", text, "now", now)
	}
	for _, comparison := range gained {
		q.log.Warn("filter agrees with more than before", kind, name, "comparison", comparison, "filter", text)
	}
	return now
}

// profile reports whether a filter of a user or group has to change.
func (q *quoter) profile(kind, name string, p *access.Profile) (changes bool) {
	for _, keys := range []form.Keys{p.ReceiveFilter, p.TransmitFilter} {
		if text := expression(keys); q.rewritten(kind, name, text) != text {
			changes = true
		}
	}
	return changes
}

func expression(keys form.Keys) (text string) {
	_ = json.Unmarshal(keys["expression"], &text) // it was checked when it was written
	return text
}

// quoteProfile rewrites both filters of a user or group.
func quoteProfile(p *access.Profile) error {
	for _, keys := range []*form.Keys{&p.ReceiveFilter, &p.TransmitFilter} {
		text := expression(*keys)
		now, _ := ship.QuoteWords(text)
		if now == text {
			continue
		}
		raw, err := json.Marshal(now)
		if err != nil {
			return err
		}
		*keys = maps.Clone(*keys)
		(*keys)["expression"] = raw
	}
	return nil
}
