package traffic_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// shown is what a paced picture says of one ship.
type shown struct {
	fix  ship.Fix
	name string
	age  ship.Age
}

func shownOf(s *ship.State) shown {
	v := shown{fix: s.Fix, age: s.Age}
	if s.Static != nil {
		v.name = s.Static.Name
	}
	return v
}

// bruteForce is the answer to what a paced picture should show, looked up anew each second from all that ever came.
type bruteForce struct {
	interval func(*ship.State) time.Duration
	delay    int64  // seconds after which a step is shown
	pending  []came // since the last second
	steps    map[ais.MMSI][]came
	last     map[ais.MMSI]int64
	told     map[ais.MMSI]ship.State
	at       map[ais.MMSI]int // the step that is told
	since    map[ais.MMSI]int64
	history  map[int64]map[ais.MMSI]shown
	fixes    map[ais.MMSI]ship.Track
}

type came struct {
	at    int64
	state ship.State
	aged  bool
}

func newBruteForce(interval func(*ship.State) time.Duration) *bruteForce {
	return &bruteForce{
		interval: interval, steps: map[ais.MMSI][]came{}, last: map[ais.MMSI]int64{}, told: map[ais.MMSI]ship.State{},
		at: map[ais.MMSI]int{}, since: map[ais.MMSI]int64{}, history: map[int64]map[ais.MMSI]shown{}, fixes: map[ais.MMSI]ship.Track{},
	}
}

func (b *bruteForce) Observe(u *ship.Update) {
	b.pending = append(b.pending, came{(u.Now.Heard + 999) / 1000, u.Now, u.Report == nil})
	if u.Change&ship.ChangedFix != 0 {
		b.fixes[u.Now.MMSI] = append(b.fixes[u.Now.MMSI], u.Fix)
	}
}

// Tick does what the definition says, for one second.
func (b *bruteForce) Tick(now time.Time) {
	t := now.Unix()
	for _, c := range b.pending {
		if c.aged {
			c.at = t
		}
		b.steps[c.state.MMSI] = append(b.steps[c.state.MMSI], c)
	}
	b.pending = nil
	b.history[t] = map[ais.MMSI]shown{}
	for m, steps := range b.steps {
		age, found := steps[len(steps)-1].state.Age, len(steps)-1
		for found > 0 && steps[found].aged {
			found--
		}
		candidate := steps[found] // the latest of all
		every := int64(b.interval(&candidate.state) / time.Second)
		first := (candidate.state.First + 999) / 1000
		told, known := b.told[m]
		newer := !known || found > b.at[m]
		turn := every == 0 || (t-first)%every == 0 && (!known || t-b.last[m] >= every)
		switch {
		case newer && turn:
			told = candidate.state
			told.Age = age
			b.last[m], b.at[m], b.since[m] = t, found, t
		case !known:
			continue
		case age > told.Age:
			told.Age, b.since[m] = age, t
		}
		b.told[m] = told
		b.history[t][m] = shownOf(&told)
		if told.Age == ship.Removed && t-b.since[m] >= b.delay && found == b.at[m] {
			delete(b.last, m) // it is shown as removed and nothing waits: it begins anew, and owes the last sample no interval
		}
	}
}

func (b *bruteForce) track(_ context.Context, m ais.MMSI, from, to time.Time) (ship.Track, error) {
	var track ship.Track
	for _, f := range b.fixes[m] {
		if f.At >= from.UnixMilli() && f.At < to.UnixMilli() {
			track = append(track, f)
		}
	}
	return track, nil
}

func (b *bruteForce) static(m ais.MMSI, at time.Time) (*ship.Static, *ship.VoyageData, error) {
	var found *ship.Static
	for _, c := range b.steps[m] {
		if c.state.Static != nil && c.state.Static.At <= at.UnixMilli() {
			found = c.state.Static
		}
	}
	if found == nil {
		return nil, nil, errors.New("not known")
	}
	return found, nil, nil
}

// sea is a picture where random ships are heard for a while, and fall silent.
type sea struct {
	picture *traffic.Picture
	now     time.Time
	hash    uint64
	heard   []int // the ships that are heard for a while
}

func pacedConfig() traffic.Config {
	c := traffic.DefaultConfig()
	limits := traffic.AgeLimits{Lost: 20 * time.Second, Removed: 45 * time.Second}
	c.UnderWay, c.AtRest, c.Fixed = limits, limits, limits
	return c
}

