// A button that sends a test to targets of notices, and what became of each.
import { useEffect, useRef, useState } from "preact/hooks";
import { send } from "../api";
import type { NoticeTargets, WatchdogNotice } from "../contract";
import { learn, t } from "../text/text";
import { wrongOf, type Wrong } from "../ui/wrong";
import de from "./de.json";
import en from "./en.json";
import { asItIs, names, path, waits } from "./model";
import "./style.css";

learn({ en, de });

interface Answer {
  records: WatchdogNotice[];
}

interface Props {
  targets: NoticeTargets;
  /** mine tells that the user itself gets it. */
  mine?: boolean;
  /** of names what is tested, where several buttons stand on a page. */
  of?: string;
  /** onWrong takes what was wrong with the fields; without it all of that is told here. */
  onWrong?: (wrong: Wrong) => void;
}

const pace = 1e3; // milliseconds
const mostLooks = 60;
const signs: Record<string, string> = { sent: "✓", waiting: "…" };

/** Trial sends a test at a click, then looks each second until none waits, for a minute at most. */
export function Trial({ targets, mine, of, onWrong }: Props) {
  const [tests, setTests] = useState<WatchdogNotice[]>([]),
    [problem, setProblem] = useState(""),
    [busy, setBusy] = useState(false);
  const open = useRef(true);
  useEffect(
    () => () => {
      open.current = false;
    },
    [],
  );
  const follow = async (begun: WatchdogNotice[]): Promise<void> => {
    setTests(begun);
    for (let looks = 0, now = begun; open.current && waits(now) && looks < mostLooks; looks++) {
      await new Promise((done) => setTimeout(done, pace));
      if (!open.current) return;
      now = asItIs(now, (await send<Answer>("GET", path)).records);
      setTests(now);
    }
  };
  const ask = async (): Promise<void> => {
    setBusy(true);
    setProblem("");
    setTests([]);
    try {
      await follow((await send<Answer>("POST", path, targets)).records);
    } catch (refused) {
      const wrong = wrongOf(refused);
      if (onWrong) onWrong(wrong);
      else setProblem(Object.values(wrong.at)[0] ?? wrong.general);
    } finally {
      setBusy(false);
    }
  };
  if (!names(targets)) return null;
  const label = t(mine ? "trial.mine" : "trial.send");
  return (
    <div class="trial wide">
      <button type="button" aria-label={of && `${label}: ${of}`} disabled={busy} onClick={() => void ask()}>
        {label}
      </button>
      <div role="status">
        {tests.map((test) => (
          <p key={`${test.channel} ${test.to ?? ""}`} class={test.state in signs ? "quiet" : "problem"}>
            <span aria-hidden="true">{signs[test.state] ?? "✕"}</span> {said(test)}
          </p>
        ))}
        {!busy && waits(tests) && <p class="quiet">{t("trial.slow")}</p>}
        {problem && <p class="problem">{problem}</p>}
      </div>
    </div>
  );
}

const said = ({ channel, to = "", state, error = "" }: WatchdogNotice): string =>
  t("trial." + state, { who: t("trialby." + channel, { name: to }), why: error });
