// Users and groups as the API gives and takes them, and what follows from them: the effective right and where it comes from.
import type { Group as GroupOfAPI, Reference, User as UserOfAPI } from "../contract";
import { megabytes } from "../text/figures";
import { t } from "../text/text";

/** Ref names a user, group or thing; one that is yet to be made has no uid. */
export type Ref = Pick<Reference, "name"> & Partial<Reference>;

/** Verdict is what a user or group says of a right; without one the groups decide. */
export type Verdict = GroupOfAPI["access_rights"][string];

/** Keys are settings or conditions by their keys. */
export type Keys = Record<string, unknown>;

// A key that the contract does not know is kept too: the client reads and writes settings and conditions by their keys.
type WithKeys<P> = Omit<P, KeySets> & Record<KeySets, Keys>;
type KeySets = "settings" | "receive_filter" | "transmit_filter";

/** User is a user as the API gives it, Group a group, Profile what they have in common. */
export type User = WithKeys<UserOfAPI>;
export type Group = WithKeys<GroupOfAPI>;
export type Profile = Omit<Group, "locked" | "members">;

/** keptOf says how much a user keeps of what it may keep. */
export const keptOf = (user: User): string =>
  t("users.kept", { now: megabytes(user.stored_bytes), most: megabytes(user.max_stored_bytes) });

const profile: Profile = {
  uid: "",
  revision: "",
  name: "",
  common_name: "",
  description: "",
  email: "",
  phone: "",
  access_rights: {},
  settings: {},
  receive_filter: {},
  transmit_filter: {},
  warn_on_deletion: false,
};
/** newUser is what the form of a new user begins with. */
export const newUser: User = {
  ...profile,
  groups: [],
  direct_access: { enabled: false, hosts: [] },
  disabled: false,
  period_before_expire: 14,
  effective_rights: [],
  stored_bytes: 0,
  max_stored_bytes: 0,
};
/** newGroup is what the form of a new group begins with. */
export const newGroup: Group = { ...profile, locked: false, members: [] };

/** State tells whether a user may sign in; soon: the access ends soon. */
export type State = "active" | "disabled" | "expired" | "soon";

/** stateOf tells whether a user may sign in at that time, and whether that ends soon. */
export function stateOf(user: Pick<User, "disabled" | "expiration_time" | "period_before_expire">, now: number): State {
  if (user.disabled) return "disabled";
  if (!user.expiration_time) return "active";
  const end = Date.parse(user.expiration_time);
  if (end <= now) return "expired";
  return end - user.period_before_expire * 86400e3 < now ? "soon" : "active";
}

/** isPowerless tells whether a user may sign in nowhere: neither in the client, nor by API, nor at the NMEA stream. */
export const isPowerless = (user: User): boolean =>
  !["web_online_access", "allow_web_service", "lss_access"].some((right) => user.effective_rights.includes(right));

/** Effect is a right as it is in the end, and what decides it: the user's own key, groups, or nobody. */
export interface Effect {
  may: boolean;
  from: "own" | "groups" | "none";
  groups: string[];
}

/** effectOf decides as the server does: the own key, else the groups, where deny beats allow; what nobody allows is denied. */
export function effectOf(right: string, own: Record<string, Verdict>, groups: readonly Profile[]): Effect {
  if (own[right] === "allow" || own[right] === "deny") return { may: own[right] === "allow", from: "own", groups: [] };
  const saying = (verdict: Verdict): string[] =>
    groups
      .filter((g) => g.access_rights[right] === verdict)
      .map((g) => g.name)
      .sort();
  const denying = saying("deny");
  if (denying.length > 0) return { may: false, from: "groups", groups: denying };
  const allowing = saying("allow");
  return { may: allowing.length > 0, from: allowing.length > 0 ? "groups" : "none", groups: allowing };
}

/** groupsOf returns the groups that are named, by name as the server asks them. */
export function groupsOf(refs: readonly Ref[], groups: readonly Group[]): Group[] {
  return groups.filter((g) => refs.some((r) => r.uid === g.uid)).sort((a, b) => a.name.localeCompare(b.name));
}

/** inherited returns what a setting is by the groups: that of the first by name that has it. */
export function inherited(key: string, groups: readonly Profile[]): { value: unknown; from: string } | undefined {
  const group = groups.find((g) => key in g.settings);
  return group && { value: group.settings[key], from: group.name };
}

/** typeOf is the kind of a user: its own setting, else that of the groups. */
export function typeOf(user: Profile, groups: readonly Profile[]): string {
  return String(user.settings.user_type || inherited("user_type", groups)?.value || "user");
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

// keysChanged returns the keys that differ; one that is gone has the value that removes it.
function keysChanged(was: Keys, now: Keys, gone: unknown): Keys | undefined {
  const changed: Keys = {};
  for (const key of new Set([...Object.keys(was), ...Object.keys(now)])) {
    if (!same(was[key], now[key])) changed[key] = now[key] === undefined ? gone : now[key];
  }
  return Object.keys(changed).length > 0 ? changed : undefined;
}

const plain = [
  "name",
  "common_name",
  "description",
  "email",
  "phone",
  "groups",
  "direct_access",
  "disabled",
  "expiration_time",
  "period_before_expire",
  "locked",
];

/** changes returns what a PUT has to send: only what differs, so that nothing is asked of rights that the change does not need. */
export function changes<P extends Profile>(was: P, now: P): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  const before = was as unknown as Record<string, unknown>,
    after = now as unknown as Record<string, unknown>;
  for (const key of plain) if (!same(before[key], after[key])) body[key] = after[key] ?? null;
  for (const key of ["settings", "receive_filter", "transmit_filter"] as const) {
    const changed = keysChanged(was[key], now[key], null);
    if (changed) body[key] = changed;
  }
  const rights = keysChanged(was.access_rights, now.access_rights, "");
  if (rights) body.access_rights = rights;
  return body;
}

/** clashes returns what was changed here, by pointer, and by somebody else in the meantime to something else. */
export function clashes<P extends Profile>(was: P, mine: P, theirs: P): string[] {
  const found: string[] = [];
  const compare = (at: string, a: unknown, b: unknown, c: unknown): void => {
    if (!same(a, b) && !same(a, c) && !same(b, c)) found.push(at);
  };
  const three = [was, mine, theirs] as unknown as Record<string, unknown>[];
  for (const key of plain) compare(key, three[0][key], three[1][key], three[2][key]);
  for (const set of ["settings", "receive_filter", "transmit_filter", "access_rights"]) {
    const keys = three.map((p) => p[set] as Keys);
    for (const key of new Set(keys.flatMap(Object.keys))) compare(key, keys[0][key], keys[1][key], keys[2][key]);
  }
  return found;
}

/** setKey returns keys with one of them changed; undefined removes it. */
export function setKey(keys: Keys, key: string, value: unknown): Keys {
  const now = { ...keys };
  if (value === undefined) delete now[key];
  else now[key] = value;
  return now;
}
