// Why a call failed, in a sentence for the user.
import { Refusal } from "./api";
import { t, told } from "./text/text";

/** whyOf says in a sentence why a call failed; where a right is missing, which one, and who can give it. */
export function whyOf(problem: unknown): string {
  if (!(problem instanceof Refusal)) return t("signin.unreachable");
  const { rule, params } = problem.said;
  if (problem.status !== 403 || params?.right === undefined) return told(problem.said);
  if (rule === "needs_right") return t("denied.right", { right: String(params.right) });
  return `${told(problem.said)} ${t("denied.ask")}`;
}
