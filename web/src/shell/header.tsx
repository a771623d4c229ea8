import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Badge } from "../alerts/badge";
import type { App } from "../app";
import type { Feed } from "../contract";
import type { Health } from "../feeds";
import { paletteNames } from "../palette";
import { course, miles, rate } from "../text/figures";
import { ageText, number, t } from "../text/text";
import { Clock } from "../ui/clock";
import { Icon } from "../ui/icon";
import { LanguageButtons } from "../ui/language";
import { usePanel } from "../ui/panel";
import { Search } from "./search";

/** Header is the line above all: places, search, feeds, clock, palettes and settings. */
export function Header({ app }: { app: App }) {
  return (
    <header>
      <h1 class="brand">{t("app.title")}</h1>
      <Menu app={app} />
      {app.navigation.open.kind === "map" && (
        <button
          class="square listbutton"
          aria-label={t(app.settings.listOpen ? "list.close" : "list.open")}
          aria-expanded={app.settings.listOpen}
          onClick={() => app.settings.setList(!app.settings.listOpen)}>
          <Icon d="M6 4h8M6 8h8M6 12h8M2 4h.5M2 8h.5M2 12h.5" />
        </button>
      )}
      <Search app={app} />
      <Badge app={app} />
      <FeedHealth app={app} />
      <Clock app={app} />
      <div class="palettes" role="group" aria-label={t("menu.palette")}>
        <PaletteButtons app={app} />
      </div>
      <Settings app={app} />
    </header>
  );
}

const sections = ["traffic", "administration", "own"] as const;

// Menu leads to the places that the user may open. Arrow keys move in it as well as Tab.
function Menu({ app }: { app: App }) {
  const { open, setOpen, box } = usePanel();
  const list = useRef<HTMLElement>(null);
  const menu = app.navigation.menu;
  // Before the next key, which would else go to the button.
  useLayoutEffect(() => {
    if (open) list.current?.querySelector<HTMLElement>("[aria-current], button")?.focus();
  }, [open]);
  if (menu.length < 2) return null;
  const key = (e: KeyboardEvent): void => {
    const all = [...list.current!.querySelectorAll("button")],
      at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    all[(to + all.length) % all.length].focus();
  };
  return (
    <div class="menu" ref={box}>
      <button
        class="menubutton"
        aria-expanded={open}
        aria-label={`${t("menu.places")}: ${t("menu." + app.navigation.open.name)}`}
        onClick={() => setOpen(!open)}>
        <Icon d="M2 4h12M2 8h12M2 12h12" />
        <span>{t("menu." + app.navigation.open.name)}</span>
      </button>
      {open && (
        <nav class="panel" ref={list} aria-label={t("menu.places")} onKeyDown={key}>
          {sections.map((section) => {
            const part = menu.filter((place) => place.section === section);
            return (
              part.length > 0 && (
                <ul key={section} aria-label={t("menu." + section)}>
                  <li class="quiet" aria-hidden="true">
                    {t("menu." + section)}
                  </li>
                  {part.map((place) => (
                    <li key={place.name}>
                      <button
                        aria-current={place === app.navigation.open ? "page" : undefined}
                        onClick={() => {
                          setOpen(false);
                          void app.navigation.go(place.name);
                        }}>
                        {t("menu." + place.name)}
                      </button>
                    </li>
                  ))}
                </ul>
              )
            );
          })}
        </nav>
      )}
    </div>
  );
}

function PaletteButtons({ app }: { app: App }) {
  return (
    <>
      {paletteNames.map((name) => (
        <button key={name} aria-pressed={app.settings.palette === name} onClick={() => app.settings.setPalette(name)}>
          {t("menu." + name)}
        </button>
      ))}
    </>
  );
}

/** signs are the marks of each health, as colour alone does not tell. */
export const signs: Record<Health, string> = { ok: "●", silent: "▲", never: "○", down: "✕", ended: "■", unknown: "?" };
const worse: Health[] = ["ok", "ended", "never", "silent", "down", "unknown"];

/** feedText says all of a feed in one line. */
export function feedText(app: App, feed: Feed): string {
  const now = performance.now(),
    health = app.feeds.health(feed, now),
    age = ageText(app.feeds.age(feed, now) ?? 0);
  if (health === "down") return feed.error ? t("feed.downWhy", { name: feed.name, why: feed.error }) : t("feed.down", { name: feed.name });
  if (health !== "ok") return t("feed." + health, { name: feed.name, age });
  return t("feed.ok", { name: feed.name, rate: rate(feed.messages_per_second), age });
}

