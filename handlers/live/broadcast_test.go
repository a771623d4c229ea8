package live

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"

	"quaywatch/ais"
	"quaywatch/sight"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users"
	"quaywatch/users/access"
)

// sea is a picture with someone that sees all of it.
type sea struct {
	t       *testing.T
	picture *traffic.Picture
	sight   *sight.Sight
	viewer  *sight.Viewer
	hash    uint64
}

func newSea(t *testing.T) *sea {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	areas, err := users.Open(db.Database, access.Options{Dir: t.TempDir(), HashMemory: 64})
	if err != nil {
		t.Fatal(err)
	}
	s := &sea{t: t, picture: traffic.New(traffic.DefaultConfig())}
	s.sight = sight.New(sight.Config{Picture: s.picture, DB: db, Users: areas.Users, Register: areas.Register})
	t.Cleanup(s.sight.Close)
	if _, err := areas.Users.EnsureAdmin("a long password"); err != nil {
		t.Fatal(err)
	}
	admin, ok := areas.Users.User(access.AdminName)
	if !ok {
		t.Fatal("there is no admin")
	}
	if s.viewer, err = s.sight.Of(t.Context(), admin, "admin live"); err != nil {
		t.Fatal(err)
	}
	return s
}

// hear lets so many ships be heard.
func (s *sea) hear(ships int) {
	for i := range ships {
		s.hash++
		m := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: ais.MMSI(219000001 + i)}, Place: ais.Place{Lon: 6000000 + int32(s.hash), Lat: 33600000}, Second: 60}
		s.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Hash: s.hash, Received: time.Now(), Feed: "roof"}}}, s.sight)
	}
}

// TestNewsAreMadeOnce: of streams that were told as much, the first makes the news and the others are given the same. There are none before their time, none for a stream
// that is behind, and none where too many ships changed.
func TestNewsAreMadeOnce(t *testing.T) {
	s := newSea(t)
	synctest.Test(t, func(t *testing.T) {
		all := broadcasts{of: map[uint64]*broadcast{}}
		b := all.joinPicture(s.viewer.Epoch())
		if all.joinPicture(s.viewer.Epoch()) != b {
			t.Fatal("two broadcasts of one picture")
		}
		next := func(at uint64) (*news, time.Duration) {
			t.Helper()
			n, wait, err := b.next(t.Context(), at, s.viewer, nil)
			if err != nil {
				t.Fatal(err)
			}
			return n, wait
		}
		begin := s.viewer.Latest()
		if n, wait := next(begin); n != nil || wait != 0 {
			t.Errorf("news of nothing: %v, or after %v", n, wait)
		}
		s.hear(3)
		first, _ := next(begin)
		if first == nil || bytes.Count(first.text, []byte(`"mmsi"`)) != 3 {
			t.Fatalf("the news of three ships: %+v", first)
		}
		if again, _ := next(begin); again != first {
			t.Error("a second stream is given other news")
		}
		s.hear(2)
		if n, wait := next(first.next); n != nil || wait != ChangeEvery {
			t.Errorf("right after the news there are more, or after %v", wait)
		}
		time.Sleep(ChangeEvery)
		newcomer := s.viewer.Latest()
		s.hear(1)
		second, _ := next(newcomer)
		if second == nil || second.after != first.next || bytes.Count(second.text, []byte(`"mmsi"`)) != 2 {
			t.Errorf("the news go on at %+v", second)
		}
		if n, wait := next(begin); n != nil || wait != 0 {
			t.Error("a stream that is behind is given news with a gap")
		}
		s.hear(mostShared + 1)
		time.Sleep(ChangeEvery)
		if n, wait := next(second.next); n != nil || wait != 0 {
			t.Error("too many ships are told to all at once")
		}
		if n, wait := next(second.next); n != nil || wait != 0 {
			t.Error("the second stream is told what the first was not")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b.turn <- struct{}{}
		if _, _, err := b.next(ctx, s.viewer.Latest(), s.viewer, nil); err == nil {
			t.Error("a stream whose client is gone waits for another")
		}
		all.leaveBroadcast(s.viewer.Epoch())
		all.leaveBroadcast(s.viewer.Epoch())
		if len(all.of) != 0 {
			t.Error("a broadcast without streams stays")
		}
	})
}

// TestAnOutletIsAGzipFile: what is written piece by piece, with news of any size within, is what a reader of gzip gets, and its sum is right.
func TestAnOutletIsAGzipFile(t *testing.T) {
	now := func(write func() error) error { return write() }
	b := &broadcast{}
	for _, size := range []int{0, 1, 100, chunkSize, 3*chunkSize + 7} {
		var text []byte
		for i := 0; len(text) < size; i++ {
			text = append(text, byte('a'+i*i%23))
		}
		packed, err := b.packText(text)
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		o := newOutlet(answer, true)
		want := "begin head " + string(text) + "tail"
		for _, err := range []error{o.write([]byte("begin ")), o.shareNews([]byte("head "), &news{text: text, packed: packed}, now), o.write([]byte("tail")), o.endStream()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		file, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		if err != nil || string(got) != want {
			t.Errorf("%d bytes of news: %d bytes of %d, %v", size, len(got), len(want), err)
		}
	}
}
