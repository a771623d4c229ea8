// What stands beside or in front of the map: the place that is open, the question that waits for an answer, and notices.
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { App, Props } from "../app";
import type { Question } from "../desk";
import { t } from "../text/text";
import { usePart } from "../ui/later";

type Part = ComponentType<Props>;

// What is not the map is loaded when it is first opened.
const parts: Record<string, () => Promise<Part>> = {
  port: () => import("../port/panel").then((m) => m.Port),
  events: () => import("../alerts/board").then((m) => m.Board),
  watchdogs: () => import("../watchdogs/panel").then((m) => m.Panel),
  statistics: () => import("../statistics/panel").then((m) => m.Panel),
  lists: () => import("../lists/panel").then((m) => m.Lists),
  shapes: () => import("../shapes/panel").then((m) => m.Shapes),
  filters: () => import("../filters/panel").then((m) => m.Filters),
  route: () => import("../planner/panel").then((m) => m.Planner),
  water: () => import("../water/panel").then((m) => m.Water),
  register: () => import("../register/panel").then((m) => m.Register),
  users: () => import("../admin/admin").then((m) => m.Users),
  groups: () => import("../admin/admin").then((m) => m.Groups),
  audit: () => import("../admin/admin").then((m) => m.Audit),
  system: () => import("../system/panel").then((m) => m.System),
  profile: () => import("../admin/admin").then((m) => m.Profile),
  links: () => import("../links/panel").then((m) => m.Links),
  wall: () => import("../wall/wall").then((m) => m.Wall),
};

/** Open shows the panel or page that is open, once it is loaded. */
export function Open({ app }: { app: App }) {
  const place = app.navigation.open,
    name = place.name,
    allowed = app.navigation.mayOpen(place),
    { Part, failed } = usePart(app, parts[name], allowed);
  const box = useRef<HTMLElement>(null);
  const path = app.navigation.path.slice(1);
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) box.current?.focus({ preventScroll: true });
    if (box.current) box.current.scrollTop = 0;
  }, [name, path.join("/")]);
  return (
    <section
      class={place.kind}
      data-place={name}
      ref={box}
      tabIndex={-1}
      aria-label={t("menu." + name)}
      role={place.kind === "page" ? "main" : "region"}>
      {!allowed ? (
        <NotAllowed app={app} />
      ) : Part ? (
        <Part app={app} path={path} />
      ) : failed ? (
        <Outdated />
      ) : (
        <p class="empty late">{t("place.loading")}</p>
      )}
    </section>
  );
}

function NotAllowed({ app }: { app: App }) {
  return (
    <div class="empty">
      <h2>{t("menu." + app.navigation.open.name)}</h2>
      <p>
        {app.session.user === ""
          ? t("place.signin")
          : t("place.forbidden", { name: app.session.user, rights: (app.navigation.open.rights ?? []).join(", ") })}
      </p>
      <p>
        <button onClick={() => void app.navigation.go("map")}>{t("place.back")}</button>
      </p>
    </div>
  );
}

// After an update of the server the parts of the old client are no longer there.
function Outdated() {
  return (
    <div class="empty">
      <p>{t("place.failed")}</p>
      <p>
        <button onClick={() => location.reload()}>{t("place.reload")}</button>
      </p>
    </div>
  );
}

/** QuestionBox asks before something happens that cannot be taken back. The safe answer has the focus. */
export function QuestionBox({ app, question }: { app: App; question: Question }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current!.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog
      class="question"
      ref={dialog}
      aria-labelledby="question-title"
      onCancel={(e) => {
        e.preventDefault();
        app.answer(false);
      }}
      onKeyDown={(e) => {
        if (e.key === "Escape") e.stopPropagation();
      }}>
      <h2 id="question-title">{question.title}</h2>
      {question.lines.length > 0 && (
        <ul>
          {question.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <div class="acts">
        <button autofocus onClick={() => app.answer(false)}>
          {t("ask.no")}
        </button>
        <button class={question.bad ? "dangerous" : "primary"} onClick={() => app.answer(true)}>
          {question.yes}
        </button>
      </div>
    </dialog>
  );
}

/** Notices says what was done, or why it was not. */
export function Notices({ app }: { app: App }) {
  const notice = app.notice;
  return (
    <div class="notices" aria-live="polite">
      {notice && (
        <div class={`notice ${notice.mark?.look ?? (notice.bad ? "bad" : "")}`} role={notice.bad ? "alert" : undefined} key={notice.key}>
          <span aria-hidden="true">{notice.mark?.sign ?? (notice.bad ? "✕" : "✓")}</span>
          <p>{notice.text}</p>
          <button class="square" aria-label={t("notice.close")} onClick={() => app.tell("")}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
