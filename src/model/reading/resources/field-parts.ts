/**
 * Rows for parts: `address.city` is a part of `address: object`, `lines[].sku` of `lines: list of
 * object`. They are read in table order, each after the field that contains it.
 */
import type { FieldPart, FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn, slice } from "../../../source/phrase.ts";
import { parseRules } from "./field-rules.ts";
import { parseFieldType } from "./field-type.ts";
import { nearestHint } from "../nearest-hint.ts";
import { isSoundName } from "../any-part/valid-name.ts";
import { fittingRules } from "./rules-fit.ts";
import type { FieldDraft, FieldTableContext } from "./field-draft.ts";

interface Cells {
  readonly type: Phrase | undefined;
  readonly rules: Phrase | undefined;
}

/** Maximum depth of parts. Deeper structures are better a value of their own. */
const depthMax = 6;

export function addPart(
  name: Phrase,
  cells: Cells,
  fields: Map<string, FieldDraft>,
  context: FieldTableContext,
): void {
  const steps = stepsOf(name);
  const [first, ...inner] = steps;
  if (
    !first ||
    steps.length < 2 ||
    steps.length > depthMax ||
    steps.at(-1)?.many ||
    steps.some((step) => step.name.text === "")
  ) {
    const expected = "`address.city` for a part of an object, `lines[].sku` for a part of a list of objects";
    context.reporter.report("resources/unreadable", positionIn(name), { text: name.text, expected });
    return;
  }
  const field = fields.get(first.name.text);
  if (!field) {
    const params = { name: first.name.text, part: name.text, ...nearestHint(first.name.text, fields.keys()) };
    context.reporter.report("resources/part-without-field", positionIn(first.name), params);
    return;
  }
  let parts = partsOf(field.type, first, context);
  for (const step of inner.slice(0, -1)) {
    if (!parts) return;
    const part = parts.find((part) => part.name === step.name.text);
    if (!part) {
      const known = parts.map((part) => part.name);
      context.reporter.report("resources/part-without-field", positionIn(step.name), {
        name: step.name.text,
        part: name.text,
        ...nearestHint(step.name.text, known),
      });
      return;
    }
    parts = partsOf(part.type, step, context);
  }
  const last = inner.at(-1)?.name;
  if (parts && last) addTo(parts, last, name, cells, field, fields, context);
}

interface Step {
  readonly name: Phrase;
  readonly many: boolean;
}

/** Parses a path: `lines[].product.name` → `lines` (many), `product`, `name`. */
function stepsOf(name: Phrase): Step[] {
  const steps: Step[] = [];
  for (const match of name.text.matchAll(/([^.]*?)(\[\])?(?:\.|$)/g)) {
    if (match.index >= name.text.length) break;
    const text = match[1] as string;
    steps.push({ name: slice(name, match.index, match.index + text.length), many: match[2] !== undefined });
  }
  return steps;
}

/** The parts of an object, or of the objects in a list. A type without parts is reported. */
function partsOf(type: FieldType, step: Step, { reporter }: FieldTableContext): FieldPart[] | undefined {
  const isList = type.kind === "list";
  const inner = isList ? type.of : type;
  if (inner.kind !== "object" && type.kind !== "not shown") {
    const expected = step.many ? "list of object" : "object";
    reporter.report("resources/part-of-other-type", positionIn(step.name), {
      name: step.name.text,
      expected: expected,
    });
  } else if (inner.kind === "object" && isList !== step.many) {
    reporter.report("resources/part-brackets", positionIn(step.name), { name: step.name.text, isList });
  }
  return inner.kind === "object" ? (inner.parts as FieldPart[]) : undefined;
}

function addTo(
  parts: FieldPart[],
  last: Phrase,
  whole: Phrase,
  cells: Cells,
  field: FieldDraft,
  fields: Map<string, FieldDraft>,
  context: FieldTableContext,
): void {
  if (!isSoundName(last, "part", context.reporter)) return;
  const subject = `${context.resource}.${whole.text}`;
  if (parts.some((part) => part.name === last.text)) {
    context.reporter.report("resources/duplicate-field", positionIn(whole), {
      name: whole.text,
      first: whole.text,
      resource: context.resource,
    });
    return;
  }
  const { type, gap } = parseFieldType(cells.type, subject, positionIn(whole), context);
  const read = parseRules(cells.rules, subject, context);
  const rules = fittingRules(
    read.rules,
    isSecret(type) ? refuseSecret(last, type, context) : type,
    "part",
    context.reporter,
  );
  const part = {
    name: last.text,
    type: isSecret(type) ? ({ kind: "not shown" } as const) : type,
    rules: rules.map((rule) => rule.rule),
  };
  parts.push(part);
  const open = gap ?? read.gap;
  // A gap in a part is a gap of the field, because a request that carries it can't be checked.
  fields.set(field.name, {
    ...field,
    parts: [...field.parts, { part, rules }],
    ...(open && !field.gap ? { gap: open } : {}),
  });
}

function isSecret(type: FieldType): boolean {
  return type.kind === "password" || type.kind === "credential";
}

function refuseSecret(name: Phrase, type: FieldType, { reporter }: FieldTableContext): FieldType {
  reporter.report("resources/secret-inside", positionIn(name), {
    type: type.kind,
    location: "a part of an object",
  });
  return { kind: "not shown" };
}
