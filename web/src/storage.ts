// What this browser remembers of the user's choices. Storage may be refused; then nothing is kept.

/** keep stores a text under a key. */
export const keep = (key: string, value: string): void => {
  try {
    localStorage.setItem("quaywatch." + key, value);
  } catch {
    /* refused */
  }
};

/** kept returns the text of a key, "" where there is none. */
export const kept = (key: string): string => {
  try {
    return localStorage.getItem("quaywatch." + key) ?? "";
  } catch {
    return "";
  }
};
