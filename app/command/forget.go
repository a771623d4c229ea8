package command

import (
	"errors"
	"fmt"
	"time"

	"quaywatch/store/records"
	"quaywatch/users"
)

// forgetDamaged lets the box go on without the users and groups that cannot be read. It says which they are.
func forgetDamaged(c console, args []string) error {
	f := newFlags(c, "user forget-damaged", true)
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("forget damaged users: %w", err)
	}
	began := time.Now()
	db, err := openStore(cfg, records.SetVitalAside)
	if errors.Is(err, records.ErrLocked) {
		return errors.New("the service runs: its users and groups can be read")
	}
	if err != nil {
		return err
	}
	_, err = users.Open(db.Database, cfg.AccessOptions())
	if err == nil {
		gone := 0
		for _, d := range db.Damages() {
			if !d.Found.Before(began) {
				gone++
				fmt.Fprintln(c.out, "gone:", d.What)
			}
		}
		fmt.Fprintf(c.out, "%d record(s) set aside in %s\n", gone, cfg.Folder())
	}
	return errors.Join(err, db.Close())
}