// second lets random reports come, and a second pass.
func (s *sea) second(t *rapid.T, observers ...traffic.Observer) {
	var reports []ais.Report
	if s.now.Unix()%40 == 0 {
		s.heard = rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(t, "heard")
	}
	if len(s.heard) > 0 && rapid.IntRange(0, 3).Draw(t, "busy") > 0 {
		for range rapid.IntRange(0, 3).Draw(t, "reports") {
			m := ais.MMSI(970000001 + rapid.SampledFrom(s.heard).Draw(t, "ship")) // no plausibility
			s.hash++
			r := ais.Report{Hash: s.hash, Feed: "roof", Received: s.now.Add(time.Duration(rapid.IntRange(1, 1000).Draw(t, "ms")) * time.Millisecond)}
			if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
				r.Message = name(m, fmt.Sprintf("NAME %d", s.hash))
			} else {
				r.Message = position(m, at(54, float64(rapid.IntRange(1, 90).Draw(t, "lon"))))
			}
			reports = append(reports, r)
		}
	}
	slices.SortFunc(reports, func(a, b ais.Report) int { return cmp.Compare(a.Received.UnixNano(), b.Received.UnixNano()) })
	s.now = s.now.Add(time.Second)
	s.picture.Apply(batch(reports...), observers...)
	s.picture.Tick(s.now, observers...)
}

func drawInterval(t *rapid.T) func(*ship.State) time.Duration {
	near := rapid.SampledFrom([]int{0, 0, 1, 5, 17, 60}).Draw(t, "interval")
	far := near
	if rapid.Bool().Draw(t, "ranges") {
		far = rapid.SampledFrom([]int{1, 3, 7, 30}).Draw(t, "far")
	}
	return func(s *ship.State) time.Duration {
		if s.HasFix && s.Fix.Point().Lon > 40 {
			return time.Duration(far) * time.Second
		}
		return time.Duration(near) * time.Second
	}
}

func different(d *traffic.Paced, want map[ais.MMSI]shown) string {
	count := 0
	var wrong string
	for m := ais.MMSI(970000001); m <= 970000004; m++ {
		s, ok := d.Picture().Ship(m)
		w, wanted := want[m]
		if ok {
			count++
		}
		if ok != wanted || ok && shownOf(&s) != w {
			wrong += fmt.Sprintf("%d is %v %+v, want %v %+v\n", m, ok, shownOf(&s), wanted, w)
		}
	}
	return wrong
}

// Whatever is heard and whatever the pace, the paced picture is at each second what the definition gives.
func TestAPacedPictureAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := rapid.SampledFrom([]int{0, 1, 7, 30, 100}).Draw(t, "delay")
		model := newBruteForce(drawInterval(t))
		model.delay = int64(delay)
		s := &sea{picture: traffic.New(pacedConfig()), now: noon}
		var paces traffic.PacedSet
		pace := traffic.Pace{Delay: time.Duration(delay) * time.Second, Interval: model.interval}
		d := traffic.NewPaced(s.picture, pace, s.now)
		paces.Add(d)
		for range rapid.IntRange(20, 200).Draw(t, "seconds") {
			s.second(t, model, &paces)
			d.CatchUp()
			if wrong := different(d, model.history[s.now.Unix()-int64(delay)]); wrong != "" {
				t.Fatalf("%v: %s", s.now, wrong)
			}
			if now := d.Picture().Now(); !now.Equal(s.now.Add(-pace.Delay)) {
				t.Fatalf("its time is %v", now)
			}
		}
	})
}

// A paced picture that is made anew, from the present and the fixes of the store, says the same as one that was kept. So a user cannot
// learn more by letting it go.
func TestAPacedPictureMadeAnewSaysTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := time.Duration(rapid.SampledFrom([]int{0, 0, 7, 7, 7, 30, 30, 100, 100, 100, 100, 700}).Draw(t, "delay")) * time.Second
		part := max(1, int64(delay/(300*time.Second))) // of the delay that is told apart
		every := time.Duration(rapid.SampledFrom([]int{0, 1, 5, 17, 60}).Draw(t, "interval")) * time.Second
		pace := traffic.Pace{Delay: delay, Interval: func(*ship.State) time.Duration { return every }}
		model := newBruteForce(pace.Interval)
		s := &sea{picture: traffic.New(pacedConfig()), now: noon}
		var paces traffic.PacedSet
		for range rapid.IntRange(1, 150).Draw(t, "before") + int(delay/time.Second) {
			s.second(t, model, &paces)
		}
		d := traffic.NewPaced(s.picture, pace, s.now)
		paces.Add(d)
		if err := d.Backfill(context.Background(), traffic.History{Track: model.track, Static: model.static}); err != nil {
			t.Fatal(err)
		}
		recalled := s.now.Add(-delay - every - pacedConfig().AtRest.Removed).UnixMilli()
		for range rapid.IntRange(1, 150).Draw(t, "after") {
			wrong := ""
			for back := range part {
				one := otherThanBefore(d, recalled, model.history[s.now.Add(-delay).Unix()-back])
				if wrong += one; one == "" {
					wrong = ""
					break
				}
			}
			if wrong != "" {
				t.Fatalf("%v: %s", s.now, wrong)
			}
			s.second(t, model, &paces)
			d.CatchUp()
		}
	})
}

