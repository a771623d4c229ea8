import type { ComponentChildren } from "preact";
import type { App } from "../app";
import { Calls } from "../calls/calls";
import { ChangesOf } from "../changes/changes";
import { callsAtPorts, isHollow, mmsiText, oddNumber, title, type Ship, type Sighting } from "../ship";
import { both, when } from "../text/clock";
import { etaText } from "../text/eta";
import { course, draught, metres, place, size, speed, turn } from "../text/figures";
import { TextsOf } from "../messages/texts";
import { Tracked, TrackTo } from "../tracked/card";
import { trackable } from "../tracked/tracked";
import { mayWarn } from "../may";
import { ageText, flag, number, statusText, t, typeText } from "../text/text";
import { Destination } from "./destination";
import { Hull } from "./hull";
import { Kind } from "../map/kind";
import { Later } from "../ui/later";
import { leftText } from "./left";
import { TrackButtons, TrackNote } from "./track";

/** Card shows all that is known of the selected ship; what is not known, or cannot be of such a station, is left out. */
export function Card({ app }: { app: App }) {
  const ship = app.selection.ship;
  const name = title(ship ?? app.selection);
  return (
    <aside class="card" aria-labelledby="card-heading">
      <div class="head">
        {ship && (
          <Kind
            group={ship.group}
            palette={app.settings.palette}
            degrees={ship.heading ?? ship.cog ?? 0}
            size={26}
            empty={isHollow(ship)}
          />
        )}
        <div class="who">
          <h2 id="card-heading">{name}</h2>
          <p>
            {ship
              ? [app.session.account.mmsi_list?.includes(ship.mmsi) && t("card.own"), typeText(ship), flag(ship)]
                  .filter(Boolean)
                  .join(" · ")
              : app.selection.told || t("card.asking")}
          </p>
        </div>
        <button
          class="square"
          aria-label={t("card.close")}
          onClick={() => {
            app.selection.close();
            document.getElementById("map")?.focus();
          }}>
          ×
        </button>
      </div>
      {ship && <Freshness app={app} ship={ship} />}
      {ship && (
        <div class="body">
          {app.settings.times && app.session.may("view_historical_tracks") && (
            <Later key={String(app.settings.local)} load={() => import("./tracktimes").then((m) => m.TrackTimes)} props={{ app, ship }} />
          )}
          <TextsOf app={app} ship={ship} />
          <Tracked app={app} ship={ship} />
          <Facts app={app} ship={ship} />
          <Acts app={app} ship={ship} />
          {onAir(ship) && app.session.may("send_messages") && (
            <Later
              key={ship.mmsi}
              load={() => import("../messages/compose").then((m) => m.Compose)}
              props={{ app, to: ship, label: t("messages.write") }}
            />
          )}
        </div>
      )}
    </aside>
  );
}

/** onAir tells whether a station can be sent a text: aids have no reader, and what was entered by hand may have no radio. */
const onAir = (ship: Ship): boolean => ship.group !== "aton" && ship.source !== "register" && ship.mmsi <= 999_999_999;

function Freshness({ app, ship }: { app: App; ship: Ship }) {
  const lost = ship.signal === "lost",
    left = leftText(app, ship);
  if (ship.source === "register")
    return (
      <div class="doing">
        <p class="fresh entered">
          <i aria-hidden="true">✎</i> {t("card.entered")}
        </p>
      </div>
    );
  return (
    <div class="doing">
      {left ? (
        <p class="fresh left">
          <i aria-hidden="true">○</i> {left}
        </p>
      ) : (
        <p class={"fresh" + (lost ? " lost" : "")}>
          <i aria-hidden="true">{lost ? "✕" : "●"}</i> {t(lost ? "card.lost" : "card.live")} ·{" "}
          <span title={t("card.age")}>{ageText(app.picture.now() - ship.time)}</span>
        </p>
      )}
      {ship.group !== "base" && app.session.may("view_historical_tracks") && <TrackButtons app={app} ship={ship} />}
      {ship.group !== "base" && !left && (
        <button
          aria-pressed={app.following.mmsi === ship.mmsi}
          onClick={() => (app.following.mmsi === ship.mmsi ? app.following.release() : app.following.follow(ship.mmsi))}>
          {t("card.follow")}
        </button>
      )}
    </div>
  );
}

