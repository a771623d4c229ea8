// Learned water: the areas in which ships taught none, and the pen that draws a further one.
import { useState } from "preact/hooks";
import type { RejectedWater } from "../contract";
import { send } from "../api";
import type { App, Props } from "../app";
import { Places, Tools, usePen } from "../shapes/drawing";
import { boundsOf, complete, drawn } from "../geometry";
import { dateTime } from "../text/clock";
import { place } from "../text/figures";
import { learn, number, t } from "../text/text";
import { Heading } from "../ui/heading";
import { NotLoaded, useLoaded } from "../ui/load";
import { Sheet, useUnsaved } from "../ui/sheet";
import { generalOf, nothingWrong, wrongOf } from "../ui/wrong";
import "../shapes/panel"; // the words of the pen
import de from "./de.json";
import en from "./en.json";
import "./style.css";

learn({ en, de });

const path = "chart/rejected";

/** Water is the panel. */
export function Water({ app, path: [first] }: Props) {
  return first === "new" ? <Drawing app={app} /> : <Areas app={app} />;
}

function Areas({ app }: { app: App }) {
  const areas = useLoaded(() => send<{ records: RejectedWater[] }>("GET", path));
  const [busy, setBusy] = useState(false);
  const show = ({ area }: RejectedWater): void => {
    const box = boundsOf(area.coordinates);
    if (box) app.chart?.showBox(box);
  };
  const accept = async ({ id }: RejectedWater): Promise<void> => {
    setBusy(true);
    try {
      await send("DELETE", `${path}/${id}`);
      app.chart?.reload();
      app.tell(t("water.accepted"));
    } catch (problem) {
      app.tell(generalOf(wrongOf(problem)), true);
    }
    await areas.again();
    setBusy(false);
  };
  const records = areas.data?.records ?? [];
  return (
    <>
      <Heading app={app} title={t("menu.water")}>
        <button onClick={() => void app.navigation.go("water", "new")}>{t("water.new")}</button>
      </Heading>
      <div class="water">
        <p class="about">{t("water.about")}</p>
        <NotLoaded loaded={areas} />
        {areas.data && records.length === 0 && <p class="empty">{t("water.none")}</p>}
        <ul class="choices">
          {records.map((one) => (
            <li key={one.id} class="rejected">
              <button onClick={() => show(one)} title={t("shape.show")}>
                <b>{where(one)}</b> <span class="quiet">{t("water.by", { name: one.by, time: dateTime(Date.parse(one.time)) })}</span>
              </button>
              <button disabled={busy} aria-label={t("water.acceptOne", { place: where(one) })} onClick={() => void accept(one)}>
                {t("water.accept")}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

// where is the middle of an area.
function where({ area }: RejectedWater): string {
  const [west, south, east, north] = boundsOf(area.coordinates)!;
  return place((west + east) / 2, (south + north) / 2);
}

function Drawing({ app }: { app: App }) {
  const pen = usePen(app, "polygon", true, undefined, "#b3261e");
  const [wrong, setWrong] = useState(nothingWrong);
  const begun = pen !== undefined && pen.form.chains.length > 0;
  useUnsaved(app, begun);
  const save = async (): Promise<void> => {
    if (!pen || !complete(pen.form)) {
      setWrong({ general: t("shape.incomplete.polygon"), at: {} });
      return;
    }
    const { cells } = await send<RejectedWater>("POST", path, { area: drawn(pen.form).polygon });
    app.unsaved = false;
    app.chart?.reload();
    await app.navigation.go("water");
    app.tell(cells === undefined ? t("water.rejectedUncounted") : t("water.rejected", { n: number(cells) }));
  };
  return (
    <>
      <Heading app={app} title={t("water.new")} back={["water"]} />
      <div class="sheetbox">
        <Sheet
          wrong={wrong}
          onWrong={setWrong}
          save={t("water.reject")}
          onSave={save}
          onCancel={() => void app.navigation.go("water")}
          unsaved={begun}>
          {pen && <Tools pen={pen} kind="polygon" />}
          <div class="fields">{pen && <Places pen={pen} kind="polygon" />}</div>
        </Sheet>
      </div>
    </>
  );
}
