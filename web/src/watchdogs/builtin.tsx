// The built-in watchdog of people in distress: what little of it may be changed.
import type { App } from "../app";
import { ThingSheet, Told, useThing } from "../library/sheet";
import { t } from "../text/text";
import { Switch } from "../ui/form";
import { kind } from "./kind";
import { Notices } from "./notices";
import type { Watchdog } from "./watchdogs";

/** BuiltIn is its sheet. It is always on, for all, and nobody can delete it. */
export function BuiltIn({ app, read }: { app: App; read: Watchdog }) {
  const draft = useThing(kind, read),
    { now, set } = draft;
  return (
    <ThingSheet
      app={app}
      kind={kind}
      draft={draft}
      title={read.name}
      stays={t("dog.builtIn")}
      facts={
        <>
          <Told word={t("dog.watches")}>{t("dog.type.distress")}</Told>
          <Told word={t("dog.testMode")}>{t(now.test_mode ? "dog.on" : "dog.off")}</Told>
        </>
      }>
      <Switch label={t("dog.testMode")} at="/test_mode" on={now.test_mode} onChange={(test_mode) => set({ test_mode })} />
      <p class="quiet hint">{t("dog.testHint")}</p>
      <Notices app={app} now={now} set={set} wrong={draft.wrong} refuse={draft.setWrong} />
    </ThingSheet>
  );
}
