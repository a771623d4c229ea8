package command

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"
)

// Stamped by the linker, see Makefile.
var (
	version = "dev"
	commit  = "unknown"
	date    = "unknown"
)

// builtAt returns when the program was built: the day of its commit, less one for the time zone of that. It is zero when the linker did not
// tell.
func builtAt() time.Time {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}
	}
	return day.AddDate(0, 0, -1)
}

// versionCommand prints what this binary is.
func versionCommand(_ context.Context, c console, args []string) error {
	f := newFlags(c, "version", false)
	asJSON := f.Bool("json", false, "print one JSON object")
	if err := f.parse(args, 0, 0); err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(c.out).Encode(map[string]string{
			"version": version, "commit": commit, "date": date, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(c.out, "quaywatch %s (%s, %s) %s %s/%s\n", version, commit, date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
