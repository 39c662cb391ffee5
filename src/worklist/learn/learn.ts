/**
 * Answers to a document's open questions from recorded traffic, as proposals of the work list. A
 * proposal is `likely` only with evidence for and against: other answers were tried and refuted.
 */
import type { RecordedEntry } from "../../inputs/recordings/har-exchanges.ts";
import { type WorkList, listOfProposals } from "../worklist.ts";
import { learnErrorShape } from "./learn-error-shape.ts";
import { learnFields } from "./learn-fields.ts";
import { learnIdentifiers } from "./learn-identifiers.ts";
import { learnLists, learnPages } from "./learn-lists.ts";
import { learnResponses, learnStatuses } from "./learn-responses.ts";
import { learnStates } from "./learn-states.ts";
import { findRecordedRecords } from "./recorded-records.ts";
import { exchangesOf } from "./traffic.ts";

/**
 * The open questions of a document that a recording answers.
 *
 * @throws DocumentRejected
 */
export function learnedWorkList(file: string, text: string, recorded: readonly RecordedEntry[]): WorkList {
  const list = listOfProposals(file, text, (document, model) => {
    const recordedRecords = findRecordedRecords(model, document, exchangesOf(model, recorded));
    return [
      ...learnIdentifiers(document, recordedRecords),
      ...learnFields(document, recordedRecords),
      ...learnLists(model, document, recordedRecords),
      ...learnPages(model, document, recordedRecords),
      ...learnResponses(model, document, recordedRecords),
      ...learnStatuses(document, recordedRecords),
      ...learnErrorShape(model, document, recordedRecords),
      ...learnStates(model, document, recordedRecords),
    ];
  });
  return { ...list, questions: list.questions.filter(({ level }) => level !== "open") };
}
