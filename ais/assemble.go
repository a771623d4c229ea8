package ais

import "time"

const (
	maxSets       = 4096    // multi-part messages that wait at once
	maxSetBytes   = 8 << 20 // of their sentences
	fragmentLimit = 10 * time.Second
)

// setKey tells the multi-part messages of one feed apart. AIS numbers them 0..9 only, and each station counts by itself.
type setKey struct {
	source, group            string
	channel, sequence, total byte
	port                     uint16
}

// fresh is how long a first part waits for one from another port of its host.
const fresh = 2 * time.Second

// set is a multi-part message of which some parts are there.
type set struct {
	key        setKey
	prev, next *set // in order of their first part's time
	begun      time.Time
	wrapper    wrapper
	own        bool
	steady     bool // its port sent before
	have       byte // parts; without a group they come in order
	parts      [9]setPart
	text       []byte // the sentences, one behind the other
}

// setPart is where a part lies in the text of the set. When to is 0, the part is missing.
type setPart struct {
	from, to, charsFrom, charsTo int
	fill                         int
}

// assembler joins the parts of messages. The sets form a ring that begins and ends at root, the oldest first.
type assembler struct {
	sets    map[setKey]*set
	root    set
	recent  *set // the set that got the last part
	bytes   int
	spare   []*set
	expired uint64 // sets that were given up
	port    uint16 // that the sentence came from, 0 for feeds without ports
	steady  bool   // that port sent before
}

// From says from which port of a host the next lines come. The programs of one host number their messages by themselves, so parts join by port. A program that
// sends each datagram from another port is never steady. Its parts join those of another such port, as long as one set alone can be meant.
func (d *Decoder) From(port uint16, steady bool) { d.assembler.port, d.assembler.steady = port, steady }

func (a *assembler) init() {
	a.sets = make(map[setKey]*set)
	a.root.prev, a.root.next = &a.root, &a.root
}

// addFragment puts a part into its set. It returns the set when that is whole; the caller releases it. The error is ErrorFragment
// when parts before this one are missing and there is no TAG group. Such a part nearly always belongs to a message whose
// start was lost. Joined to the next message of its number, it would make a ship that does not exist.
func (a *assembler) addFragment(f *fragment, w *wrapper, now time.Time) (*set, error) {
	if len(f.sentence) > longestSentence {
		return nil, ErrorFormat
	}
	a.expireSets(now)
	s := a.find(f, w, now)
	switch {
	case s == nil && (f.number == 1 || w.group != ""):
		s = a.startSet(a.keyOf(f, w), now)
	case s == nil:
		return nil, ErrorFragment
	}
	a.appendFragment(s, f, w)
	if s.have < f.total {
		a.recent = s
		a.boundSets()
		return nil, nil
	}
	a.remove(s)
	return s, nil
}

func (a *assembler) keyOf(f *fragment, w *wrapper) setKey {
	key := setKey{group: w.group, channel: f.channel, sequence: f.sequence, total: f.total, port: a.port}
	if w.group == "" {
		key.source = w.station
	}
	return key
}

// find returns the set that waits for this part. The set that got the last part is tried first, for second parts often carry
// no source or group. A first part, or one that the set has already, begins a new set.
func (a *assembler) find(f *fragment, w *wrapper, now time.Time) *set {
	s := a.recent
	if s == nil || f.number == 1 || s.key.port != a.port || !s.matchesPart(f, w) {
		if s = a.sets[a.keyOf(f, w)]; s == nil {
			return a.setOfOtherPort(f, w, now)
		}
	}
	early := w.group == "" && f.number != s.have+1
	if early || s.parts[f.number-1].to != 0 {
		a.dropSet(s)
		return nil
	}
	return s
}

// setOfOtherPort returns the one set that waits for this part and was begun from another port of the host, when neither port sent before.
func (a *assembler) setOfOtherPort(f *fragment, w *wrapper, now time.Time) (found *set) {
	if a.port == 0 || a.steady || f.number == 1 && w.group == "" {
		return nil
	}
	s := a.root.prev
	for range 64 {
		if s == &a.root || now.Sub(s.begun) > fresh {
			break
		}
		if !s.steady && s.matchesPart(f, w) {
			if found != nil {
				return nil
			}
			found = s
		}
		s = s.prev
	}
	return found
}

// matchesPart reports whether the part may belong to s, also when one of the two has no source or group.
func (s *set) matchesPart(f *fragment, w *wrapper) bool {
	return s.key.channel == f.channel && s.key.sequence == f.sequence && s.key.total == f.total && f.number == s.have+1 &&
		(w.station == "" || s.wrapper.station == "" || w.station == s.wrapper.station) &&
		(w.group == "" || s.key.group == "" || w.group == s.key.group)
}

func (a *assembler) startSet(key setKey, now time.Time) *set {
	var s *set
	if n := len(a.spare); n > 0 {
		s, a.spare = a.spare[n-1], a.spare[:n-1]
		*s = set{text: s.text[:0]}
	} else {
		s = &set{}
	}
	s.key, s.begun, s.steady = key, now, a.steady
	s.prev, s.next = a.root.prev, &a.root
	s.prev.next, a.root.prev = s, s
	a.sets[key] = s
	return s
}

func (a *assembler) appendFragment(s *set, f *fragment, w *wrapper) {
	from := len(s.text)
	was := cap(s.text)
	if from == 0 {
		was = 0
	}
	s.text = append(s.text, f.sentence...)
	a.bytes += cap(s.text) - was
	chars := cap(f.sentence) - cap(f.chars) // both are cut from one line: where the payload begins in it
	s.parts[f.number-1] = setPart{from, len(s.text), from + chars, from + chars + len(f.chars), f.fill}
	s.have++
	s.own = f.own
	s.wrapper.mergeOlder(*w)
}

// boundSets drops the oldest sets while there are too many of them.
func (a *assembler) boundSets() {
	for len(a.sets) > maxSets || a.bytes > maxSetBytes {
		a.dropSet(a.root.next)
	}
}

// expireSets drops sets that have waited for more than 10 s, and sets from after now, which come from a log whose clock went back.
func (a *assembler) expireSets(now time.Time) {
	for s := a.root.next; s != &a.root; s = a.root.next {
		if s.begun.IsZero() { // from before a log's clock was known
			s.begun = now
		}
		if age := now.Sub(s.begun); age <= fragmentLimit && age >= -fragmentLimit {
			return
		}
		a.dropSet(s)
	}
}

// dropSet gives up a set.
func (a *assembler) dropSet(s *set) {
	a.expired++
	a.remove(s)
	a.releaseSet(s)
}

// remove takes a set out; its content stays until it is released.
func (a *assembler) remove(s *set) {
	s.prev.next, s.next.prev = s.next, s.prev
	delete(a.sets, s.key)
	if a.recent == s {
		a.recent = nil
	}
	a.bytes -= cap(s.text)
}

// releaseSet keeps a removed set for use again.
func (a *assembler) releaseSet(s *set) {
	if len(a.spare) < 64 {
		a.spare = append(a.spare, s)
	}
}
