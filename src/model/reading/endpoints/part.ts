/**
 * Part-wide items of part 4, before its first level-3 heading: base path, media types, wire format.
 */
import { anyType } from "../../endpoints/media-type.ts";
import { isRest } from "../../endpoints/path-text.ts";
import { type Phrase, positionIn, splitOutside, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import { nearest } from "../../../support/nearest.ts";
import { present } from "../../../support/present.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { hasNotShown, isNone, keyText } from "../../../syntax/read.ts";
import type { EndpointsPart, Gap, PathTemplate } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { templateScope } from "../scopes/error-scope.ts";
import { untypedInputs } from "./inputs/combined-inputs.ts";
import { readHeader } from "./clauses.ts";
import { readFunctions } from "./functions.ts";
import type { PartItem } from "./items.ts";
import { emptyPath, parsePathTemplate } from "./paths/path-template.ts";
import { timestampForms } from "../../../expressions/writing/wire.ts";
import type { PartItems } from "./part-items.ts";
import { readUnknownFields } from "./unknown-fields.ts";

/** Reads `Base path`. Empty if there is none, or if it can't be read. */
export function readBasePath(items: PartItems, ctx: BuildContext): PathTemplate {
  const item = items.get("base path")?.[0];
  if (!item || isNone(item.value) || hasNotShown(item.value)) return emptyPath;
  const path = parsePathTemplate(unquote(item.value), ctx.reporter);
  if (!path?.segments.some(isRest)) return path ?? emptyPath;
  ctx.reporter.report("endpoints/bad-path", positionIn(unquote(item.value)), {
    text: path.text,
    advice: "Write `...` in the paths of endpoints: the base path has a fixed number of segments.",
  });
  return emptyPath;
}

function basePathAt(items: PartItems): Position | undefined {
  const item = items.get("base path")?.[0];
  return item && positionIn(unquote(item.value));
}

export function readEndpointsPart(
  items: PartItems,
  basePath: PathTemplate,
  ctx: BuildContext,
): EndpointsPart {
  const stated = <T>(
    key: PartItem | "accepts",
    read: (value: Phrase, ctx: BuildContext) => T | undefined,
  ): T | undefined => {
    const item = items.get(key)?.[0];
    if (!item) return undefined;
    if (!hasNotShown(item.value)) return read(unquote(item.value), ctx);
    partGap(item, key, ctx);
    return undefined;
  };
  const unknown = items.get("unknown fields")?.find((item) => !isNone(item.value));
  const openBase = items.get("base path")?.find((item) => hasNotShown(item.value));
  return present({
    basePath,
    gap: openBase && partGap(openBase, "base path", ctx),
    basePathAt: basePathAt(items),
    mediaType: stated("media type", readMediaType),
    accepts: stated("accepts", readMediaTypes),
    emptyInputs: stated("empty inputs", (value) =>
      readWord(value, "treatment of empty inputs", ["null"] as const, ctx),
    ),
    unknownFields: unknown && readUnknownFields(unknown, "the endpoints", ctx),
    nullFields: stated("null fields", (value) =>
      readWord(value, "treatment of null fields", ["shown", "omitted"] as const, ctx),
    ),
    timestamps: stated("timestamps", (value) => readWord(value, "form of timestamps", timestampForms, ctx)),
    expansion: stated("expansion", readExpansion),
    crossOrigin: stated("cross-origin", readCrossOrigin),
    functions: items.has("functions") ? stated("functions", () => readFunctions(items, ctx)) : undefined,
    errorHeaders: readErrorHeaders(items, ctx),
  });
}

/**
 * Part 4: headers of the part apply to errors too. Endpoints report their mistakes when they bind
 * them. A header that reads what only a response has (`page`) doesn't bind here and applies to
 * successful responses alone.
 */
function readErrorHeaders(items: PartItems, ctx: BuildContext): EndpointsPart["errorHeaders"] {
  const scope = templateScope(ctx, untypedInputs, undefined);
  const stated = (items.get("header") ?? []).filter((item) => !hasNotShown(item.value));
  const headers = stated.flatMap(
    (item) => ctx.reporter.silently(() => readHeader(item, scope, undefined, ctx)).value ?? [],
  );
  return headers.length > 0 ? headers : undefined;
}

/** Reports an item of the part that is not shown. */
export function partGap(item: ItemNode, key: PartItem | "accepts", { ledger }: BuildContext): Gap {
  return ledger.gap(
    "endpoints",
    key === "base path" ? "path shapes" : "payload shapes",
    `"${item.key.text}" of the endpoints`,
    positionIn(item.value),
  );
}

function readWord<W extends string>(
  value: Phrase,
  what: string,
  known: readonly W[],
  { reporter }: BuildContext,
): W | undefined {
  const text = keyText(value);
  const found = known.find((word) => word.toLowerCase() === text);
  if (found) return found;
  reporter.report("endpoints/unknown-word", positionIn(value), {
    text: value.text,
    what,
    nearest: nearest(text, known),
    known,
  });
  return undefined;
}

const mediaType =
  /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+*-]+(?:\s*;\s*[a-z0-9!#$&^_.+-]+=(?:[^\s;",]+|"[^"]*"))*$/i;

function readMediaType(value: Phrase, { reporter }: BuildContext): string | undefined {
  if (mediaType.test(value.text)) return value.text;
  reporter.report("endpoints/unreadable", positionIn(value), {
    text: value.text,
    expected: value.text === anyType ? "`any` alone" : "a media type: `application/json`",
  });
  return undefined;
}

/** Reads `application/json, image/*` or `any` in lower case. Undefined if one is invalid, which is reported. */
export function readMediaTypes(value: Phrase, ctx: BuildContext): readonly string[] | undefined {
  if (keyText(value) === "any") return [anyType];
  const found = splitOutside(value, ",").map((piece) => readMediaType(unquote(piece), ctx)?.toLowerCase());
  return found.every((found) => found !== undefined) ? (found as string[]) : undefined;
}

function readExpansion(value: Phrase, { reporter }: BuildContext): string | undefined {
  if (isNone(value)) return undefined;
  if (/^[A-Za-z_][\w-]*$/.test(value.text)) return value.text;
  reporter.report("endpoints/unreadable", positionIn(value), {
    text: value.text,
    expected: "the name of an input: `expand`",
  });
  return undefined;
}

function readCrossOrigin(value: Phrase, { reporter }: BuildContext): EndpointsPart["crossOrigin"] {
  const word = keyText(value);
  if (word === "any" || word === "none") return word;
  const origins = splitOutside(value, ",").map(unquote);
  const bad = origins.find((origin) => !/^https?:\/\/[^\s/?#@]+$/i.test(origin.text));
  if (!bad) return origins.map((origin) => origin.text.toLowerCase());
  reporter.report("endpoints/unreadable", positionIn(bad), {
    text: bad.text,
    expected: "`any`, `none` or origins: `https://shop.example`",
  });
  return undefined;
}