// Where a ship was silent before the picture was made, it is lost and removed at the times of the past.
func TestASilenceIsRecalled(t *testing.T) {
	model := newBruteForce(func(*ship.State) time.Duration { return 0 })
	p := traffic.New(pacedConfig())
	for second := range 200 {
		if now := noon.Add(time.Duration(second) * time.Second); second == 10 || second >= 100 {
			p.Apply(batch(heard(position(anna, at(54, 10+float64(second)/10000)), float64(second))), model)
			p.Tick(now, model)
		} else {
			p.Tick(now, model)
		}
	}
	var paces traffic.PacedSet
	d := traffic.NewPaced(p, traffic.Pace{Delay: 175 * time.Second}, noon.Add(199*time.Second))
	paces.Add(d)
	if err := d.Backfill(context.Background(), traffic.History{Track: model.track, Static: model.static}); err != nil {
		t.Fatal(err)
	}
	want := map[int]ship.Age{25: ship.Live, 29: ship.Live, 30: ship.Lost, 54: ship.Lost, 55: ship.Removed, 99: ship.Removed, 100: ship.Live}
	for second := 25; second <= 100; second++ {
		p.Tick(noon.Add(time.Duration(second+175)*time.Second), &paces)
		d.CatchUp()
		if age, asked := want[second]; asked {
			if s, ok := d.Picture().Ship(anna); !ok || s.Age != age {
				t.Errorf("at %d: %v %v, want %v", second, ok, s.Age, age)
			}
		}
	}
}

// A ship was heard once, and its fix is not in the store yet when the picture is made. It is shown when it is old enough.
func TestAShipThatTheStoreDoesNotKnowYetIsTold(t *testing.T) {
	p := traffic.New(pacedConfig())
	p.Apply(batch(heard(position(anna, at(54, 10)), 0)))
	p.Tick(noon.Add(time.Second))
	var paces traffic.PacedSet
	d := traffic.NewPaced(p, traffic.Pace{Delay: 10 * time.Second}, noon.Add(time.Second))
	paces.Add(d)
	empty := traffic.History{
		Track: func(context.Context, ais.MMSI, time.Time, time.Time) (ship.Track, error) { return nil, nil },
		Static: func(ais.MMSI, time.Time) (*ship.Static, *ship.VoyageData, error) {
			return nil, nil, errors.New("nothing is stored")
		},
	}
	if err := d.Backfill(context.Background(), empty); err != nil {
		t.Fatal(err)
	}
	for second := 2; second <= 10; second++ {
		if _, ok := d.Picture().Ship(anna); ok {
			t.Fatalf("at %d s the ship is shown, too early", second-1)
		}
		p.Tick(noon.Add(time.Duration(second)*time.Second), &paces)
		d.CatchUp()
	}
	if s, ok := d.Picture().Ship(anna); !ok || s.Fix.At != noon.UnixMilli() {
		t.Errorf("the ship is shown: %v, %+v", ok, s.Fix)
	}
}

// A ship was told to be removed at a sample time. It is heard again twice before the next, and the later place is told.
func TestAReturnIsRecalled(t *testing.T) {
	model := newBruteForce(func(*ship.State) time.Duration { return time.Minute })
	p := traffic.New(pacedConfig())
	for second := range 207 {
		if second == 6 || second == 81 || second == 163 || second == 184 || second == 205 {
			p.Apply(batch(heard(position(anna, at(54, 10+float64(second)/10000)), float64(second))), model)
		}
		p.Tick(noon.Add(time.Duration(second)*time.Second), model)
	}
	d := traffic.NewPaced(p, traffic.Pace{Delay: 20 * time.Second, Interval: model.interval}, noon.Add(206*time.Second))
	if err := d.Backfill(context.Background(), traffic.History{Track: model.track, Static: model.static}); err != nil {
		t.Fatal(err)
	}
	if s, _ := d.Picture().Ship(anna); s.Fix.At != noon.Add(184*time.Second).UnixMilli() || s.Age != ship.Live {
		t.Errorf("%v %v", s.Fix.Time(), s.Age)
	}
}

