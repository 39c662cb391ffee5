/**
 * `- Given: Shop with name = "Ada & Co" as shop`: an initial record of a scenario. Any stored field
 * may be given, including read-only ones. Values are expressions over what exists before the first
 * request.
 */
import { bindExpression } from "../../../expressions/bind.ts";
import type { Scope } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { expressionType } from "../../../fields/type.ts";
import {
  findWord,
  outside,
  type Phrase,
  positionIn,
  slice,
  splitOutside,
  trim,
  unquote,
} from "../../../source/phrase.ts";
import { nearest } from "../../../support/nearest.ts";
import { nearestHint } from "../nearest-hint.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { nameOf } from "../../../syntax/read.ts";
import { captureWords } from "../../scenarios/captures.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { ScenarioStep } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";

type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

/**
 * The names that the values of `Given` may use. Records with `as` are added as a scenario proceeds.
 */
export interface GivenNames {
  readonly scope: Scope;
  add(name: string, type: Type): void;
}

/** At the start only the time and the service exist, because there is no request yet. */
export function givenNames(context: BuildContext): GivenNames {
  const { baseScope } = context.declarations;
  const fixed = {
    now: types.timestamp,
    ...(baseScope.fixed.service && { service: baseScope.fixed.service }),
  };
  // One growing object. A copy for each name would make a scenario with many records slow.
  const named: Record<string, Type> = { ...baseScope.named };
  return {
    scope: { ...baseScope, fixed, named },
    add: (name, type) => {
      named[name] = type;
    },
  };
}

/**
 * The step (absent if the resource is unknown) and its name. `usedNames` are the names of the
 * scenario so far, `shared` those of headings with records.
 */
export function buildGiven(
  context: BuildContext,
  item: ItemNode,
  names: GivenNames,
  usedNames: ReadonlySet<string>,
  shared: readonly string[] = [],
): { readonly step?: GivenStep; readonly as?: string } | undefined {
  const { reporter, declarations } = context;
  const written = readGiven(unquote(item.value));
  if (!written) {
    const position = item.value.text === "" ? item.position : positionIn(item.value);
    reporter.report("purpose/unreadable-given", position, {
      text: item.value.text,
      nearest: nearest(item.value.text, shared),
    });
    return undefined;
  }
  const as = written.as && { as: written.as.text };
  const resource = declarations.resources.get(written.resource.text);
  if (!resource) {
    const known = [...declarations.resources.values()]
      .filter((resource) => !resource.isValue)
      .map((resource) => resource.name);
    const name = written.resource.text;
    reporter.report("purpose/unknown-resource", positionIn(written.resource), {
      name,
      ...nearestHint(name, [...known, ...shared]),
    });
    // The name is declared despite the mistake, so that its uses aren't reported.
    if (as) names.add(as.as, types.any);
    return as;
  }
  if (resource.isValue) {
    reporter.report("purpose/given-value", positionIn(written.resource), { name: resource.name });
    return undefined;
  }
  const fields = buildFields(context, resource, written.fields, names.scope);
  if (written.as) {
    checkName(context, written.as, usedNames);
    names.add(written.as.text, { kind: "record", resource: resource.name });
  }
  return { step: { kind: "given", resource: resource.name, fields, ...as, position: item.position }, ...as };
}

interface GivenSyntax {
  readonly resource: Phrase;
  readonly fields: readonly Phrase[];
  readonly as: Phrase | undefined;
}

/** `<Resource> [with <field> = <expression>, …] [as <name>]` */
function readGiven(value: Phrase): GivenSyntax | undefined {
  const asAt = lastWord(value.text, "as");
  const as = asAt === -1 ? undefined : trim(slice(value, asAt + 2));
  if (as && !/^[A-Za-z_]\w*$/.test(as.text)) return undefined;
  const record = asAt === -1 ? value : trim(slice(value, 0, asAt));
  const withAt = findWord(record.text, "with");
  const resource = nameOf(withAt === -1 ? record : slice(record, 0, withAt));
  if (!/^\w+$/.test(resource.text)) return undefined;
  const fields = withAt === -1 ? [] : splitOutside(trim(slice(record, withAt + 4)), ",");
  return withAt !== -1 && fields.length === 0 ? undefined : { resource, fields, as };
}

/** The last index of the separate word, outside brackets and quotes; -1 if absent. */
function lastWord(text: string, word: string): number {
  let last = -1;
  for (const at of outside(text)) {
    if (text.startsWith(word, at) && isGap(text[at - 1]) && isGap(text[at + word.length])) last = at;
  }
  return last;
}

function isGap(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function buildFields(
  context: BuildContext,
  resource: DeclaredResource,
  written: readonly Phrase[],
  scope: Scope,
): GivenStep["fields"] {
  const { reporter } = context;
  const fieldNames = new Set<string>();
  return written.flatMap((phrase) => {
    const match = /^([A-Za-z_]\w*|`[A-Za-z_]\w*`)\s*=(?!=)/.exec(phrase.text);
    if (!match) {
      reporter.report("purpose/unreadable-given", positionIn(phrase), { text: phrase.text });
      return [];
    }
    const name = nameOf(slice(phrase, 0, (match[1] as string).length));
    const value = unquote(slice(phrase, match[0].length));
    const field = resource.fields.get(name.text);
    if (fieldNames.has(name.text))
      reporter.report("purpose/field-twice", positionIn(name), { name: name.text });
    fieldNames.add(name.text);
    if (field?.computed)
      reporter.report("purpose/computed-field", positionIn(name), {
        resource: resource.name,
        name: name.text,
      });
    // If the field list is not shown, any name may be a field.
    if (!field && !resource.gap) {
      reporter.report("purpose/unknown-field", positionIn(name), {
        resource: resource.name,
        name: name.text,
        ...nearestHint(name.text, resource.fields.keys()),
      });
    }
    const bound = bindExpression(value, scope, reporter, field && expressionType(field.type));
    return bound && field && !field.computed ? [{ field: name.text, value: bound }] : [];
  });
}

function checkName(context: BuildContext, as: Phrase, usedNames: ReadonlySet<string>): void {
  const name = as.text;
  const { resources } = context.declarations;
  const by = usedNames.has(name)
    ? "the name of a record or capture above"
    : resources.has(name)
      ? "a resource"
      : (Object.values(captureWords) as readonly string[]).includes(name)
        ? `the built-in capture \`{{${name}}}\``
        : name === "now" || name === "service"
          ? "a built-in name of expressions"
          : undefined;
  if (by !== undefined) context.reporter.report("purpose/name-taken", positionIn(as), { name, by });
}
