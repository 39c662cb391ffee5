/**
 * The item `Identifier` of a resource: which fields identify its records, and what generates them.
 * It is read first, because the types of other fields depend on it. Its expression is bound when
 * all names are known.
 */
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withNamed } from "../../../expressions/scope.ts";
import type { FieldType } from "../../../fields/type.ts";
import { findWord, outside, type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { afterWord, hasNotShown, isEmpty, isNone, isNotShown } from "../../../syntax/read.ts";
import type { Gap } from "../../model.ts";
import { assignedType } from "../effects/assign.ts";
import type { BuildContext } from "../any-part/context.ts";
import { logResource, madeOfEvent } from "../events/log-resource.ts";
import { splitNames } from "../any-part/when-clause.ts";

export type IdentifierDraft =
  | { readonly kind: "made"; readonly field: Phrase; readonly by: Phrase }
  | { readonly kind: "given"; readonly field: Phrase }
  /** The service generates `counted`: `number, made by sequence(repository)`. */
  | {
      readonly kind: "joint";
      readonly fields: readonly Phrase[];
      readonly counted?: { readonly field: Phrase; readonly by: Phrase };
    }
  | { readonly kind: "none" }
  /** `field` is present if at least its name is stated. */
  | { readonly kind: "not shown"; readonly gap: Gap; readonly field?: Phrase };

/** @param heading the heading of the resource, where a missing identifier is reported */
export function readIdentifier(
  item: ItemNode | undefined,
  resource: Phrase,
  context: BuildContext,
): IdentifierDraft {
  const subject = `the identifier of ${resource.text}`;
  if (!item || isEmpty(item.value) || isNotShown(item.value)) {
    const position = item
      ? isEmpty(item.value)
        ? positionIn(item.key)
        : positionIn(item.value)
      : positionIn(resource);
    return { kind: "not shown", gap: context.ledger.gap("resources", "identifiers", subject, position) };
  }
  context.ledger.state("identifiers", item.position);
  if (isNone(item.value)) return { kind: "none" };
  return readStated(item.value, subject, context);
}

// id, made by "pcl_" + random(20)      sku, given      article and user
function readStated(value: Phrase, subject: string, context: BuildContext): IdentifierDraft {
  const [first, how] = cutAtComma(value);
  const field = unquote(first);
  if (hasNotShown(first)) return openIdentifier(undefined, subject, value, context);
  if (how && afterWord(how, "made by")) {
    const by = unquote(afterWord(how, "made by") as Phrase);
    const within = countedWithin(by);
    // A number that counts within a record identifies a record only together with that record.
    if (within) return { kind: "joint", fields: [within, field], counted: { field, by } };
    if (!isEmpty(by) && !isNotShown(by)) return { kind: "made", field, by };
    return openIdentifier(field, `how ${subject} is created`, by, context);
  }
  if (how && unquote(how).text.toLowerCase() === "given") return { kind: "given", field };
  const names = splitNames(value).map(unquote);
  if (
    names.length > 1 &&
    names.every((name) => /^\w+$/.test(name.text)) &&
    findWord(value.text, "and") !== -1
  ) {
    return { kind: "joint", fields: names };
  }
  if (!how && /^\w+$/.test(field.text))
    return openIdentifier(field, `how ${subject} is created`, field, context);
  const expected = "`id, made by uuid()`, `sku, given`, `article and user` or `none`";
  context.reporter.report("resources/unreadable", positionIn(value), { text: value.text, expected });
  return openIdentifier(/^\w+$/.test(field.text) ? field : undefined, subject, value, context);
}

/** An identifier with a name, and without a statement of where its value comes from. */
function openIdentifier(
  field: Phrase | undefined,
  subject: string,
  at: Phrase,
  context: BuildContext,
): IdentifierDraft {
  const gap = context.ledger.gap("resources", "identifiers", subject, positionIn(at));
  return { kind: "not shown", gap, ...(field ? { field } : {}) };
}

/** The text before the first comma outside brackets, and the text after it. */
function cutAtComma(phrase: Phrase): readonly [Phrase, Phrase | undefined] {
  for (const at of outside(phrase.text)) {
    if (phrase.text[at] === ",") return [trim(slice(phrase, 0, at)), trim(slice(phrase, at + 1))];
  }
  return [phrase, undefined];
}

/** The names of the identifying fields. Empty for a value and for a gap. */
export function identifierNames(identifier: IdentifierDraft): readonly Phrase[] {
  switch (identifier.kind) {
    case "made":
    case "given":
      return [identifier.field];
    case "joint":
      return identifier.fields;
    case "not shown":
      return identifier.field ? [identifier.field] : [];
    case "none":
      return [];
  }
}

/** The type of an identifier that the table doesn't list. */
export function madeType(by: Phrase): FieldType {
  if (/^sequence\s*\(/.test(by.text)) return { kind: "integer" };
  if (/^uuid(v7)?\s*\(\s*\)$/.test(by.text)) return { kind: "uuid" };
  return { kind: "string" };
}

/** The field in `sequence(repository)`, also written `sequence(this.repository)`. */
function countedWithin(by: Phrase): Phrase | undefined {
  const [, before = "", name = ""] =
    /^(sequence\s*\(\s*(?:this\s*\.\s*)?)([A-Za-z_]\w*)\s*\)$/.exec(by.text) ?? [];
  return name === "" ? undefined : slice(by, before.length, before.length + name.length);
}

/** `sequence(repository)`: here, and only here, a bare name means a reference of the new record. */
const sequenceWithin = /^sequence\s*\(\s*([A-Za-z_]\w*)\s*\)$/;

/** Binds the expression that generates an identifier, with the new record as `this`. */
export function bindMadeBy(
  by: Phrase,
  type: FieldType,
  around: Scope,
  context: BuildContext,
): Expression | undefined {
  const within = sequenceWithin.exec(by.text)?.[1];
  const self = around.fixed.this;
  // Part 6, `Log`: the entry of an event may be identified by the event's id.
  const isNotice = self?.kind === "record" && self.resource === logResource(context.document);
  const scope = isNotice ? madeOfEvent(context.document, context.declarations, around) : around;
  const field =
    within !== undefined && self?.kind === "record" && !Object.hasOwn(scope.named, within)
      ? scope.vocabulary.resource(self.resource)?.fields.get(within)
      : undefined;
  const inner = field ? withNamed(scope, field.name, field.type) : scope;
  const bound = bindExpression(by, inner, context.reporter, assignedType(type));
  if (!bound || !field || !self || bound.node.op !== "call") return bound;
  const args = bound.node.args.map((arg) =>
    arg.op === "named" && arg.name === field.name
      ? ({
          op: "field",
          of: { op: "fixed", name: "this", type: self },
          name: field.name,
          type: field.type,
        } as const)
      : arg,
  );
  return { ...bound, node: { ...bound.node, args } };
}
