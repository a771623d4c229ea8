import type { App } from "../app";
import { languages } from "../text/text";

/** LanguageButtons choose the language of the page. */
export const LanguageButtons = ({ app }: { app: App }) => (
  <>
    {languages.map((l) => (
      <button
        type="button"
        key={l.code}
        lang={l.code}
        aria-pressed={app.settings.language === l.code}
        onClick={() => app.setLanguage(l.code)}>
        {l.name}
      </button>
    ))}
  </>
);
