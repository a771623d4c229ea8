import { useEffect, useRef, useState } from "preact/hooks";
import { send } from "../api";
import { timeOf, wall, zone } from "../text/clock";
import { t } from "../text/text";
import { Moment } from "../moment/field";
import { Field } from "../ui/form";
import { Sheet, useDraft } from "../ui/sheet";
import type { Call } from "./call";

interface CorrectionProps {
  path: string;
  call: Call;
  saved: () => Promise<void>;
  cancel: () => void;
}

type Key = "ata" | "atd";

// A time as the field has it.
const toInput = (time: number | undefined): string => (time === undefined ? "" : wall(time).slice(0, 16));

/** Correction is the form of the times of a call. What is left as it is is not sent, and an emptied time takes a correction back. */
export function Correction({ path, call, saved, cancel }: CorrectionProps) {
  const draft = useDraft({ ata: toInput(call.ata), atd: toInput(call.atd) });
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => form.current!.querySelector("input")!.focus(), []);
  const [unread, setUnread] = useState<Partial<Record<Key, boolean>>>({}); // what stands there is no time
  const { now, set, changed, wrong, setWrong, refuse } = draft;
  const save = async (): Promise<void> => {
    const half = (["ata", "atd"] as const).filter((key) => unread[key]);
    if (half.length > 0) return refuse(Object.fromEntries(half.map((key) => ["/" + key, t("calls.unread")])));
    const time = (text: string): string | null => (text === "" ? null : new Date(timeOf(text)).toISOString());
    await send("PUT", path, Object.fromEntries(changed.map((key) => [key, time(now[key])])));
    await saved();
  };
  const field = (key: Key) => (
    <Field label={t("calls." + key, { zone: zone(call[key] ?? Date.now()) })} at={"/" + key} hint={t("calls.hint")}>
      {(aria) => (
        <span class="entry">
          <Moment
            aria={aria}
            now={Date.now}
            value={now[key]}
            onChange={(value, half) => {
              setUnread((was) => ({ ...was, [key]: half }));
              set({ [key]: value });
            }}
          />
        </span>
      )}
    </Field>
  );
  return (
    <div ref={form}>
      <Sheet wrong={wrong} onWrong={setWrong} save={t("form.save")} onSave={save} onCancel={cancel} unsaved={changed.length > 0}>
        {field("ata")}
        {field("atd")}
      </Sheet>
    </div>
  );
}
