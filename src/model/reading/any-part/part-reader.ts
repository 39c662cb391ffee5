/**
 * Part reader: items and tables of parts 5 to 9, with their keys and columns, duplicates, and
 * expressions. Each part interprets the values.
 */
import { nonNull } from "../../../support/non-null.ts";
import { columnInOurWords, itemInOurWords } from "./synonyms.ts";
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import type { Scope } from "../../../expressions/scope.ts";
import type { Type } from "../../../expressions/type.ts";
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemName, ItemNode, TableNode } from "../../../syntax/nodes.ts";
import { endsNotShown, isNotShown, keyText } from "../../../syntax/read.ts";
import type { Gap } from "../../model.ts";
import { type Answers, createAnswers } from "./answers.ts";
import type { BuildContext } from "./context.ts";
import { type Nearest, nearestHint } from "../nearest-hint.ts";

export type FormPart =
  | "resources"
  | "states"
  | "authentication"
  | "events"
  | "errors"
  | "limits"
  | "versioning";

/** An allowed key. `several`: it may occur more than once. */
export interface ItemForm {
  readonly key: string;
  readonly expected: string;
  readonly several?: boolean;
  /** The value may be empty, because a fenced block follows. */
  readonly fenced?: boolean;
  /** The item that a gap in the value belongs to. Default: the main item of the part. */
  readonly under?: ItemName;
  read(item: ItemNode): void;
}

export interface PartReader<P extends FormPart = FormPart> {
  readonly context: BuildContext;
  readonly part: P;
  readonly answers: Answers;
  /** Reads items by their keys. Unknown, repeated and empty ones are reported. */
  items(items: readonly ItemNode[], forms: readonly ItemForm[]): void;
  /** Reports invalid columns of the table. Returns whether it has the `key` column. */
  columns(table: TableNode, key: string, known: readonly string[]): boolean;
  /** Runs `work`. Gaps in it belong to the given item and subject. */
  about<T>(under: ItemName, what: string, work: () => T): T;
  /** Reports unreadable text. If it ends in `not shown`, it is a smaller gap. */
  unreadable(phrase: Phrase, expected: string): undefined;
  gap(item: ItemName, subject: string, position: Position): Gap;
  /** Binds an expression. Undefined if it is wrong or not shown; what depends on it is then omitted. */
  expression(phrase: Phrase, scope: Scope, expected?: Type): Expression | undefined;
}

/** The item that a gap belongs to by default. */
const mainItems: Readonly<Record<FormPart, ItemName>> = {
  resources: "fields",
  states: "transitions",
  authentication: "credentials",
  events: "events",
  errors: "error codes",
  limits: "rate limits",
  versioning: "version scheme",
};

export function createPartReader<P extends FormPart>(context: BuildContext, part: P): PartReader<P> {
  const { reporter } = context;
  const anyPart: FormPart = part;
  let topic = { under: mainItems[anyPart], what: "this" };
  const reader: PartReader<P> = {
    context,
    part,
    answers: createAnswers(context.ledger, part),
    items(items, forms) {
      context.keys.note(
        part,
        forms.map(({ key }) => key),
      );
      for (const { item, form } of formsOfItems(context, part, items, forms)) {
        reader.about(form.under ?? mainItems[anyPart], `"${form.key}"`, () => form.read(item));
      }
    },
    about(under, what, work) {
      const outer = topic;
      topic = { under, what };
      try {
        return work();
      } finally {
        topic = outer;
      }
    },
    // Part 5 has no tables, and therefore no codes for them.
    columns: (table, key, known) =>
      anyPart !== "authentication" && readColumns(context, anyPart, table, key, known),
    unreadable(phrase, expected) {
      if (endsNotShown(phrase)) {
        reader.gap(topic.under, `a part of ${topic.what}`, positionIn(phrase));
        return undefined;
      }
      reporter.report(`${anyPart}/unreadable`, positionIn(phrase), { text: phrase.text, expected });
      return undefined;
    },
    gap: (item, subject, position) => context.ledger.gap(part, item, subject, position),
    expression(phrase, scope, expected) {
      const bare = unquote(phrase);
      if (bare.text === "" || isNotShown(bare)) return reader.unreadable(bare, "an expression in backticks");
      return bindExpression(bare, scope, reporter, expected);
    },
  };
  return reader;
}

/** Parameters of a code for an unknown name. */
export function suggestion(name: string, known: Iterable<string>): Nearest & { readonly name: string } {
  return { name, ...nearestHint(name, known) };
}

/** The items with a known key, each with its form. Others are reported and omitted. */
function formsOfItems(
  { reporter }: BuildContext,
  part: FormPart,
  items: readonly ItemNode[],
  forms: readonly ItemForm[],
): { readonly item: ItemNode; readonly form: ItemForm }[] {
  const readable: { item: ItemNode; form: ItemForm }[] = [];
  const byKey = new Map(forms.map((form) => [form.key.toLowerCase(), form]));
  const itemsByKey = new Map<string, ItemNode>();
  for (const item of items) {
    const key = keyText(item.key);
    const form = byKey.get(key);
    const known = forms.map((form) => form.key);
    if (!form) {
      const name = item.key.text.trim();
      const instead = itemInOurWords(part, name, item.value.text);
      reporter.report(`${part}/unknown-item`, positionIn(item.key), { ...suggestion(name, known), instead });
      continue;
    }
    const before = itemsByKey.get(key);
    if (before && !form.several) {
      const related = [{ position: positionIn(before.key), message: "First defined here." }];
      reporter.report(`${part}/repeated-item`, positionIn(item.key), { key: form.key }, related);
      continue;
    }
    itemsByKey.set(key, item);
    if (item.value.text.trim() === "" && !(form.fenced && item.fence)) {
      reporter.report(`${part}/empty-item`, positionIn(item.key), { key: form.key, expected: form.expected });
      continue;
    }
    readable.push({ item, form });
  }
  return readable;
}

function readColumns(
  { reporter }: BuildContext,
  part: Exclude<FormPart, "authentication">,
  table: TableNode,
  key: string,
  known: readonly string[],
): boolean {
  if (!table.columns.some((column) => keyText(column) === key.toLowerCase())) {
    reporter.report(`${part}/other-table`, positionIn(nonNull(table.columns[0])), { column: key });
    return false;
  }
  for (const column of table.columns) {
    if (known.some((name) => name.toLowerCase() === keyText(column))) continue;
    const name = column.text.trim();
    const instead = columnInOurWords(name, known);
    reporter.report(`${part}/unknown-column`, positionIn(column), { ...suggestion(name, known), instead });
  }
  return true;
}
