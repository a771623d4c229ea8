// Which texts AIS can carry: its characters have six bits, and messages 12 and 14 have room for so many.

/** mostOnAir returns how many characters a safety message may have. */
export const mostOnAir = (broadcast: boolean): number => (broadcast ? 161 : 156);

/** notOnAir returns the characters of a text that AIS does not have, each once. An "@" ends a text on the air, so it is none. */
export const notOnAir = (text: string): string[] => [...new Set([...text].filter((c) => !/^[ -?A-_a-z]$/.test(c)))];

/** lengthOnAir counts the characters of a text; blanks around it are not sent. */
export const lengthOnAir = (text: string): number => [...text.replace(/^ +| +$/g, "")].length;
