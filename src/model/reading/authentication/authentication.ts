/**
 * Part 5, authentication: who may call, and with which credentials. `declareAuthentication` gives
 * the types of `caller` and `credential` before any expression of the document is bound;
 * `buildAuthentication` reads everything and reports.
 */
import { bindExpression } from "../../../expressions/bind.ts";
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { positionIn, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { PartNode } from "../../../syntax/nodes.ts";
import { isNone, isNotShown, itemsOf, keyText } from "../../../syntax/read.ts";
import type { Authentication, Gap, Scheme } from "../../model.ts";
import { parseCredentials } from "./authentication-credentials.ts";
import { readScheme, type SchemeHeading, schemeName } from "./authentication-scheme.ts";
import type { BuildContext } from "../any-part/context.ts";
import { createPartReader, type PartReader } from "../any-part/part-reader.ts";

export interface DeclaredAuthentication {
  readonly schemes: ReadonlyMap<string, Position>;
  readonly caller: Type;
  readonly credential: Type;
  readonly several: NonNullable<Scope["several"]>;
  readonly hasClaims: boolean;
}

/** The names of the schemes, and the types of `caller` and `credential`. Reports nothing. */
export function declareAuthentication(context: BuildContext): DeclaredAuthentication {
  const part = context.document.parts.authentication;
  if (statesNone(part))
    return {
      schemes: new Map(),
      caller: types.null,
      credential: types.null,
      several: {},
      hasClaims: false,
    };
  const headings = schemeHeadings(part);
  const found = headings.map((heading) => typesOfScheme(context, heading));
  return {
    schemes: new Map(headings.map(({ section, name }) => [name.text, positionIn(section.heading)])),
    caller: commonType(found.map((types) => types.caller)),
    credential: commonType(found.map((types) => types.credential)),
    hasClaims: headings.some(takesTokens),
    several: {
      ...severalOf(
        "caller",
        found.map((types) => types.caller),
      ),
      ...severalOf(
        "credential",
        found.map((types) => types.credential),
      ),
    },
  };
}

/** Whether the scheme accepts tokens, whose claims are in `caller.claims` (part 5). */
function takesTokens({ section }: SchemeHeading): boolean {
  return itemsOf(section.body).some((item) => keyText(item.key) === "signed with");
}

function severalOf(
  name: "caller" | "credential",
  found: readonly (Type | undefined)[],
): NonNullable<Scope["several"]> {
  const known = found.filter((type) => type !== undefined);
  const resources = new Set(known.flatMap((type) => (type.kind === "record" ? [type.resource] : [])));
  const isKnown = known.every((type) => type.kind === "record");
  return isKnown && resources.size > 1 ? { [name]: [...resources] } : {};
}

/** The types of `caller` and `credential` if only some schemes are accepted. */
export function typesOfSchemes(
  context: BuildContext,
  names: readonly string[],
): { readonly caller: Type; readonly credential: Type; readonly hasClaims: boolean } {
  const headings = schemeHeadings(context.document.parts.authentication).filter(({ name }) =>
    names.includes(name.text),
  );
  const found = headings.map((heading) => typesOfScheme(context, heading));
  return {
    hasClaims: headings.some(takesTokens),
    caller: commonType(found.map((types) => types.caller)),
    credential: commonType(found.map((types) => types.credential)),
  };
}

/** Builds part 5 of the model. */
export function buildAuthentication(context: BuildContext): Authentication {
  const reader = createPartReader(context, "authentication");
  const part = context.document.parts.authentication;
  reader.items(part ? itemsOf(part.body) : [], partForms(reader));
  const headings = schemeHeadings(part);
  reportOtherHeadings(reader, part);
  const schemes = headings.map((heading) => {
    reader.answers.stated("scheme", positionIn(heading.section.heading));
    const { caller } = typesOfScheme(context, heading);
    return { ...readScheme(reader, heading), ...(caller ? { callerType: caller } : {}) };
  });
  reader.answers.flush();
  const none = statesNone(part);
  const gap = none ? undefined : gapOf(context, part, schemes);
  return { none, schemes, caller: context.declarations.caller, ...(gap ? { gap } : {}) };
}

/** The items before the first scheme: only the three complete items, as `none` or `not shown`. The ledger reads these. */
function partForms(reader: PartReader<"authentication">) {
  const expected = "`none`, `not shown`, or a heading `### Scheme: <name>` with the items under it";
  return ["Scheme", "Credentials", "Placement"].map((key) => ({
    key,
    expected,
    read: (item: { readonly value: Parameters<typeof isNone>[0] }) => {
      if (!isNone(item.value) && !isNotShown(item.value)) reader.unreadable(item.value, expected);
    },
  }));
}

function statesNone(part: PartNode | undefined): boolean {
  return itemsOf(part?.body ?? []).some((item) => keyText(item.key) === "scheme" && isNone(item.value));
}

function schemeHeadings(part: PartNode | undefined): SchemeHeading[] {
  const headings: SchemeHeading[] = [];
  for (const section of part?.sections ?? []) {
    const name = schemeName(section);
    if (name && name.text !== "") headings.push({ section, name });
  }
  return headings;
}

/** Reports other headings with items, which would have no effect. A heading with only prose is description. */
function reportOtherHeadings(reader: PartReader<"authentication">, part: PartNode | undefined): void {
  for (const section of part?.sections ?? []) {
    const name = schemeName(section);
    if (name && name.text !== "") continue;
    if (section.body.every((block) => block.kind === "prose") && !name) continue;
    reader.context.reporter.report("authentication/unknown-heading", positionIn(section.heading), {
      heading: section.heading.text.trim(),
      expected: "`### Scheme: <name>`",
    });
  }
}

interface SchemeTypes {
  readonly caller: Type | undefined;
  readonly credential: Type | undefined;
}

/**
 * The types of `caller` and `credential` with one scheme, as far as known. Mistakes are reported
 * when it is built.
 */
function typesOfScheme(context: BuildContext, { section }: SchemeHeading): SchemeTypes {
  const { declarations, reporter } = context;
  const items = itemsOf(section.body);
  const item = items.find((item) => keyText(item.key) === "credentials");
  const words = item && parseCredentials(item.value);
  const resource =
    words && !("unreadable" in words) ? declarations.resources.get(words.resource.text) : undefined;
  if (!words || "unreadable" in words || !resource || resource.isValue)
    return { caller: undefined, credential: undefined };
  const credential: Type = { kind: "record", resource: resource.name };
  const callerItem = items.find(
    (item) => keyText(item.key) === "caller" && !isNone(item.value) && !isNotShown(item.value),
  );
  if (callerItem) {
    const scope = withFixed(declarations.baseScope, { this: credential, credential });
    const bound = reporter.silently(() => bindExpression(unquote(callerItem.value), scope, reporter));
    return { caller: bound.value?.node.type, credential };
  }
  if (!words.for) return { caller: credential, credential };
  const reference = resource.fields.get(words.for.text)?.type;
  const leads = reference?.kind === "reference";
  return { caller: leads ? { kind: "record", resource: reference.resource } : undefined, credential };
}

/** The common type for all schemes. `any` if none or several are known, so that no mistake is reported twice. */
function commonType(found: readonly (Type | undefined)[]): Type {
  const known = found.filter((type) => type !== undefined);
  const [first] = known;
  const same = first !== undefined && known.every((type) => sameType(type, first));
  return same ? first : types.any;
}

function sameType(a: Type, b: Type): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The gap because of which callers are unknown, so that the service is only available on loopback. */
function gapOf(
  context: BuildContext,
  part: PartNode | undefined,
  schemes: readonly Scheme[],
): Gap | undefined {
  const open = schemes.find((scheme) => scheme.gap)?.gap;
  if (open || schemes.length > 0) return open;
  const position = part ? positionIn(part.heading) : startOf(context);
  return { part: "authentication", item: "scheme", subject: "how callers are identified", position };
}

function startOf(context: BuildContext): Position {
  const start = { line: 1, column: 1, offset: 0 };
  return { start, end: context.document.name ? positionIn(context.document.name).end : start };
}
