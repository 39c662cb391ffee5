/**
 * Work list jobs over a text: find the open questions, or apply an answer. They may take seconds.
 */
import { accept, answerByHand, AnswerRefused } from "../../worklist/accept.ts";
import { isKindName } from "../../worklist/document/answers.ts";
import { addRejections } from "../../worklist/document/rejections.ts";
import { DocumentRejected, type RankedQuestion, workListOf } from "../../worklist/worklist.ts";

export type WorkListJob = { readonly file: string; readonly text: string } & (
  | { readonly kind: "list" }
  | { readonly kind: "accept"; readonly what: readonly string[] }
  | { readonly kind: "set"; readonly question: string; readonly answer: string }
  | { readonly kind: "reject"; readonly what: readonly string[] }
);

export type WorkListResult =
  | { readonly kind: "list"; readonly questions: readonly RankedQuestion[] }
  | {
      readonly kind: "answered";
      readonly text: string;
      readonly counts: readonly (readonly [string, number])[];
    }
  /** The document has mistakes, so its open questions can't be determined. */
  | { readonly kind: "mistakes"; readonly count: number }
  /** Why an answer can't be written. */
  | { readonly kind: "refused"; readonly message: string };

/** Runs a job in this thread, which it blocks. */
export function runWorkListJob(job: WorkListJob): WorkListResult {
  const { file, text } = job;
  try {
    switch (job.kind) {
      case "list":
        return { kind: "list", questions: workListOf(file, text).questions };
      case "accept": {
        const accepted = accept(file, text, job.what);
        return { kind: "answered", text: accepted.text, counts: [...accepted.counts] };
      }
      case "set": {
        const answered = answerByHand(file, text, job.question, job.answer);
        return { kind: "answered", text: answered.text, counts: [...answered.counts] };
      }
      case "reject": {
        const unknown = job.what.find((kind) => !isKindName(kind));
        if (unknown !== undefined)
          return { kind: "refused", message: `There is no kind "${unknown.slice(0, 100)}".` };
        return { kind: "answered", text: addRejections(text, job.what), counts: [] };
      }
    }
  } catch (error) {
    if (error instanceof DocumentRejected) return { kind: "mistakes", count: error.diagnostics.length };
    if (error instanceof AnswerRefused) return { kind: "refused", message: error.message };
    throw error;
  }
}
