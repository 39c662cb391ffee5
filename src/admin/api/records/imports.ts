/**
 * Record imports from files: a whole file in one transaction, or piece by piece from a stored
 * position.
 */
import { type Static, Type } from "typebox";
import { importModes } from "../../../engine/admin/import-record.ts";
import {
  ImportRefused,
  importRecords,
  parseSentLines,
  type RefusedLine,
} from "../../../engine/admin/import-records.ts";
import { type ReadLine, readLines, type RecordForm, recordForms } from "../../../engine/admin/read-lines.ts";
import { CsvProblem } from "../../../support/formats/csv.ts";
import { readJsonText } from "../../../support/formats/json-reader.ts";
import { recordAddressOf } from "./records.ts";
import { badRequest } from "../routing/refusal.ts";
import { type Call, fields, nullable, route } from "../routing/route.ts";
import { importLimits } from "./import-limits.ts";
import { type ImportState, stagedImports } from "./staged-imports.ts";

const options = {
  mode: Type.Enum(importModes),
  events: Type.Boolean({ description: "events are stored, and sent to their receivers" }),
};

const linesSent = Type.String({
  description: 'one JSON object a line: `{"line": 7, "fields": {…}}`, or `"cells"`: texts by column',
});

const refusedLines = Type.Array(
  fields({
    line: Type.Integer(),
    errors: Type.Array(fields({ field: Type.String(), message: Type.String() })),
  }),
);

const counts = { made: Type.Integer(), changed: Type.Integer(), refused: refusedLines };

const importSchema = fields({
  state: Type.Enum(["open", "running", "done", "refused", "failed"]),
  lines: Type.Integer(),
  done: Type.Integer({ description: "processed so far" }),
  ...counts,
  detail: nullable(Type.String({ description: "why it failed" })),
});
export type ImportResponse = Static<typeof importSchema>;

const importPositionSchema = fields({
  line: Type.Integer({ description: "the last stored line; 0 if nothing is stored" }),
  refused: refusedLines,
});
export type ImportPositionResponse = Static<typeof importPositionSchema>;

const sha256 = Type.String({ minLength: 64, maxLength: 64, description: "of the file" });

const importPieceSchema = fields(counts);
export type ImportPieceResponse = Static<typeof importPieceSchema>;

const fileSchema = fields({ stored: Type.Boolean(), ...counts });
export type ImportFileResponse = Static<typeof fileSchema>;

export const importRoutes = [
  route({
    method: "POST",
    path: "/api/import-files/{resource}",
    does: "imports a small file in one transaction, all or nothing; `dry` validates it and stores nothing",
    body: fields({
      ...options,
      form: Type.Enum(recordForms),
      text: Type.String({ description: "of the file" }),
      dry: Type.Boolean(),
    }),
    answer: fileSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { text, form, dry, mode, events } = call.body;
      const read = await linesOfFile(text, form);
      const wrong = read.flatMap((line) =>
        "wrong" in line ? [{ line: line.line, errors: [{ field: "", message: line.wrong }] }] : [],
      );
      const lines = read.filter((line) => !("wrong" in line));
      const isDryRun = dry || wrong.length > 0;
      if (!isDryRun) service.internals.context.ports.log.info({ resource }, "the operator imports records");
      try {
        const work = { mode, events, isDryRun, continuesOnErrors: false };
        const { made, changed, refused } = await importRecords(service, resource, () => lines, work);
        const all = [...wrong, ...refused].toSorted((a, b) => a.line - b.line);
        return { stored: !isDryRun, made, changed, refused: refusedLinesOf(all) };
      } catch (error) {
        if (!(error instanceof ImportRefused)) throw error;
        return { stored: false, made: 0, changed: 0, refused: refusedLinesOf(error.refused) };
      }
    },
  }),
  route({
    method: "POST",
    path: "/api/imports/{resource}",
    does: "starts the import of a file in one transaction, all or nothing",
    body: fields(options),
    answer: fields({ id: Type.String() }),
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      return { id: stagedImports(service.internals).open(resource, call.body) };
    },
  }),
  route({
    method: "POST",
    path: "/api/imports/{resource}/{id}",
    does: `adds further lines to it, at most ${importLimits.pieceLinesMax} at once`,
    body: fields({ lines: linesSent }),
    answer: importSchema,
    async run(call) {
      checkLines(call.body.lines);
      const { staged, id } = await stagedOf(call);
      return toImportResponse(staged.take(id, call.body.lines));
    },
  }),
  route({
    method: "PUT",
    path: "/api/imports/{resource}/{id}",
    does: "stores the file when all lines are sent; continues after the response",
    answer: importSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { staged, id } = await stagedOf(call);
      service.internals.context.ports.log.info({ resource }, "the operator imports records");
      return toImportResponse(staged.start(service, id));
    },
  }),
  route({
    method: "GET",
    path: "/api/imports/{resource}/{id}",
    does: "the progress and the result",
    answer: importSchema,
    async run(call) {
      const { staged, id } = await stagedOf(call);
      return toImportResponse(staged.state(id));
    },
  }),
  route({
    method: "DELETE",
    path: "/api/imports/{resource}/{id}",
    does: "cancels the import; lines that are not stored yet never will be",
    answer: fields({}),
    async run(call) {
      const { staged, id } = await stagedOf(call);
      staged.end(id);
      return {};
    },
  }),
  route({
    method: "GET",
    path: "/api/import-places/{resource}",
    does: "the last stored line of an unfinished import in pieces",
    query: fields({ sha256 }),
    answer: importPositionSchema,
    async run(call) {
      const { service, resource } = await recordAddressOf(call);
      const { system } = service.internals.context.store.session;
      const stored = await system.setting(positionKey(resource));
      const position = stored ? (JSON.parse(stored) as StoredPosition) : undefined;
      if (position?.sha256 !== call.query.sha256) return { line: 0, refused: [] };
      return { line: position.line, refused: refusedLinesOf(position.refused) };
    },
  }),
  route({
    method: "POST",
    path: "/api/import-pieces/{resource}",
    does: "stores lines of a file, and their position in the same transaction; rejected lines are left out",
    body: fields({
      ...options,
      lines: linesSent,
      sha256,
      line: Type.Integer({ minimum: 0, description: "the last one of the piece" }),
      last: Type.Boolean({ description: "whether the file is finished, so that its position is deleted" }),
    }),
    answer: importPieceSchema,
    async run(call) {
      checkLines(call.body.lines);
      const { service, resource } = await recordAddressOf(call);
      const { lines, line, last, sha256: hash, ...options } = call.body;
      const imported = await importRecords(service, resource, () => parseSentLines(lines), {
        ...options,
        continuesOnErrors: true,
        async alongside(transaction, { refused }) {
          const position: StoredPosition = { sha256: hash, line, refused };
          await transaction.system.setSetting(positionKey(resource), last ? "" : JSON.stringify(position));
        },
      });
      return { ...imported, refused: refusedLinesOf(imported.refused) };
    },
  }),
];

