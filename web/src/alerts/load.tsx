// The load: whether the watchdogs ask too much of whoever answers their alerts.
import { useEffect, useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import type { AlertLoad } from "../contract";
import { when } from "../text/clock";
import { number, t } from "../text/text";
import { parseTime } from "../time";
import { Heading } from "../ui/heading";
import { whyOf } from "../why";
import { looks, signs } from "./alert";

const spans = [1, 8, 24, 168]; // hours

/** Load is the page of figures. */
export function Load({ app }: { app: App }) {
  const [hours, setHours] = useState(24),
    [data, setData] = useState<AlertLoad>(),
    [problem, setProblem] = useState("");
  useEffect(() => {
    let mine = true;
    send<AlertLoad>("GET", `watchdog/load?hours=${hours}`).then(
      (read) => mine && (setData(read), setProblem("")),
      (why) => mine && setProblem(whyOf(why)),
    );
    return () => {
      mine = false;
    };
  }, [hours]);
  return (
    <>
      <Heading app={app} title={t("alert.load")} back={["events"]} />
      <div class="eventbox load">
        <div class="spans" role="group" aria-label={t("load.span")}>
          {spans.map((one) => (
            <button key={one} aria-pressed={hours === one} onClick={() => setHours(one)}>
              {t("load.hours", { n: one })}
            </button>
          ))}
        </div>
        {problem !== "" && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {data && <Figures data={data} now={app.picture.now()} />}
      </div>
    </>
  );
}

function Figures({ data: d, now }: { data: AlertLoad; now: number }) {
  const facts: [string, string, boolean][] = [
    [t("load.average"), t("load.of", { n: number(d.average, 0, 2), most: d.limits.average }), d.average > d.limits.average],
    [
      t("load.peak"),
      t("load.of", { n: d.peak, most: d.limits.peak }) + (d.peak_time ? ` · ${when(parseTime(d.peak_time), now)}` : ""),
      d.peak >= d.limits.peak,
    ],
    [t("load.floods"), number(d.floods), d.floods > 0],
    [t("load.standing"), t("load.of", { n: d.standing, most: d.limits.standing }), d.standing > d.limits.standing],
    [t("load.unacknowledged"), number(d.unacknowledged), d.unacknowledged > 0],
    [t("load.useless"), number(d.not_useful), d.not_useful > 0],
    [t("load.cautions"), number(d.cautions), false],
  ];
  return (
    <>
      <p class={"verdict " + d.judgement}>
        <b>{t("loadis." + d.judgement)}</b> {t(d.alerts === 1 ? "load.alert" : "load.alerts", { n: d.alerts })}
      </p>
      <Bars periods={d.periods} most={d.limits.peak} />
      <dl class="facts">
        {facts.map(([word, value, bad]) => (
          <div key={word} class={bad ? "bad" : ""}>
            <dt>{word}</dt>
            <dd>
              {bad && <span aria-hidden="true">▲ </span>}
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {d.more && <p class="quiet">{t("load.more")}</p>}
      {d.chattering.length > 0 && (
        <>
          <h3>{t("load.chattering")}</h3>
          <ul>
            {d.chattering.map((c) => (
              <li key={`${c.definition_id} ${c.mmsi}`}>
                {t("load.chatter", { ship: c.name || (c.mmsi === 0 ? c.watchdog : String(c.mmsi)), name: c.watchdog, n: c.times })}
              </li>
            ))}
          </ul>
        </>
      )}
      {d.definitions.length > 0 && (
        <div class="loadtable">
          <table>
            <caption>{t("load.each")}</caption>
            <thead>
              <tr>
                {["name", "alerts", "open", "useless", "answered"].map((key) => (
                  <th key={key} scope="col">
                    {t("loadcol." + key)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {d.definitions.map((of) => (
                <tr key={of.definition_id}>
                  <th scope="row">
                    <span class={"severity " + looks[of.priority]} role="img" aria-label={t("priority." + of.priority)}>
                      {signs[of.priority]}
                    </span>{" "}
                    {of.definition_id === 0 ? t("event.byHand") : of.watchdog}
                  </th>
                  <td>{of.alerts}</td>
                  <td>{of.unacknowledged}</td>
                  <td>{of.not_useful}</td>
                  <td>{of.acknowledged_after ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="quiet">{t("load.source")}</p>
    </>
  );
}

// Bars draws the alerts of each ten minutes, the earliest first.
function Bars({ periods, most }: { periods: number[]; most: number }) {
  const high = Math.max(most, ...periods),
    label = t("load.bars", { n: Math.max(...periods) });
  return (
    <svg class="bars" viewBox={`0 0 ${periods.length} 20`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line x1="0" x2={periods.length} y1={20 - (20 * most) / high} y2={20 - (20 * most) / high} />
      {periods.map((n, i) => n > 0 && <rect key={i} x={i} y={20 - (20 * n) / high} width="1" height={(20 * n) / high} />)}
    </svg>
  );
}
