/**
 * The work list as text: numbered questions in the order of how many gaps they close, each with the
 * lines to write.
 */
import { createPaint } from "../../diagnostics/formats/paint.ts";
import { printable } from "../../source/printable.ts";
import type { Accepted } from "../../worklist/accept.ts";
import type { RankedQuestion, WorkList } from "../../worklist/worklist.ts";

export interface ListOptions {
  readonly colour: boolean;
  /** All questions with all their places. */
  readonly all: boolean;
  /** Maximum number of questions by default. */
  readonly questionsMax: number;
  /**
   * Whether another command than `next` prints the list, so that each line names the whole command.
   */
  readonly isHint?: boolean;
}

/** Places of a question that are printed without `--all`. */
const placesMax = 2;

/** A line for each question, and below it the first places with their lines. */
export function formatQuestions({ file, questions }: WorkList, options: ListOptions): string {
  if (questions.length === 0) return `${printable(file)} leaves nothing open.\n`;
  const shown = options.all ? questions : questions.slice(0, options.questionsMax);
  const rest = questions.length - shown.length;
  const width = Math.min(64, Math.max(...shown.map(({ title }) => title.length)));
  const paint = createPaint(options.colour);
  const lines = shown.flatMap((question, index) => [
    paint(
      "bold",
      `${headline(question, index, width)}${commandFor(question, file, options.isHint === true)}`.trimEnd(),
    ),
    ...placeLines(question, file, options.all),
  ]);
  const everything = options.isHint === true ? `ninefold next ${printable(file)} --all` : "--all";
  if (rest > 0) lines.push(`… and ${rest} more: ${everything} lists all`);
  return lines.map((line) => `${line}\n`).join("");
}

function headline({ title, opens, level }: RankedQuestion, index: number, width: number): string {
  const count = opens.length === 0 ? "–" : String(opens.length);
  return `${String(index + 1).padStart(2)}  ${printable(title).padEnd(width)}  opens ${count.padStart(3)}  ${level.padEnd(8)}  `;
}

/** The command that answers the question. */
function commandFor({ id, level }: RankedQuestion, file: string, isHint: boolean): string {
  const command = `ninefold next ${printable(file)}`;
  if (level !== "open") return isHint ? `${command} --accept ${id}` : `--accept ${id}`;
  const resource = /^fields-(.+)$/.exec(id)?.[1];
  if (resource !== undefined) return `${command} --set fields:${printable(resource)} nullable`;
  return id === "identifiers-by-hand" ? `${command} --set identifiers 'random(12)'` : "";
}

function placeLines({ places }: RankedQuestion, file: string, all: boolean): readonly string[] {
  const shown = all || places.length <= placesMax + 1 ? places : places.slice(0, placesMax);
  const rest = places.length - shown.length;
  return [
    ...shown.flatMap(({ subject, at, lines, evidence }) => {
      const [first = "", ...more] = lines.map(printable);
      const reason = evidence.length === 0 ? "" : `   (${evidence.map(printable).join(", ")})`;
      return [
        `      ${printable(file)}:${at}  ${printable(subject)}:  ${first}${more.length === 0 ? reason : ""}`,
        ...more.map((line, index) => `          ${line}${index === more.length - 1 ? reason : ""}`),
      ];
    }),
    ...(rest > 0 ? [`      … and ${rest} more`] : []),
  ];
}

/** How many places of each kind were answered. */
export function acceptedText({ counts }: Accepted): string {
  const parts = [...counts].map(([kind, count]) => `${kind} (${count})`);
  return parts.length === 0 ? "Nothing to accept.\n" : `Answered: ${parts.join(", ")}.\n`;
}

/** The work list as JSON. */
export function questionsJson({ file, questions }: WorkList): object {
  return {
    file,
    questions: questions.map(({ id, kind, level, title, opens, places }, index) => ({
      number: index + 1,
      id,
      kind,
      level,
      title,
      opens,
      lines: places.flatMap(({ at, lines }) => lines.map((text) => ({ at: `${file}:${at}`, text }))),
      evidence: [...new Set(places.flatMap(({ evidence }) => evidence))],
    })),
  };
}
