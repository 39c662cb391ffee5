/** HTTP items of an endpoint: `Idempotency`, `Preconditions`, `Scheme`, `Finds`, `Waits`. */
import { bindExpression } from "../../../../expressions/bind.ts";
import type { Scope } from "../../../../expressions/scope.ts";
import { type Phrase, positionIn, splitOutside, unquote } from "../../../../source/phrase.ts";
import { durationMs } from "../../../../support/quantity.ts";
import { nearest } from "../../../../support/nearest.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { afterWord, endsNotShown, isNotShown, keyText } from "../../../../syntax/read.ts";
import type { Endpoint, Idempotency, Preconditions } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { isDay } from "../../any-part/day.ts";
import type { EndpointReading } from "../reading.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { bindCondition } from "../clauses.ts";
import { withText } from "../composed-phrase.ts";
import type { ContentCoding } from "../../../endpoints/content-coding.ts";

/** Facts of the endpoint that `Idempotency` needs. */
export interface IdempotencyOf {
  readonly method: string;
  /** Whether the item belongs to the endpoint rather than to the part. */
  readonly own: boolean;
  /** Dotted names of the inputs in the body. */
  readonly bodyInputs: readonly string[];
}

const idempotencyForm =
  "`header Idempotency-Key, 24 hours` or `body idempotency_key, 24 hours`, optionally with `, per <expression>` and `, required`";

/**
 * `header Idempotency-Key, 24 hours, on every POST, per caller.account, required` or `body
 * idempotency_key`. Undefined if it doesn't apply to this method, or if it is the part's item and
 * the endpoint's body has no such input.
 */
export function readIdempotency(
  item: ItemNode,
  { method, own, bodyInputs }: IdempotencyOf,
  scope: Scope,
  ctx: BuildContext,
): Idempotency | undefined {
  const [first, ...pieces] = splitOutside(unquote(item.value), ",");
  const header = first && afterWord(first, "header");
  const body = first && afterWord(first, "body");
  const name = (header ?? body) && unquote((header ?? body) as Phrase);
  if (!name || !(header ? /^[A-Za-z0-9-]+$/ : /^[\w-]+(\.[\w-]+)*$/).test(name.text))
    return unreadable(first ?? item.value, idempotencyForm, ctx);
  if (!header && !bodyInputs.includes(name.text)) {
    if (!own) return undefined;
    const hint = nearestHint(name.text, bodyInputs);
    ctx.reporter.report("endpoints/no-key-input", positionIn(name), { name: name.text, ...hint });
    return undefined;
  }
  let idempotency: Idempotency = {
    in: header ? "header" : "body",
    name: name.text,
    required: false,
    position: positionIn(unquote(item.value)),
  };
  let methods: readonly string[] | undefined;
  for (const piece of pieces) {
    const per = afterWord(piece, "per");
    const every = afterWord(piece, "on every");
    const milliseconds = durationMs(piece.text);
    if (keyText(piece) === "required") idempotency = { ...idempotency, required: true };
    else if (per) {
      const bound = bindExpression(unquote(per), scope, ctx.reporter);
      if (bound) idempotency = { ...idempotency, per: bound };
    } else if (every) {
      methods = every.text.split(/\s*(?:\s(?:and|or)\s|,)\s*/);
      if (own)
        return unreadable(
          piece,
          "`on every …` before the first level-3 heading, where it applies to all endpoints",
          ctx,
        );
    } else if (milliseconds !== undefined && milliseconds > 0) idempotency = { ...idempotency, milliseconds };
    else if (isNotShown(piece) || endsNotShown(piece)) {
      ctx.ledger.gap("endpoints", "methods", `how long keys in ${name.text} are kept`, positionIn(piece));
    } else return unreadable(piece, idempotencyForm, ctx);
  }
  const unknown = methods?.find((method) => !["POST", "PUT", "PATCH", "DELETE"].includes(method));
  if (unknown !== undefined)
    return unreadable(item.value, "`on every POST`, or another method that changes records", ctx);
  if (method === "GET" || method === "QUERY" || (methods && !methods.includes(method))) return undefined;
  return idempotency;
}

const preconditionWords = ["If-Match", "If-None-Match", "If-Match required", "weak"];

export function readPreconditions(item: ItemNode, ctx: BuildContext): Preconditions | undefined {
  let ifMatch: Preconditions["ifMatch"] = "none";
  let ifNoneMatch: Preconditions["ifNoneMatch"] = "none";
  let isWeak = false;
  for (const piece of splitOutside(unquote(item.value), ",").map(unquote)) {
    const word = keyText(piece);
    if (word === "if-match") ifMatch = ifMatch === "required" ? ifMatch : "accepted";
    else if (word === "if-match required") ifMatch = "required";
    else if (word === "if-none-match") ifNoneMatch = "accepted";
    else if (word === "weak") isWeak = true;
    else {
      const params = {
        text: piece.text,
        what: "precondition",
        ...nearestHint(piece.text, preconditionWords),
      };
      ctx.reporter.report("endpoints/unknown-word", positionIn(piece), params);
      return undefined;
    }
  }
  if (isWeak && ifMatch === "none" && ifNoneMatch === "none")
    return unreadable(item.value, "the headers, too: `If-Match, If-None-Match, weak`", ctx);
  return {
    ifMatch,
    ifNoneMatch,
    ...(isWeak ? { weak: true } : {}),
    position: positionIn(unquote(item.value)),
  };
}

