/** Resolves the rows of input tables: types, own rules, and the fields that they set or compare. */
import type { FieldRule } from "../../../../fields/rule.ts";
import type { FieldType } from "../../../../fields/type.ts";
import { type Phrase, positionIn } from "../../../../source/phrase.ts";
import { afterWord, isNone, isNotShown, keyText } from "../../../../syntax/read.ts";
import type { DeclaredField } from "../../declarations.ts";
import type { Gap } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { parseRules, type RuleSyntax } from "../../resources/field-rules.ts";
import { fieldContext, parseFieldType } from "../../resources/field-type.ts";
import { fittingRules, writtenRule } from "../../resources/rules-fit.ts";
import { type Deeds, makesAny, commonReach } from "../does.ts";
import {
  fieldNamed,
  inputFieldGap,
  type InputSyntax,
  type InputsOf,
  isComparable,
  mayFilter,
  maySet,
  rulesOfComparison,
  rulesOfInput,
  rulesOfNamed,
} from "./input-fields.ts";
import type { InputRow } from "./input-rows.ts";

/** Reads the input of a row. Undefined if it was reported. */
export function readRowInput(row: InputRow, endpoint: InputsOf, ctx: BuildContext): InputSyntax | undefined {
  const named = row.field && !isNotShown(row.field) ? row.field : undefined;
  const ofUnknown = named && inputFieldGap(endpoint);
  const field = named && !ofUnknown ? readRowField(row, named, endpoint, ctx) : undefined;
  if (named && !ofUnknown && !field) return undefined;
  const isIgnored = row.where !== undefined && isNone(row.where);
  const open = [row.where, row.field].find((cell) => cell && isNotShown(cell));
  const unknown = open && effectGap(row, open, ctx);
  const where = isIgnored || unknown ? undefined : row.where;
  if (where && !mayFilter(where, row.in === "path" ? { ...endpoint, picked: false } : endpoint, ctx))
    return undefined;
  const typed = readRowType(row, field, ctx);
  const own = readOwnRules(row, typed.type, endpoint.deeds, ctx);
  const gap = unknown ?? typed.gap ?? own.gap ?? ofUnknown;
  const ofAbsence = own.absentGap ?? (own.default ? gap : undefined);
  const reach = commonReach(endpoint.deeds.does);
  const filters = field !== undefined && reach === "many";
  // For an existing record of the path, a field states how the record is selected.
  const sets =
    field !== undefined && !filters && (row.in !== "path" || reach === "new" || reach === "new or one");
  const input: InputSyntax["input"] = {
    name: row.name,
    in: row.in,
    type: typed.type,
    rules: rulesOfNamed(
      field ? (filters ? rulesOfComparison(field.rules) : rulesOfInput(field.rules)) : [],
      own.rules,
      row.name.at(-1) === field?.name,
    ),
    required: own.required || row.in === "path",
    ...(own.requiredWhenMade ? { requiredWhenMade: true } : {}),
    ...(sets && field.role !== "state" ? { sets: field.name } : {}),
    ...(own.separator === undefined ? {} : { separator: own.separator }),
    ...(own.asJson ? { asJson: true } : {}),
    ...(isIgnored ? { ignored: true } : {}),
    position: row.position,
    ...(gap ? { gap } : {}),
    ...(ofAbsence && !gap ? { absentGap: ofAbsence } : {}),
  };
  return {
    input,
    phrase: row.phrase,
    // An input with a default also filters, and is read, without being sent.
    ...(ofAbsence && gap ? { gapOfAll: ofAbsence } : {}),
    ...(where ? { where } : {}),
    // A row with a field and no condition filters a list by that field under another name.
    ...(filters && !row.where && row.in === "query"
      ? { filter: { kind: "equals", field: field.name } as const }
      : {}),
    ...(own.default ? { default: own.default } : {}),
  };
}

/** The input's effect is unknown, so a request that sends it can't be answered. */
function effectGap(row: InputRow, where: Phrase, { ledger }: BuildContext): Gap {
  return ledger.gap(
    "endpoints",
    "payload shapes",
    `what the input ${row.name.join(".")} does`,
    positionIn(where),
  );
}

function readRowField(
  row: InputRow,
  name: Phrase,
  endpoint: InputsOf,
  ctx: BuildContext,
): DeclaredField | undefined {
  const field = fieldNamed(name, endpoint, "Field", ctx);
  if (!field) return undefined;
  // In the path it names the field that selects the record, in a list the compared field; nothing
  // is set.
  const reach = commonReach(endpoint.deeds.does);
  if (reach === "many" || (row.in === "path" && reach !== "new"))
    return isComparable(field, name, false, ctx) ? field : undefined;
  return maySet(field, name, { ...endpoint, reads: () => true }, ctx) ? field : undefined;
}

