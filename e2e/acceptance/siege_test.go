package acceptance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais/sim"
	"quaywatch/internal/await"
)

// The siege: all attacks that are known, four at a time, against the real binary in 512 MiB, while a feed speaks and users ask for the
// positions of ships. `make siege` runs it for ten minutes and judges times too; make test runs each attack for a few seconds and judges
// only what does not depend on the speed of the machine.
const (
	siegeMemory = 512 << 20 // bytes, of the service
	siegeUsers  = 64        // honest users
	siegeRate   = 1000      // sentences a second
	siegeShips  = 1000
	atATime     = 4 // attacks
)

// siege is a service under attack, and what honest users and feeds saw of it.
type siege struct {
	*process
	load   *sim.Load
	udp    net.Conn // the feed
	listen string   // the address of the feed for programs that connect
	noise  net.Conn // a feed that nobody honest uses
	sent   atomic.Int64
	group  string // the memory's cgroup, "" where none can be made

	mu       sync.Mutex
	answers  []time.Duration  // of honest users
	refused  map[string]int   // honest requests that were not answered with 200, by reason
	attacked map[string]int64 // requests and connections, by attack
	peak     int              // RssAnon
}

// TestSiege runs all attacks. QUAYWATCH_SIEGE, a duration, makes it long and strict; QUAYWATCH_ATTACKS, a regular expression, runs some alone.
func TestSiege(t *testing.T) {
	long, _ := time.ParseDuration(os.Getenv("QUAYWATCH_SIEGE"))
	wanted, err := regexp.Compile(os.Getenv("QUAYWATCH_ATTACKS"))
	if err != nil {
		t.Fatal(err)
	}
	list := slices.DeleteFunc(attacks(), func(a attack) bool { return !wanted.MatchString(a.name) })
	if len(list) == 0 {
		t.Fatal("no attack has such a name")
	}
	s := besieged(t)
	s.population()
	s.drawComb()
	ctx, endHonest := context.WithCancel(t.Context())
	var honest sync.WaitGroup
	s.speak(ctx, &honest)
	s.askPositions(ctx, &honest)
	s.sendByTCP(ctx, &honest)
	before := s.quietMemory() // the calm before
	eventually(t, patience, "each honest user has been answered several times", func() bool { return s.answered() >= 10*siegeUsers })
	before = max(before, s.quietMemory())
	quiet := s.takeAnswers()

	each := 2 * time.Second
	if long > 0 {
		each = long * atATime / time.Duration(len(list))
	}
	s.attack(ctx, list, each)
	under := s.takeAnswers()
	s.settles(before)
	endHonest()
	honest.Wait()
	s.judge(list, quiet, under, long > 0)
	s.startsAgain(long > 0)
}

