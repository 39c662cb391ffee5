/**
 * Syntax of an endpoint before any expression is bound: its own and inherited items, what it does,
 * the records of its path, its inputs. The types of `body` in transitions and `endpoint.ts` depend
 * on it.
 */
import { type Phrase, positionIn, splitOutside, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { Block, ItemNode } from "../../../syntax/nodes.ts";
import { hasNotShown } from "../../../syntax/read.ts";
import type { Gap, PathTemplate } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { nearestHint } from "../nearest-hint.ts";
import { type Deeds, readDeeds, readThens, type ThenSyntax } from "./does.ts";
import { type InputRow, readInputRows } from "./inputs/input-rows.ts";
import type { InputSyntax } from "./inputs/input-fields.ts";
import { type ReadInputs, readInputs } from "./inputs/inputs.ts";
import {
  type EndpointItem,
  endpointItemsOf,
  type ItemLookup,
  type Items,
  lookupItems,
  type PartItem,
  partItemsOf,
  readingItems,
  withoutOverridden,
} from "./items.ts";
import { silentReporter } from "./silent-reporter.ts";
import { mentionsMember } from "../any-part/mentions.ts";
import { readBasePath } from "./part.ts";
import { type PathPlan, planPath } from "./paths/path-records.ts";
import { parametersOf, pathsAbove } from "./paths/path-template.ts";
import { type ReadPath, readPath } from "./paths/paths.ts";
import { type EndpointSection, readSections } from "./paths/sections.ts";
import type { PartItems } from "./part-items.ts";

export interface EndpointReading {
  readonly name: string;
  readonly section: EndpointSection;
  readonly items: ItemLookup;
  /** The items with this key that aren't `not shown`. */
  stated(key: EndpointItem): readonly ItemNode[];
  readonly rows: readonly InputRow[];
  readonly deeds: Deeds;
  readonly thens: readonly ThenSyntax[];
  readonly plan: PathPlan;
  readonly inputs: readonly InputSyntax[];
  readonly openBody: ReadInputs["open"];
  readonly openRow: Gap | undefined;
  /** Items of the part that are not shown. */
  readonly openPart: ReadonlyMap<PartItem | EndpointItem, ItemNode>;
  /** An input couldn't be read, and was reported. */
  readonly faultyInputs: boolean;
  /** Parameters of the path (and of the base path) without a row, with their positions. */
  readonly parameters: readonly { readonly name: string; readonly position: Position }[];
}

/** Part 4 before expressions are bound. */
export interface PartReading {
  readonly items: PartItems;
  readonly base: PathTemplate;
  readonly paths: readonly ReadPath[];
  readonly endpoints: readonly EndpointReading[];
}

/** The endpoint's own statements. */
interface OwnWords {
  readonly section: EndpointSection;
  readonly items: Items<EndpointItem>;
  readonly rows: readonly InputRow[];
  /** The gap of a row whose input or location is unknown. */
  readonly openRow: Gap | undefined;
}

export function readPart(ctx: BuildContext): PartReading {
  const items = partItemsOf(ctx);
  const base = readBasePath(items, ctx);
  const sections = readSections(base, ctx);
  const paths = sections.paths.map((section) => readPath(section, ctx));
  const words = sections.endpoints.map((section) => ({
    section,
    items: endpointItemsOf(section.section.body, ctx),
    ...readInputRows(section.section.body, ctx),
  }));
  const byName = new Map(words.map((own) => [own.section.name, own]));
  const pathsByText = new Map(paths.map((path) => [path.path.text, path]));
  const ofPart = readSharedRows(ctx.document.parts.endpoints?.body ?? [], ctx);
  const anyPath = sections.endpoints.flatMap(({ path }) => parametersOf(path));
  checkPathRows(ofPart.rows, base.text || "/", [...parametersOf(base), ...anyPath], ctx);
  const shared: SharedRows[] = [{ path: "", ...ofPart }];
  for (const { path, section } of sections.paths) {
    const found = readSharedRows(section.body, ctx);
    checkPathRows(found.rows, path.text, [...parametersOf(base), ...parametersOf(path)], ctx);
    shared.push({ path: path.text, ...found });
  }
  const part = { items, base, pathsByText, shared };
  const endpoints = words.map((own) => readEndpoint(own, likeOf(own, byName, ctx), part, ctx));
  return { items, base, paths, endpoints };
}

/** Inputs under a path heading, or of the part: of every endpoint at or below the path. */
interface SharedRows {
  readonly path: string;
  readonly rows: readonly InputRow[];
  readonly openRow: Gap | undefined;
}

/** A body belongs to one endpoint. */
function readSharedRows(body: readonly Block[], ctx: BuildContext): Omit<SharedRows, "path"> {
  const { rows, openRow } = readInputRows(body, ctx);
  for (const { in: location, phrase } of rows)
    if (location === "body")
      ctx.reporter.report("endpoints/unreadable", positionIn(phrase), {
        text: phrase.text,
        expected: "an input in `header`, `query` or `path`, because a body belongs to one endpoint",
      });
  return { rows: rows.filter((row) => row.in !== "body"), openRow };
}

/** The shared inputs of an endpoint, those of the longest path first. */
function sharedAt(section: EndpointSection, base: PathTemplate, shared: readonly SharedRows[]) {
  const paths = new Set([section.path.text, ...pathsAbove(section.path), ""]);
  const parameters = new Set([...parametersOf(section.path), ...parametersOf(base)]);
  return shared
    .filter(({ path }) => paths.has(path))
    .toSorted((a, b) => b.path.length - a.path.length)
    .map(({ rows, openRow }) => ({
      openRow,
      rows: rows.filter((row) => row.in !== "path" || parameters.has(row.name[0])),
    }));
}

/** Maximum length of a chain of `Like`. */
const likesMax = 8;

/** Reads `- Like: POST /orders`: the items and rows of that endpoint, including those of its own `Like`. */
function likeOf(own: OwnWords, all: ReadonlyMap<string, OwnWords>, ctx: BuildContext): OwnWords | undefined {
  const visited = new Set([own]);
  let found: OwnWords | undefined;
  for (let item = own.items.get("like")?.[0]; item && !hasNotShown(item.value); ) {
    const next = endpointCalled(item, all, ctx);
    if (!next) break;
    if (visited.has(next)) {
      ctx.reporter.report("endpoints/like-circle", positionIn(item.value), { name: own.section.name });
      break;
    }
    if (visited.size > likesMax) {
      ctx.reporter.report("endpoints/too-many", positionIn(item.value), {
        what: "endpoints like one another in a row",
        most: likesMax,
      });
      break;
    }
    visited.add(next);
    found = found ? { ...found, ...merged(found, next) } : next;
    item = next.items.get("like")?.[0];
  }
  return found;
}

function merged(near: OwnWords, far: OwnWords): Pick<OwnWords, "items" | "rows" | "openRow"> {
  return {
    items: new Map([...withoutOverridden(far.items, near.items), ...near.items]),
    rows: [
      ...near.rows,
      ...far.rows.filter((row) => !near.rows.some((nearRow) => isSameInput(row, nearRow))),
    ],
    openRow: near.openRow ?? far.openRow,
  };
}

function isSameInput(a: InputRow, b: InputRow): boolean {
  return a.in === b.in && a.name.join(".") === b.name.join(".");
}

function endpointCalled(
  item: ItemNode,
  all: ReadonlyMap<string, OwnWords>,
  { reporter }: BuildContext,
): OwnWords | undefined {
  const name = unquote(item.value);
  const requested = name.text.replace(/\s+/g, " ").replace(/(\S)\/$/, "$1");
  const found = all.get(requested);
  if (!found) {
    const params = { name: name.text, ...nearestHint(name.text, all.keys()) };
    reporter.report("endpoints/unknown-endpoint", positionIn(name), params);
  }
  return found;
}

/**
 * An endpoint's `Allowed` replaces the part's. If both are conditions and the endpoint's doesn't
 * repeat the part's, that is easily missed; `anyone` and `any caller` are deliberate.
 */
function warnOfReplaced(
  own: readonly ItemNode[],
  part: readonly ItemNode[],
  endpoint: string,
  { reporter }: BuildContext,
): void {
  const conditions = (items: readonly ItemNode[]) => items.filter(({ value }) => value.text.startsWith("`"));
  const bare = ({ value }: ItemNode) => value.text.replace(/^`|`$/g, "").trim();
  for (const replaced of conditions(part)) {
    const isRepeated = conditions(own).some((item) => bare(item).includes(bare(replaced)));
    const [first] = own;
    if (!first || conditions(own).length < own.length || isRepeated) continue;
    const related = [
      { position: positionIn(replaced.value), message: "This condition does not apply there." },
    ];
    reporter.report(
      "endpoints/replaces-allowed",
      positionIn(first.value),
      { endpoint, condition: bare(replaced) },
      related,
    );
  }
}

/** What the part states for its endpoints. */
interface EndpointsOfPart {
  readonly items: PartItems;
  readonly base: PathTemplate;
  readonly pathsByText: ReadonlyMap<string, ReadPath>;
  readonly shared: readonly SharedRows[];
}

function readEndpoint(
  own: OwnWords,
  like: OwnWords | undefined,
  part: EndpointsOfPart,
  ctx: BuildContext,
): EndpointReading {
  const { section } = own;
  const items = lookupItems({ own: own.items, like: like?.items, part: part.items });
  warnOfReplaced(own.items.get("allowed") ?? [], part.items.get("allowed") ?? [], section.name, ctx);
  const stated = (key: EndpointItem) => items.all(key).filter((item) => !hasNotShown(item.value));
  const statesAllOf = (keys: readonly EndpointItem[]): boolean =>
    keys.every((key) => stated(key).length === items.all(key).length) && !own.openRow;
  const above = pathsAbove(section.path).flatMap((text) => part.pathsByText.get(text) ?? []);
  const deeds = readDeeds(items.all("does"), section.name, above.findLast((path) => path.is)?.is?.name, ctx);
  const shared = sharedAt(section, part.base, part.shared);
  const copied = copiedRows(own.rows, [...(like?.rows ?? []), ...shared.flatMap((shared) => shared.rows)]);
  const rows = [...own.rows, ...copied];
  checkPathRows(rows, section.path.text, [...parametersOf(part.base), ...parametersOf(section.path)], ctx);
  const plan = planPath(
    {
      name: section.name,
      path: section.path,
      pathPhrase: section.pathPhrase,
      base: part.base,
      deeds,
      conditions: [
        ...stated("where").map((item) => unquote(item.value)),
        ...rows.flatMap((row) => row.where ?? []),
      ],
      given: givenFields(stated("set"), items.all("body"), rows),
      rows: new Map(rows.filter((row) => row.in === "path").map((row) => [row.name[0], row.field?.text])),
    },
    above,
    // What isn't shown may select a record, or tie one to another.
    statesAllOf(["where", "set", "body"]) ? ctx : { ...ctx, reporter: silentReporter(ctx.reporter) },
  );
  const texts = allTexts(items);
  const syntax = {
    name: section.name,
    method: section.method,
    deeds,
    picked: plan.records.some((record) => record.target),
    reads: (input: string) => texts.some((text) => mentionsMember(text, "body", input)),
  };
  const itemsFrom = (isCopied: boolean) => {
    const all = (key: "body" | "query") => (items.isCopied(key) === isCopied ? items.all(key) : []);
    return { body: all("body"), query: all("query") };
  };
  const ownInputs = { ...itemsFrom(false), rows: own.rows };
  const { inputs, open, faulty } = readInputs(syntax, ownInputs, { ...itemsFrom(true), rows: copied }, ctx);
  return {
    name: section.name,
    section,
    items,
    stated,
    rows,
    deeds,
    thens: readThens(stated("then"), deeds, ctx),
    plan,
    inputs,
    openBody: open,
    openRow: own.openRow ?? like?.openRow ?? shared.find((shared) => shared.openRow)?.openRow,
    openPart: openItems(part.items),
    faultyInputs: faulty,
    parameters: unlistedParameters(section, part.base, rows),
  };
}

/** The rows of others that no row of its own, and none before it, replaces. */
function copiedRows(own: readonly InputRow[], others: readonly InputRow[]): readonly InputRow[] {
  const copied: InputRow[] = [];
  for (const row of others)
    if (![...own, ...copied].some((known) => isSameInput(row, known))) copied.push(row);
  return copied;
}

function openItems(items: PartItems): EndpointReading["openPart"] {
  return new Map(
    [...items].flatMap(([key, [item]]) => (item && hasNotShown(item.value) ? [[key, item]] : [])),
  );
}

/** The texts of an endpoint that may read its inputs. */
function allTexts(items: ItemLookup): readonly string[] {
  return readingItems.flatMap((key) => items.all(key).map((item) => item.value.text.replaceAll("`", " ")));
}

/** Names of fields that `Set`, `Body` or a row assigns, by the text alone. */
function givenFields(
  set: readonly ItemNode[],
  body: readonly ItemNode[],
  rows: readonly InputRow[],
): string[] {
  const assigned = set.flatMap((item) =>
    splitOutside(unquote(item.value), ";").map((piece) => /^(\w+)\s*=(?!=)/.exec(unquote(piece).text)?.[1]),
  );
  const accepted = body.flatMap((item) =>
    splitOutside(item.value, ",").map((piece) => /\w+/.exec(piece.text)?.[0]),
  );
  return [...assigned, ...accepted, ...rows.map((row) => row.field?.text)].filter(
    (name) => name !== undefined,
  );
}

/** Reports rows for parameters that the path doesn't have. */
function checkPathRows(
  rows: readonly InputRow[],
  path: string,
  known: readonly string[],
  { reporter }: BuildContext,
): void {
  for (const row of rows) {
    const [name] = row.name;
    if (row.in !== "path" || known.includes(name as string)) continue;
    const params = { name: name as string, path, ...nearestHint(name as string, known) };
    reporter.report("endpoints/unknown-parameter", row.position, params);
  }
}

function unlistedParameters(
  section: EndpointSection,
  base: PathTemplate,
  rows: readonly InputRow[],
): EndpointReading["parameters"] {
  const listed = rows.filter((row) => row.in === "path").map((row) => row.name[0]);
  const whole = positionIn(section.pathPhrase);
  return [
    ...parametersOf(base).map((name) => ({ name, position: whole })),
    ...parametersOf(section.path).map((name) => ({ name, position: positionOf(name, section.pathPhrase) })),
  ].filter(({ name }) => !listed.includes(name));
}

/** Position of `{name}` in a path. */
function positionOf(parameter: string, path: Phrase): Position {
  const at = path.text.search(new RegExp(`\\{${parameter}(?:\\.\\.\\.)?\\}`));
  return at === -1 ? positionIn(path) : positionIn(path, at, path.text.indexOf("}", at) + 1);
}
