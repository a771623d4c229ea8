import type { App } from "./app";

/** mayWarn tells whether the user may make watchdogs. */
export const mayWarn = (app: App): boolean => app.session.may("view_watchdog") && app.session.may("configure_watchdog_definitions");
