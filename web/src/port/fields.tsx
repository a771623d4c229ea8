// What can be done with the piece of a port that is open.
import type { App } from "../app";
import type { Point } from "../contract";
import { PlaceField } from "../register/place";
import { t } from "../text/text";
import { NumberField, TextField } from "../ui/form";
import type { Berth } from "./model";

interface BorderActsProps {
  name: string;
  there: boolean;
  now: boolean; // the pen has it in hand
  open: () => void;
  close: () => void;
  remove: () => void;
}

/** BorderActs are the buttons of a border or an inner shape. */
export function BorderActs({ name, there, now, open, close, remove }: BorderActsProps) {
  return (
    <div class="acts">
      {now ? (
        <button type="button" onClick={close}>
          {t("port.done")}
        </button>
      ) : (
        <button type="button" aria-label={`${name}: ${t(there ? "port.redraw" : "port.draw")}`} onClick={open}>
          {t(there ? "port.redraw" : "port.draw")}
        </button>
      )}
      {there && (
        <button type="button" aria-label={t("port.removeOf", { name })} onClick={remove}>
          {t("port.remove")}
        </button>
      )}
    </div>
  );
}

interface BerthProps {
  app: App;
  berth: Berth;
  close: () => void;
  change: (more: Partial<Berth>) => void;
  remove: () => void;
}

/** BerthFields are the fields and buttons of the berth that is open. */
export function BerthFields({ app, berth, close, change, remove }: BerthProps) {
  return (
    <div class="fields berth">
      <TextField label={t("port.berthName")} at="/berths/name" maxLength={64} value={berth.name} onInput={(name) => change({ name })} />
      <NumberField label={t("port.length")} unit="m" step="any" value={berth.length} onInput={(length) => change({ length })} />
      <NumberField
        label={t("port.maxDraught")}
        unit="m"
        step="any"
        value={berth.max_draught}
        onInput={(deep) => change({ max_draught: deep })}
      />
      <PlaceField
        app={app}
        may
        position={berth.position}
        onChange={(position) => change({ position: position as Point | undefined })}
        hint={t("port.placeHint")}
      />
      <div class="acts">
        <button type="button" onClick={close}>
          {t("port.done")}
        </button>
        <button type="button" aria-label={t("port.removeOf", { name: berth.name })} onClick={remove}>
          {t("port.remove")}
        </button>
      </div>
    </div>
  );
}
