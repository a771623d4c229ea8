package access

import "quaywatch/form"

// other takes the keys of an entry that nobody knows.
func (im *importer) other(kind, name string, given form.Keys, kept *form.Keys) {
	if given == nil {
		return
	}
	now, err := form.TakeOther(nil, given)
	if err != nil {
		im.refuse(kind, name, "other: %v", err)
	}
	*kept = now
}
