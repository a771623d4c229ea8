package ais

// ErrorReason is the reason why a sentence or message was refused. It is an error itself, so an error costs no memory, and
// it is the index into Counters.Bad.
type ErrorReason uint8

// The reasons that are counted.
const (
	ErrorChecksum ErrorReason = iota // the sentence's checksum is missing or wrong
	ErrorFormat                      // not the fields that a VDM, VDO or the like has
	ErrorPayload                     // empty payload, characters outside the six-bit armour, or too many of them
	ErrorLength                      // fewer bits than the message type has
	ErrorType                        // message type 0 or above 27
	ErrorFragment                    // a part without the one before it, or parts whose rest did not come within 10 s
	ErrorTag                         // a TAG block with a wrong checksum; its sentence is still taken
	ErrorOwn                         // a sentence about the own station that does not parse
	ErrorSurplus                     // fields behind the fill bits; the sentence is still taken
	ErrorClock                       // a time before 1990, or one that no other source supports; it is not followed
	ErrorChannel                     // a channel that is not empty and not letters and digits
	errorReasons
)

// ErrorReasons is the number of reasons.
const ErrorReasons = int(errorReasons)

// String returns the word for the reason in counters.
func (r ErrorReason) String() string {
	switch r {
	case ErrorChecksum:
		return "checksum"
	case ErrorFormat:
		return "format"
	case ErrorPayload:
		return "payload"
	case ErrorLength:
		return "length"
	case ErrorType:
		return "type"
	case ErrorFragment:
		return "fragment"
	case ErrorTag:
		return "tag"
	case ErrorOwn:
		return "own"
	case ErrorSurplus:
		return "surplus"
	case ErrorClock:
		return "clock"
	case ErrorChannel:
		return "channel"
	}
	return "unknown"
}

// Error returns the reason as a sentence.
func (r ErrorReason) Error() string {
	switch r {
	case ErrorChecksum:
		return "sentence: checksum is missing or wrong"
	case ErrorFormat:
		return "sentence: fields are missing or wrong"
	case ErrorPayload:
		return "payload: is empty, too long or has characters outside the six-bit armour"
	case ErrorLength:
		return "message: has fewer bits than its type needs"
	case ErrorType:
		return "message: type is not 1 to 27"
	case ErrorFragment:
		return "message: a part is missing"
	case ErrorTag:
		return "tag block: checksum is wrong"
	case ErrorOwn:
		return "sentence: own position or transponder state does not parse"
	case ErrorSurplus:
		return "sentence: has surplus fields behind the fill bits"
	case ErrorClock:
		return "time: no other source supports it"
	case ErrorChannel:
		return "sentence: channel is not a letter or digit"
	}
	return "unknown reason"
}
