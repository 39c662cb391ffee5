/** Writes part 7 of an imported document from what an export of Ninefold states of errors. */
import type { Draft, Refusals } from "./draft.ts";
import {
  isPlain,
  listOf,
  member,
  numberOf,
  type Plain,
  plainOf,
  textOf,
  textsOf,
} from "../description/values.ts";

export interface OwnErrors {
  readonly payload: string | undefined;
  readonly mediaType: string | undefined;
  readonly headers: readonly string[];
  readonly areWithoutCodes: boolean;
  readonly rows: readonly OwnRow[];
  /** Further columns of the table. */
  readonly further: readonly string[];
}

interface OwnRow {
  readonly code: string;
  readonly status: number | undefined;
  readonly when: readonly string[];
  readonly cells: ReadonlyMap<string, string>;
}

/** Cells of a row that a text can fill, with the keys of the extension. */
const textCells: Readonly<Record<string, string>> = {
  Field: "field",
  Message: "message",
  Payload: "payload",
  "Media type": "mediaType",
};

/** What an export states of errors. Undefined for any other description. */
export function ownErrors(first: Plain): OwnErrors | undefined {
  const stated = first["x-ninefold-errors"];
  if (!isPlain(stated)) return undefined;
  const payload = textOf(stated["payload"]);
  const rows = listOf(stated["rows"]).flatMap((row) => rowOf(row) ?? []);
  return {
    payload: payload === undefined || /```|<!--/.test(payload) ? undefined : payload,
    mediaType: cellOf(stated["mediaType"]),
    headers: listOf(stated["headers"]).flatMap((header) => {
      const [name, value] = [cellOf(member(header, "name")), textOf(member(header, "value"))];
      const isUsable = /^[A-Za-z][\w-]*$/.test(name ?? "") && !/[`\r\n]|<!--/.test(value ?? "`");
      return isUsable ? [`${name}: \`${value}\``] : [];
    }),
    areWithoutCodes: stated["codes"] === "none",
    rows,
    further: [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].filter(
      (column) => !(column in textCells),
    ),
  };
}

function rowOf(row: unknown): OwnRow | undefined {
  const code = textOf(member(row, "code")) ?? "";
  const when = textsOf(member(row, "when")).flatMap((text) => cellOf(text) ?? []);
  if (!/^[^\s`"|<]{0,200}$/.test(code)) return undefined;
  const texts = Object.entries(textCells).map(([column, key]) => [column, member(row, key)] as const);
  const further = Object.entries(plainOf(member(row, "further"))).filter(([name]) => /^\w+$/.test(name));
  const cells = [...texts, ...further].flatMap(([column, value]) => {
    const text = cellOf(value);
    return text === undefined ? [] : [[column, text] as const];
  });
  return { code, status: numberOf(member(row, "status")), when, cells: new Map(cells) };
}

function cellOf(value: unknown): string | undefined {
  const text = textOf(value)?.replace(/\s+/g, " ").trim();
  return text === undefined || text === "" || text.length > 4000 || text.includes("<!--") ? undefined : text;
}

/** The statuses of rows for a condition as a whole, with that condition. */
export function ownConditions({ rows }: OwnErrors): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ status, when }) => {
      const condition = when.find((text) => !/ of |not shown/.test(text));
      return status === undefined || condition === undefined ? [] : [[String(status), condition] as const];
    }),
  );
}

/**
 * Part 7. A row whose subject `check` doesn't know loses its condition. One with another error
 * loses its texts first.
 */
export function writeOwnErrors(draft: Draft, refusals: Refusals, errors: OwnErrors): void {
  const { payload, mediaType, headers, areWithoutCodes, rows } = errors;
  writePayload(draft, refusals.has("error payload") ? undefined : payload);
  if (mediaType !== undefined && !refusals.has("error media type"))
    draft.add(`- Media type: ${mediaType}`, "error media type");
  for (const header of headers)
    if (!refusals.has(`error header ${header}`)) draft.add(`- Header: ${header}`, `error header ${header}`);
  if (areWithoutCodes) draft.add("- Error codes: none");
  else if (rows.length === 0) draft.add("- Error codes: not shown");
  if (rows.length === 0) draft.add("- Status codes: not shown");
  draft.gap();
  const columns = ["Code", "Status", "When", "Message", "Field", "Payload", "Media type", ...errors.further]
    .filter((column) => column in fixed || rows.some(({ cells }) => cells.has(column)))
    .filter((column) => column !== "Code" || !areWithoutCodes);
  if (rows.length === 0) return;
  draft.add(`| ${columns.join(" | ")} |`);
  draft.add(`|${columns.map(() => "---|").join("")}`);
  for (const [index, row] of rows.entries()) {
    const key = `error ${index}`;
    const times = refusals.get(key) ?? 0;
    if (times > 2) continue;
    const isOpen = times > 1 || refusals.has(`subject ${key}`);
    draft.count("errors", times === 0 && !isOpen ? "stated" : "open");
    const cells = columns.map((column) => textAt(row, column, times > 0, isOpen).replaceAll("|", "\\|"));
    draft.add(`| ${cells.join(" | ")} |`, key);
  }
  draft.gap();
}

const fixed: Readonly<Record<string, true>> = { Code: true, Status: true, When: true, Message: true };

function textAt(
  { code, status, when, cells }: OwnRow,
  column: string,
  isWithoutTexts: boolean,
  isOpen: boolean,
): string {
  if (column === "Code") return code === "" && isOpen ? "not shown" : code;
  if (column === "Status") return status === undefined ? "" : String(status);
  if (column === "When") return isOpen && when.length > 0 ? "not shown" : when.join(", ");
  const text = cells.get(column) ?? "";
  return text !== "" && isWithoutTexts ? "not shown" : text;
}

function writePayload(draft: Draft, payload: string | undefined): void {
  const isWord = payload === undefined || payload === "problem details" || payload === "nothing";
  draft.count("error payload", payload === undefined ? "open" : "stated");
  if (isWord) {
    draft.add(`- Payload shape: ${payload ?? "not shown"}`);
    return;
  }
  draft.add("- Payload shape:", "error payload");
  draft.gap();
  for (const line of ["```cel", ...payload.split(/\r?\n/), "```"]) draft.add(line, "error payload");
  draft.gap();
}
