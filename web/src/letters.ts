// The forms in which names and other texts are compared. They are those of the server's package fold; internal/fold/testdata holds both.

/** fold returns a name in the form under which it is unique: case does not count, nor how much white space there is. */
export const fold = (name: string): string =>
  caseless(name.normalize("NFD"))
    .normalize("NFC")
    .split(/\p{White_Space}+/u)
    .filter(Boolean)
    .join(" ");

/** plain returns text in lower case and without the marks of its letters: "København" is "kobenhavn". */
export function plain(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return caseless(text.normalize("NFKD"))
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[æđðħıłøœþŧ]/g, (letter) => whole[letter]);
}

/** finder returns a function that tells whether each word of text stands in a text. */
export function finder(text: string): (where: string) => boolean {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (where) => {
    const found = plain(where);
    return words.every((word) => found.includes(word));
  };
}

// By way of upper case "ß" becomes "ss". "ı" stays, for its upper case is that of "i".
const caseless = (text: string): string =>
  text.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase()).replaceAll("ς", "σ");

// The Latin letters that Unicode does not take apart, as a keyboard without them writes them.
const whole: Record<string, string> = { æ: "ae", đ: "d", ð: "d", ħ: "h", ı: "i", ł: "l", ø: "o", œ: "oe", þ: "th", ŧ: "t" };
