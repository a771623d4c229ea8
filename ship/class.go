package ship

import "quaywatch/ais"

// String returns the class in the words of the API.
func (c Class) String() string {
	names := [...]string{"unknown", "A", "B", "base", "aton", "sar", "sart", "mob", "epirb", "group", "coast"}
	if int(c) >= len(names) {
		return names[ClassUnknown]
	}
	return names[c]
}

// IsShip reports whether what is of the class may be a ship. It is no station, no aid to navigation, no aircraft and no device of distress.
func (c Class) IsShip() bool { return stations>>c&1 == 0 }

// ClassCount is how many classes there are.
const ClassCount = int(ClassCoast) + 1

// String returns the age in the words of the API.
func (a Age) String() string {
	switch a {
	case Lost:
		return "lost"
	case Removed:
		return "removed"
	}
	return "live"
}

// ClassAfter returns the class of a station with number m that was of class was and sent a message of the given type. What is sent decides, by
// table 46 of Recommendation ITU-R M.1371-5: positions of ships come from ships, whatever number somebody typed into the transponder. The number
// decides where the message does not, by Recommendation ITU-R M.585, and always for the devices of those in distress.
func ClassAfter(was Class, m ais.MMSI, messageType uint8) Class {
	number := ClassOfNumber(m)
	switch number {
	case ClassSART, ClassMOB, ClassEPIRB:
		return number
	}
	sails := was == ClassA || was == ClassB
	switch messageType {
	case 1, 2, 3:
		return ClassA
	case 18, 19:
		return ClassB
	case 9:
		return ClassSAR
	case 21:
		return ClassAtoN
	case 4, 16, 17, 20, 22, 23: // a ship's transponder that sends one of them too stays what it is
		if !sails && (messageType == 4 || number == ClassCoast) {
			return ClassBase
		}
	case 5: // aircraft send it too
		if sails || was == ClassUnknown && number == ClassUnknown {
			return ClassA
		}
	case 24: // also class A ships and aids send it
		if was == ClassUnknown && number == ClassUnknown {
			return ClassB
		}
	case 27:
		if was == ClassUnknown && number == ClassUnknown {
			return ClassA
		}
	}
	if was == ClassUnknown {
		return number
	}
	return was
}

// OddNumber reports whether the number of the station is not of the form that Recommendation ITU-R M.585 gives its class. Such a number was most
// likely typed wrongly, and the country in it says nothing.
func (s *State) OddNumber() bool {
	kind := s.MMSI.Kind()
	if kind == ais.KindRegistered {
		return false
	}
	switch s.Class {
	case ClassA, ClassB:
		return kind != ais.KindShip && kind != ais.KindAuxiliary
	case ClassBase:
		return kind != ais.KindCoast
	case ClassAtoN:
		return kind != ais.KindAtoN
	case ClassSAR:
		return kind != ais.KindSAR
	}
	return false
}

// ClassOfNumber returns the class that a number alone tells, ClassUnknown for the numbers of ships.
func ClassOfNumber(m ais.MMSI) Class {
	switch m.Kind() {
	case ais.KindCoast:
		return ClassCoast
	case ais.KindGroup:
		return ClassGroup
	case ais.KindSAR:
		return ClassSAR
	case ais.KindSART:
		return ClassSART
	case ais.KindMOB:
		return ClassMOB
	case ais.KindEPIRB:
		return ClassEPIRB
	case ais.KindAtoN:
		return ClassAtoN
	}
	return ClassUnknown
}

// ConfirmedReports is how many reports it takes until a number on the air is believed to be a ship. One report costs an
// attacker nothing; what costs memory or disk waits for more.
const ConfirmedReports = 3

// Confirmed reports whether the ship was heard often enough to be kept.
func (s *State) Confirmed() bool { return s.Reports >= ConfirmedReports }

// AtRest reports whether the ship reports that it is anchored, moored or aground. Such a ship reports every three minutes.
func (s *State) AtRest() bool {
	switch s.Fix.Status {
	case ais.StatusAtAnchor, ais.StatusMoored, ais.StatusAground:
		return s.HasFix
	}
	return false
}

// Differences tells what changed from was to now, as Change; a ship that was unknown or removed appeared.
func Differences(was, now *State) Change {
	var c Change
	if was.MMSI == 0 || was.Age == Removed && now.Age != Removed {
		c |= Appeared
	}
	if was.MMSI != 0 && was.Age != now.Age {
		c |= ChangedAge
	}
	if now.HasFix && (!was.HasFix || was.Fix != now.Fix) {
		c |= ChangedFix
	}
	if now.Static != nil && (was.Static == nil || *was.Static != *now.Static) {
		c |= ChangedStatic
	}
	if now.Voyage != nil && (was.Voyage == nil || *was.Voyage != *now.Voyage) {
		c |= ChangedVoyage
	}
	return c
}
