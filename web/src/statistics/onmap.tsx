// What of a result is on the map: its picture with the legend, and the places of its records, which can be clicked on.
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";
import { ResultOverlay } from "./overlay";
import { legendOf } from "./picture";
import type { Row } from "./row";

/** mayPicture tells whether the user may have the picture of a result. */
export const mayPicture = (app: App): boolean => app.session.may("view_wmslayers");

interface Props {
  app: App;
  job: number;
  rows: readonly Row[];
  /** shown is whether the picture is wanted; the places can be clicked on without it. */
  shown: boolean;
  onPick: (id: string) => void;
}

/** OnMap lays a result over the map for as long as it is open, and shows the legend. */
export function OnMap({ app, job, rows, shown, onPick }: Props) {
  const pictured = shown && mayPicture(app),
    { chart } = app,
    [problem, setProblem] = useState("");
  const pick = useRef(onPick);
  pick.current = onPick;
  useEffect(() => {
    if (!chart) return;
    const overlay = new ResultOverlay(app, job, rows, pictured, { picked: (id) => pick.current(id), failed: setProblem });
    chart.lay(overlay);
    return () => {
      overlay.close();
      chart.lay(undefined);
    };
  }, [chart, job, rows, pictured]);
  if (!pictured) return null;
  if (problem !== "") return <p class="problem statpictured">{t("stat.pictureFailed", { why: problem })}</p>;
  return <Legend app={app} job={job} />;
}

// Legend is drawn by the server, in the colours of the palette.
function Legend({ app, job }: { app: App; job: number }) {
  const box = useRef<HTMLDivElement>(null),
    [there, setThere] = useState(false),
    { palette, language } = app.settings;
  useEffect(() => {
    const abort = new AbortController();
    void legendOf(job, palette, abort.signal).then(
      (canvas) => {
        if (abort.signal.aborted) return;
        box.current?.replaceChildren(...(canvas ? [canvas] : []));
        setThere(canvas !== undefined);
      },
      () => undefined, // the picture itself says why it could not be had
    );
    return () => abort.abort();
  }, [job, palette, language]);
  return (
    <details class="statlegend" hidden={!there} open={innerWidth >= 900}>
      <summary>{t("stat.legend")}</summary>
      <div ref={box} role="img" aria-label={t("stat.legendSays")} />
    </details>
  );
}
