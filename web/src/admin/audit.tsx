import { useState } from "preact/hooks";
import type { Props } from "../app";
import type { AuditEvent } from "../contract";
import { Heading } from "../ui/heading";
import { wall, zone } from "../text/clock";
import { known, number, t } from "../text/text";
import { NotLoaded, records, useLoaded } from "../ui/load";
import { Table, type ColumnOf } from "../ui/table";
import { wordOf } from "./editor";

type Event = AuditEvent & { at: number };

// actText says an act of the log in words: "PUT user" is a user that was changed.
function actText(action: string): string {
  const [, method, thing] = /^(POST|PUT|DELETE) (.+)$/.exec(action) ?? [];
  const whole = known("act." + action);
  return whole || method === undefined ? whole || action : t("act." + method, { thing: known("thing." + thing) || thing });
}

// detailText says which fields were written, in the words of the forms. What the change was made from is nothing that was written.
const detailText = (detail: string | undefined): string | undefined =>
  detail
    ?.split(", ")
    .filter((field) => field !== "revision")
    .map(wordOf)
    .join(", ");

const most = 10000; // what the server gives at once
const kinds = ["changes", "refusals", "sign-ins"];

// resultText says how an act ended, and how often where equal ones are one line.
const resultText = (e: Event): string => t("result." + e.result) + (e.count === undefined ? "" : " ×" + number(e.count));

// marked is an act where there is no room for a column of results: one that did not go well says so itself.
const marked = (e: Event) =>
  e.result === "ok" ? (
    actText(e.action)
  ) : (
    <span class={"result " + e.result} title={actText(e.action)}>
      ✕ {resultText(e)}: {actText(e.action)}
    </span>
  );

/** Audit is the log of what users did. */
export function Audit({ app }: Props) {
  const [kind, setKind] = useState("");
  const path = kind === "" ? "audit" : "audit?kind=" + kind;
  const events = useLoaded(async () => (await records<Event>(path)).map((e, at) => ({ ...e, at })), kind);
  const narrow = innerWidth < 600;
  const result: ColumnOf<Event> = {
    key: "result",
    heading: t("audit.result"),
    text: resultText,
    width: "104px",
    cell: (e) => <span class={"result " + e.result}>{resultText(e)}</span>,
  };
  const columns: ColumnOf<Event>[] = [
    {
      key: "time",
      heading: narrow ? zone(app.picture.now()) : t("audit.time", { zone: zone(app.picture.now()) }),
      text: (e) => wall(Date.parse(e.time)).replace("T", " "),
      width: narrow ? "44px" : "140px",
      cell: (e) =>
        wall(Date.parse(e.time))
          .slice(narrow ? 5 : 0, narrow ? 16 : 19)
          .replace("T", " "),
    },
    { key: "user", heading: t("audit.user"), text: (e) => e.user, width: "minmax(54px, 0.9fr)" },
    { key: "address", heading: t("audit.address"), text: (e) => e.address, width: "minmax(90px, 0.8fr)", from: 560 },
    {
      key: "action",
      heading: t("audit.action"),
      text: (e) => actText(e.action),
      width: "minmax(90px, 1.2fr)",
      cell: narrow ? marked : undefined,
    },
    { key: "object", heading: t("audit.object"), text: (e) => e.object, width: "minmax(70px, 1fr)" },
    ...(narrow ? [] : [result]),
    { key: "detail", heading: t("audit.detail"), text: (e) => detailText(e.detail), width: "minmax(0, 1.8fr)", from: 760 },
  ];
  return (
    <>
      <Heading app={app} title={t("menu.audit")}>
        <button onClick={() => void events.again()}>{t("audit.again")}</button>
      </Heading>
      <p class="lead quiet">
        {t("audit.lead")}
        {events.data?.length === most && " " + t("audit.most", { n: number(most) })}
      </p>
      <div class="tools">
        <label class="inline">
          {t("audit.kind")}{" "}
          <select value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
            {["", ...kinds].map((k) => (
              <option key={k} value={k}>
                {t("lines." + (k || "all"))}
              </option>
            ))}
          </select>
        </label>
      </div>
      <NotLoaded loaded={events} />
      {events.data && (
        <Table
          label={t("menu.audit")}
          columns={columns}
          rows={events.data}
          id={(e) => String(e.at)}
          sort={{ key: "time", down: true }}
          empty={t("audit.empty")}
        />
      )}
    </>
  );
}
