// A result: a table to sort and search. A row shows its ship, its moment and its track on the map.
import { useEffect, useMemo, useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { read } from "../hash";
import { cover } from "../cover";
import { complete } from "../geometry";
import { longest } from "../span";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import { NotLoaded, useLoaded } from "../ui/load";
import { Table } from "../ui/table";
import { Acts, nameOf } from "./acts";
import { kindText } from "./cards";
import { Chart } from "./chart";
import { columnsOf, usualOrder } from "./columns";
import { csvOf, save, saveBlob, saveCSV } from "./csv";
import { spotsOf } from "./draft";
import { geojsonOf, placed } from "./geojson";
import { definitionOf, mayChange, path, type Definition, type Job } from "./job";
import { mayPicture, OnMap } from "./onmap";
import { pngOf } from "./png";
import { RepeatLater } from "./repeat";
import { rowsOf, type RecordOf, type Row } from "./row";
import { chartsOf } from "./series";
import { Again, askedBy, Mails, periodText, State, Warnings } from "./state";
import { showForms, useAsked } from "./where";

interface Props {
  app: App;
  job: Job;
  /** order is the column that the table is sorted by, as it stands in the address. */
  order?: string;
  /** row is the one that is chosen, as it stands in the address. */
  row?: string;
  again: () => Promise<void>;
}

/** Result is a statistic with its result. */
export function Result({ app, job, order, row, again }: Props) {
  const asked = useLoaded(() => definitionOf(job), String(job.id));
  return (
    <>
      <Heading app={app} title={nameOf(job)} back={["statistics"]}>
        <Acts app={app} job={job} again={again} />
      </Heading>
      <div class="stathead">
        <p class="quiet">{[kindText(job.type), periodText(job), askedBy(app, job)].join(" · ")}</p>
        <State job={job} />
        <Again job={job} />
        <Mails job={job} />
        <Warnings job={job} />
        {mayChange(app, job) && <RepeatLater key={job.id} app={app} job={job} again={again} />}
      </div>
      {asked.data && <Places app={app} asked={asked.data} name={nameOf(job)} />}
      {job.status === "completed" && (
        <Rows app={app} job={job} order={order} row={row} grouped={asked.data?.group_by === "shiplist"} domains={!!asked.data?.domain} />
      )}
    </>
  );
}

// Places shows on the map where the statistic asked.
function Places({ app, asked, name }: { app: App; asked: Definition; name: string }) {
  const spots = spotsOf(asked, app.shapes.all),
    forms = spots.flatMap(({ form }) => (form && complete(form) && form.kind !== "point" ? [form] : []));
  const number = (i: number): string => (forms.length > 1 ? `${i + 1}` : name);
  useAsked(app, forms, number);
  useEffect(() => {
    if (app.settled || !read(location.hash).view) showForms(app, forms); // an address may bring its own view
  }, [forms.length]);
  return null;
}

// cellFiles are the files of the cells of a density, as the server writes them.
const cellFiles = [
  { format: "csv", word: "stat.cells" },
  { format: "tiff", word: "stat.raster" },
];

// Rows is the table.
function Rows({
  app,
  job,
  order,
  row: first,
  grouped,
  domains,
}: Pick<Props, "app" | "job" | "order" | "row"> & { grouped: boolean; domains: boolean }) {
  const loaded = useLoaded(
    async () =>
      rowsOf(
        job.type,
        (
          await send<{ records: RecordOf[] }>(
            "GET",
            `${path}/${job.type}/result/${job.id}?release=134${job.type === "density" ? "&cells=false" : ""}`,
          )
        ).records,
      ),
    String(job.id),
  );
  const [chosen, setChosen] = useState(first ?? ""),
    [charted, setCharted] = useState(innerWidth >= 900), // a phone has room for the table alone
    [pictured, setPictured] = useState(true),
    [met, setMet] = useState<{ rows: Row[]; says: string }>();
  const { language, local } = app.settings;
  const columns = useMemo(() => columnsOf(app, job.type, grouped, domains), [job.type, grouped, domains, language, local]);
  const [key, down] = (order ?? "").split("-"),
    sort = columns.some((column) => column.key === key) ? { key, down: down === "down" } : { key: usualOrder(columns), down: false };
  const { data } = loaded;
  const charts = useMemo(() => (data ? chartsOf(job.type, data, [Date.parse(job.begin), ended(job)]) : []), [data, local]);
  if (!data) return <NotLoaded loaded={loaded} />;
  if (data.length === 0) return <Nothing job={job} />;
  const open = (row: Row): void => {
    setChosen(row.id);
    app.navigation.goInstead("statistics", String(job.id), sort.key + (sort.down ? "-down" : ""), row.id);
    void show(app, row);
  };
  const picked = (id: string): void => {
    const row = data.find((each) => each.id === id);
    if (!row) return;
    if (met && !met.rows.includes(row)) setMet(undefined);
    open(row);
  };
  const meet = (rows: Row[], says: string): void => {
    if (rows.length === 1) picked(rows[0].id);
    else if (rows.length > 0) setMet({ rows, says });
  };
  return (
    <>
      {charts.length > 0 && charted && <Chart app={app} job={job.id} all={charts} onPick={meet} />}
      <OnMap app={app} job={job.id} rows={data} shown={pictured} onPick={picked} />
      {met && (
        <p class="statmet">
          <span>{t("stat.picked", { what: met.says })}</span>
          <button onClick={() => setMet(undefined)}>{t("stat.pickedAll")}</button>
        </p>
      )}
      <Table
        label={t("stat.result", { name: nameOf(job) })}
        columns={columns}
        rows={met?.rows ?? data}
        id={(row) => row.id}
        chosen={chosen}
        onOpen={open}
        order={sort}
        onOrder={({ key: by, down: descending }) =>
          app.navigation.goInstead("statistics", String(job.id), by + (descending ? "-down" : ""), ...(chosen === "" ? [] : [chosen]))
        }
        tools={(found) => (
          <span class="right">
            {mayPicture(app) && (
              <button aria-pressed={pictured} onClick={() => setPictured(!pictured)}>
                {t("stat.pictured")}
              </button>
            )}
            {charts.length > 0 && (
              <button aria-pressed={charted} onClick={() => setCharted(!charted)}>
                {t("stat.charted")}
              </button>
            )}
            <button onClick={() => saveCSV(`${nameOf(job)}.csv`, csvOf(columns, found))}>{t("stat.csv")}</button>
            {mayPicture(app) && app.chart && (
              <button aria-label={t("stat.png")} onClick={() => void savePNG(app, job)}>
                PNG
              </button>
            )}
            {job.type === "historicaltrack" && app.session.may("download_historical_tracks") && (
              <a
                aria-label={t("stat.iwrap")}
                href={`/api/${path}/${job.type}/result/${job.id}?format=iwrap`}
                download={`${nameOf(job)}.csv`}>
                IWRAP
              </a>
            )}
            {job.type === "density" &&
              cellFiles.map(({ format, word }) => (
                <a
                  key={format}
                  href={`/api/${path}/${job.type}/result/${job.id}?format=${format}`}
                  download={`${nameOf(job)}.${format === "tiff" ? "tif" : "csv"}`}>
                  {t(word)}
                </a>
              ))}
            {placed(data) && (
              <button
                aria-label={t("stat.geojson")}
                onClick={() => save(`${nameOf(job)}.geojson`, "application/geo+json", geojsonOf(columns, found))}>
                GeoJSON
              </button>
            )}
          </span>
        )}
        empty=""
      />
    </>
  );
}

// savePNG saves the picture where the map is now, with what was asked.
async function savePNG(app: App, job: Job): Promise<void> {
  try {
    saveBlob(
      `${nameOf(job)}.png`,
      await pngOf(app, job.id, [nameOf(job), [job.name && kindText(job.type), periodText(job)].filter(Boolean).join(" · ")]),
    );
  } catch (problem) {
    app.tell(t("stat.pictureFailed", { why: (problem as Error).message }), true);
  }
}

// Nothing stands in the place of an empty table. The warnings above it say why; a reader that is not told of them gets a hint.
const Nothing = ({ job }: { job: Job }) => (
  <div class="empty">
    <p>{t("stat.empty")}</p>
    {job.warnings.length === 0 && <p>{t("stat.emptyWhy")}</p>}
  </div>
);

// ended is up to when the statistic counted: it knew nothing of what came after it ran.
const ended = (job: Job): number => Math.min(Date.parse(job.end), Date.parse(job.finished ?? job.end));

const most = longest * 3600e3;

// show brings the map to the ship of a row, with its track around the moment.
async function show(app: App, { ships, time, from, to, lon, lat }: Row): Promise<void> {
  const { chart, selection, tracks } = app;
  const [ship] = ships;
  if (!ship) return;
  const placed = lon !== undefined && lat !== undefined;
  if (placed) chart?.go({ lon, lat }, true, cover());
  selection.select(ship.mmsi, "stay");
  if (from === undefined || to === undefined || !app.session.may("view_historical_tracks")) return;
  const span = { from, to: Math.min(to, from + most, app.picture.now()) };
  for (const { mmsi } of tracks.all) if (!ships.some((each) => each.mmsi === mmsi)) tracks.hide(mmsi);
  await Promise.all(ships.map(({ mmsi }, i) => tracks.show(mmsi, span, !placed && i === 0)));
  const shown = tracks.of(ship.mmsi);
  if (shown && time !== undefined && selection.mmsi === ship.mmsi) tracks.point(shown, time);
}
