// Sharing is about owners: which users and groups may use a thing of another user, and which may change it.
import { useEffect, useState } from "preact/hooks";
import { send } from "../api";
import type { Reference, SavedFilter } from "../contract";
import type { App } from "../app";
import { fold } from "../letters";
import { learn, t } from "../text/text";
import { Picker } from "../ui/form";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

const here = /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);

/** mayConfigure tells whether the user may write to the configuration from this machine. */
export const mayConfigure = (app: App): boolean => app.session.user !== "" && (here || app.session.may("access_remote_configuration"));

/** mayChange tells whether the user may change a thing: an own one, or any with the right over those of others. */
export const mayChange = (app: App, owner: Reference | undefined, admin: string): boolean =>
  mayConfigure(app) && (owner?.name === app.session.user || app.session.may(admin));

/** useNames returns the groups and users to share with, as far as the user may know them. */
function useNames(app: App): { value: string; label: string }[] {
  const [names, setNames] = useState<string[]>([]);
  const known = app.session.may("user_conf_access");
  useEffect(() => {
    if (!known) return;
    const ask = (path: string): Promise<string[]> =>
      send<{ records: Reference[] }>("GET", path).then(
        (a) => a.records.map((r) => r.name),
        () => [],
      );
    void Promise.all([ask("config/group"), ask("config/user")]).then(([groups, users]) => setNames([...new Set([...groups, ...users])]));
  }, [known]);
  return names.filter((name) => name !== app.session.user).map((name) => ({ value: name, label: name }));
}

/** ownerText names the owner, and has a sign for what is shared. */
export const ownerText = (app: App, of: { owner?: Reference; acl: Reference[] }): string =>
  (of.owner ? (of.owner.name === app.session.user ? t("share.me") : of.owner.name) : t("share.noOwner")) + (of.acl.length > 0 ? " ⇄" : "");

/** Owner is the owner in a table, with those it is shared with as its title. */
export const Owner = ({ app, of }: { app: App; of: { owner?: Reference; acl: Reference[] } }) => {
  const text = ownerText(app, of),
    names = of.acl.map((r) => r.name).join(", ");
  return <span title={names === "" ? text : `${text} ${t("share.with")} ${names}`}>{text}</span>;
};

/** Sharing chooses groups and users; without the right to share it lists their names. */
export function Sharing({ app, names, onChange, may }: { app: App; names: string[]; onChange: (names: string[]) => void; may: boolean }) {
  const options = useNames(app);
  if (!may)
    return (
      <p class="told">
        <span class="quiet">{t("share.with")}</span> {names.length > 0 ? names.join(", ") : t("share.nobody")}
      </p>
    );
  return <Picker label={t("share.with")} hint={t("share.hint")} at="/acl" chosen={names} options={options} onChange={onChange} free />;
}

interface NamesProps {
  app: App;
  label: string;
  hint: string;
  at: string;
  names: string[];
  /** sharing tells that the user may name others. */
  sharing: boolean;
  onChange: (names: string[]) => void;
}

/** Names chooses groups and users, the user among them. */
export function Names({ app, sharing, names, ...field }: NamesProps) {
  const others = useNames(app),
    me = app.session.user;
  const options = [...(me === "" ? [] : [{ value: me, label: me }]), ...(sharing ? others : [])];
  return <Picker {...field} chosen={names} options={options} free />;
}

/** filtersNaming returns the names of the saved filters that name a ship list or shape: they match nothing once it is gone. */
export async function filtersNaming(name: string): Promise<string[]> {
  const quoted = fold(JSON.stringify(name));
  return send<{ records: SavedFilter[] }>("GET", "config/filter").then(
    (a) => a.records.filter((f) => fold(f.filter).includes(quoted)).map((f) => f.name),
    () => [],
  );
}
