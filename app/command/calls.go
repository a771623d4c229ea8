package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"quaywatch/app/config"
	"quaywatch/app/control"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/portcalls/portlist"
	"quaywatch/ship/learn"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users"
)

// detectCallsCommand looks for calls at ports in what is recorded, also while the service runs.
func detectCallsCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "detect-calls", true)
	from := f.String("from", "", "time from which on calls are looked for; without it from the beginning")
	to := f.String("to", "", "time up to which; without it up to now")
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	var d control.DetectCalls
	if d.From, err = timeFlag("from", *from, time.Time{}); err == nil {
		d.To, err = timeFlag("to", *to, farAhead)
	}
	if err == nil && !d.From.Before(d.To) {
		err = usageError("--from must be before --to")
	}
	if err != nil {
		return err
	}
	var found portcalls.Detection
	err = onVoyages(c, cfg, func(v *portcalls.Calls) (err error) {
		found, err = v.Detect(ctx, d.From, d.To, func(at time.Time) {
			if at.Hour() == 0 {
				fmt.Fprintf(c.err, "read up to %s\n", at.Format(time.DateOnly))
			}
		})
		v.Stop()
		return err
	}, func() (err error) {
		found, err = d.Send(ctx, cfg.DataDir)
		return err
	})
	if err != nil {
		return fmt.Errorf("detect calls: %w", err)
	}
	fmt.Fprintf(c.out, "%d ships read, %d calls found, %d of them new\n", found.Ships, found.Calls, found.New)
	if found.Ships == 0 {
		return fmt.Errorf("detect calls: %w: nothing is recorded in that time", errNothing)
	}
	return nil
}

// farAhead is after all that is recorded.
var farAhead = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

// timeFlag reads the time of a flag: a day, or a time with its zone.
func timeFlag(name, text string, absent time.Time) (time.Time, error) {
	if text == "" {
		return absent, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usageError(fmt.Sprintf("--%s: %q is no time, as 2026-11-22 or 2026-11-22T14:00:00Z", name, text))
}

// onVoyages works on the calls of a stopped service, or asks a running service to do so.
func onVoyages(c console, cfg config.Config, work func(*portcalls.Calls) error, ask func() error) error {
	if err := findStore(c, cfg, needStore); err != nil {
		return err
	}
	return onStore(c, cfg, records.RefuseVital, func(db *store.DB, a users.Areas) error {
		v, err := portcalls.Open(cfg.VoyageOptions(db, a.Ports.Current, quietLog()))
		if err != nil {
			return err
		}
		return work(v)
	}, ask)
}

// evalCallsCommand compares the calls that are kept with a port's own list.
func evalCallsCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "eval-calls", true)
	truth := f.String("truth", "", "the port's own list, as CSV or JSON: ship, port, berth, ata, atd; or the truth of simulate")
	port := f.String("port", "", "the port of lines that name none: LOCODE, name or id")
	zone := f.String("zone", "UTC", "the zone of times in the list that name none, as Europe/Copenhagen")
	from := f.String("from", "", "beginning of the list's time; without it the first time in it")
	to := f.String("to", "", "end of the list's time; without it the last time in it")
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	if *truth == "" {
		return usageError("eval-calls: --truth must name the port's own list")
	}
	var k control.KnownCalls
	local, err := time.LoadLocation(*zone)
	if err != nil {
		return usageError(fmt.Sprintf("--zone: %q is no zone that this box knows, as UTC or Europe/Copenhagen", *zone))
	}
	if k.List, err = readKnownCalls(*truth, *port, local); err != nil {
		return fmt.Errorf("eval-calls: %s: %w", *truth, err)
	}
	first, last := timesOf(k.List)
	if k.From, err = timeFlag("from", *from, first); err == nil {
		k.To, err = timeFlag("to", *to, last.Add(time.Second))
	}
	if err != nil {
		return err
	}
	var e portcalls.Evaluation
	err = onVoyages(c, cfg, func(v *portcalls.Calls) (err error) {
		e, err = v.Evaluate(ctx, k.List, k.From, k.To)
		return err
	}, func() (err error) {
		e, err = k.Send(ctx, cfg.DataDir)
		return err
	})
	if err != nil {
		return fmt.Errorf("eval-calls: %w", err)
	}
	printEvaluation(c.out, &e)
	if len(e.Unheard) == e.Known {
		return fmt.Errorf("eval-calls: %w: no ship of the list was heard here, or its port is not known", errNothing)
	}
	return nil
}

