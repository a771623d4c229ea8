// A list of a port on paper: a page of its own beside the client, which is seen in print alone.

/** Paper is what stands on the page. */
export interface Paper {
  title: string;
  lines: string[]; // below the title
  headings: string[];
  rows: string[][];
}

const element = (name: string, text = ""): HTMLElement => Object.assign(document.createElement(name), { textContent: text });

const rowOf = (name: string, cells: readonly string[]): HTMLElement => {
  const row = element("tr");
  row.append(...cells.map((cell) => element(name, cell)));
  return row;
};

/** lay puts the page in the place of an earlier one, and gives what takes it away. */
export function lay({ title, lines, headings, rows }: Paper): () => void {
  document.querySelector(".printed")?.remove();
  const page = Object.assign(element("section"), { className: "printed" }),
    table = element("table"),
    head = element("thead"),
    body = element("tbody");
  head.append(rowOf("th", headings));
  body.append(...rows.map((row) => rowOf("td", row)));
  table.append(head, body);
  page.append(element("h1", title), ...lines.map((line) => element("p", line)), table);
  document.body.append(page);
  return () => page.remove();
}
