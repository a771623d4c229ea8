// For whom an alert waits.
import { t } from "../text/text";
import { waits, type Alert } from "./alert";

/** whose says for whom an alert waits, without the user's own name; "" where all have it, or nobody has to look. */
export function whose(a: Alert, user: string): string {
  if (!waits(a)) return "";
  const names = a.with.filter((name) => name !== user).join(", ");
  if (!a.mine) return t(a.with.length > 0 ? "alert.with" : "alert.notYet", { names });
  return a.with.length === 0 ? "" : names === "" ? t("alert.you") : t("alert.mine", { names });
}
