// When an alert that nobody acknowledges goes on, and to which groups and users: of a watchdog, and of a sector.
import type { Watchdog } from "../contract";
import type { App } from "../app";
import { t } from "../text/text";
import { TextField } from "../ui/form";
import { Names } from "./sharing";

/** Escalation is what the API keeps of it: a span as HHH:MM:SS, "" for never, and names. */
export interface Escalation {
  escalate_after: string;
  escalate_to: string[];
}

/** escalationOf reads it of a thing. */
export const escalationOf = (of: Pick<Watchdog, "escalate_after" | "escalate_to"> | undefined): Escalation => ({
  escalate_after: of?.escalate_after ?? "",
  escalate_to: of?.escalate_to?.map((ref) => ref.name) ?? [],
});

/** escalationText says in a line what is set. */
export const escalationText = ({ escalate_after: after, escalate_to: to }: Escalation): string =>
  after === ""
    ? t("escalate.never")
    : to.length > 0
      ? t("escalate.said", { after, names: to.join(", ") })
      : t("escalate.saidAll", { after });

interface Props {
  app: App;
  /** at is the pointer of what it belongs to. */
  at?: string;
  now: Escalation;
  /** sharing tells that the user may name others. */
  sharing: boolean;
  onChange: (part: Partial<Escalation>) => void;
}

/** EscalationFields asks for both. */
export const EscalationFields = ({ app, at = "", now, sharing, onChange }: Props) => (
  <>
    <TextField
      label={t("escalate.after")}
      hint={t("escalate.afterHint")}
      at={at + "/escalate_after"}
      value={now.escalate_after}
      placeholder="00:05:00"
      onInput={(text) => onChange({ escalate_after: text.trim() })}
    />
    <Names
      app={app}
      label={t("escalate.to")}
      hint={t("escalate.toHint")}
      at={at + "/escalate_to"}
      names={now.escalate_to}
      sharing={sharing}
      onChange={(names) => onChange({ escalate_to: names })}
    />
  </>
);
