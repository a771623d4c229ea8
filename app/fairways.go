package app

import (
	"fmt"
	"io"
	"os"

	"quaywatch/geo/route/fairway"
)

// ReadFairways reads the file of fairways; "" is none, and returns nil.
func ReadFairways(file string) (*fairway.Fairways, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("route.fairways: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, fairway.MostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("route.fairways: %w", err)
	}
	set, err := fairway.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("route.fairways: %s: %w", file, err)
	}
	return set, nil
}

// guide has sea ways keep to the fairways of the configuration. When it fails those from before stay.
func (a *App) guide() error {
	file := a.Config.Route.Fairways
	set, err := ReadFairways(file)
	if set == nil {
		return err
	}
	network, err := a.network()
	if err != nil {
		return err
	}
	if err := network.Guide(set); err != nil {
		return fmt.Errorf("route.fairways: %s: %w", file, err)
	}
	a.Log.Info("sea ways keep to fairways", "file", file, "fairways", len(set.Lines), "areas", len(set.Areas))
	return nil
}