// feedMore is what else a feed tells of itself: how many ships, how far, what was wrong or lost.
function feedMore(feed: Feed): string {
  const bad = Object.values(feed.bad ?? {}).reduce((a, b) => a + b, 0),
    dropped = (feed.overflow ?? 0) + (feed.kernel_drops ?? 0);
  return [
    feed.ships !== undefined && t("feed.ships", { n: number(feed.ships) }),
    feed.farthest_m && t("feed.farthest", { miles: miles(feed.farthest_m), bearing: course(feed.farthest_bearing ?? 0) }),
    feed.duplicates && t("feed.duplicates", { n: number(feed.duplicates) }),
    bad > 0 && t("feed.bad", { n: number(bad) }),
    dropped > 0 && t("feed.dropped", { n: number(dropped) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

function FeedHealth({ app }: { app: App }) {
  const { open, setOpen, box } = usePanel();
  const now = performance.now(),
    feeds = app.feeds.list;
  const health = feeds.map((f) => app.feeds.health(f, now));
  const worst = health.reduce((a, b) => (worse.indexOf(b) > worse.indexOf(a) ? b : a), feeds.length === 0 ? "never" : ("ok" as Health));
  const few = feeds.length <= 3;
  return (
    <div class="feeds" ref={box}>
      <button
        class={"feedbutton" + (few ? " few" : "")}
        aria-expanded={open}
        title={feeds.map((f) => feedText(app, f)).join("; ") || t("feed.none")}
        onClick={() => setOpen(!open)}>
        <span class="unseen">{t("feed.open")}: </span>
        <span class={"chip worst " + worst}>
          <i>{signs[worst]}</i>
          {feeds.length === 0
            ? t("feed.none")
            : feeds.length === 1
              ? short(app, feeds[0]).split(" · ")[0]
              : `${health.filter((h) => h === "ok").length}/${feeds.length}`}
        </span>
        {feeds.length === 0 && app.feeds.told && (
          <span class="chip each never">
            <i>{signs.never}</i>
            {t("feed.none")}
          </span>
        )}
        {few &&
          feeds.map((f, i) => (
            <span key={f.name} class={"chip each " + health[i]}>
              <i>{signs[health[i]]}</i>
              <b>{f.name}</b> {short(app, f)}
            </span>
          ))}
      </button>
      {open && (
        <div class="panel">
          <h2>{t("feed.heading")}</h2>
          {feeds.length === 0 ? (
            <p>{t("feed.none")}</p>
          ) : (
            <ul>
              {feeds.map((f, i) => (
                <li key={f.name} class={health[i]}>
                  <i>{signs[health[i]]}</i> {feedText(app, f)}
                  <div class="quiet">{feedMore(f)}</div>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </div>
  );
}

// short is the rate of a feed that speaks, the age of its last word otherwise.
function short(app: App, feed: Feed): string {
  const now = performance.now(),
    age = app.feeds.age(feed, now);
  const health = app.feeds.health(feed, now);
  if (age === undefined || health === "unknown") return "–";
  return health === "ok" ? `${rate(feed.messages_per_second)}/s · ${ageText(age)}` : ageText(age);
}

// Buttons are a setting of which one button at a time is pressed.
const Buttons = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <div class="choice" role="group" aria-label={word}>
    <span>{word}</span>
    <div class="buttons">{children}</div>
  </div>
);

const vectorChoices = [0, 3, 6, 12, 30];

function Settings({ app }: { app: App }) {
  const { open, setOpen, box } = usePanel();
  return (
    <div class="settings" ref={box}>
      <button class="square" aria-label={t("menu.open")} aria-expanded={open} onClick={() => setOpen(!open)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h4m4 0h4M2 12h2m4 0h6" />
          <circle cx="8" cy="4" r="2" />
          <circle cx="6" cy="12" r="2" />
        </svg>
      </button>
      {open && (
        <div class="panel">
          <h2>{t("menu.heading")}</h2>
          <Buttons word={t("menu.palette")}>
            <PaletteButtons app={app} />
          </Buttons>
          <Buttons word={t("menu.vectors")}>
            {vectorChoices.map((m) => (
              <button key={m} aria-pressed={app.settings.vectorMinutes === m} onClick={() => app.settings.setVectors(m)}>
                {m === 0 ? t("menu.off") : t("menu.minutes", { n: m })}
              </button>
            ))}
          </Buttons>
          <Buttons word={t("menu.times")}>
            {[false, true].map((local) => (
              <button key={String(local)} aria-pressed={app.settings.local === local} onClick={() => app.settings.setLocal(local)}>
                {local ? t("menu.local") : "UTC"}
              </button>
            ))}
          </Buttons>
          <Buttons word={t("menu.language")}>
            <LanguageButtons app={app} />
          </Buttons>
          <label class="check">
            <input type="checkbox" checked={app.settings.labels} onChange={(e) => app.settings.setLabels(e.currentTarget.checked)} />{" "}
            {t("menu.labels")}
          </label>
          {app.session.may("message_service") && (
            <label class="check">
              <input type="checkbox" checked={app.settings.ticker} onChange={(e) => app.settings.setTicker(e.currentTarget.checked)} />{" "}
              {t("messages.setting")}
            </label>
          )}
          {app.session.account.link && <p class="quiet">{t("menu.link", { name: app.session.account.link })}</p>}
          <a class="licences" href="./licences.txt" target="_blank" rel="noopener">
            {t("menu.licences")}
          </a>
          <button class="wide" onClick={() => void app.session.signOut().then((out) => out && app.navigation.goInstead("map"))}>
            {app.session.user === "" ? t("menu.signin") : t("menu.signout", { name: app.session.user })}
          </button>
        </div>
      )}
    </div>
  );
}