// besieged starts the service in its memory limit, with its feeds.
func besieged(t *testing.T) *siege {
	s := &siege{refused: map[string]int{}, attacked: map[string]int64{}}
	config, udp := udpFeed(t)
	s.udp = udp
	s.listen = fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp"))
	noise := freePort(t, "udp")
	var err error
	if s.noise, err = net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", noise)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.noise.Close() })
	config = "[http]\nopen_reads = true\n" + config +
		fmt.Sprintf("[[feed]]\nname = \"programs\"\nurl = \"tcp-listen://%s\"\n[[feed]]\nname = \"noise\"\nurl = \"udp://127.0.0.1:%d\"\n", s.listen, noise)
	dir := t.TempDir()
	path := filepath.Join(dir, "quaywatch.toml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var prefix []string
	if s.group = memoryGroup(t, siegeMemory); s.group != "" {
		prefix = []string{"/bin/sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, s.group}
	} else {
		t.Log("no cgroup can be made here: the anonymous memory is sampled")
	}
	s.process = launchPrefixed(t, dir, prefix, "serve", "--config", path)
	s.waitReady(patience)
	s.awaitFeeds("udp://")
	if s.load, err = sim.NewLoad(sim.LoadOptions{Ships: siegeShips, Rate: siegeRate, Seed: 1, Start: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return s
}

// memoryGroup makes a cgroup with a limit of memory, version 1 or 2, and returns its folder; "" where the system does not let us.
func memoryGroup(t *testing.T, limit int) string {
	for root, name := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"} {
		group := filepath.Join(root, fmt.Sprintf("quaywatch-siege-%d", rand.Uint32()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		// The kernel makes the file. Beside groups of version 1 their parent is a folder like any other, and bounds nothing.
		file, err := os.OpenFile(filepath.Join(group, name), os.O_WRONLY, 0)
		if err != nil {
			os.Remove(group)
			continue
		}
		t.Cleanup(func() {
			for range await.Looks(2 * time.Second) { // the kernel lets go of the ended process a moment later
				if os.Remove(group) == nil {
					return
				}
			}
		})
		_, err = fmt.Fprint(file, limit)
		if errors.Join(err, file.Close()) == nil {
			return group
		}
	}
	return ""
}

// population makes the users: honest ones, a guest that may only look, an intruder that may also make things.
func (s *siege) population() {
	s.t.Helper()
	for i := range siegeUsers {
		s.makeUser(honestName(i), "viewer")
	}
	s.makeUser("guest", "viewer")
	s.makeUser("intruder", "operator")
}

func honestName(i int) string { return fmt.Sprintf("pilot%02d", i) }

func (s *siege) makeUser(name, group string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"name":%q,"password":%q,"groups":[%q]}`, name, adminPassword, group)
	if response, text := s.do("POST", "/api/config/user", body); response.StatusCode/100 != 2 {
		s.t.Fatalf("make %s: %s %s", name, response.Status, text)
	}
}

// speak sends the load of the feed until ctx ends, and counts its sentences.
func (s *siege) speak(ctx context.Context, honest *sync.WaitGroup) {
	honest.Go(func() {
		_ = s.load.Run(ctx, 1, 0, func(sentences []byte) error {
			for line := range strings.Lines(string(sentences)) {
				if _, err := s.udp.Write([]byte(line)); err == nil {
					s.sent.Add(1)
				}
			}
			return nil
		})
	})
}

// askPositions lets each honest user ask for the position of one ship four times a second, from an address of its own. It returns when each
// had its first answer, for which the box had to prove a password: where too many come at once for a slow machine, they come again.
func (s *siege) askPositions(ctx context.Context, honest *sync.WaitGroup) {
	ships := s.shipsWithPosition()
	var first sync.WaitGroup
	for i := range siegeUsers {
		client := clientFrom(fmt.Sprintf("127.0.1.%d", i+1))
		first.Add(1)
		honest.Go(func() {
			for ctx.Err() == nil && !s.askPosition(ctx, client, honestName(i), ships[i%len(ships)]) {
			}
			first.Done()
			pace := time.NewTicker(200*time.Millisecond + rand.N(100*time.Millisecond))
			defer pace.Stop()
			for ctx.Err() == nil {
				s.askPosition(ctx, client, honestName(i), ships[i%len(ships)])
				<-pace.C
			}
			client.CloseIdleConnections()
		})
	}
	first.Wait()
	s.takeAnswers()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.refused)
}

// shipsWithPosition returns the numbers of ships whose position the box knows.
func (s *siege) shipsWithPosition() (ships []int) {
	s.t.Helper()
	eventually(s.t, patience, "ships are in the picture", func() bool {
		_, text := s.do("GET", "/api/portserver/ship/search/2", "")
		ships = ships[:0]
		for part := range strings.SplitSeq(string(text), `"mmsi":`) {
			var mmsi int
			if n, _ := fmt.Sscan(part, &mmsi); n != 1 {
				continue
			}
			if response, _ := s.do("GET", fmt.Sprintf("/api/portserver/ship/position/%d", mmsi), ""); response.StatusCode == http.StatusOK {
				ships = append(ships, mmsi)
			}
			if len(ships) == 20 {
				break
			}
		}
		return len(ships) >= 10
	})
	return ships
}

// askPosition asks once, and notes how that went. It reports whether the user was answered.
func (s *siege) askPosition(ctx context.Context, client *http.Client, user string, mmsi int) bool {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, _ := http.NewRequestWithContext(within, "GET", fmt.Sprintf("%s/api/portserver/ship/position/%d", s.base, mmsi), nil)
	request.SetBasicAuth(user, adminPassword)
	began := time.Now()
	response, err := client.Do(request)
	reason := ""
	if err != nil {
		reason = fmt.Sprintf("%.80v", err)
	} else {
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			reason = response.Status
		}
	}
	if ctx.Err() != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, time.Since(began))
	if reason != "" {
		s.refused[reason]++
	}
	return reason == ""
}

// sendByTCP connects to the listening feed every second, as the port's own receiver that lost its line, and says one sentence.
func (s *siege) sendByTCP(ctx context.Context, honest *sync.WaitGroup) {
	line := sentences(s.t, aShip(219000777, 1))
	honest.Go(func() {
		for ctx.Err() == nil {
			if err := sendOnce(ctx, "127.0.1.200", s.listen, line); err != nil && ctx.Err() == nil {
				s.mu.Lock()
				s.refused[fmt.Sprintf("feed: %.80v", err)]++
				s.mu.Unlock()
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
}

// sendOnce connects, sends and holds the line for a moment. A feed that has no place closes the connection at once.
func sendOnce(ctx context.Context, from, to string, line []byte) error {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: patience}
	conn, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(line); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	if _, err := conn.Read(make([]byte, 1)); err != nil && !os.IsTimeout(err) {
		return fmt.Errorf("the feed closed: %w", err)
	}
	return nil
}

// attack runs all attacks, atATime at once, each for a time.
func (s *siege) attack(ctx context.Context, list []attack, each time.Duration) {
	slots := make(chan struct{}, atATime)
	watch, stopWatch := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watchMemory(watch) })
	var running sync.WaitGroup
	for _, a := range list {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			within, cancel := context.WithTimeout(ctx, each)
			defer cancel()
			a.run(within, s)
		})
	}
	running.Wait()
	stopWatch()
	watching.Wait()
}

// watchMemory keeps the highest anonymous memory that it sees.
func (s *siege) watchMemory(ctx context.Context) {
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for ctx.Err() == nil {
		s.peak = max(s.peak, s.anonymous())
		<-pace.C
	}
}

// anonymous reads the anonymous memory of the service in bytes, 0 when it ended.
func (s *siege) anonymous() int {
	bytes, _, _ := memoryOf(s.cmd.Process.Pid) // the shell of the prefix became the service
	return bytes
}

func (s *siege) alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// quietMemory is the highest anonymous memory while nothing but honest callers are there.
func (s *siege) quietMemory() int {
	most := 0
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for range 20 {
		most = max(most, s.anonymous())
		<-pace.C
	}
	return most
}

// settles waits until the memory is within a fifth of what it was before the attacks. A collector may need a minute or two for it.
func (s *siege) settles(before int) {
	if !s.alive() {
		return
	}
	now := 0
	for range await.Looks(3 * time.Minute) {
		if now = s.anonymous(); now <= before*6/5 {
			s.t.Logf("memory before %d MiB, at most %d MiB, after %d MiB", before>>20, s.peak>>20, now>>20)
			return
		}
	}
	s.t.Errorf("memory before %d MiB, at most %d MiB, three minutes after still %d MiB", before>>20, s.peak>>20, now>>20)
}

// answered returns how many answers honest users got since they were last taken.
func (s *siege) answered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.answers)
}

func (s *siege) takeAnswers() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.answers
	s.answers = nil
	slices.Sort(list)
	return list
}

// judge holds what the box promises. Times are judged in the long form alone.
func (s *siege) judge(list []attack, quiet, under []time.Duration, strict bool) {
	if !s.alive() {
		s.t.Fatalf("the service ended: %v", s.err)
	}
	s.t.Logf("honest answers: quiet %d, p99 %v; under attack %d, p50 %v, p99 %v, longest %v", len(quiet), percentile(quiet, 0.99), len(under),
		percentile(under, 0.5), percentile(under, 0.99), percentile(under, 1))
	s.t.Logf("attacks: %v", s.attacked)
	if len(under) < siegeUsers {
		s.t.Errorf("the honest users got only %d answers", len(under))
	}
	if len(s.refused) > 0 {
		s.t.Errorf("honest callers were refused: %v", s.refused)
	}
	for _, a := range list {
		if s.attacked[a.name] == 0 {
			s.t.Errorf("the attack %q did nothing", a.name)
		}
	}
	if s.peak > siegeMemory {
		s.t.Errorf("the service used %d MiB", s.peak>>20)
	}
	if p99 := percentile(under, 0.99); strict && p99 > 250*time.Millisecond {
		s.t.Errorf("the 99th percentile of honest answers is %v", p99)
	}
	s.judgeFeed(strict)
}

// judgeFeed holds that each sentence of the feed was heard. In the short form a few may be lost in the kernel: where the machine is busy with
// other tests and the buffer of the socket is small, the service cannot help it.
func (s *siege) judgeFeed(strict bool) {
	type feed struct {
		Name                  string
		Sentences             int64
		Overflow, KernelDrops int64
	}
	var status struct{ Feeds []feed }
	sent := s.sent.Load()
	at := func() feed {
		s.get("/api/status", &status)
		return status.Feeds[slices.IndexFunc(status.Feeds, func(f feed) bool { return f.Name == "udp" })]
	}
	var f feed
	for range await.Looks(10 * time.Second) {
		if f = at(); f.Sentences >= sent {
			break
		}
	}
	s.t.Logf("sentences: sent %d, heard %d, shed %d", sent, f.Sentences, f.Overflow)
	least := sent
	if !strict {
		least = sent * 9 / 10
	}
	if sent == 0 || f.Sentences < least || f.Overflow != 0 {
		s.t.Errorf("of %d sentences the feed heard %d and shed %d", sent, f.Sentences, f.Overflow)
	}
}

// startsAgain pulls the plug and holds that the service starts on what the siege left behind.
func (s *siege) startsAgain(strict bool) {
	s.kill()
	began := time.Now()
	again := launch(s.t, s.dir, "serve", "--config", filepath.Join(s.dir, "quaywatch.toml"))
	again.waitReady(patience)
	took := time.Since(began)
	s.t.Logf("the start after the siege took %v", took)
	if strict && took > 2*time.Second {
		s.t.Errorf("the start after the siege took %v", took)
	}
	database, err := os.Stat(filepath.Join(s.dir, "data", "quaywatch.db"))
	if err != nil || database.Size() > 128<<20 {
		s.t.Errorf("the store after the siege: %v, %v", database.Size()>>20, err)
	}
}

// clientFrom is a client with an address of its own.
func clientFrom(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 64}}
}
