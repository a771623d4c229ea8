package watchdog

// Report takes a position of a ship. It appends what happened to dst, in the order of time.
func (m *Machine) Report(a *Alarm, r Report, dst []Event) []Event { return dst }

// Transition takes what a ship did at the port of the machine; r is its latest position.
func (m *Machine) Transition(a *Alarm, t Transition, r Report, dst []Event) []Event { return dst }

// Tick takes a time, in Unix milliseconds, at which nothing is heard of the ship.
func (m *Machine) Tick(a *Alarm, now int64, dst []Event) []Event { return dst }
