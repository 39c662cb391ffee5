/**
 * Diagnostics of part 4: text without effect, and effects that the path suggests but the endpoint
 * lacks.
 */
import { mistake, warning } from "../code.ts";

export const withoutEffectCodes = {
  "endpoints/replaces-allowed": warning<{ readonly endpoint: string; readonly condition: string }>(
    ({ endpoint, condition }) =>
      `The \`Allowed\` of ${endpoint} replaces that of the part: \`${condition}\` is not evaluated there.`,
    ({ condition }) => `Add \`\` - Allowed: \`${condition}\` \`\` here if it applies to this endpoint too.`,
  ),
  "endpoints/unread-input": mistake<{ readonly name: string; readonly in: string }>(
    ({ name }) => `Unused input "${name}": it sets no field, and nothing reads it.`,
    (input) =>
      input.in === "query"
        ? `Write a condition under "Where"; \`not shown\` there if its effect is not known, or \`none\` if it has none.`
        : `Name the field that it sets, or read it in an expression. Under "Where", write \`not shown\` if its effect is not known, or \`none\` if it has none.`,
  ),
  "endpoints/parent-not-looked-up": warning<{
    readonly endpoint: string;
    readonly resource: string;
    readonly path: string;
    readonly hasHeading: boolean;
    readonly where: string | undefined;
  }>(
    ({ endpoint, resource, path }) =>
      `${endpoint} does not respond with 404 to a missing ${resource}: nothing looks up the record at ${path}.`,
    ({ resource, path, hasHeading, where }) => {
      const picks = where === undefined ? "" : ` and \`- Where: ${where}\``;
      return hasHeading
        ? `Add \`- Is: ${resource}\`${picks} under \`### ${path}\`.`
        : `Add \`### ${path}\`, and under it \`- Is: ${resource}\`${picks}.`;
    },
  ),
  "endpoints/upsert-not-found-again": warning<{
    readonly resource: string;
    readonly field: string;
    readonly value: string;
  }>(
    ({ resource, field }) =>
      `Each repeated request creates another ${resource}: nothing sets the ${field} by which \`Where\` finds it.`,
    ({ field, value }) => `Add \`- Set: ${field} = ${value}\`.`,
  ),
  "endpoints/upsert-finds-nothing": warning<{ readonly resource: string }>(
    ({ resource }) =>
      `Each request creates another ${resource}: it sends neither the identifier nor a unique field of one.`,
    ({ resource }) =>
      `Accept a field that identifies a ${resource}, add \`- Where: …\`, or write \`create ${resource}\`.`,
  ),
  "endpoints/after-cascade": warning<{
    readonly resource: string;
    readonly deleted: string;
    readonly variable: string;
  }>(
    ({ resource, deleted }) =>
      `This effect finds no ${resource} of the deleted ${deleted}: the deletion deletes them first.`,
    ({ deleted, variable }) =>
      `Put it before the deletion: \`- Does: read ${deleted}\`, this effect, then \`- Effect: delete ${deleted} where this == ${variable}\`.`,
  ),
  "endpoints/type-not-read": mistake<{ readonly type: string; readonly replaces: boolean }>(
    ({ type, replaces }) =>
      replaces
        ? `Media type "${type}" is not allowed here: its body is merged into the record, but \`replace\` clears what the body leaves out.`
        : `Media type "${type}" is not allowed here: its body can't contain the inputs of this endpoint.`,
    ({ type, replaces }) =>
      replaces
        ? "Write `update` instead of `replace`, or remove the media type from `Accepts`."
        : `Remove ${type} from \`Accepts\`; or make the body one text, \`- Body is: …\`; or remove the inputs, and read \`request.body\`.`,
  ),
};
