// Draws charts of cells as SVG. A key leads from cell to cell, and Enter shows the rows of one.
import { useRef, useState } from "preact/hooks";
import { number, t } from "../text/text";
import { moved, type Cells } from "./cells";
import type { Row } from "./row";

interface Props {
  of: Cells;
  onPick: (rows: Row[], says: string) => void;
}

const two = (n: number): string => String(n).padStart(2, "0");
const turn = (degrees: number): string => String((Math.round(degrees) + 360) % 360).padStart(3, "0") + "°";

// cellText names a cell.
function cellText({ says, cells }: Cells, i: number): string {
  if (says === "week") return `${t("statday." + Math.floor(i / 24))} ${two(i % 24)}:00 – ${two((i % 24) + 1)}:00`;
  const part = 360 / cells.length;
  return `${turn(i * part - part / 2)} – ${turn(i * part + part / 2)}`;
}

/** CellChart draws one. */
export function CellChart({ of, onPick }: Props) {
  const most = of.cells.reduce((n, rows) => Math.max(n, rows.length), 0),
    [at, setAt] = useState(() =>
      Math.max(
        0,
        of.cells.findIndex((rows) => rows.length === most),
      ),
    );
  const box = useRef<SVGSVGElement>(null);
  const says = (i: number): string => t("stat.cell", { what: cellText(of, i), n: number(of.cells[i].length) });
  const pick = (i: number): void => {
    setAt(i);
    onPick(of.cells[i], cellText(of, i));
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === "Enter" || e.key === " ") pick(at);
    else {
      const next = moved(of, at, e.key);
      if (next === at) return;
      setAt(next);
      box.current?.querySelector<SVGElement>(`[data-cell="${next}"]`)?.focus();
    }
    e.preventDefault();
  };
  // A cell is a button; one of them is in the order of the Tab key.
  const cell = (i: number, room: string, mark: string) => (
    <g
      key={i}
      role="button"
      data-cell={i}
      tabindex={i === at ? 0 : -1}
      aria-label={says(i)}
      class={of.cells[i].length > 0 ? "some" : ""}
      onClick={() => pick(i)}>
      <title>{says(i)}</title>
      <path class="room" d={room} />
      {mark !== "" && <path class="mark" d={mark} />}
    </g>
  );
  const [width, height] = of.says === "week" ? [width24, 7 * step + top] : [round, round];
  return (
    <svg
      ref={box}
      class={"statcells " + of.says}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={t("stat.chart", { what: t("statchart." + of.says), most: number(most) })}
      onKeyDown={onKeyDown}>
      {of.says === "week" ? <Clock /> : <Rose most={most} />}
      {of.cells.map((rows, i) =>
        of.says === "week"
          ? cell(i, square(i), dot(i, rows.length, most))
          : cell(i, wedge(i, of.cells.length, 1), wedge(i, of.cells.length, rows.length / most)),
      )}
    </svg>
  );
}

// The hours of a week: a dot of each, its area by the number.
const step = 16;
const side = 30;
const top = 14;
const width24 = side + 24 * step;

const square = (i: number): string => `M${side + (i % 24) * step} ${top + Math.floor(i / 24) * step}h${step}v${step}h${-step}z`;

function dot(i: number, n: number, most: number): string {
  if (n === 0) return "";
  const r = Math.max(1.5, (step / 2 - 0.8) * Math.sqrt(n / most)),
    [x, y] = [side + (i % 24) * step + step / 2, top + Math.floor(i / 24) * step + step / 2];
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

const Clock = () => (
  <g aria-hidden="true">
    {[0, 6, 12, 18].map((hour) => (
      <text key={hour} x={side + hour * step} y={top - 4}>
        {two(hour)}:00
      </text>
    ))}
    {[0, 1, 2, 3, 4, 5, 6].map((weekday) => (
      <text key={"d" + weekday} x={0} y={top + weekday * step + 12}>
        {t("statday." + weekday)}
      </text>
    ))}
  </g>
);

// The compass: a wedge of each part, as long as the number.
const round = 220;
const middle = round / 2;
const reach = 90;

function wedge(i: number, n: number, share: number): string {
  if (!(share > 0)) return "";
  const r = reach * share,
    place = (part: number): string => {
      const angle = (part / n) * 2 * Math.PI;
      return `${(middle + r * Math.sin(angle)).toFixed(2)} ${(middle - r * Math.cos(angle)).toFixed(2)}`;
    };
  return `M${middle} ${middle}L${place(i - 0.46)}A${r.toFixed(2)} ${r.toFixed(2)} 0 0 1 ${place(i + 0.46)}z`;
}

const Rose = ({ most }: { most: number }) => (
  <g aria-hidden="true">
    {[0.5, 1].map((share) => (
      <circle key={share} cx={middle} cy={middle} r={reach * share} />
    ))}
    {t("stat.compass")
      .split(" ")
      .map((letter, i) => (
        <text
          key={letter}
          text-anchor="middle"
          x={middle + (reach + 11) * Math.round(Math.sin((i * Math.PI) / 2))}
          y={middle + 4 - (reach + 11) * Math.round(Math.cos((i * Math.PI) / 2))}>
          {letter}
        </text>
      ))}
    <text x={middle + reach * 0.71 + 4} y={middle - reach * 0.71 - 2}>
      {number(most)}
    </text>
  </g>
);
