import { t } from "../text/text";
import { usePanel } from "./panel";

interface ChoiceProps {
  all: readonly { key: string; heading: string }[];
  /** chosen are the columns that the user chose; undefined: those that fit. */
  chosen: readonly string[] | undefined;
  choose: (key: string, on: boolean) => void;
  /** fitting has the table choose, or not. */
  fitting: (on: boolean) => void;
}

/** ColumnChoice chooses the columns of a table. */
export function ColumnChoice({ all, chosen, choose, fitting }: ChoiceProps) {
  const { open, setOpen, box } = usePanel();
  return (
    <div class="columns" ref={box}>
      <button class="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("list.columns")}
      </button>
      {open && (
        <div class="panel">
          <label class="check">
            <input type="checkbox" checked={!chosen} onChange={(e) => fitting(e.currentTarget.checked)} /> {t("list.fitting")}
          </label>
          {all.map(({ key, heading }) => (
            <label class="check" key={key}>
              <input
                type="checkbox"
                disabled={!chosen}
                checked={chosen?.includes(key) ?? false}
                onChange={(e) => choose(key, e.currentTarget.checked)}
              />{" "}
              {heading}
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