function readRowType(
  row: InputRow,
  field: DeclaredField | undefined,
  ctx: BuildContext,
): { readonly type: FieldType; readonly gap?: Gap } {
  const subject = row.name.join(".");
  if (!field) {
    if (row.type)
      return parseFieldType(row.type, subject, row.position, {
        ...fieldContext(ctx, "endpoints", "payload shapes"),
        takesFiles: true,
      });
    if (!row.field) ctx.reporter.report("endpoints/input-without-type", row.position, { name: subject });
    return { type: { kind: "not shown" } };
  }
  if (row.type)
    ctx.reporter.report("endpoints/type-and-field", positionIn(row.type), {
      name: subject,
      field: field.name,
    });
  return { type: field.type, ...(field.gap ? { gap: field.gap } : {}) };
}

interface OwnRules {
  readonly rules: readonly FieldRule[];
  readonly required: boolean;
  readonly requiredWhenMade: boolean;
  readonly default?: Phrase;
  readonly separator?: string;
  readonly asJson: boolean;
  readonly gap?: Gap;
  readonly absentGap?: Gap;
}

/**
 * The row's own rules. `required`, `required when made`, `default`, `separated by` and `as JSON` become properties of
 * the input.
 */
function readOwnRules(row: InputRow, type: FieldType, deeds: Deeds, ctx: BuildContext): OwnRules {
  let requiredWhenMade = false;
  let separator: string | undefined;
  let asJson = false;
  const further = (piece: Phrase): boolean => {
    if (keyText(piece) === "as json") {
      asJson = true;
      return true;
    }
    if (keyText(piece) === "required when made") {
      requiredWhenMade = mayMake(row, piece, deeds, ctx);
      return true;
    }
    const words = afterWord(piece, "separated by");
    if (!words) return false;
    separator = readSeparator(words, type, ctx);
    return true;
  };
  const read = parseRules(row.rules, row.name.join("."), fieldContext(ctx, "endpoints", "payload shapes"), {
    further,
  });
  const fitting = fittingRules(read.rules, type, "input", ctx.reporter).filter((rule) =>
    maySayName(row, rule, ctx),
  );
  const plain = fitting
    .filter(({ rule }) => rule.rule !== "required" && rule.rule !== "default")
    .map(({ rule }) => rule);
  const fallback = fitting.find(({ rule }) => rule.rule === "default")?.expression;
  return {
    rules: plain,
    required: fitting.some(({ rule }) => rule.rule === "required"),
    requiredWhenMade,
    ...(fallback ? { default: fallback } : {}),
    ...(separator === undefined ? {} : { separator }),
    asJson,
    ...(read.gap ? { gap: read.gap } : {}),
    ...(read.open?.made ? { absentGap: read.open.made } : {}),
  };
}

/** Headers and parameters of a path may have any name, so they need no second one. */
function maySayName(row: InputRow, { phrase, rule }: RuleSyntax, { reporter }: BuildContext): boolean {
  if (rule.rule !== "sent as" || row.in === "body" || row.in === "query") return true;
  reporter.report("resources/rule-misfit", positionIn(phrase), {
    rule: writtenRule({ phrase, rule }),
    subject: row.in === "header" ? "a header, which may have any name" : "a parameter of a path",
    fitting: [],
  });
  return false;
}

/** Required inputs of a create make sense only if some requests create a record. */
function mayMake(
  row: InputRow,
  at: Phrase,
  { does, faulty, open }: Deeds,
  { reporter }: BuildContext,
): boolean {
  if (faulty || open || makesAny(does)) return true;
  reporter.report("endpoints/nothing-made", positionIn(at), { name: row.name.join(".") });
  return false;
}

function readSeparator(words: Phrase, type: FieldType, { reporter }: BuildContext): string | undefined {
  const text = /^(["'`])(.{1,4})\1$/.exec(words.text)?.[2];
  if (text === undefined) {
    reporter.report("endpoints/unreadable", positionIn(words), {
      text: words.text,
      expected: 'a short text in quotes: `separated by ","`',
    });
  } else if (type.kind !== "list" && type.kind !== "not shown") {
    reporter.report("endpoints/separator-of-single", positionIn(words), { type: type.kind });
    return undefined;
  }
  return text;
}
