// What the texts of a watchdog would say of a ship, as the server fills them.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Refusal, send } from "../api";
import type { App } from "../app";
import type { NoticeTexts } from "../contract";
import { title } from "../ship";
import { t } from "../text/text";
import { whyOf } from "../why";
import type { Draft } from "./kind";
import type { Type } from "./watchdogs";

interface Props {
  app: App;
  type: Type;
  /** mmsi is the ship that the texts are about, 0 for an example. */
  mmsi: number;
  now: Draft;
  /** part is the templates that are asked about, named as in the API. */
  part: Partial<Draft>;
}

const rest = 400; // milliseconds that the typing rests before the server is asked

/** Preview shows the texts as they would go out. It asks again when somebody has typed. */
export function Preview({ app, type, mmsi, now, part }: Props) {
  const [texts, setTexts] = useState<NoticeTexts & { mmsi: number }>(),
    [problem, setProblem] = useState("");
  const definition = JSON.stringify({ type, name: now.name.trim() || t("dog.new"), severity: now.severity, ...part });
  useEffect(() => {
    let over = false;
    const ask = async (of: number): Promise<void> => {
      try {
        const got = await send<NoticeTexts>("POST", "watchdog/preview", {
          definition: JSON.parse(definition) as object,
          ...(of && { mmsi: of }),
        });
        if (over) return;
        setTexts({ ...got, mmsi: of });
        setProblem("");
      } catch (refused) {
        if (over) return;
        if (of && refused instanceof Refusal && refused.errors.some((e) => e.pointer === "/mmsi")) return ask(0); // it is not heard now
        setTexts(undefined);
        setProblem(whyOf(refused));
      }
    };
    const timer = setTimeout(() => void ask(mmsi), rest);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [definition, mmsi]);
  if (problem) return <p class="quiet wide">{problem}</p>;
  if (!texts) return null;
  const ship = texts.mmsi ? app.picture.ships.get(texts.mmsi) : undefined;
  return (
    <section class="preview wide" aria-label={t("dog.preview")}>
      <h4>{t("dog.preview")}</h4>
      <p class="quiet">{ship ? t("dog.previewShip", { name: title(ship) }) : t("dog.previewExample")}</p>
      {part.mail_template !== undefined && (
        <Text word={t("dog.preview.mail")}>
          <b>{texts.mail.subject}</b>
          {"\n" + texts.mail.text}
        </Text>
      )}
      {part.sms_template !== undefined && <Text word={`${t("dog.preview.sms")} · ${countOf(texts.sms)}`}>{texts.sms}</Text>}
      {texts.ship_notification !== undefined && (
        <Text word={`${t("dog.preview.ship")} · ${countOf(texts.ship_notification)}`}>{texts.ship_notification}</Text>
      )}
    </section>
  );
}

const countOf = (text: string): string => t("dog.previewCount", { n: [...text].length });

const Text = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <figure>
    <figcaption class="quiet">{word}</figcaption>
    <pre>{children}</pre>
  </figure>
);
