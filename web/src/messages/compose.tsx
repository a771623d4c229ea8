// The form with which a user sends a text about safety, to a ship or to all. It goes on air.
import { useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { title } from "../ship";
import { t } from "../text/text";
import { TextField } from "../ui/form";
import { Sheet } from "../ui/sheet";
import { nothingWrong, type Wrong } from "../ui/wrong";
import { stateOf, type Message, type Station } from "./message";

const toOne = 156, // characters that fit
  toAll = 161;

// refused puts what is wrong with the ship at the text, the one field that there is. It says enough: nothing is saved here.
const refused = ({ general, at: { "/mmsi": ship, ...at } }: Wrong): Wrong => ({
  general: general === t("form.look") ? "" : general,
  at: ship === undefined ? at : { ...at, "/text": ship },
});

interface Props {
  app: App;
  label: string;
  /** to is the ship that the text is for; none is all. */
  to?: Station;
  /** start stands in the field when it opens. */
  start?: string;
}

/** Compose is a button that opens to the form, and then says what became of the text. */
export function Compose({ app, label, to, start = "" }: Props) {
  const [open, setOpen] = useState(false),
    [text, setText] = useState(""),
    [wrong, setWrong] = useState(nothingWrong),
    [sent, setSent] = useState<Pick<Message, "id" | "state">>();
  const most = to ? toOne : toAll;
  const save = async (): Promise<void> => {
    const body = to ? { mmsi: to.mmsi, text } : { broadcast: true, text };
    setSent(await send<Pick<Message, "id" | "state">>("POST", "messages", body));
    setWrong(nothingWrong);
    setText("");
    setOpen(false);
  };
  return (
    <div class="compose">
      {!open && (
        <button
          onClick={() => {
            setOpen(true);
            setSent(undefined);
            setText((now) => start || now);
          }}>
          {label}
        </button>
      )}
      {sent && (
        <p class="quiet" role="status">
          {stateOf(app.messages.sent(sent.id) ?? sent)}
        </p>
      )}
      {open && (
        <Sheet
          wrong={wrong}
          onWrong={(problem) => setWrong(refused(problem))}
          save={t("messages.send")}
          onSave={save}
          onCancel={() => {
            setOpen(false);
            setWrong(nothingWrong);
          }}>
          <TextField
            label={to ? t("messages.textTo", { to: title(to) }) : t("messages.textToAll")}
            hint={t("messages.left", { n: text.length, most })}
            at="/text"
            wide
            value={text}
            autofocus
            spellcheck={false}
            onInput={setText}
          />
        </Sheet>
      )}
    </div>
  );
}