const contentCodings: readonly ContentCoding[] = ["gzip", "deflate", "br", "zstd"];

/** `- Encodings: gzip, br` or `as sent`. */
export function readEncodings(item: ItemNode, { reporter }: BuildContext): Endpoint["encodings"] {
  const value = unquote(item.value);
  if (keyText(value) === "as sent") return "as sent";
  const codings: ContentCoding[] = [];
  for (const piece of splitOutside(value, ",").map(unquote)) {
    const coding = contentCodings.find((known) => known === keyText(piece));
    if (!coding) {
      const what = "content coding";
      const known = [...contentCodings, "as sent"];
      const params = { text: piece.text, what, nearest: nearest(piece.text.toLowerCase(), known), known };
      reporter.report("endpoints/unknown-word", positionIn(piece), params);
      return undefined;
    }
    codings.push(coding);
  }
  return codings;
}

/** Reads `- Scheme: worker key, admin key`: the schemes that the endpoint accepts. */
function readSchemes(item: ItemNode, ctx: BuildContext): readonly string[] | undefined {
  const { declarations, reporter } = ctx;
  if (keyText(item.value) === "none")
    return unreadable(item.value, "`- Allowed: anyone` if no credential is needed", ctx);
  const names: string[] = [];
  for (const name of splitOutside(unquote(item.value), ",").map(unquote)) {
    const found = [...declarations.schemes.keys()].find(
      (scheme) => scheme.toLowerCase() === name.text.toLowerCase(),
    );
    if (found) names.push(found);
    // Without any scheme, part 5 reports the gap.
    else if (declarations.schemes.size > 0) {
      reporter.report("endpoints/unknown-scheme", positionIn(name), {
        name: name.text,
        ...nearestHint(name.text, declarations.schemes.keys()),
      });
    }
  }
  return names.length > 0 ? names : undefined;
}

export function readFinds(item: ItemNode, ctx: BuildContext): Endpoint["finds"] {
  if (keyText(unquote(item.value)) === "deleted records too") return "deleted records too";
  return unreadable(item.value, "`deleted records too`", ctx);
}

/** Reads `- Deprecated: since 2026-05-01, until 2027-05-01`. Either day may be `not shown`. */
export function readDeprecated(item: ItemNode, endpoint: string, ctx: BuildContext): Endpoint["deprecated"] {
  const whole = unquote(item.value);
  if (isNotShown(whole)) {
    ctx.ledger.gap("endpoints", "methods", `whether ${endpoint} is deprecated`, positionIn(whole));
    return undefined;
  }
  let days: { since?: string; until?: string } = {};
  for (const piece of splitOutside(whole, ",")) {
    const word = (["since", "until"] as const).find((known) => afterWord(piece, known));
    const day = word && unquote(afterWord(piece, word) as Phrase);
    if (!word || !day || (!isNotShown(day) && !isDay(day.text)))
      return unreadable(piece, "`since 2026-05-01`, optionally with `, until 2027-05-01`", ctx);
    if (isNotShown(day))
      ctx.ledger.gap(
        "endpoints",
        "methods",
        word === "since" ? `since when ${endpoint} is deprecated` : `until when ${endpoint} is served`,
        positionIn(day),
      );
    else days = { ...days, [word]: day.text };
  }
  return { ...days, position: positionIn(whole) };
}

// until this.status == "done", at most 30 seconds
export function readWaits(item: ItemNode, until: Scope, atMost: Scope, ctx: BuildContext): Endpoint["waits"] {
  const whole = unquote(item.value);
  const [first, second, ...more] = splitOutside(whole, ",");
  const condition = first && afterWord(first, "until");
  const bound = second && afterWord(second, "at most");
  if (!condition || !bound || more.length > 0 || condition.text === "" || bound.text === "") {
    return unreadable(whole, "`until <condition>, at most <duration>`", ctx);
  }
  const untilBound = bindCondition(condition, until, ctx);
  const mostBound = bindExpression(durationPhrase(unquote(bound)), atMost, ctx.reporter, {
    kind: "duration",
  });
  return untilBound && mostBound && { until: untilBound, atMost: mostBound, position: positionIn(whole) };
}

/** `30 seconds` is equivalent to the expression `duration("30s")`. */
function durationPhrase(phrase: Phrase): Phrase {
  const milliseconds = durationMs(phrase.text);
  return milliseconds === undefined ? phrase : withText(phrase, `duration("${milliseconds}ms")`);
}

function unreadable(phrase: Phrase, expected: string, { reporter }: BuildContext): undefined {
  reporter.report("endpoints/unreadable", positionIn(phrase), { text: phrase.text, expected });
}

/** The schemes of the endpoint, otherwise of the nearest path, otherwise of the part. */
export function schemesOf({ items, stated, plan }: EndpointReading, ctx: BuildContext): Endpoint["schemes"] {
  const onPath = plan.headings.findLast((heading) => heading.items("scheme").length > 0)?.items("scheme")[0];
  const item = items.isOwn("scheme") ? stated("scheme")[0] : (onPath ?? stated("scheme")[0]);
  return item && readSchemes(item, ctx);
}
