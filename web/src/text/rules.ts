// What the server says is wrong: the English catalogue has its own words, with {places} for what differs from case to case.

const patterns = new Map<string, RegExp>(); // by the words of the rule

/** ruleOf finds the rule that a sentence of the server is an example of, and what is filled in. */
export function ruleOf(catalogue: Record<string, string>, sentence: string): { key: string; places: Record<string, string> } | undefined {
  for (const key of Object.keys(catalogue)) {
    if (!key.startsWith("rule.")) continue;
    const words = catalogue[key];
    let pattern = patterns.get(words);
    if (!pattern)
      patterns.set(words, (pattern = new RegExp(`^${words.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*)")}$`)));
    const found = pattern.exec(sentence);
    if (found) return { key, places: found.groups ?? {} };
  }
  return undefined;
}
