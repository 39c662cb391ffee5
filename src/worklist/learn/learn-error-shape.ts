/**
 * The payload of errors, inferred from recorded responses. Each value of a body must be explained:
 * by the status, a code of the document, a constant, or the name and the form of a text. If one
 * isn't, nothing is proposed.
 */
import type { Model } from "../../model/model.ts";
import { isNotShown, itemsOf, keyText } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { isSecretValue } from "../../inputs/recordings/secrets.ts";
import { errorMember } from "../../inputs/error-members.ts";
import { problemKeys } from "../proposals/error-payload.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";
import { evidenceLines, kindFor } from "./evidence-text.ts";
import type { RecordedRecords } from "./recorded-records.ts";
import { type Exchange, isObject, type JsonObject } from "./traffic.ts";

const failuresMin = 3;
const depthMax = 4;

/** A value at one place of a body, with its exchange. */
interface Sample {
  readonly value: unknown;
  readonly exchange: Exchange;
}

interface ObjectSample extends Sample {
  readonly value: JsonObject;
}

interface Shape {
  readonly text: string;
  /** Whether the values confirm it, and not only their names. */
  readonly isCertain: boolean;
}

/** The proposal for `- Payload shape: not shown`. */
export function learnErrorShape(
  model: Model,
  document: SourceDocument,
  seen: RecordedRecords,
): readonly Proposal[] {
  const item = itemsOf(document.parts.errors?.body ?? []).find(
    ({ key, value }) => keyText(key) === "payload shape" && isNotShown(value),
  );
  // Errors of the service itself and of proxies often have a form of their own.
  const failures = seen.exchanges.filter(({ status, isEmpty }) => status >= 400 && status < 500 && !isEmpty);
  const statuses = new Set(failures.map(({ status }) => status));
  if (!item || failures.length < failuresMin || statuses.size < 2) return [];
  const shape = shapeOf(model, failures);
  if (!shape) return [];
  const line = lineOf(item);
  const isWord = !shape.text.startsWith("{");
  const block = ["", "```cel", shape.text, "```"];
  return [
    {
      kind: kindFor("error-shapes", shape.isCertain),
      subject: "errors",
      at: line,
      edits: isWord
        ? [{ line, text: `- Payload shape: ${shape.text}` }]
        : [
            { line, text: "- Payload shape:" },
            { after: line, lines: block },
          ],
      evidence: evidenceLines(
        failures.map(({ number }) => number),
        shape.isCertain ? "other keys, and one value for all statuses" : "",
      ),
    },
  ];
}

function shapeOf(model: Model, failures: readonly Exchange[]): Shape | undefined {
  const bodies = objectsIn(failures.map((exchange) => ({ value: exchange.received, exchange })));
  if (bodies.length < failures.length) return undefined;
  const isProblem = bodies.every(
    ({ value, exchange }) =>
      exchange.receivedHeaders.get("content-type")?.startsWith("application/problem+json") === true &&
      Object.keys(value).every((key) => problemKeys.includes(key)),
  );
  if (isProblem) return { text: "problem details", isCertain: true };
  const { rows } = model.errors;
  const codes = new Set(rows.flatMap(({ code }) => code ?? []));
  const shape = objectOf(bodies, codes, 0);
  // A further column may be what a member shows.
  const hasFurther = rows.some(({ further }) => Object.keys(further).length > 0);
  return shape && hasFurther ? { ...shape, isCertain: false } : shape;
}

function objectsIn(samples: readonly Sample[]): readonly ObjectSample[] {
  return samples.flatMap(({ value, exchange }) => (isObject(value) ? [{ value, exchange }] : []));
}

function objectOf(
  samples: readonly ObjectSample[],
  codes: ReadonlySet<string>,
  depth: number,
): Shape | undefined {
  if (depth > depthMax) return undefined;
  const keys = new Set(samples.flatMap(({ value }) => Object.keys(value)));
  const members: string[] = [];
  let isCertain = true;
  for (const key of keys) {
    const inner = samples
      .filter(({ value }) => Object.hasOwn(value, key))
      .map(({ value, exchange }) => ({ value: value[key], exchange }));
    const objects = objectsIn(inner);
    const shape =
      objects.length === inner.length ? objectOf(objects, codes, depth + 1) : leafOf(key, inner, codes);
    if (!shape || /[?\\"]/.test(key)) return undefined;
    isCertain &&= shape.isCertain;
    members.push(`${JSON.stringify(inner.length < samples.length ? `${key}?` : key)}: ${shape.text}`);
  }
  return members.length === 0 ? undefined : { text: `{${members.join(", ")}}`, isCertain };
}

/** What a value is: confirmed by its values, or else by its name. */
function leafOf(key: string, samples: readonly Sample[], codes: ReadonlySet<string>): Shape | undefined {
  const values = samples.map(({ value }) => value);
  const distinct = new Set(values);
  const statuses = new Set(samples.map(({ exchange }) => exchange.status));
  const texts = values.filter((value) => typeof value === "string");
  const areTexts = texts.length === values.length;
  const stated = values.every((value) => value === null || typeof value === "string");
  const sure = (text: string, isCertain = true): Shape => ({ text, isCertain });
  if (samples.every(({ value, exchange }) => value === exchange.status)) return sure("error.status");
  if (samples.every(({ value, exchange }) => value === String(exchange.status)))
    return sure("string(error.status)");
  if (areTexts && texts.every((text) => codes.has(text))) return sure("error.code", distinct.size > 1);
  if (samples.every(({ value, exchange }) => value === exchange.receivedHeaders.get("x-request-id")))
    return sure("request.id");
  const member = errorMember(key);
  if (member === "message" && areTexts)
    return sure("error.message", distinct.size > 1 && texts.every((text) => /\s/.test(text)));
  if (member === "field" && stated) return sure("error.field", areFields(samples));
  if (member === "request" && areTexts && distinct.size === values.length) return sure("request.id", false);
  const [only] = values;
  const isPlain = ["string", "number", "boolean"].includes(typeof only) && !isSecretValue(key, only);
  if (distinct.size === 1 && isPlain && statuses.size > 1) return sure(JSON.stringify(only));
  const areCodes = areTexts && texts.every((text) => /^[\w.-]+$/.test(text));
  const isKnown = codes.size === 0 || texts.some((text) => codes.has(text));
  const isCode = member === "code" && areCodes && isKnown;
  return isCode ? sure("error.code", false) : undefined;
}

/** Whether texts name inputs of their endpoint, and errors of other kinds have none. */
function areFields(samples: readonly Sample[]): boolean {
  const named = samples.filter(({ value }) => value !== null);
  const isInput = ({ value, exchange }: Sample): boolean =>
    exchange.endpoint.inputs.some(({ name }) => String(value).split(/[.[]/)[0] === name[0]) ||
    isObject(exchange.sent) === Object.hasOwn(Object(exchange.sent), String(value));
  return named.length > 0 && named.length < samples.length && named.every(isInput);
}
