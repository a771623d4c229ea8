package ship

import (
	"cmp"

	"quaywatch/ais"
)

// ManualEntry is what was entered by hand for a ship. It stays apart from what is heard of the ship, and Overlay puts the two together for
// readers. So an entry that is changed or removed leaves nothing behind. A ManualEntry is never changed; it is replaced.
type ManualEntry struct {
	MMSI     ais.MMSI
	At       int64 // Unix milliseconds of the last change
	Class    Class
	Static   Static // zero and empty fields tell nothing, in Voyage too
	Voyage   VoyageData
	HasPlace bool
	Lon, Lat int32 // in ais.PlaceUnit
}

// Overlay returns the ship as readers see it. heard is what is known of it by radio, the zero State when nothing is. What was heard wins,
// and the entry fills its gaps. A draught of the entry holds until later voyage data are heard.
func (e *ManualEntry) Overlay(heard *State) State {
	return e.overlay(heard, e.staticOver(heard.Static), e.voyageOver(heard.Voyage))
}

// Next is Overlay after a report. was is what was heard before, and shown is what Overlay gave for it. Data that stayed the same are not
// allocated again.
func (e *ManualEntry) Next(was, shown, heard *State) State {
	static, voyage := shown.Static, shown.Voyage
	if heard.Static != was.Static {
		static = e.staticOver(heard.Static)
	}
	if heard.Voyage != was.Voyage {
		voyage = e.voyageOver(heard.Voyage)
	}
	return e.overlay(heard, static, voyage)
}

func (e *ManualEntry) overlay(heard *State, static *Static, voyage *VoyageData) State {
	s := *heard
	if s.MMSI == 0 {
		s = State{MMSI: e.MMSI, First: e.At, Heard: e.At, ByHand: true, Fix: Fix{Status: ais.StatusUndefined}}
	}
	s.Static, s.Voyage = static, voyage
	s.Reports = max(s.Reports, ConfirmedReports)
	if s.Class == ClassUnknown {
		s.Class = e.Class
	}
	if e.HasPlace && !s.HasFix {
		s.HasFix, s.Fix = true, Fix{At: e.At, Lon: e.Lon, Lat: e.Lat, Status: ais.StatusUndefined}
	}
	return s
}

// staticOver is never nil, because the time of the entry stands in it.
func (e *ManualEntry) staticOver(heard *Static) *Static {
	s := Static{}
	if heard != nil {
		s = *heard
	}
	s.IMO, s.Name, s.CallSign = cmp.Or(s.IMO, e.Static.IMO), cmp.Or(s.Name, e.Static.Name), cmp.Or(s.CallSign, e.Static.CallSign)
	s.Type, s.Dimensions = cmp.Or(s.Type, e.Static.Type), cmp.Or(s.Dimensions, e.Static.Dimensions)
	s.Virtual = s.Virtual || e.Static.Virtual
	s.Deadweight, s.GrossTonnage = e.Static.Deadweight, e.Static.GrossTonnage
	s.At = max(s.At, e.At)
	return &s
}

// voyageOver keeps the time at which an ETA was heard or written: its year hangs on that.
func (e *ManualEntry) voyageOver(heard *VoyageData) *VoyageData {
	v := VoyageData{}
	if heard != nil {
		v = *heard
	}
	v.Destination = cmp.Or(v.Destination, e.Voyage.Destination)
	if e.Voyage.Written != 0 && (v.Draught == 0 || v.At < e.At) {
		v.Draught, v.Written = e.Voyage.Draught, e.Voyage.Written
	}
	if (v.ETA.Month == 0 || v.ETA.Day == 0) && e.Voyage.ETA.Month != 0 {
		v.ETA, v.At = e.Voyage.ETA, e.At
	}
	if v.Destination == "" && v.Centimetres() == 0 && v.ETA == (ais.ETA{}) {
		return heard
	}
	return &v
}
