import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";
import { isNumber, saveAttribute, type Attribute } from "../tracked/erp";
import { Icon } from "../ui/icon";
import { whyOf } from "../why";
import type { Followed } from "./model";

interface Props {
  app: App;
  tracked: Followed;
  again: () => Promise<void>;
}

/** Attributes are those that the port gave a call, and where it allows it, the way to change them. */
export function Attributes({ app, tracked, again }: Props) {
  const [open, setOpen] = useState(-1);
  return (
    <ul class="attributes" aria-label={t("port.attributes")}>
      {tracked.plan.attributes.map((one) => (
        <li key={one.at}>
          <span class="quiet">{one.key}</span>{" "}
          {open === one.at ? (
            <Edit app={app} id={tracked.id} of={one} again={again} close={() => setOpen(-1)} />
          ) : (
            <>
              <b>{valueText(one.value)}</b>
              {one.edit && (
                <button
                  class="square"
                  aria-label={t("port.attributeEdit", { key: one.key })}
                  title={t("port.attributeEdit", { key: one.key })}
                  onClick={() => setOpen(one.at)}>
                  <Icon d="M3 13l1-4 7-7 3 3-7 7-4 1M9.500 3.500l3 3" />
                </button>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function valueText(value: unknown): string {
  if (typeof value === "boolean") return t(value ? "port.yes" : "port.no");
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "–" : JSON.stringify(value);
}

function Edit({ app, id, of, again, close }: { app: App; id: number; of: Attribute; again: () => Promise<void>; close: () => void }) {
  const choice = of.options.findIndex((one) => JSON.stringify(one) === JSON.stringify(of.value));
  const [text, setText] = useState(
      of.kind === "choice" ? String(Math.max(0, choice)) : of.kind === "truth" ? String(of.value === true) : String(of.value ?? ""),
    ),
    [wrong, setWrong] = useState(""),
    [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = async (): Promise<void> => {
    const word = text.trim();
    if (of.kind === "number" && !isNumber(word)) return setWrong(t("port.attributeNumber"));
    const value = of.kind === "choice" ? { option: Number(text) } : of.kind === "text" ? JSON.stringify(text) : word;
    setBusy(true);
    try {
      const came = await saveAttribute(id, of, value);
      app.tell(t(came === "saved" ? "port.attributeSaved" : "port.attributeStale", { key: of.key }), came === "stale");
      await again();
      close();
    } catch (problem) {
      setWrong(whyOf(problem));
      setBusy(false);
    }
  };
  const type = (value: string): void => {
    setText(value);
    setWrong("");
  };
  const aria = { "aria-label": of.key, "aria-invalid": wrong !== "", ref: field, value: text };
  const choices =
    of.kind === "choice"
      ? of.options.map((one, i) => [String(i), valueText(one)])
      : [
          ["true", t("port.yes")],
          ["false", t("port.no")],
        ];
  return (
    <form
      noValidate
      onKeyDown={(e) => e.key === "Escape" && (e.stopPropagation(), close())}
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}>
      {of.kind === "choice" || of.kind === "truth" ? (
        <select {...aria} onChange={(e) => type(e.currentTarget.value)}>
          {choices.map(([key, label]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input {...aria} type="text" autocomplete="off" onInput={(e) => type(e.currentTarget.value)} />
      )}
      <button disabled={busy}>{t("form.save")}</button>
      <button type="button" onClick={close}>
        {t("form.cancel")}
      </button>
      {wrong && (
        <span class="problem" role="alert">
          {wrong}
        </span>
      )}
    </form>
  );
}
