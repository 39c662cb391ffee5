/** Responses of endpoints and statuses of error codes, inferred from recorded responses. */
import type { Model } from "../../model/model.ts";
import { cellOf, isNotShown, tablesOf } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";
import { evidenceLines, kindFor } from "./evidence-text.ts";
import { openItem } from "./learn-lists.ts";
import type { RecordedRecords } from "./recorded-records.ts";
import { type Exchange, isObject } from "./traffic.ts";

const seenMin = 3;

/** Proposals for `- Returns: not shown`. */
export function learnResponses(
  model: Model,
  document: SourceDocument,
  seen: RecordedRecords,
): readonly Proposal[] {
  const byName = Map.groupBy(seen.exchanges, ({ name }) => name);
  const shapes = keysOfStated(model, byName);
  return document.endpoints.flatMap((endpoint) => {
    const item = openItem(endpoint, "returns");
    const answers = (byName.get(endpoint.name) ?? []).filter(({ status }) => status >= 200 && status < 300);
    const statuses = new Set(answers.map(({ status }) => status));
    const [status] = statuses;
    if (!item || answers.length < seenMin || statuses.size !== 1) return [];
    const shape = shapeOf(answers, shapes, seen);
    if (shape === undefined) return [];
    const failures = (byName.get(endpoint.name) ?? []).filter((exchange) => exchange.status >= 400);
    return [
      {
        kind: kindFor("responses", shape.isCertain),
        subject: endpoint.name,
        at: lineOf(item),
        edits: [{ line: lineOf(item), text: `- Returns: ${status} ${shape.text}` }],
        evidence: evidenceLines(
          answers.map(({ number }) => number),
          failures.length === 0
            ? shape.refuted
            : `${shape.refuted}; ${failures.length} failures are not counted`,
        ),
      },
    ];
  });
}

interface Shape {
  readonly text: string;
  readonly isCertain: boolean;
  readonly refuted: string;
}

/** The keys of each resource in responses of endpoints that state it: `Returns: 200 Pet`. */
function keysOfStated(
  { endpoints }: Model,
  byName: ReadonlyMap<string, readonly Exchange[]>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const endpoint of endpoints) {
    const [stated, more] = endpoint.returns;
    if (!stated || more || stated.kind !== "expression" || endpoint.resource === undefined) continue;
    if (stated.body.text.trim() !== `${endpoint.resource}(this)`) continue;
    const name = `${endpoint.method} ${endpoint.path.text}`;
    const answer = (byName.get(name) ?? []).find(
      ({ status, received }) => status < 300 && isObject(received),
    );
    if (answer && isObject(answer.received)) found.set(endpoint.resource, keyText(answer.received));
  }
  return found;
}

function keyText(value: object): string {
  return Object.keys(value).toSorted().join();
}

function shapeOf(
  answers: readonly Exchange[],
  stated: ReadonlyMap<string, string>,
  seen: RecordedRecords,
): Shape | undefined {
  if (answers.every(({ isEmpty }) => isEmpty)) return { text: "nothing", isCertain: true, refuted: "a body" };
  const isList = answers.every(({ received }) => Array.isArray(received));
  if (!isList && !answers.every(({ received }) => isObject(received))) return undefined;
  const records = answers.flatMap((exchange) => seen.of(exchange));
  const names = new Set(records.map(({ resource }) => resource.name));
  const [name] = names;
  const bodies: readonly unknown[] = answers.flatMap(({ received }) => received ?? []);
  if (name === undefined || names.size !== 1 || bodies.length !== records.length) return undefined;
  const keys = new Set(records.map(({ values }) => keyText(values)));
  const isSame = keys.size === 1 && stated.get(name) === [...keys][0];
  return {
    text: isList ? `list of ${name}` : name,
    isCertain: isSame,
    refuted: isSame ? "other keys than where it is stated" : "",
  };
}

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

/** Proposals for the statuses of part 7: the status of the responses that contain the code. */
export function learnStatuses(document: SourceDocument, seen: RecordedRecords): readonly Proposal[] {
  const failures = seen.exchanges.filter(({ status }) => status >= 400);
  const { errors } = document.parts;
  const tables = errors ? tablesOf(errors.body) : [];
  return tables.flatMap((table) =>
    table.rows.flatMap((row) => {
      const [code, status] = ["code", "status"].map((name) => cellOf(table, row, name));
      const name = code?.text.trim().replaceAll("`", "") ?? "";
      if (!status || !isNotShown(status) || !/^\w[\w.-]*$/.test(name)) return [];
      // The statuses of other conditions with the same code are stated.
      const stated = new Set(
        table.rows.flatMap((statedRow) => {
          const [otherCode, of] = ["code", "status"].map((column) =>
            cellOf(table, statedRow, column)?.text.trim(),
          );
          return statedRow !== row && otherCode?.replaceAll("`", "") === name ? [Number(of)] : [];
        }),
      );
      const shown = failures.filter(
        ({ received, status: seenStatus }) => !stated.has(seenStatus) && holds(received, name),
      );
      const statuses = new Set(shown.map((exchange) => exchange.status));
      const [found] = statuses;
      if (found === undefined || statuses.size !== 1) return [];
      const edit = cellEdit(document, { table, row }, "status", String(found));
      if (!edit) return [];
      const seenStatuses = new Set(failures.map((exchange) => exchange.status));
      return [
        {
          kind: kindFor("statuses", shown.length >= 2 && seenStatuses.size > 1),
          subject: name,
          at: lineOf(row),
          edits: [edit],
          evidence: evidenceLines(
            shown.map(({ number }) => number),
            seenStatuses.size > 1 ? "one status of all errors" : "",
          ),
        },
      ];
    }),
  );
}

/** Whether a text of the body is the code. */
function holds(value: unknown, code: string, depth = 0): boolean {
  if (value === code) return true;
  if (depth > 4 || typeof value !== "object" || value === null) return false;
  return Object.values(value).some((inner) => holds(inner, code, depth + 1));
}
