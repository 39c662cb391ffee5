/** The diagnostics of shapes, which part `endpoints` has: each code once, with its words. */
import { code } from "../code.ts";

export const shapeCodes = {
  "endpoints/unused-shape": code<{ readonly name: string; readonly of?: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) =>
      `Nothing shows the shape ${name}: no answer, no event, no error and no other shape.`,
    hint: ({ of }) =>
      of === undefined
        ? "Name it where it is to be shown, or take it out."
        : `Name it where it is to be shown (\`Returns: 200 …\`), call it \`${of}\` to show every ${of} so, or take it out.`,
  }),
  "endpoints/unread-block": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The block of the shape "${name}" is not marked \`cel\`, so it is not read.`,
    hint: () => "Begin it with a line of three backticks and `cel`.",
  }),
  "endpoints/item-of-shape": code<{ readonly key: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ key }) => `"${key}" stands under a shape, which has no items.`,
    hint: () => "What a shape gives is written in its `cel` block.",
  }),
  "endpoints/shape-without-record": code<{ readonly name: string; readonly endpoint: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, endpoint }) =>
      `${endpoint} is about no one record that "${name}" could be the shape of.`,
    hint: ({ name }) => `Write an expression in backticks: \`${name}(…)\` of the record that is meant.`,
  }),
  "endpoints/shape-of-other": code<{
    readonly shape: string;
    readonly of: string;
    readonly resource: string;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ shape, of, resource }) => `"${shape}" is a shape of ${of}, and this is about ${resource}.`,
    hint: ({ shape }) => `Write an expression in backticks: \`${shape}(this.…)\`.`,
  }),
  "endpoints/bad-shape-name": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => (name === "" ? "The shape has no name." : `"${name}" is no name of a shape.`),
    hint: () =>
      "A shape's name has letters, digits and `_`, and starts with a capital letter: `### Shape: ParcelPage`.",
  }),
  "endpoints/duplicate-shape": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `There are two shapes "${name}"; those of parts 4, 6 and 7 have one name space.`,
    hint: () => "Give one of them another name.",
  }),
  "endpoints/shape-of-resource-name": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is a resource, and its name is the shape of its records already.`,
    hint: ({ name }) => `Write \`### Shape: ${name} of ${name}\` to take its place, or choose another name.`,
  }),
  "endpoints/shape-of-nothing": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The shape ${name} reads \`this\`, but it isn't said of what it is a shape.`,
    hint: ({ name }) => `Write \`### Shape: ${name} of …\` with the resource behind it.`,
  }),
  "endpoints/shape-circle": code<{ readonly names: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ names }) => `This shape contains itself, so that it would never end: ${names.join(" → ")}.`,
    hint: () => "Show the identifier in one of them in place of the whole record.",
  }),
  "endpoints/shape-too-large": code<{
    readonly name: string;
    readonly depth: number;
    readonly parts: number;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, depth, parts }) =>
      `The shape ${name} holds shapes more than ${depth} deep in one another, or more than ${parts} of them.`,
    hint: () => "Show identifiers in place of whole records further in.",
  }),
};
