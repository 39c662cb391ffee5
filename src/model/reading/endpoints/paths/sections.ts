/**
 * Level-3 headings of part 4: `### POST /parcels` is an endpoint, `### /parcels/{id}` a path,
 * `shapes.ts` reads `### Shape: …`, and a heading with only prose groups. The content is read
 * elsewhere.
 */
import { type Phrase, positionIn, slice, trim, unquote } from "../../../../source/phrase.ts";
import { nearest } from "../../../../support/nearest.ts";
import { endpointsMax } from "../../../../syntax/ceilings.ts";
import type { Section } from "../../../../syntax/nodes.ts";
import { isNotShown } from "../../../../syntax/read.ts";
import type { PathTemplate } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { isShapeHeading } from "../../any-part/part-blocks.ts";
import { formOf, parametersOf, parsePathTemplate } from "./path-template.ts";

export interface EndpointSection {
  /** The name of the endpoint: `POST /parcels`. */
  readonly name: string;
  readonly method: string;
  readonly path: PathTemplate;
  readonly heading: Phrase;
  /** The path in the heading. */
  readonly pathPhrase: Phrase;
  readonly section: Section;
}

export interface PathSection {
  readonly path: PathTemplate;
  readonly heading: Phrase;
  readonly section: Section;
}

export interface Sections {
  readonly endpoints: readonly EndpointSection[];
  /** Paths from the shortest to the longest. */
  readonly paths: readonly PathSection[];
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] as const;

/** Reads the headings. Invalid and duplicate ones are reported. */
export function readSections(base: PathTemplate, ctx: BuildContext): Sections {
  const endpoints = new Map<string, EndpointSection>();
  const paths = new Map<string, PathSection>();
  for (const section of ctx.document.parts.endpoints?.sections ?? []) {
    const heading = unquote(section.heading);
    if (isShapeHeading(heading.text)) continue;
    if (endpoints.size + paths.size >= endpointsMax) {
      ctx.reporter.report("endpoints/too-many", positionIn(heading), {
        what: "endpoints and paths",
        most: endpointsMax,
      });
      break;
    }
    if (heading.text.startsWith("/")) addPath(section, heading, paths, base, ctx);
    else addEndpoint(section, heading, endpoints, base, ctx);
  }
  const shortestFirst = [...paths.values()].sort((a, b) => a.path.segments.length - b.path.segments.length);
  return { endpoints: [...endpoints.values()], paths: shortestFirst };
}

function addPath(
  section: Section,
  heading: Phrase,
  paths: Map<string, PathSection>,
  base: PathTemplate,
  ctx: BuildContext,
): void {
  const path = readPath(heading, base, ctx);
  if (!path) return;
  const first = paths.get(path.text);
  if (first) {
    const related = [{ position: positionIn(first.heading), message: "First defined here." }];
    ctx.reporter.report("endpoints/duplicate-heading", positionIn(heading), { text: heading.text }, related);
    return;
  }
  paths.set(path.text, { path, heading, section });
}

function addEndpoint(
  section: Section,
  heading: Phrase,
  endpoints: Map<string, EndpointSection>,
  base: PathTemplate,
  ctx: BuildContext,
): void {
  const blank = heading.text.search(/\s/);
  const word = blank === -1 ? heading : slice(heading, 0, blank);
  const pathPhrase = unquote(
    blank === -1 ? slice(heading, heading.text.length) : trim(slice(heading, blank)),
  );
  if (!isEndpointHeading(section, word, pathPhrase)) return;
  if (isOpen(heading, word, pathPhrase, ctx)) return;
  const method = readMethod(word, pathPhrase, ctx);
  const path = method && readPath(pathPhrase, base, ctx);
  if (!path) return;
  const key = `${method} ${formOf(path)}`;
  const first = endpoints.get(key);
  if (first) {
    const related = [{ position: positionIn(first.heading), message: "First defined here." }];
    ctx.reporter.report("endpoints/duplicate-heading", positionIn(heading), { text: heading.text }, related);
    return;
  }
  endpoints.set(key, { name: `${method} ${path.text || "/"}`, method, path, heading, pathPhrase, section });
}

/** Whether a heading is an endpoint. With only prose below, and not in the form of one, it only groups. */
function isEndpointHeading(section: Section, word: Phrase, rest: Phrase): boolean {
  if (
    rest.text.includes("/") ||
    isMethod(word.text) ||
    (rest.text !== "" && isMethod(word.text.toUpperCase()))
  )
    return true;
  return section.body.some(
    (block) => block.kind === "item" || (block.kind === "fence" && block.language === "cel"),
  );
}

function isMethod(text: string): boolean {
  return (methods as readonly string[]).includes(text);
}

/** `### POST not shown`: an endpoint that can't be served, because its path is unknown. */
function isOpen(heading: Phrase, word: Phrase, path: Phrase, ctx: BuildContext): boolean {
  const { ledger } = ctx;
  if (isMethod(word.text) && isNotShown(path)) {
    ledger.state("methods", positionIn(word));
    ledger.gap("endpoints", "path shapes", `the path of the endpoint "${heading.text}"`, positionIn(path));
    return true;
  }
  const notShown = /^not shown\s+(?=\/)/i.exec(heading.text);
  if (!notShown) return false;
  const name = heading.text.slice(notShown[0].length);
  ledger.state("path shapes", positionIn(heading, notShown[0].length));
  ledger.gap(
    "endpoints",
    "methods",
    `the method of the endpoint at ${name}`,
    positionIn(heading, 0, "not shown".length),
  );
  return true;
}

function readMethod(word: Phrase, path: Phrase, { reporter }: BuildContext): string | undefined {
  const { text } = word;
  if (isMethod(text) && path.text !== "") return text;
  if (text === "HEAD") {
    reporter.report("endpoints/head", positionIn(word), {});
  } else if (path.text.startsWith("/")) {
    reporter.report("endpoints/unknown-method", positionIn(word), {
      name: text,
      nearest: nearest(text, methods),
      known: methods,
    });
  } else {
    const last = /\b\w+$/.exec(path.text)?.[0].toLowerCase();
    const method = text.toUpperCase();
    const advice =
      isMethod(method) && last !== undefined
        ? `Write a method and a path: \`### ${method} /${last}\`.`
        : undefined;
    reporter.report("endpoints/unknown-heading", positionIn(word, 0), { text, advice });
  }
  return undefined;
}

function readPath(phrase: Phrase, base: PathTemplate, { reporter }: BuildContext): PathTemplate | undefined {
  const path = parsePathTemplate(phrase, reporter);
  if (!path) return undefined;
  const twice = parametersOf(path).find((name) => parametersOf(base).includes(name));
  if (twice === undefined) return path;
  const at = phrase.text.search(new RegExp(`\\{${twice}(?:\\.\\.\\.)?\\}`));
  reporter.report("endpoints/parameter-twice", positionIn(phrase, at, phrase.text.indexOf("}", at) + 1), {
    name: twice,
  });
  return undefined;
}
