/** The diagnostics of part 1, its prose and its scenarios: each code once, with its words. */
import { code } from "../code.ts";

export const purposeCodes = {
  // ── Prose ─────────────────────────────────────────────────────────────────────────────────────
  "purpose/unknown-key": code<{
    readonly key: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" is no item that can stand here.`,
    hint: ({ nearest, known }) => suggestion(nearest, known),
  }),
  "purpose/unknown-heading": code<{ readonly text: string; readonly nearest: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is no heading of this part.`,
    hint: ({ nearest }) => `Did you mean \`### ${nearest}\`?`,
  }),
  "purpose/other-heading": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "note",
    message: ({ text }) => `What stands under "${text}" is read as description.`,
    hint: () =>
      "Headings with a meaning here are `### Scenario: <name>`, `### Given: <name>`, `### Purpose`, `### Domain` and `### Behaviour`.",
  }),
  "purpose/said-twice": code<{ readonly item: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ item }) => `The ${item} is given a second time.`,
    hint: () => "Bring both texts together.",
  }),
  "purpose/outside-scenario": code<{ readonly what: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ what }) => `This ${what} stands in no scenario, so it is never run.`,
    hint: () => "Put `### Scenario: <name>` above it.",
  }),

  // ── Scenarios ─────────────────────────────────────────────────────────────────────────────────
  "purpose/unnamed-scenario": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This scenario has no name.",
    hint: () => "Write `### Scenario: <what happens in it>`.",
  }),
  "purpose/duplicate-scenario": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is another scenario "${name}".`,
    hint: () => "Give each scenario a name of its own.",
  }),
  "purpose/unnamed-given": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "These records have no name by which a scenario could take them.",
    hint: () => "Write `### Given: <what they are>`.",
  }),
  "purpose/duplicate-given": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is another heading "Given: ${name}".`,
    hint: () => "Give each a name of its own.",
  }),
  "purpose/given-circle": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The records of "${name}" would be taken in order to make themselves.`,
    hint: () => "Take the line out, or that by which the other heading leads back here.",
  }),
  "purpose/unused-given": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) => `No scenario takes the records of "${name}".`,
    hint: ({ name }) => `Write \`- Given: ${name}\` in a scenario, or take the heading out.`,
  }),
  "purpose/empty-scenario": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) => `The scenario "${name}" has no request, so nothing is tested.`,
    hint: () => "Add a pair of `http` blocks: a request, and the response that must come.",
  }),
  "purpose/not-run": code<{ readonly what: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ what }) => `This ${what} is no step of a scenario; it is read as description.`,
    hint: () => "Steps are `http` blocks and the items `Given`, `Wait` and `Event`.",
  }),
  "purpose/request-without-response": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "No response follows this request.",
    hint: () => "Add an `http` block that begins with `HTTP/1.1 <status>`.",
  }),
  "purpose/response-without-request": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "No request stands before this response.",
    hint: () => "Add an `http` block with the request, such as `GET /things`.",
  }),

  // ── Items of scenarios ────────────────────────────────────────────────────────────────────────
  "purpose/unreadable-given": code<{ readonly text: string; readonly nearest?: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" can't be read as a record to begin with.`,
    hint: ({ nearest }) =>
      nearest === undefined
        ? 'Write `- Given: Shop with name = "Ada", city = "Oslo" as shop`.'
        : `Did you mean \`- Given: ${nearest}\`?`,
  }),
  "purpose/unknown-resource": code<{ readonly name: string; readonly nearest: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no resource "${name}".`,
    hint: ({ nearest }) => (nearest === undefined ? undefined : `Did you mean \`${nearest}\`?`),
  }),
  "purpose/given-value": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is a value (\`Identifier: none\`); it has no records of its own.`,
    hint: () => "Give the record that it is embedded in.",
  }),
  "purpose/unknown-field": code<{
    readonly resource: string;
    readonly name: string;
    readonly nearest: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, name }) => `${resource} has no field "${name}".`,
    hint: ({ nearest }) => (nearest === undefined ? undefined : `Did you mean \`${nearest}\`?`),
  }),
  "purpose/computed-field": code<{ readonly resource: string; readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource, name }) =>
      `${resource}.${name} is worked out when it is read, so it can't be given.`,
  }),
  "purpose/field-twice": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is given twice.`,
  }),
  "purpose/name-taken": code<{ readonly name: string; readonly by: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, by }) => `The name "${name}" is taken: it is ${by}.`,
    hint: () => "Choose another name.",
  }),
  "purpose/unreadable-wait": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is no length of time.`,
    hint: () =>
      "Write one such as `14 days`, `90 seconds` or `1 hour` (months and years have no one length).",
  }),
  "purpose/unknown-event": code<{ readonly name: string; readonly nearest: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There is no event "${name}".`,
    hint: ({ nearest }) =>
      nearest === undefined ? "Events are declared in part 6." : `Did you mean \`${nearest}\`?`,
  }),
  "purpose/unreadable-event": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" can't be read as an event.`,
    hint: () =>
      "Write `- Event: parcel.returned`, and behind the name, if you like, its payload as a JSON object.",
  }),

  // ── HTTP blocks ───────────────────────────────────────────────────────────────────────────────
  "purpose/unreadable-request-line": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is no request line.`,
    hint: () => "Write a method in capitals and a target that begins with `/`: `POST /parcels`.",
  }),
  "purpose/unreadable-status-line": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is no status line.`,
    hint: () => "Write `HTTP/1.1 201`.",
  }),
  "purpose/unreadable-header": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is no header.`,
    hint: () => "Write `Name: value`. A body stands below an empty line.",
  }),
  "purpose/body-not-json": code<{ readonly problem: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ problem }) => `This is no JSON: ${problem}.`,
    hint: () => "A body of another kind needs a `Content-Type` header in this block.",
  }),
  "purpose/unknown-capture": code<{ readonly name: string; readonly nearest: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Nothing before this request is called "${name}".`,
    hint: ({ nearest }) =>
      nearest === undefined
        ? "A name is given by `as` in a `Given`, or by its first use in a response."
        : `Did you mean \`{{${nearest}}}\`?`,
  }),
  "purpose/capture-in-request": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `${text} only stands in what is expected; a request has to say what it sends.`,
  }),
  "purpose/unreadable-capture": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `${text} can't be read.`,
    hint: () =>
      "Write `{{name}}`, `{{name: integer}}`, `{{*}}`, `{{*: timestamp}}`, `{{absent}}` or `{{run}}`.",
  }),
  "purpose/unknown-capture-type": code<{
    readonly name: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `"${name}" is no type that a value can be checked for.`,
    hint: ({ nearest, known }) => suggestion(nearest, known),
  }),
};

function suggestion(nearest: string | undefined, known: readonly string[]): string {
  return nearest === undefined ? `Known are: ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
}
