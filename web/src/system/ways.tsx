// The ways out of notices that the configuration has, each with a test.
import type { App } from "../app";
import type { NoticeTargets, Status } from "../contract";
import { t } from "../text/text";
import { Trial } from "../trial/trial";

type Way = Status["channels"][number];

const targetsOf = ({ channel, name = "" }: Way, me: string): NoticeTargets =>
  ({ mail: { mail_to: [me] }, sms: { sms_to: [me] }, webhook: { webhooks: [name] }, mqtt: { mqtt: true } })[channel];

/** Ways lists them for those that may have notices sent. */
export function Ways({ app, ways }: { app: App; ways: readonly Way[] }) {
  if (ways.length === 0 || app.session.user === "" || !app.session.may("send_mail")) return null;
  return (
    <section class="box" aria-label={t("sysway.heading")}>
      <h3>{t("sysway.heading")}</h3>
      <ul class="ways">
        {ways.map((way) => {
          const word = t("sysway." + way.channel, { name: way.name ?? "" });
          return (
            <li key={word}>
              <b>{word}</b>
              <Trial targets={targetsOf(way, app.session.user)} mine={way.channel === "mail" || way.channel === "sms"} of={word} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
