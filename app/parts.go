package app

import (
	"context"

	"quaywatch/app/control"
	"quaywatch/traffic"
)

// part is an engine at work. What is not given it does not do.
type part struct {
	name    string
	observe traffic.Observer                // follows each step of each ship
	run     func(ctx context.Context) error // its own goroutine
	stop    func()                          // stores what the last reports made of it
}

// parts lists the engines. They are told of each step of each ship in this order, and are stopped in it when the picture has ended. The store, which runs until
// all others are stopped, the picture and the feeds are not among them.
func (a *App) parts() []part {
	commands := control.Service{DB: a.db, Users: a.Users, Box: a.Box, Ports: a.Ports, Calls: a.calls, Log: a.Log}
	list := []part{
		{name: "former names", observe: a.former, run: a.former.Run},
		{name: "sight", observe: a.sight},
		{name: "distress", observe: a.distress, run: a.distress.Run, stop: a.distress.Save},
		{name: "messages", observe: a.messages, run: a.messages.Run, stop: a.messages.Save},
		{name: "safety messages", run: a.safety.Run},
		{name: "calls", observe: a.calls, run: a.calls.Run, stop: a.calls.Stop},
		{name: "tracks", observe: a.tracks, run: a.tracks.Run, stop: a.tracks.Stop},
		{name: "watchdogs", observe: a.watch, run: a.watch.Run, stop: a.watch.Stop},
		{name: "alerts", observe: a.alerts, run: a.alerts.Run, stop: a.alerts.Step},
		{name: "statistics", run: a.stats.Run, stop: a.stats.Stop},
		{name: "notices", run: a.outbox.Run},
		{name: "texts to own ships", run: a.forward.Run},
		{name: "server", run: a.server.Run},
		{name: "backups", run: a.backups.Run},
		{name: "health", run: a.health.Run},
		{name: "compaction", run: a.compactAtNight},
		{name: "control", run: func(ctx context.Context) error { return commands.Serve(ctx, a.control) }},
	}
	if a.broker != nil && a.Config.MQTT.UserName != "" && !a.isSilent() {
		list = append(list, part{name: "tracks by MQTT", run: a.publishTracks})
	}
	if a.stream != nil {
		list = append(list, part{name: "outputs", observe: a.stream, run: a.stream.Run})
	}
	if a.Config.Patient() {
		list = append(list, part{name: "patience", observe: &Backpressure{DB: a.db, Log: a.Log}})
	}
	return list
}

// observersOf returns what is told of each step of each ship, the store first.
func (a *App) observersOf(parts []part) []traffic.Observer {
	list := []traffic.Observer{a.db}
	for _, p := range parts {
		if p.observe != nil {
			list = append(list, p.observe)
		}
	}
	return list
}
