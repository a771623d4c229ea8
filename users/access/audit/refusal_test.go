package audit

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"quaywatch/store/records"
)

// TestEqualRefusalsAreOneLine: of one user, in a row, within a minute. Each other refusal is a line of its own, and no count is lost by a stop.
func TestEqualRefusalsAreOneLine(t *testing.T) {
	b := newBox(t)
	denied := LogEntry{User: "anna", Address: "10.0.0.1", Action: "PUT user", Object: "bert", Result: "denied", Detail: "phone"}
	refuse := func(times int, e LogEntry) {
		for range times {
			b.Refuse(e)
		}
	}
	refuse(5, denied)
	if got := b.read(""); len(got) != 1 || got[0].Count != 5 {
		t.Errorf("before the count is written: %v", got)
	}
	other := denied
	other.User, other.Detail = "ANNA", "email"
	refuse(1, other) // the same user; the fields do not count
	other.User = "clerk"
	refuse(3, other) // the refusals of others do not break a row
	b.at = b.at.Add(equalFor)
	refuse(1, denied)
	b.at = b.at.Add(time.Second)
	refuse(2, denied) // more than a minute after the first
	other = denied
	other.Object = "carl"
	refuse(1, other)
	refuse(1, denied)
	want := "anna bert 0, anna carl 0, anna bert 2, clerk bert 3, anna bert 7"
	b.restart()
	var got []string
	for _, e := range b.read("") {
		got = append(got, fmt.Sprint(e.User, " ", e.Object, " ", e.Count))
	}
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// TestManyUsersAreForgotten: the refusals of strangers' names fill no memory, and each has its line.
func TestManyUsersAreForgotten(t *testing.T) {
	b := newBox(t)
	for i := range mostUsers + 10 {
		b.refused.addRefusal(LogEntry{User: fmt.Sprint("user", i), Time: b.at})
	}
	if n := len(b.refused.of); n > mostUsers {
		t.Errorf("%d users are known", n)
	}
	b.refused.addRefusal(LogEntry{User: "late", Time: b.at.Add(2 * equalFor)})
	if _, isNew := b.refused.addRefusal(LogEntry{User: "late", Time: b.at.Add(2 * equalFor)}); isNew {
		t.Error("the latest is not known")
	}
}

// TestAFloodOfRefusalsTakesNoChange: each kind has its own share of the lines.
func TestAFloodOfRefusalsTakesNoChange(t *testing.T) {
	b := newBox(t)
	if err := b.db.Together(b.Line(func() LogEntry { return LogEntry{User: "admin", Action: "PUT user", Result: "ok"} })); err != nil {
		t.Fatal(err)
	}
	b.SignIn(LogEntry{User: "admin", Action: "sign-in", Result: "ok"})
	flood(t, b, Refusals, most+1000)
	stored := 0
	for range b.lines[Refusals].Forward(records.Key{}, records.EndKey()) {
		stored++
	}
	if stored > most {
		t.Errorf("%d refusals are stored", stored)
	}
	for _, k := range []Kind{Changes, SignIns} {
		if page, err := b.Read(t.Context(), Query{Kinds: []Kind{k}, Limit: 10}); err != nil || len(page.Events) != 1 || page.Next != (LogPlace{}) {
			t.Errorf("%s: %v, %v", Words()[k], page, err)
		}
	}
}

// flood fills a kind with lines, many to a commit.
func flood(t testing.TB, b *box, k Kind, lines int) {
	t.Helper()
	for done := 0; done < lines; {
		err := b.db.Together(func(batch *records.Tx) error {
			for range 5000 {
				b.at = b.at.Add(time.Millisecond)
				e := b.bounded(LogEntry{User: "anna", Address: "10.0.0.1", Action: "PUT user", Object: fmt.Sprint(done), Result: "denied"}, mostRefused)
				if _, err := b.lines[k].AppendIn(batch, e.Time, e); err != nil {
					return err
				}
				done++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPagesJoin: the pages of any size give the whole log in order, each line once, with lines of all kinds in one millisecond.
func TestPagesJoin(t *testing.T) {
	b := newBox(t)
	for i := range 60 {
		e := LogEntry{User: []string{"anna", "bert"}[i%2], Action: "PUT user", Object: fmt.Sprint(i), Result: "ok"}
		switch i % 3 {
		case 0:
			b.Note(e)
		case 1:
			b.SignIn(e)
		default:
			e.Result = "denied"
			b.Refuse(e)
		}
		if i%4 == 0 {
			b.at = b.at.Add(time.Millisecond)
		}
	}
	whole := b.read("")
	if len(whole) != 60 {
		t.Fatal(len(whole))
	}
	for _, user := range []string{"", "ANNA"} {
		want := b.read(user)
		for _, limit := range []int{1, 7, 60} {
			var got []LogEntry
			q := Query{User: user, Limit: limit}
			for more := true; more; more = q.Before != (LogPlace{}) {
				page, err := b.Read(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, page.Events...)
				if q.Before, err = ParsePlace(page.Next.String()); page.Next != (LogPlace{}) && err != nil {
					t.Fatal(err)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("by %d of %q:\n%v\nwant\n%v", limit, user, got, want)
			}
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Read(gone, Query{Limit: 60}); err == nil {
		t.Error("it reads for a caller that is gone")
	}
	for _, text := range []string{"", "x", "1-3-1", "1--1-1", "1-1", "01-1-1", "1-1-1 "} {
		if _, err := ParsePlace(text); err == nil {
			t.Errorf("%q is a place", text)
		}
	}
}

// TestALineIsBounded whatever a caller sends.
func TestALineIsBounded(t *testing.T) {
	b := newBox(t)
	long := strings.Repeat("ø", 1<<20)
	b.Refuse(LogEntry{User: long, Token: long, Address: long, Action: long, Object: long, Result: "denied", Detail: long})
	b.Note(LogEntry{User: long, Token: long, Address: long, Action: long, Object: long, Result: "ok", Detail: long})
	for i, bound := range []int{mostRefused, mostDetail} {
		e := b.read("")[i]
		if n := utf8.RuneCountInString(e.User + e.Token + e.Address + e.Action); n > 4*64 || utf8.RuneCountInString(e.Detail) != bound || len(e.Object) > 400 {
			t.Errorf("%d characters in names, a detail of %d bytes", n, len(e.Detail))
		}
	}
}

// BenchmarkStart opens a store with 100,000 lines of each kind: none of them is read.
func BenchmarkStart(b *testing.B) {
	x := newBox(b)
	for k := range kinds {
		flood(b, x, k, most)
	}
	for b.Loop() {
		x.restart()
	}
	if page, err := x.Read(b.Context(), Query{Limit: 1}); err != nil || len(page.Events) != 1 {
		b.Fatal(page, err)
	}
}
