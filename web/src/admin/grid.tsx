// The grid of rights: three states each, the effective value, and where it comes from.
import { useContext, useState } from "preact/hooks";
import type { App } from "../app";
import { finder } from "../letters";
import { Errors, wrongAt } from "../ui/wrong";
import { t } from "../text/text";
import { effectOf, setKey, type Effect, type Group, type Verdict } from "./model";
import { allRights, comesWith, sections } from "./rights";

type Shown = "all" | "set" | "may" | "mayNot";

/** RightsGrid edits rights. With groups it is that of a user and shows the effect, without that of a group. */
export function RightsGrid({
  app,
  own,
  saved,
  groups,
  disabled,
  onChange,
}: {
  app: App;
  own: Record<string, Verdict>;
  saved: Record<string, Verdict>;
  groups?: readonly Group[];
  disabled: boolean;
  onChange: (own: Record<string, Verdict>) => void;
}) {
  const wrong = useContext(Errors),
    whole = wrongAt(wrong, "/access_rights");
  const [text, setText] = useState("");
  const [show, setShow] = useState<Shown>("all");
  const effects = new Map(allRights.map((right) => [right, effectOf(right, own, groups ?? [])]));
  const said = finder(text);
  const fits = (right: string): boolean => {
    const effect = effects.get(right)!;
    if ((show === "set" && own[right] === undefined) || (show === "may" && !effect.may) || (show === "mayNot" && effect.may)) return false;
    return said(`${right} ${t("right." + right)}`);
  };
  const set = (right: string, verdict: Verdict | ""): void => onChange(setKey(own, right, verdict || undefined) as Record<string, Verdict>);
  // gives tells whether a verdict would give a right that the caller has not: by allowing it, or by lifting a denial.
  const gives = (right: string, verdict: Verdict | ""): boolean =>
    !app.session.may(right) &&
    verdict !== "deny" &&
    verdict !== (saved[right] ?? "") &&
    (verdict === "allow" || (saved[right] === "deny" && (!groups || effectOf(right, {}, groups).may)));
  const setAll = (rights: readonly string[], verdict: Verdict | ""): void => {
    let now = own;
    for (const right of rights) if (!gives(right, verdict)) now = setKey(now, right, verdict || undefined) as Record<string, Verdict>;
    onChange(now);
  };
  const count = (verdict: Verdict): number => allRights.filter((right) => own[right] === verdict).length;
  const found = sections.map((s) => ({ name: s.name, rights: s.rights.filter(fits) })).filter((s) => s.rights.length > 0);
  return (
    <div class={"rights" + (groups ? "" : " plain")}>
      <p class="quiet">{t(groups ? "rights.lead" : "rights.groupLead")}</p>
      <div class="tools">
        <input
          class="sift"
          type="search"
          aria-label={t("rights.search")}
          placeholder={t("table.find")}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter") e.preventDefault();
          }}
        />
        <label class="inline">
          {t("rights.show")}{" "}
          <select value={show} onChange={(e) => setShow(e.currentTarget.value as Shown)}>
            {(groups ? ["all", "set", "may", "mayNot"] : ["all", "set"]).map((s) => (
              <option key={s} value={s} selected={s === show}>
                {t("rights." + s)}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet">
          {groups
            ? t("rights.count", { n: [...effects.values()].filter((e) => e.may).length, all: allRights.length })
            : t("rights.countSet", { allow: count("allow"), deny: count("deny") })}
        </span>
      </div>
      {whole && <p class="problem">{whole}</p>}
      {found.length === 0 && <p class="empty">{t("rights.none")}</p>}
      {found.map((section) => (
        <fieldset key={section.name} disabled={disabled} class="rightsection">
          <legend>{t("section." + section.name)}</legend>
          {!disabled && text === "" && show === "all" && (
            <div class="right-row whole" role="group" aria-label={t("rights.section", { name: t("section." + section.name) })}>
              <span class="quiet">{t("rights.whole")}</span>
              <div class="three">
                {(["", "allow", "deny"] as const).map((v) => (
                  <button type="button" key={v} onClick={() => setAll(section.rights, v)}>
                    {t("rights." + (v || "unset"))}
                  </button>
                ))}
              </div>
            </div>
          )}
          {section.rights.map((right) => (
            <RightRow
              key={right}
              right={right}
              verdict={own[right]}
              effect={groups && effects.get(right)!}
              gives={(v) => gives(right, v)}
              wrong={wrongAt(wrong, "/access_rights/" + right)}
              onChange={(v) => set(right, v)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}

/** waitsText says what a right comes with that does nothing yet. */
export const waitsText = (right: string): string => t("rights.waits", { what: t("waits." + comesWith(right)) });

function RightRow({
  right,
  verdict,
  effect,
  gives,
  wrong,
  onChange,
}: {
  right: string;
  verdict?: Verdict;
  effect?: Effect;
  gives: (verdict: Verdict | "") => boolean;
  wrong?: string;
  onChange: (verdict: Verdict | "") => void;
}) {
  const from =
    effect &&
    (effect.from === "own"
      ? t("rights.own")
      : effect.from === "groups"
        ? t("rights.byGroups", { names: effect.groups.join(", ") })
        : t("rights.byNone"));
  return (
    <div class={"right-row" + (comesWith(right) ? " waiting" : "")} data-right={right}>
      <div class="what">
        <span>{t("right." + right)}</span> <code>{right}</code>
        {comesWith(right) && <p class="hint waits">{waitsText(right)}</p>}
        {wrong && <p class="problem">{wrong}</p>}
        {gives("allow") && <p class="hint">{t("rights.lacking")}</p>}
      </div>
      <div class="three" role="radiogroup" aria-label={t("right." + right)}>
        {(["", "allow", "deny"] as const).map((v) => (
          <label key={v} class={v || "unset"} title={gives(v) ? t("rights.lacking") : undefined}>
            <input
              type="radio"
              name={"right-" + right}
              value={v}
              checked={(verdict ?? "") === v}
              disabled={gives(v)}
              onChange={() => onChange(v)}
            />
            <span>
              {v !== "" && <i aria-hidden="true">{v === "allow" ? "✓ " : "✕ "}</i>}
              {t("rights." + (v || "unset"))}
            </span>
          </label>
        ))}
      </div>
      {effect && (
        <p class={"effect " + (effect.may ? "may" : "not")}>
          <b>
            <span aria-hidden="true">{effect.may ? "✓" : "✕"}</span> {t(effect.may ? "rights.yes" : "rights.no")}
          </b>{" "}
          <span class="from">{from}</span>
        </p>
      )}
    </div>
  );
}
