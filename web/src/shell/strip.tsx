import { useState } from "preact/hooks";
import type { App } from "../app";
import type { Notice } from "../contract";
import { when } from "../text/clock";
import { t, told } from "../text/text";

// Line is one notice: how bad it is, its sentence, and since when.
function Line({ notice, now }: { notice: Notice; now: number }) {
  return (
    <span class="words">
      <span aria-hidden="true">{notice.severity === "alarm" ? "✕" : "▲"}</span> {told(notice)}{" "}
      <span class="since">{t("strip.since", { time: when(Date.parse(notice.since), now, false) })}</span>
    </span>
  );
}

/** Strip says what an operator must know of the box, the worst first. What a feed does the banner tells to everybody. */
export function Strip({ app }: { app: App }) {
  const [all, setAll] = useState(false);
  const list = app.boxNotices.filter((n) => !n.rule?.startsWith("feed_")).sort((a, b) => a.severity.localeCompare(b.severity));
  if (list.length === 0) return null;
  const shown = all ? list : list.slice(0, 1);
  return (
    <div class={`strip ${list[0].severity === "alarm" ? "bad" : "warn"}`} role="alert" aria-label={t("strip.heading")}>
      <div class="lines">
        {shown.map((n) => (
          <Line key={n.rule} notice={n} now={app.picture.now()} />
        ))}
      </div>
      {list.length > 1 && (
        <button aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t("strip.less") : t("strip.more", { n: list.length - 1 })}
        </button>
      )}
    </div>
  );
}
