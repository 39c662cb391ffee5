/** The diagnostics of part 1, its prose and its scenarios. */
import { mistake, note, warning } from "../code.ts";
import {
  didYouMean,
  duplicate,
  unknownName,
  unreadable,
  type Named,
  type UnknownName,
  type Unlisted,
} from "./form-codes.ts";

export const purposeCodes = {
  // ── Prose ─────────────────────────────────────────────────────────────────────────────────────
  "purpose/unknown-key": mistake<{
    readonly key: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  }>(({ key }) => `Unknown item "${key}" here.`, didYouMean),
  "purpose/unknown-heading": mistake<{ readonly text: string; readonly nearest: string }>(
    ({ text }) => `Unknown heading "${text}" in this part.`,
    ({ nearest }) => `Did you mean \`### ${nearest}\`?`,
  ),
  "purpose/other-heading": note<{ readonly text: string }>(
    ({ text }) => `The section "${text}" is read as description.`,
    "If it is not description, write `### Scenario: <name>`, `### Given: <name>`, `### Purpose`, `### Domain` or `### Behaviour`.",
  ),
  "purpose/said-twice": duplicate<{ readonly item: string }>(
    ({ item }) => `text for the ${item}`,
    "Merge both texts into one.",
  ),
  "purpose/outside-scenario": warning<{ readonly what: string }>(
    ({ what }) => `This ${what} belongs to no scenario, so it never runs.`,
    "Add `### Scenario: <name>` above it.",
  ),

  // ── Scenarios ─────────────────────────────────────────────────────────────────────────────────
  "purpose/unnamed-scenario": mistake("This scenario has no name.", "Write `### Scenario: <what it shows>`."),
  "purpose/duplicate-scenario": duplicate<Named>(
    ({ name }) => `scenario "${name}"`,
    "Rename one of the two.",
  ),
  "purpose/unnamed-given": mistake(
    "These records have no name, so no scenario can use them.",
    "Write `### Given: <what they are>`.",
  ),
  "purpose/duplicate-given": duplicate<Named>(
    ({ name }) => `heading "Given: ${name}"`,
    "Rename one of the two.",
  ),
  "purpose/given-circle": mistake<Named>(
    ({ name }) => `Circular \`Given\`: "${name}" refers back to itself.`,
    "Remove this line, or the line in the other section that leads back here.",
  ),
  "purpose/unused-given": warning<Named>(
    ({ name }) => `Unused records "${name}": no scenario uses them.`,
    ({ name }) => `Write \`- Given: ${name}\` in a scenario, or remove this section.`,
  ),
  "purpose/empty-scenario": warning<Named>(
    ({ name }) => `Scenario "${name}" has no request, so it tests nothing.`,
    "Add a pair of `http` blocks: a request and the expected response.",
  ),
  "purpose/not-run": warning<{ readonly what: string }>(
    ({ what }) => `This ${what} is not a step of a scenario, so it is read as description.`,
    "Remove it, or write a step: an `http` block, or an item `Given`, `Wait` or `Event`.",
  ),
  "purpose/request-without-response": mistake(
    "This request has no response.",
    "Add an `http` block after it that begins with `HTTP/1.1 <status>`.",
  ),
  "purpose/response-without-request": mistake(
    "This response has no request before it.",
    "Add an `http` block with the request before it, as in `GET /things`.",
  ),

  // ── Items of scenarios ────────────────────────────────────────────────────────────────────────
  "purpose/unreadable-given": unreadable<{ readonly text: string; readonly nearest?: string | undefined }>(
    "a record",
    ({ text, nearest }) =>
      nearest === undefined
        ? (inOurForm(text) ?? 'Write it as in `- Given: Shop with name = "Ada", city = "Oslo" as shop`.')
        : `Did you mean \`- Given: ${nearest}\`?`,
  ),
  "purpose/unknown-resource": unknownName("resource"),
  "purpose/given-value": mistake<Named>(
    ({ name }) => `${name} is a value (\`Identifier: none\`), so it has no records of its own.`,
    "Write the resource that has it as a field.",
  ),
  "purpose/unknown-field": unknownName<UnknownName & { readonly resource: string }>(
    "field",
    ({ resource }) => ` of ${resource}`,
  ),
  "purpose/computed-field": mistake<Named & { readonly resource: string }>(
    ({ resource, name }) => `${resource}.${name} is computed when it is read, so a \`Given\` can't set it.`,
    "Remove it, and set the fields that it is computed from.",
  ),
  "purpose/field-twice": duplicate<Named>(({ name }) => `field "${name}"`),
  "purpose/name-taken": mistake<Named & { readonly by: string }>(
    ({ name, by }) => `The name "${name}" is already in use: it is ${by}.`,
    "Choose another name.",
  ),
  "purpose/unreadable-wait": unreadable(
    "a length of time",
    "Write it as in `14 days`, `90 seconds` or `1 hour`. Months and years are not allowed: their length varies.",
  ),
  "purpose/unknown-event": unknownName(
    "event",
    undefined,
    (params) => didYouMean(params) ?? "Declare the event in part 6.",
  ),
  "purpose/unreadable-event": unreadable(
    "an event",
    "Write it as in `- Event: parcel.returned`, with the payload as a JSON object after the name, if any.",
  ),

  // ── HTTP blocks ───────────────────────────────────────────────────────────────────────────────
  "purpose/unreadable-request-line": unreadable("a request line", ({ text }) => {
    const [, method, target] = /^([a-z]+)\s+(\/[^\s`]*)$/i.exec(text) ?? [];
    return method === undefined
      ? "Write a method in capitals and a target that begins with `/`, as in `POST /parcels`."
      : `Write \`${method.toUpperCase()} ${target}\`.`;
  }),
  "purpose/unreadable-status-line": unreadable("a status line", "Write it as in `HTTP/1.1 201`."),
  "purpose/unreadable-header": unreadable(
    "a header",
    "Write it as in `Accept: text/plain`. Put an empty line before a body.",
  ),
  "purpose/body-not-json": mistake<{ readonly problem: string }>(
    ({ problem }) => `Cannot read this body as JSON: ${problem}.`,
    "Write valid JSON. For a body of another kind, add a `Content-Type` header to this block.",
  ),
  "purpose/unknown-capture": unknownName<Unlisted & { readonly names: readonly string[] }>(
    "capture",
    undefined,
    ({ nearest, names }) =>
      nearest === undefined
        ? `Define it before this request: with \`as\` in a \`Given\`, or by its first use in a response.${knownCaptures(names)}`
        : `Did you mean \`{{${nearest}}}\`?`,
  ),
  "purpose/capture-in-request": mistake<{ readonly text: string }>(
    ({ text }) => `"${text}" is not allowed here: a request needs exact values.`,
    "Write the value to send, or a name that was captured above: `{{name}}`.",
  ),
  "purpose/unreadable-capture": mistake<{ readonly text: string; readonly names: readonly string[] }>(
    ({ text }) => `Cannot read "${text}" as a capture.`,
    ({ text, names }) => {
      const owner = /^\{\{[ \t]*(\w+)[ \t]*[.[]/.exec(text)?.[1];
      return owner !== undefined && names.includes(owner)
        ? `Write \`{{${owner}}}\`: a name stands for one value, that of a record for its identifier.`
        : `Write \`{{name}}\`, \`{{name: integer}}\`, \`{{*}}\`, \`{{*: timestamp}}\`, \`{{absent}}\` or \`{{run}}\`.${knownCaptures(names)}`;
    },
  ),
  "purpose/unknown-capture-type": unknownName("type"),
};

/** Maximum number of known names in a hint. */
const capturesMax = 12;

/** The names that a request of the scenario may use at this place. */
function knownCaptures(names: readonly string[]): string {
  const known = names.slice(0, capturesMax).map((name) => `\`{{${name}}}\``);
  return known.length === 0 ? "" : ` Known here: ${known.join(", ")}.`;
}

/** `name: "Ada"` is the JSON form of `name = "Ada"`. */
function inOurForm(text: string): string | undefined {
  const [, name, value] = /^"?([A-Za-z_]\w*)"?\s*:\s*(.+)$/s.exec(text) ?? [];
  return name && `Write \`${name} = ${value}\`.`;
}
