package acceptance

import (
	"fmt"
	"math/rand/v2"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/notify/mail/mailtest"
)

// repeatKills is how often the plug is pulled while a statistic repeats and is mailed; QUAYWATCH_KILLS sets another number.
const repeatKills = 4

// recentStore is a store with the positions of a ship in the last three days, one in ten minutes.
func recentStore(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "ship.csv")
	text := "MMSI,BaseDateTime,LAT,LON,SOG,COG\n"
	for at, i := time.Now().UTC().Add(-72*time.Hour), 0; at.Before(time.Now()); at, i = at.Add(10*time.Minute), i+1 {
		text += fmt.Sprintf("211378000,%s,%.4f,10,12.0,90\n", at.Format("2006-01-02T15:04:05"), 54+float64(i%97)*0.01)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, 0, "import", "--data-dir", data, "--store.full_rate", "true", file)
	if _, stderr, code := runCommand(t, adminPassword+"\n", "user", "add", "--data-dir", data, "admin"); code != 0 {
		t.Fatalf("user add: exit %d, %s", code, stderr)
	}
	return dir
}

// mailedRun is how a statistic does, and what became of its mails.
type mailedRun struct {
	ID           int64
	Name, Status string
	Repeat, Next string
	Mails        []struct{ State string }
}

// runs returns the statistics by their names. There are no two of one name.
func (p *process) runs() map[string]mailedRun {
	p.t.Helper()
	var list struct{ Records []mailedRun }
	p.get(statistics+"statistic", &list)
	all := map[string]mailedRun{}
	for _, one := range list.Records {
		if _, twice := all[one.Name]; twice {
			p.t.Fatalf("there are two of %q: %+v", one.Name, list.Records)
		}
		p.get(fmt.Sprintf("%sstatistic/%d", statistics, one.ID), &one)
		all[one.Name] = one
	}
	return all
}

// mailedRuns waits until so many statistics are over and mailed, and returns them.
func (p *process) mailedRuns(count int) (all map[string]mailedRun) {
	p.t.Helper()
	eventually(p.t, patience, "each run is over and mailed", func() bool {
		all = p.runs()
		for _, one := range all {
			if one.Status != "completed" && one.Status != "aborted" || len(one.Mails) != 1 || one.Mails[0].State != "sent" {
				return false
			}
		}
		return len(all) >= count
	})
	return all
}

// TestKillWhileAStatisticIsMailedAndRepeats pulls the plug while a slow server takes the mail of a statistic, at the moment at which its repeat is due, and
// when the repeat is made. After the restart there is the one repeat that was due, and each of the two has run and is mailed. No mail comes twice but one
// whose answer was on its way when the plug was pulled.
func TestKillWhileAStatisticIsMailedAndRepeats(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var taking atomic.Int64
	far := mailtest.New(t, false, func(s *mailtest.Server) {
		s.Taken = func(mailtest.Received) {
			taking.Add(1)
			slowly()
		}
	})
	dir, kills := recentStore(t), killsOr(t, repeatKills)
	p := startServe(t, dir, mailConfig(far))
	var cut []int // how many mails the server had when the plug was pulled
	names := map[string]bool{}
	for try := range kills {
		before := taking.Load()
		due := time.Now().UTC().Add(2 * time.Second).Truncate(time.Second)
		if due.Equal(due.Truncate(24 * time.Hour)) { // such a run is named after its day alone
			due = due.Add(time.Second)
		}
		name, end := fmt.Sprint("try ", try), due.AddDate(0, 0, -1)
		again := name + end.Format(" 2006-01-02 15:04")
		ask := func(name, more string) {
			p.want(200, "POST", statistics+"historicaltrack", fmt.Sprintf(`{"name":%q,"begin":%q,"end":%q,"mmsi":[211378000],"mail_to":["watch@port.example"]%s}`,
				name, end.AddDate(0, 0, -1).Format(time.RFC3339), end.Format(time.RFC3339), more))
		}
		ask(name, `,"repeat":"daily"`)
		switch try % 4 {
		case 0:
			eventually(t, patience, "the server takes the mail", func() bool { return taking.Load() > before })
		case 1:
			eventually(t, patience, "the repeat is due", func() bool { return !time.Now().Before(due) })
		case 2:
			eventually(t, patience, "the repeat is made", func() bool { return p.runs()[again].ID != 0 })
		default:
			eventually(t, patience, "the server takes the mail of the repeat", func() bool { return taking.Load() > before+1 })
		}
		p.looks(random.IntN(12))
		p.kill()
		cut = append(cut, len(far.Mails()))
		p = startServe(t, dir, mailConfig(far))
		p.mailedRuns(2)
		ask(fmt.Sprint("marker ", try), "") // what else were to come would come before it
		all := p.mailedRuns(3)
		if first, next := all[name], all[again]; len(all) != 3 || first.Status != "completed" || first.Repeat != "" || next.Status != "completed" ||
			next.Next != due.AddDate(0, 0, 1).Format(time.RFC3339) {
			t.Fatalf("try %d, due at %s: %+v", try, due, all)
		}
		for name, one := range all {
			names["Statistic "+name] = true
			p.want(204, "DELETE", fmt.Sprintf("%sstatistic/%d", statistics, one.ID), "")
		}
	}
	mailsOnce(t, far, names, cut)
}

// mailsOnce checks that each subject came as one mail with a table. Only one that was the last before a kill may have come once more.
func mailsOnce(t *testing.T, far *mailtest.Server, subjects map[string]bool, cut []int) {
	t.Helper()
	ids, at, twice := map[string]string{}, map[string]int{}, 0
	for i, one := range far.Mails() {
		m, err := mail.ReadMessage(strings.NewReader(one.Text))
		if err != nil {
			t.Fatal(err)
		}
		subject, id := m.Header.Get("Subject"), m.Header.Get("Message-Id")
		first, again := at[subject]
		at[subject] = i
		switch {
		case !subjects[subject] || !strings.Contains(one.Text, ".csv"):
			t.Errorf("nobody asked for %q, or it has no table:\n%s", subject, one.Text)
		case !again:
			ids[subject] = id
		case ids[subject] != id:
			t.Errorf("%q came as the mails %s and %s", subject, ids[subject], id)
		case !slices.Contains(cut, first) && !slices.Contains(cut, first+1): // it may have come in when the program was gone
			t.Errorf("%q came twice, and no kill was after it: it is the mail %d, and kills came after %v", subject, first, cut)
		default:
			twice++
		}
	}
	if len(at) != len(subjects) || twice > len(cut) {
		t.Errorf("%d of %d mails came, %d of them twice after %d kills", len(at), len(subjects), twice, len(cut))
	}
	t.Logf("%d mails, %d of them twice after %d kills", len(at), twice, len(cut))
}