/**
 * The position of an import. It is stored in the store, so that it always matches the imported
 * records. It includes the refusals of the last piece, whose response may have been lost.
 */
interface StoredPosition {
  readonly sha256: string;
  readonly line: number;
  readonly refused: readonly RefusedLine[];
}

/** @throws OperationRefusal if the server can't read a line, or if there are too many */
async function linesOfFile(text: string, form: RecordForm): Promise<readonly ReadLine[]> {
  const lines = await readLines(text, form).catch((error: unknown) => {
    if (error instanceof CsvProblem) throw badRequest(`Line ${error.line}: ${error.message}`);
    throw error;
  });
  if (lines.length > importLimits.fileLinesMax)
    throw badRequest(
      `At most ${importLimits.fileLinesMax} records can be imported at once. \`ninefold data import\` has no limit.`,
    );
  return lines;
}

const positionKey = (resource: string) => `import ${resource}`;

async function stagedOf(call: Pick<Call, "space" | "parameter">) {
  const { service } = await recordAddressOf(call);
  return { staged: stagedImports(service.internals), id: call.parameter("id") };
}

/** @throws OperationRefusal */
function checkLines(text: string): void {
  const lines = text === "" ? [] : text.split("\n");
  if (lines.length > importLimits.pieceLinesMax)
    throw badRequest(`At most ${importLimits.pieceLinesMax} lines can be sent at once.`);
  for (const [at, line] of lines.entries())
    if (!isLine(line)) throw badRequest(`Line ${at + 1} of "lines" is not a line.`);
}

function isLine(text: string): boolean {
  const read = readJsonText(text);
  if (read.problem !== undefined || typeof read.json !== "object" || read.json === null) return false;
  const { line, fields: sent, cells, ...unknownMembers } = read.json as Readonly<Record<string, unknown>>;
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const areTexts = (value: unknown) =>
    isObject(value) &&
    Object.values(value as object).every((entry) => entry === null || typeof entry === "string");
  return (
    Number.isSafeInteger(line) &&
    Object.keys(unknownMembers).length === 0 &&
    (sent === undefined ? areTexts(cells) : cells === undefined && isObject(sent))
  );
}

function toImportResponse({ state, lines, done, imported, refused, failure }: ImportState): ImportResponse {
  return {
    state,
    lines,
    done,
    made: imported?.made ?? 0,
    changed: imported?.changed ?? 0,
    refused: refusedLinesOf(refused ?? []),
    detail: failure?.message ?? null,
  };
}

function refusedLinesOf(refused: readonly RefusedLine[]) {
  return refused.map(({ line, errors }) => ({ line, errors: errors.map((error) => ({ ...error })) }));
}