// Acts are what a user with the rights can do with a ship beyond looking.
function Acts({ app, ship }: { app: App; ship: Ship }) {
  const list = app.session.may("configure_ship_lists"),
    register = app.session.may("add_remove_mmsi_entries") || app.session.may("change_mmsi_entries");
  const route = ship.group !== "base" && ship.group !== "aton" && ship.lon !== undefined && app.session.may("view_predicted_position");
  const plan = (): void => {
    app.planner.begin({ kind: "ship", mmsi: ship.mmsi });
    void app.navigation.go("route");
  };
  const track = trackable(ship) && app.session.may("pcs_access"),
    warn = ship.group !== "base" && mayWarn(app);
  if (!list && !register && !route && !track && !warn) return null;
  return (
    <p class="acts">
      {track && <TrackTo app={app} />}
      {route && <button onClick={plan}>{t("card.route")}</button>}
      {warn && <button onClick={() => void app.navigation.go("watchdogs", "warn", "ship", String(ship.mmsi))}>{t("card.warn")}</button>}
      {list && <button onClick={() => void app.navigation.go("lists", "add", String(ship.mmsi))}>{t("card.list")}</button>}
      {register && <button onClick={() => void app.navigation.go("register", String(ship.mmsi))}>{t("card.register")}</button>}
    </p>
  );
}

function Row({ label, children, wide }: { label: string; children: ComponentChildren; wide?: boolean }) {
  return (
    <div class={wide ? "wide" : ""}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// Both places of a number that two transmitters use.
function Conflict({ both, now }: { both: Sighting[]; now: number }) {
  return (
    <span class="problem">
      {t("card.conflictTold")}
      {both.map(({ position: { coordinates: at }, feeds, station }, i) => (
        <span key={i}>
          <br />
          {place(at[0], at[1])} · {when(Date.parse(at[2]), now)} · {[...feeds, station].filter(Boolean).join(", ")}
        </span>
      ))}
    </span>
  );
}

// A fact stands only where there is a value; which facts a station can have follows from what the server sends of it.
function Facts({ app, ship }: { app: App; ship: Ship }) {
  const station = ship.group === "base" || ship.group === "aton";
  const now = app.picture.now();
  const tracked = app.tracks.of(ship.mmsi)?.state === "shown";
  const calls = callsAtPorts(ship) && app.session.may("view_history");
  const announces = !station && Boolean(ship.destination) && app.session.may("pcs_access") && app.session.may("view_predicted_position");
  const facts: [string, ComponentChildren, boolean?][] = [];
  const fact = (key: string, value: ComponentChildren, wide?: boolean): void => {
    if (value !== undefined && value !== "" && value !== false) facts.push([t("card." + key), value, wide]);
  };
  if (!station) {
    fact("speed", ship.sog === undefined ? undefined : speed(ship.sog));
    fact("course", ship.cog === undefined ? undefined : course(ship.cog));
    fact("headingIs", ship.heading === undefined ? undefined : course(ship.heading));
    fact("rot", ship.rot ? turn(ship.rot) : undefined);
    fact("status", statusText(ship), true);
    fact("destination", ship.destination && <Destination ship={ship} />, true);
    fact("crewEta", etaText(ship));
    if (announces)
      facts.push(["", <Later key="eta" load={() => import("../tracked/announced").then((m) => m.Announced)} props={{ app, ship }} />]);
    fact("draught", ship.draught ? draught(ship.draught) : undefined);
  }
  fact("altitude", ship.altitude === undefined ? undefined : metres(ship.altitude));
  fact("offPosition", ship.off_position && t("card.yes"));
  fact("untrusted", ship.untrusted && t("card.yes"), true);
  fact("size", ship.length && ship.width ? size(ship.length, ship.width) : ship.length ? metres(ship.length) : undefined);
  fact("mmsi", oddNumber(ship) ? `${mmsiText(ship.mmsi)} (${t("card.oddNumber")})` : mmsiText(ship.mmsi));
  fact("imo", ship.imo);
  fact("callsign", ship.callsign);
  fact("class", ship.class && ship.class !== "unknown" ? t("class." + ship.class) : undefined);
  fact("motherShip", ship.mother_ship && <button onClick={() => app.selection.select(ship.mother_ship!, "go")}>{ship.mother_ship}</button>);
  fact("dwt", ship.dwt && `${number(ship.dwt)} t`);
  fact("gt", ship.gt && number(ship.gt));
  fact("position", ship.lon !== undefined && ship.lat !== undefined ? place(ship.lon, ship.lat) : undefined, true);
  fact("time", ship.fixTime && ship.source !== "register" ? both(ship.fixTime, now) : undefined);
  fact("feed", ship.feed);
  if (ship.conflict) fact("conflict", <Conflict both={ship.conflict} now={now} />, true);
  fact("note", ship.note, true);
  return (
    <>
      {!tracked && <TrackNote app={app} ship={ship} />}
      <dl>
        {facts.map(([label, value, wide]) =>
          label === "" ? (
            value // which is a row itself, or none
          ) : (
            <Row key={label} label={label} wide={wide}>
              {value}
            </Row>
          ),
        )}
      </dl>
      {tracked && <TrackNote app={app} ship={ship} />}
      {calls && <Calls app={app} ship={ship} />}
      {calls && <ChangesOf app={app} ship={ship} />}
      {!station && <Hull ship={ship} />}
    </>
  );
}
