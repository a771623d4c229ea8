package access

import (
	"encoding/json"
	"slices"

	"quaywatch/ais"
	"quaywatch/internal/fold"
)

// InLSSGroup reports whether the user belongs to the LSS group of that name.
func (u *User) InLSSGroup(name string) bool {
	group := Setting(u, "lss_group", "")
	return Setting(u, "is_gad_user", false) && group != "" && fold.Name(group) == fold.Name(name)
}

// OwnShips returns the user's own ships, those of mmsi_list and default_mmsi, sorted.
func (u *User) OwnShips() []ais.MMSI {
	own := slices.Clone(Setting[[]ais.MMSI](u, "mmsi_list", nil))
	if m := u.OwnShip(); m != 0 {
		own = append(own, m)
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// OwnShip returns the ship of default_mmsi, else the first of mmsi_list; 0 is none.
func (u *User) OwnShip() ais.MMSI {
	if m := Setting[ais.MMSI](u, "default_mmsi", 0); m != 0 {
		return m
	}
	if list := Setting[[]ais.MMSI](u, "mmsi_list", nil); len(list) > 0 {
		return list[0]
	}
	return 0
}

// Setting reads a setting of a user, otherwise where it is not set.
func Setting[T any](u *User, key string, otherwise T) T {
	raw, ok := u.Setting(key)
	v := otherwise
	if !ok || json.Unmarshal(raw, &v) != nil { // it was checked when it was written
		return otherwise
	}
	return v
}
