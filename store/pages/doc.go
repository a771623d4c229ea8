// Package pages reads the pages of a bbolt file by itself. bbolt trusts its pages: one wrong bit can end the process, or hide values without
// a word. This package trusts none: every number is checked before it is used, and what does not fit is told as a Fault.
//
// It promises: no bytes make it panic, read outside of the file or run for ever, and it never writes.
//
// It does not judge values: the caller says by their checksums which are whole. The layout (bbolt's own, in the byte order of the machine):
//
//	page    id 8 | flags 2 | count 2 | overflow 4 | elements | keys and values, packed in their order
//	branch  elements of  position 4 | key size 4 | child 8
//	leaf    elements of  flags 4 | position 4 | key size 4 | value size 4       flags 1: the value is a bucket
//	bucket  root 8 | sequence 8 | a page in here when root is 0
//	meta    magic 4 | version 4 | page size 4 | flags 4 | root 8 | sequence 8 | free list 8 | pages 8 | transaction 8 | FNV-1a 8
//
// The position is counted from the element itself.
package pages
