/** Codes of part 4 for what is written and has no effect: an input that nothing reads, a condition that another replaces. */
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