// timesOf returns the first and the last time of a list.
func timesOf(list []portcalls.ListedCall) (first, last time.Time) {
	for _, k := range list {
		for _, at := range []time.Time{k.ATA, k.ATD} {
			if at.IsZero() {
				continue
			}
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	return first, last
}

// mostList is the most bytes of a port's own list: the truth of some weeks of the simulator.
const mostList = 256 << 20

// readKnownCalls reads a port's own list.
func readKnownCalls(path, port string, zone *time.Location) ([]portcalls.ListedCall, error) {
	text, err := readPortFile(path, mostList)
	if err != nil {
		return nil, err
	}
	if len(text) > mostList {
		return nil, fmt.Errorf("is longer than %d MiB", mostList>>20)
	}
	return portlist.Read(text, port, zone)
}

// printEvaluation writes the table that ends eval-calls.
func printEvaluation(w io.Writer, e *portcalls.Evaluation) {
	share := func(value float64, ok bool) string {
		if !ok {
			return "-"
		}
		return fmt.Sprintf("%.3f", value)
	}
	fmt.Fprintf(w, "%d calls in the list, %d kept here, %d in both\n", e.Known, e.Found, e.Both)
	fmt.Fprintf(w, "precision %s, recall %s\n", share(e.Precision()), share(e.Recall()))
	printOff(w, "arrival", e.Arrival)
	printOff(w, "departure", e.Leaving)
	if e.Berths > 0 {
		fmt.Fprintf(w, "berth: %d of %d right\n", e.Right, e.Berths)
	}
	if e.Draughts > 0 {
		fmt.Fprintf(w, "draught: %d of %d right\n", e.RightDraughts, e.Draughts)
	}
	for _, part := range []struct {
		what string
		list []portcalls.ListedCall
	}{{"another berth", e.WrongBerth}, {"ship never heard, or port not known", e.Unheard}, {"missed", e.Missed}, {"not in the list", e.Extra}} {
		for i, k := range part.list {
			if i == mostRefusals {
				fmt.Fprintf(w, "%s: and %d more\n", part.what, len(part.list)-i)
				break
			}
			fmt.Fprintf(w, "%s: %s at %s, ata %s, atd %s%s\n", part.what, control.Printable(k.Ship), control.Printable(k.Port), timeText(k.ATA), timeText(k.ATD), berthText(k.Berth))
		}
	}
}

// printOff writes by how much times are off, without the sign.
func printOff(w io.Writer, what string, off []time.Duration) {
	n := len(off)
	if n == 0 {
		fmt.Fprintf(w, "%s: no time to compare\n", what)
		return
	}
	within := 0
	for _, d := range off {
		if d.Abs() <= time.Minute {
			within++
		}
	}
	fmt.Fprintf(w, "%s: %d compared, %d within a minute; half within %s, 95 %% within %s, the worst %s\n", what, n, within,
		off[n/2].Abs().Round(time.Second), off[n*95/100].Abs().Round(time.Second), off[n-1].Abs().Round(time.Second))
}

func berthText(berth string) string {
	if berth == "" {
		return ""
	}
	return ", " + control.Printable(berth)
}

func timeText(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}

// learnWaterCommand learns where ships sail on what the chart has as land, from what is recorded, also while the service runs.
func learnWaterCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "learn-water", true)
	quick := f.Bool("quick", false, "ships of one day are enough, in the place of three days")
	alone := f.Float64("alone", learn.Alone, "metres of a stretch that needs no chain to water of the chart; 0 asks for the chain, as --quick does without it")
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	how := portcalls.Learning{Days: 3, Alone: *alone}
	if *quick {
		given := false
		f.Visit(func(x *flag.Flag) { given = given || x.Name == "alone" })
		how.Days = 1
		if !given {
			how.Alone = 0 // whoever invents ships for one day shall not make water far ashore
		}
	}
	if *alone < 0 {
		return usageError("--alone must be 0 or more metres")
	}
	var learned portcalls.Learned
	err = onVoyages(c, cfg, func(v *portcalls.Calls) (err error) {
		learned, err = v.LearnWater(ctx, how)
		v.Stop()
		return err
	}, func() (err error) {
		asked := control.LearnWater(how)
		learned, err = asked.Send(ctx, cfg.DataDir)
		return err
	})
	if err != nil {
		return fmt.Errorf("learn water: %w", err)
	}
	fmt.Fprintf(c.out, "%d ships read, %d cells of water learned, %d cells seen\n", learned.Ships, learned.Learned, learned.Seen)
	if learned.Full {
		fmt.Fprintln(c.err, "there were more cells than are kept; the rest is left out")
	}
	if learned.Ships == 0 {
		return fmt.Errorf("learn water: %w: nothing is recorded", errNothing)
	}
	return nil
}
