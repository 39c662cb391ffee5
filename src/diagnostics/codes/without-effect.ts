/** Codes of part 4 for what is written and has no effect, and for what an endpoint does not do though its path reads so. */
import { code } from "../code.ts";

export const withoutEffectCodes = {
  "endpoints/replaces-allowed": code<{ readonly endpoint: string; readonly condition: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ endpoint, condition }) =>
      `${endpoint} has an \`Allowed\` of its own, which replaces the part's: \`${condition}\` is not asked there.`,
    hint: ({ condition }) => `Add \`- Allowed: \`${condition}\`\` here if it holds for this endpoint too.`,
  }),
  "endpoints/unread-input": code<{ readonly name: string; readonly in: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) => `The input "${name}" has no effect: it sets no field, and nothing reads it.`,
    hint: (input) =>
      input.in === "query"
        ? `Write a condition under "Where"; \`not shown\` there if its meaning is not known, or \`none\` if it has none.`
        : `Name the field that it sets, or read it in an expression. Under "Where", \`not shown\` says that its meaning is not known, \`none\` that it has none.`,
  }),
  "endpoints/parent-not-looked-up": code<{
    readonly endpoint: string;
    readonly resource: string;
    readonly path: string;
    readonly hasHeading: boolean;
    readonly where: string | undefined;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ endpoint, resource, path }) =>
      `${endpoint} answers as if every ${path} existed: no heading stands for the ${resource}, so one that does not exist is not answered 404.`,
    hint: ({ resource, path, hasHeading, where }) => {
      const picks = where === undefined ? "" : ` and \`- Where: ${where}\``;
      return hasHeading
        ? `Add \`- Is: ${resource}\`${picks} under \`### ${path}\`.`
        : `Add \`### ${path}\`, and under it \`- Is: ${resource}\`${picks}.`;
    },
  }),
  "endpoints/upsert-not-found-again": code<{
    readonly resource: string;
    readonly field: string;
    readonly value: string;
  }>({
    kind: "mistake",
    severity: "warning",
    message: ({ resource, field }) =>
      `Nothing gives a new ${resource} the ${field} by which \`Where\` finds it: a request that is repeated makes another ${resource} each time.`,
    hint: ({ field, value }) => `Add \`- Set: ${field} = ${value}\`.`,
  }),
  "endpoints/upsert-finds-nothing": code<{ readonly resource: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ resource }) =>
      `\`upsert ${resource}\` finds no ${resource}: the request gives neither its identifier nor a unique field. It makes another one each time.`,
    hint: ({ resource }) =>
      `Take in a field that tells them apart, add \`- Where: …\`, or write \`create ${resource}\`.`,
  }),
  "endpoints/type-not-read": code<{ readonly type: string; readonly replaces: boolean }>({
    kind: "mistake",
    severity: "error",
    message: ({ type, replaces }) =>
      replaces
        ? `A body of ${type} is merged into the record, and \`replace\` clears what it doesn't name.`
        : `A body of ${type} has no room for the inputs of this endpoint.`,
    hint: ({ type, replaces }) =>
      replaces
        ? "Write `update` in place of `replace`, or take the media type out of `Accepts`."
        : `Take ${type} out of \`Accepts\`; or make the body one text, \`- Body is: …\`; or leave out its inputs, and read \`request.body\`.`,
  }),
};
