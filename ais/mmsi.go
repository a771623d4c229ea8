package ais

// MMSI is a Maritime Mobile Service Identity: nine decimal digits on the air. It is 64 bits wide because ships that
// were registered by hand, without a transponder, get ten-digit numbers from 9900000001 on.
type MMSI int64
