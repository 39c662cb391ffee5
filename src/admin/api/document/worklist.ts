/**
 * Work list routes: the open questions of the document's file, and answers to them. The operator
 * first sees the changed lines. An answer is written only if the file is still the one that the
 * operator saw.
 */
import { createHash } from "node:crypto";
import { type Static, Type } from "typebox";
import { lineChanges } from "../../../support/formats/line-changes.ts";
import type { AdminContext } from "../../context.ts";
import type { WorkListJob } from "../../worklist/worklist-job.ts";
import { workListInWorker } from "../../worklist/worklist-in-worker.ts";
import { badRequest, OperationRefusal } from "../routing/refusal.ts";
import { fields, route } from "../routing/route.ts";

const placesMax = 200;
const questionsMax = 300;
const changesMax = 300;

const questionSchema = fields({
  number: Type.Integer({ description: "of the list; `accept` takes it" }),
  id: Type.String(),
  kind: Type.String(),
  level: Type.Enum(["likely", "possible", "named", "open"]),
  title: Type.String(),
  opens: Type.Array(Type.String(), {
    description: "endpoints that respond once it and those before it are answered",
  }),
  places: Type.Array(
    fields({
      subject: Type.String(),
      line: Type.Integer(),
      lines: Type.Array(Type.String(), { description: "to write; `…` is to be filled in" }),
      evidence: Type.Array(Type.String()),
    }),
  ),
  more: Type.Integer({ description: "places that are left out here" }),
});

const workListSchema = fields({
  file: Type.String(),
  digest: Type.String({ description: "of the file's text; an answer names it" }),
  writable: Type.Boolean({ description: "answers can be written into the file" }),
  watched: Type.Boolean({ description: "whether the service reloads a changed file (`--watch`)" }),
  mistakes: Type.Integer({ description: "with mistakes there are no questions" }),
  questions: Type.Array(questionSchema),
  more: Type.Integer({ description: "questions that are left out here" }),
});

export type WorkListResponse = Static<typeof workListSchema>;
export type QuestionResponse = Static<typeof questionSchema>;

const names = Type.Array(Type.String({ maxLength: 2_000 }), { minItems: 1, maxItems: 100 });

const answeredSchema = fields({
  answered: Type.Array(fields({ kind: Type.String(), count: Type.Integer() })),
  changes: Type.Array(
    fields({
      line: Type.Integer(),
      before: Type.Array(Type.String()),
      after: Type.Array(Type.String()),
    }),
    { description: "of the file, the first ones" },
  ),
  more: Type.Integer({ description: "changed places that are left out here" }),
  written: Type.Boolean(),
});

export type AnsweredResponse = Static<typeof answeredSchema>;

export const workListRoutes = [
  route({
    method: "GET",
    path: "/api/worklist",
    does: "the open questions of the document's file, with the answers that it suggests",
    answer: workListSchema,
    isSpaceScoped: false,
    async run({ admin }) {
      const text = await textOf(admin);
      const result = await workListInWorker({ kind: "list", file: admin.document.file, text });
      const questions = result.kind === "list" ? result.questions : [];
      return {
        file: admin.document.file,
        digest: digestOf(text),
        writable: (await admin.documentFile?.isWritable()) ?? false,
        watched: admin.documentFile?.isWatched ?? false,
        mistakes: result.kind === "mistakes" ? result.count : 0,
        questions: questions
          .slice(0, questionsMax)
          .map(({ id, kind, level, title, opens, places }, index) => ({
            number: index + 1,
            id,
            kind,
            level,
            title,
            opens: [...opens],
            places: places.slice(0, placesMax).map(({ subject, at, lines, evidence }) => ({
              subject,
              line: at,
              lines: [...lines],
              evidence: [...evidence],
            })),
            more: Math.max(0, places.length - placesMax),
          })),
        more: Math.max(0, questions.length - questionsMax),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/worklist",
    does: "the changed lines of an answer; with `write`, they are written into the file, if it still has this `digest`",
    body: fields({
      digest: Type.String({ maxLength: 100 }),
      accept: Type.Optional(names),
      reject: Type.Optional(names),
      set: Type.Optional(
        fields({ question: Type.String({ maxLength: 2_000 }), answer: Type.String({ maxLength: 2_000 }) }),
      ),
      write: Type.Optional(Type.Boolean()),
    }),
    answer: answeredSchema,
    isSpaceScoped: false,
    async run({ admin, body }) {
      const text = await textOf(admin);
      if (digestOf(text) !== body.digest) throw changedMeanwhile();
      const result = await workListInWorker({ file: admin.document.file, text, ...jobOf(body) });
      if (result.kind === "mistakes")
        throw new OperationRefusal(409, "The document has mistakes", "Correct its mistakes first.");
      if (result.kind !== "answered")
        throw new OperationRefusal(
          422,
          "The answer can't be written",
          `${result.kind === "refused" ? result.message : ""} Nothing was written.`,
        );
      if (body.write) await write(admin, text, result.text);
      const changes = lineChanges(text, result.text);
      return {
        answered: result.counts.map(([kind, count]) => ({ kind, count })),
        changes: changes.slice(0, changesMax).map(({ line, before, after }) => ({
          line,
          before: [...before],
          after: [...after],
        })),
        more: Math.max(0, changes.length - changesMax),
        written: body.write ?? false,
      };
    },
  }),
];

interface Answer {
  readonly accept?: readonly string[];
  readonly reject?: readonly string[];
  readonly set?: { readonly question: string; readonly answer: string };
}

type Answering = Exclude<WorkListJob, { readonly kind: "list" }>;

/** @throws OperationRefusal */
function jobOf({ accept, reject, set }: Answer): DistributiveOmit<Answering, "file" | "text"> {
  if ([accept, reject, set].filter((change) => change !== undefined).length !== 1)
    throw badRequest(
      'Send one of {"accept": ["likely"]}, {"reject": ["list"]} or {"set": {"question": "…", "answer": "…"}}.',
    );
  if (accept) return { kind: "accept", what: accept };
  if (reject) return { kind: "reject", what: reject };
  return { kind: "set", question: set?.question ?? "", answer: set?.answer ?? "" };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The present text of the file. The service may not serve it yet. */
async function textOf({ document, documentFile }: AdminContext): Promise<string> {
  return documentFile ? documentFile.read() : document.text;
}

/** @throws OperationRefusal */
async function write(
  { document, documentFile, log }: AdminContext,
  seen: string,
  text: string,
): Promise<void> {
  if (!documentFile || !(await documentFile.isWritable()))
    throw new OperationRefusal(
      409,
      "The file can't be written",
      `This service can't write ${document.file}. Use \`ninefold next\` where the file is.`,
    );
  if ((await documentFile.read()) !== seen) throw changedMeanwhile();
  await documentFile.write(text);
  log.info({ file: document.file }, "the operator wrote answers into the document");
}

function changedMeanwhile(): OperationRefusal {
  return new OperationRefusal(
    409,
    "Changed meanwhile",
    "The file was changed after the list was made. Nothing was written. Load the list again.",
  );
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
