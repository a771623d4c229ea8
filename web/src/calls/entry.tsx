import { useRef, useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { cover } from "../cover";
import { t } from "../text/text";
import { whyOf } from "../why";
import type { Call } from "./call";
import { Correction } from "./correction";
import { byText, detectedText, factsText, portName, stayText, timesText } from "./words";

interface EntryProps {
  app: App;
  call: Call;
  /** times is true for a user that may know them. */
  times: boolean;
  /** again asks the server for the calls. */
  again: () => Promise<void>;
}

/** pathOf is where the interface has a call. */
const pathOf = (call: Call): string => `portserver/ship/historical/port/${call.id}`;

/** Entry is a call on the time line. */
export function Entry({ app, call, times, again }: EntryProps) {
  const [open, setOpen] = useState(false),
    more = useRef<HTMLButtonElement>(null);
  const now = app.picture.now(),
    name = portName(call),
    facts = factsText(call, now);
  const show = (): void => {
    const { place } = call.stays.findLast((s) => s.berthed) ?? call.stays[0];
    if (app.following.mmsi !== 0) app.following.release();
    app.chart?.go(place, true, cover());
    app.say(t("calls.shown", { name }));
  };
  const acts = call.id !== 0 && (app.session.may("ack_ata_atd") || app.session.may("admin_ata_atd"));
  const said = timesText(call, now, times);
  return (
    <li class={call.inPort ? "call now" : "call"}>
      <div class="port">
        <button class="name" aria-label={t("calls.show", { name })} disabled={call.stays.length === 0} onClick={show}>
          {name}
        </button>
        {call.port.locode && <span class="quiet">{call.port.locode}</span>}
        {(acts || call.stays.length > 1 || call.by !== "") && (
          <button
            class="square"
            ref={more}
            aria-expanded={open}
            aria-label={t("calls.details", { name })}
            title={t("calls.details", { name })}
            onClick={() => setOpen(!open)}>
            …
          </button>
        )}
      </div>
      {said && <p class="when">{said}</p>}
      {facts && <p class="quiet">{facts}</p>}
      {call.by && <p class="quiet">{byText(call)}</p>}
      {open && <Details app={app} call={call} times={times} again={again} />}
    </li>
  );
}

// Details are the parts of a call, what was detected in the place of what a user wrote, and what the user can do with it.
function Details({ app, call, times, again }: EntryProps) {
  const now = app.picture.now(),
    last = call.stays.length - 1;
  const found = [detectedText(call, "ata", now), detectedText(call, "atd", now)].filter(Boolean);
  return (
    <div class="details">
      {last > 0 && (
        <ul>
          {call.stays.map((stay, i) => (
            <li key={i}>{stayText(stay, call.inPort && i === last, times, now)}</li>
          ))}
        </ul>
      )}
      {found.map((text) => (
        <p key={text} class="quiet">
          {text}
        </p>
      ))}
      {call.id !== 0 && <Acts app={app} call={call} again={again} />}
    </div>
  );
}

function Acts({ app, call, again }: Omit<EntryProps, "times">) {
  const [correcting, setCorrecting] = useState(false),
    box = useRef<HTMLDivElement>(null);
  const name = portName(call),
    corrects = app.session.may("admin_ata_atd");
  // done tells what was done and shows it; the focus stays with the call, or goes to the section of a call that is gone.
  const done = async (text: string, gone = false): Promise<void> => {
    const item = box.current?.closest("li"),
      heading = item?.closest("section")?.querySelector<HTMLElement>("h3 button");
    setCorrecting(false);
    app.tell(text);
    await again();
    (gone ? heading : item?.querySelector<HTMLElement>("[aria-expanded]"))?.focus();
  };
  const act = async (method: string, body: object | undefined, text: string): Promise<void> => {
    try {
      await send(method, pathOf(call), body);
      await done(t(text, { name }), method === "DELETE");
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
  };
  const remove = async (): Promise<void> => {
    const question = { title: t("calls.deleteAsk", { name }), lines: [t("calls.deleteMore"), t("form.forGood")] };
    if (await app.ask({ ...question, yes: t("form.delete"), bad: true })) await act("DELETE", undefined, "calls.deleted");
  };
  if (correcting)
    return (
      <div ref={box}>
        <Correction
          key={String(app.settings.local)}
          path={pathOf(call)}
          call={call}
          saved={() => done(t("calls.saved", { name }))}
          cancel={() => setCorrecting(false)}
        />
      </div>
    );
  return (
    <div class="acts" ref={box}>
      {app.session.may("ack_ata_atd") && call.by === "" && (
        <button onClick={() => void act("PUT", { confirmed: true }, "calls.confirmedNow")}>{t("calls.confirm")}</button>
      )}
      {corrects && <button onClick={() => setCorrecting(true)}>{t("calls.correct")}</button>}
      {corrects && <button onClick={() => void remove()}>{t("calls.delete")}</button>}
    </div>
  );
}
