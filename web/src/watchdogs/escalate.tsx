// What becomes of the alerts of a watchdog that nobody acknowledges.
import type { App } from "../app";
import { EscalationFields, escalationText } from "../library/escalation";
import { t } from "../text/text";
import type { Wrong } from "../ui/wrong";
import { Fold } from "./fold";
import type { Draft } from "./kind";

interface Props {
  app: App;
  now: Draft;
  set: (part: Partial<Draft>) => void;
  wrong: Wrong;
}

/** Escalate asks for it; a note waits for nobody. */
export function Escalate({ app, now, set, wrong }: Props) {
  const idle = now.severity === "note";
  if (idle && now.escalate_after === "" && now.escalate_to.length === 0) return null;
  const sharing = app.session.may("share_watchdogs") || app.session.may("admin_watchdog_definitions");
  return (
    <Fold label={t("dog.escalate")} said={escalationText(now)} wrong={wrong} own={/^\/escalate_/}>
      {idle && <p class="quiet">{t("dog.escalateNote")}</p>}
      <EscalationFields app={app} now={now} sharing={sharing} onChange={set} />
    </Fold>
  );
}