// A ship whose clock is ahead of ours is told when its fix is old enough.
func TestAFixAheadOfOurClockWaits(t *testing.T) {
	p := traffic.New(pacedConfig())
	var paces traffic.PacedSet
	d := traffic.NewPaced(p, traffic.Pace{Delay: 10 * time.Second}, noon)
	paces.Add(d)
	told := false
	for second := range 120 {
		now := noon.Add(time.Duration(second) * time.Second)
		if second < 60 {
			r := heard(position(anna, at(54, 10+float64(second)/10000)), float64(second))
			r.Sent = now.Add(30 * time.Second)
			p.Apply(batch(r), &paces)
		}
		p.Tick(now, &paces)
		d.CatchUp()
		s, ok := d.Picture().Ship(anna)
		if told = told || ok; ok && s.Fix.At > d.Picture().Now().UnixMilli() {
			t.Fatalf("at %v a fix of %v", d.Picture().Now(), s.Fix.Time())
		}
	}
	if !told {
		t.Error("the ship was never told")
	}
}

// otherThanBefore names what a picture that was made anew does not say of the ships that it recalled. It leaves out ships that were
// removed, or whose latest place was too old to be recalled.
func otherThanBefore(d *traffic.Paced, recalled int64, want map[ais.MMSI]shown) string {
	for m := ais.MMSI(970000001); m <= 970000004; m++ {
		got, ok := d.Picture().Ship(m)
		w, known := want[m]
		switch {
		case !ok && (!known || w.age == ship.Removed || w.fix.At < recalled):
		case !ok || !known || got.Fix != w.fix && got.Age == ship.Live:
			return fmt.Sprintf("%d is %v %+v, want %v %+v", m, ok, shownOf(&got), known, w)
		case got.Fix.At > d.Picture().Now().UnixMilli():
			return fmt.Sprintf("the fix is too young: %+v", got.Fix)
		}
	}
	return ""
}

// A long delay is told apart in parts of it: what is shown was true within the last part.
func TestALongDelayIsNeverShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const delay, part = 900, 3
		model := newBruteForce(func(*ship.State) time.Duration { return 0 })
		s := &sea{picture: traffic.New(pacedConfig()), now: noon}
		var paces traffic.PacedSet
		d := traffic.NewPaced(s.picture, traffic.Pace{Delay: delay * time.Second}, s.now)
		paces.Add(d)
		for range delay + 60 {
			s.second(t, model, &paces)
			d.CatchUp()
			wrong := "too early"
			for back := range int64(part) {
				if at := s.now.Unix() - delay - back; wrong != "" && at <= s.now.Unix()-delay {
					wrong = different(d, model.history[at])
				}
			}
			if wrong != "" {
				t.Fatalf("%v: %s", s.now, wrong)
			}
		}
	})
}

// The fixes of a track are those that the paced picture showed.
func TestATrackAtAPaceIsWhatWasShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := time.Duration(rapid.SampledFrom([]int{0, 7, 30}).Draw(t, "delay")) * time.Second
		every := time.Duration(rapid.SampledFrom([]int{0, 1, 5, 17, 60}).Draw(t, "interval")) * time.Second
		interval := func(*ship.State) time.Duration { return every }
		pace := traffic.Pace{Delay: delay, Interval: interval}
		model := newBruteForce(interval)
		s := &sea{picture: traffic.New(pacedConfig()), now: noon}
		want := map[ais.MMSI]ship.Track{}
		for range rapid.IntRange(1, 200).Draw(t, "seconds") {
			s.second(t, model)
			for m, one := range model.history[s.now.Add(-delay).Unix()] {
				if n := len(want[m]); one.fix.At != 0 && (n == 0 || want[m][n-1] != one.fix) {
					want[m] = append(want[m], one.fix)
				}
			}
		}
		for m, fixes := range model.fixes {
			of, _ := s.picture.Ship(m)
			for i := 1; i < len(fixes); i++ {
				if fixes[i].At == fixes[i-1].At {
					return // of two fixes of one moment the store keeps one
				}
			}
			if got := pace.Track(&of, fixes, s.now); !slices.Equal(got, want[m]) {
				t.Fatalf("%d: %v, want %v", m, times(got), times(want[m]))
			}
		}
	})
}

func times(track ship.Track) (list []string) {
	for _, f := range track {
		list = append(list, f.Time().Format("04:05.000"))
	}
	return list
}
