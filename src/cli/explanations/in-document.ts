/**
 * `ninefold explain FILE WORD`: what a document has under a heading, the endpoints and events of a
 * resource, and the endpoints that do something with it (`list Parcel`).
 */
import { sectionNamed } from "../../agents/describe.ts";
import { ToolRefused } from "../../agents/document-file.ts";
import { compile } from "../../compile.ts";
import { doesText } from "../../model/endpoints/does.ts";
import type { Endpoint, Model } from "../../model/model.ts";

/** The text on a word of the document; undefined if the document doesn't have the word. */
export function explanationInDocument(file: string, text: string, word: string): string | undefined {
  const { model } = compile(text, { file });
  const [, verb, name = word] = /^([a-z].*) (\w+)$/i.exec(word) ?? [];
  const resource = model?.resources.find(
    (candidate) => candidate.name.toLowerCase() === name.toLowerCase(),
  )?.name;
  const pieces =
    model && resource !== undefined
      ? verb === undefined
        ? [...sectionsOf(text, resource), ...endpointsOf(model, resource), ...eventsOf(model, resource)]
        : endpointsDoing(model, `${verb} ${resource}`)
      : sectionsOf(text, word);
  return pieces.length === 0 ? undefined : `${pieces.map((piece) => piece.trimEnd()).join("\n\n")}\n`;
}

function endpointsOf(model: Model, name: string): readonly string[] {
  const found = model.endpoints.filter(({ resource }) => resource === name);
  return listed(
    "Endpoints",
    found.map((endpoint) => lineOf(model, endpoint)),
  );
}

function endpointsDoing(model: Model, operation: string): readonly string[] {
  const found = model.endpoints.filter(({ does }) =>
    does.some((action) => doesText(action).toLowerCase() === operation.toLowerCase()),
  );
  const lines = found.map((endpoint) => lineOf(model, endpoint));
  return found.length === 0 ? [`No endpoint does \`${operation}\`.`] : listed("Endpoints", lines);
}

function eventsOf({ events }: Model, name: string): readonly string[] {
  const found = events.events.filter(({ triggers }) => triggers.some(({ resource }) => resource === name));
  return listed(
    "Events",
    found.map((event) => `${event.name} (line ${event.position.start.line})`),
  );
}

/** `GET /v1/parcels: list Parcel (line 201)` */
function lineOf({ endpointsPart }: Model, { method, path, position, does }: Endpoint): string {
  const operations = does.map(doesText).join(", ");
  return `${method} ${endpointsPart.basePath.text}${path.text}: ${operations} (line ${position.start.line})`;
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `  ${line}`).join("\n")}`];
}

function sectionsOf(text: string, title: string): readonly string[] {
  try {
    return [sectionNamed(text, title)];
  } catch (error) {
    if (error instanceof ToolRefused) return [];
    throw error;
  }
}
