// Links by which others look at the map until a day: one is made of what the map shows, and each can be ended before its time.
import { useState } from "preact/hooks";
import { send } from "../api";
import type { App, Props } from "../app";
import type { NewToken, Token } from "../contract";
import { Copy } from "../copy/button";
import { Moment } from "../moment/field";
import { dateTime, timeOf, wall, zone } from "../text/clock";
import { ageText, learn, t } from "../text/text";
import { Field, Switch, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { NotLoaded, records, useLoaded, type Loaded } from "../ui/load";
import { Sheet } from "../ui/sheet";
import { nothingWrong } from "../ui/wrong";
import { whyOf } from "../why";
import de from "./de.json";
import en from "./en.json";
import { addressOf, offered, partsOf, rightsOf, type Part } from "./model";
import "./style.css";

learn({ en, de });

const week = 7 * 86400e3; // milliseconds

/** Links is the panel. */
export function Links({ app }: Props) {
  const links = useLoaded(async () => (await records<Token>("token")).filter((token) => token.link));
  return (
    <>
      <Heading app={app} title={t("menu.links")} />
      <div class="sharing">
        <p class="quiet">{t("links.about")}</p>
        <NewLink app={app} onMade={links.again} />
        <section aria-label={t("links.all")}>
          <h3>{t("links.all")}</h3>
          <NotLoaded loaded={links} />
          {links.data?.length === 0 && <p class="quiet">{t("links.none")}</p>}
          <List app={app} links={links} />
        </section>
      </div>
    </>
  );
}

function List({ app, links }: { app: App; links: Loaded<Token[]> }) {
  const end = async (link: Token): Promise<void> => {
    try {
      await send("DELETE", `token/${link.id}`);
      app.tell(t("links.ended", { name: link.name }));
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
    await links.again();
  };
  return (
    <ul>
      {links.data?.map((link) => (
        <li key={link.id}>
          <span>
            <b>{link.name}</b>
            <br />
            <span class="quiet">
              {[
                link.expired ? t("links.over") : t("links.until", { time: dateTime(Date.parse(link.expiration_time)) }),
                t("links.ships"),
                ...partsOf(link.rights).map((part) => t("linkpart." + part)),
              ].join(" · ")}
              <br />
              {link.last_used ? t("links.used", { age: ageText(app.picture.now() - Date.parse(link.last_used)) }) : t("links.unused")}
            </span>
          </span>
          <button type="button" aria-label={t("links.endOne", { name: link.name })} onClick={() => void end(link)}>
            {t(link.expired ? "links.remove" : "links.end")}
          </button>
        </li>
      ))}
    </ul>
  );
}

// NewLink is the form. The address of a new link is shown this once.
function NewLink({ app, onMade }: { app: App; onMade: () => Promise<void> }) {
  const may = (right: string): boolean => app.session.may(right);
  const empty = () => ({
    name: t("links.nameOf", { time: wall(Date.now()).replace("T", " ") }),
    until: wall(Date.now() + week).slice(0, 16),
    unread: false,
    chosen: offered(may).filter((part): boolean => part === "past"),
    password: "",
  });
  const [draft, setDraft] = useState(empty),
    [made, setMade] = useState({ name: "", address: "" }),
    [wrong, setWrong] = useState(nothingWrong);
  const change = (part: Partial<typeof draft>): void => setDraft({ ...draft, ...part });
  const make = async (): Promise<void> => {
    if (draft.until === "" || draft.unread) return setWrong({ general: t("form.look"), at: { "/expiration_time": t("links.needsEnd") } });
    const { token } = await send<NewToken>("POST", "token", {
      name: draft.name,
      link: true,
      expiration_time: new Date(timeOf(draft.until)).toISOString(),
      rights: rightsOf(draft.chosen, may),
      current_password: draft.password,
    });
    setMade({ name: draft.name, address: addressOf(location.origin + location.pathname, token, location.hash) });
    setDraft(empty());
    setWrong(nothingWrong);
    await onMade();
  };
  const choose = (part: Part, on: boolean): void =>
    change({ chosen: on ? [...draft.chosen, part] : draft.chosen.filter((other) => other !== part) });
  return (
    <>
      {made.address !== "" && (
        <div class="made" role="status">
          <TextField
            label={t("links.made", { name: made.name })}
            hint={t("links.once")}
            wide
            value={made.address}
            onInput={() => {}}
            readOnly
          />
          <p class="acts">
            <Copy text={made.address} label={t("links.copy")} />
            <a href={mailOf(made.name, made.address)}>{t("links.mail")}</a>
          </p>
        </div>
      )}
      <Sheet wrong={wrong} onWrong={setWrong} save={t("links.make")} onSave={make}>
        <div class="fields">
          <TextField
            label={t("links.name")}
            hint={t("links.nameHint")}
            at="/name"
            maxLength={64}
            value={draft.name}
            onInput={(name) => change({ name })}
          />
          <Field label={t("links.end.field", { zone: zone(app.picture.now()) })} hint={t("links.endHint")} at="/expiration_time">
            {(aria) => <Moment aria={aria} now={Date.now} value={draft.until} onChange={(until, unread) => change({ until, unread })} />}
          </Field>
          <p class="quiet wide">{t("links.shows")}</p>
          {offered(may).map((part) => (
            <Switch key={part} label={t("linkpart." + part)} on={draft.chosen.includes(part)} onChange={(on) => choose(part, on)} />
          ))}
          <TextField
            label={t("links.password")}
            hint={t("links.passwordHint")}
            at="/current_password"
            type="password"
            autocomplete="current-password"
            value={draft.password}
            onInput={(password) => change({ password })}
          />
        </div>
      </Sheet>
    </>
  );
}

const mailOf = (name: string, address: string): string => `mailto:?subject=${encodeURIComponent(name)}&body=${encodeURIComponent(address)}`;
