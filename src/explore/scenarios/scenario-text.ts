/** Scenario text: writes a story as a scenario of the notation, to paste into part 1. */
import type { Json } from "../../support/json.ts";
import { isList, isMap } from "../comparison/compare-responses.ts";
import { givenText } from "../requests/given-records.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import { jsonOf, requestFrom, type RequestTemplate, type ResponsePlace, Slot } from "../stories/story.ts";
import type { ReceivedResponse } from "../../verify/scenario-failure.ts";

export interface ScenarioParts {
  readonly name: string;
  /** One sentence that says what the scenario shows. */
  readonly comment: string;
  readonly given: readonly GivenStep[];
  readonly steps: readonly PlayedStep[];
  /** How much of the last response is written. A leak needs the body, an error only the status. */
  readonly last: "status" | "body";
  /** The indentation of the last body, in spaces; without it, the body is one line. */
  readonly indent?: number;
  readonly nowMs: number;
  /**
   * The run text in which the steps were played. A scenario has a fresh store, so it needs no run
   * text.
   */
  readonly run: string;
}

/** The maximum length of a written body, in characters. */
const bodyLengthMax = 4_000;

type Captured = ReadonlyMap<number, readonly { readonly place: ResponsePlace; readonly name: string }[]>;

/**
 * Undefined if a scenario can't express the story: a captured value can't be part of basic
 * credentials.
 */
export function scenarioText({
  name,
  comment,
  given,
  steps,
  last,
  indent = 0,
  nowMs,
  run,
}: ScenarioParts): string | undefined {
  const captured = capturesOf(steps);
  if (!captured) return undefined;
  let timeMs = nowMs;
  const blocks = steps.flatMap((played, at) => {
    const { step, expected, second } = played;
    timeMs += step.afterMs ?? 0;
    const isWhole = at === steps.length - 1 && last === "body";
    const wait = step.afterMs === undefined ? [] : [`- Wait: ${step.afterMs / 1000} seconds`];
    return [
      ...wait,
      fenced(requestText(step.request, captured, timeMs, run)),
      fenced(responseText(expected, second, captured.get(step.id) ?? [], isWhole, indent)),
    ];
  });
  const items = given.map((step) => `- Given: \`${givenText(step)}\``).join("\n");
  return [`### Scenario: ${name}`, comment, ...(items === "" ? [] : [items]), ...blocks].join("\n\n");
}

function fenced(text: string): string {
  return `\`\`\`http\n${text}\n\`\`\``;
}

/** Names for response values that later requests send. */
function capturesOf(steps: readonly PlayedStep[]): Captured | undefined {
  const captured = new Map<number, { readonly place: ResponsePlace; readonly name: string }[]>();
  let count = 0;
  let isSayable = true;
  const walk = (template: unknown, isEncoded: boolean): void => {
    if (template instanceof Slot) {
      const { content } = template;
      if (content.kind === "response") {
        if (isEncoded || content.place.parameter !== undefined) isSayable = false;
        const known = captured.get(content.step) ?? [];
        if (known.some(({ place }) => JSON.stringify(place) === JSON.stringify(content.place))) return;
        count += 1;
        captured.set(content.step, [
          ...known,
          { place: content.place, name: `${nameOf(content.place)}_${count}` },
        ]);
      } else if ("parts" in content) walk(content.parts, isEncoded || content.kind === "base64");
    } else if (typeof template === "object" && template !== null)
      for (const part of Object.values(template)) walk(part, isEncoded);
  };
  for (const { step } of steps) walk(step.request, false);
  return isSayable ? captured : undefined;
}

function nameOf(place: ResponsePlace): string {
  const key = place.in === "header" ? place.name : place.path.findLast((part) => typeof part === "string");
  const name = String(key ?? "value").replaceAll(/\W/g, "_");
  return /^[A-Za-z]/.test(name) ? name : `value_${name}`;
}

function requestText(request: RequestTemplate, captured: Captured, timeMs: number, run: string): string {
  const responses = new Map([...captured].map(([step, places]) => [step, placeholders(places)]));
  const sent = requestFrom(request, { run, responses, nowMs: () => timeMs });
  const target = sent.target.replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}");
  const headers = sent.headers.map(([name, value]) => `${name}: ${value}`);
  return [`${sent.method} ${target}`, ...headers, ...(sent.body === undefined ? [] : ["", sent.body])].join(
    "\n",
  );
}

/** A response body with a capture in braces for each captured value. */
function placeholders(
  places: readonly { readonly place: ResponsePlace; readonly name: string }[],
): ReceivedResponse {
  let body: Json = {};
  const headers: [string, string][] = [];
  for (const { place, name } of places)
    if (place.in === "header") headers.push([place.name, `{{${name}}}`]);
    else body = withValue(body, place.path, `{{${name}}}`);
  return { status: 200, headers, body: JSON.stringify(body) };
}

/**
 * Sets a leaf in a value. Indexes of lists become keys of an object, because a path treats both
 * alike.
 */
function withValue(value: Json, [key, ...rest]: readonly (string | number)[], leaf: Json): Json {
  if (key === undefined) return leaf;
  const known = isMap(value) ? value : {};
  return { ...known, [key]: withValue(known[key] ?? {}, rest, leaf) };
}

function responseText(
  first: ReceivedResponse,
  second: ReceivedResponse,
  places: readonly { readonly place: ResponsePlace; readonly name: string }[],
  isWhole: boolean,
  indent: number,
): string {
  const headers = places.flatMap(({ place, name }) =>
    place.in === "header" ? [`${place.name}: {{${name}}}`] : [],
  );
  const ofBody = places.flatMap(({ place, name }) =>
    place.in === "body" ? [{ path: place.path, name }] : [],
  );
  const [body, secondBody] = [jsonOf(first.body), jsonOf(second.body)];
  const pattern = body === undefined ? undefined : bodyPattern(body, secondBody, ofBody, isWhole);
  const isText = isWhole && body === undefined && first.body === second.body && first.body !== "";
  const text = isText
    ? first.body.trimEnd()
    : pattern === undefined
      ? undefined
      : JSON.stringify(pattern, null, isWhole ? indent : 0);
  const isWritten = text !== undefined && text.length <= bodyLengthMax;
  return [`HTTP/1.1 ${first.status}`, ...headers, ...(isWritten ? ["", text] : [])].join("\n");
}

/** Undefined if no part of the value has to be written. */
function bodyPattern(
  first: Json,
  second: Json | undefined,
  captures: readonly { readonly path: readonly (string | number)[]; readonly name: string }[],
  isWhole: boolean,
): Json | undefined {
  const own = captures.find(({ path }) => path.length === 0);
  if (own) return `{{${own.name}}}`;
  if (captures.length === 0 && !isWhole) return undefined;
  const part = (key: string | number, value: Json): Json | undefined => {
    const twin = second !== undefined && (isMap(second) || isList(second)) ? Object.entries(second) : [];
    const inner = captures
      .filter(({ path }) => path[0] === key)
      .map(({ path, name }) => ({ path: path.slice(1), name }));
    return bodyPattern(value, twin.find(([name]) => name === String(key))?.[1], inner, isWhole);
  };
  if (isList(first)) return first.map((value, at) => part(at, value) ?? "{{*}}");
  if (isMap(first))
    return Object.fromEntries(
      Object.entries(first).flatMap(([key, value]) => {
        const pattern = part(key, value);
        return pattern === undefined ? [] : [[key, pattern]];
      }),
    );
  return first === second ? first : "{{*}}";
}
