/** The diagnostics of part 9's stored changes, which are told under `versioning`. */
import { code } from "../code.ts";
import { didYouMean, type UnknownName } from "./form-codes.ts";

export const storedCodes = {
  "versioning/stored-repeated": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `A second step has the name ${name}, and stores know steps by their names.`,
    hint: () => "Give this one a name that was never used.",
  }),
  "versioning/stored-empty": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The stored change ${name} says nothing that is done.`,
    hint: () => "Write what becomes of the records, `- Renamed: User.name to User.full_name`.",
  }),
  "versioning/stored-not-there": code<UnknownName & { readonly of: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, of }) =>
      of === undefined
        ? `After this step there is no resource ${name}.`
        : `After this step nothing that ${of} stores is called ${name}.`,
    hint: didYouMean,
  }),
  "versioning/stored-still-there": code<{
    readonly name: string;
    readonly by: "renamed" | "removed";
    readonly value: boolean;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, by }) => `${name} is ${by} here, and is still there after this step.`,
    hint: ({ name, by, value }) => {
      if (by === "removed") return `Take ${name} out of part 2, or this out of the step.`;
      if (value)
        return `Take it out of part 2, or write a \`For each\` that sets the field \`when\` it was that.`;
      return "Take the old one out of part 2. One that is new under that name gets its values by a `For each`.";
    },
  }),
  "versioning/stored-twice": code<{ readonly name: string; readonly version: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, version }) => `The changes in ${version} say already what becomes of ${name}.`,
    hint: () => "Keep it there, for it moves what is stored too.",
  }),
  "versioning/stored-contradiction": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `This step says twice what becomes of ${name}, and its items have no order.`,
    hint: () => "Keep one of the two, or write the second under a heading of its own.",
  }),
  "versioning/stored-elsewhere": code<{ readonly from: string; readonly to: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ from, to }) => `${from} can't become ${to}, which is a part of something else.`,
    hint: () => "Write a `For each` that sets the new one from `old`, and a `Removed` for the old one.",
  }),
  "versioning/stored-not-values": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is no choice between values that have names.`,
    hint: ({ name }) =>
      `Write a \`For each\`: \`${name.split(".").at(-1)} = … when old.${name.split(".").at(-1)} == …\`.`,
  }),
  "versioning/stored-of-value": code<{ readonly value: string; readonly part: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ value, part }) => `${part} is a part of the value ${value}, wherever one is held.`,
    hint: ({ value, part }) => `Write \`${value}.${part}\`.`,
  }),
  "versioning/stored-effect": code<{ readonly what: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ what }) => `In a \`For each\` there is no ${what}.`,
    hint: () =>
      "Write `field = value`, `create …`, `upsert …` or `delete …`; each record is reached by its own `For each`.",
  }),
  "versioning/stored-no-request": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) =>
      `\`${name}\` means nothing here: stored records change without a request and without the module.`,
    hint: () =>
      "There are `old`, the record as it was, `this`, what it becomes, collections as they were, and `now`.",
  }),
  "versioning/stored-reach": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Nothing can be read through \`${name}\`, which the step is only making.`,
    hint: () => "Follow references from `old`: expressions see the store as it was before the step.",
  }),
  "versioning/stored-not-before": code<{
    readonly name: string;
    readonly of: string;
    readonly nearest: string | undefined;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ name, of }) => `As far as this document tells, ${of} stored no "${name}" before this step.`,
    hint: ({ name, of, nearest }) =>
      nearest === undefined
        ? `If it did, say what becomes of it: \`- Removed: ${of}.${name}\`.`
        : `Did you mean \`${nearest}\`? If not, say what becomes of it: \`- Removed: ${of}.${name}\`.`,
  }),
  "versioning/stored-upsert": code<{ readonly resource: string; readonly by: readonly string[] }>({
    kind: "mistake",
    severity: "error",
    message: ({ resource }) => `By what is given here no ${resource} can be found.`,
    hint: ({ resource, by }) =>
      by.length > 0
        ? `Give ${by.map((name) => `\`${name}\``).join(" or ")}, or write \`create ${resource} …\`.`
        : `Make one of its fields \`unique\`, or write \`create ${resource} …\`.`,
  }),
  "versioning/stored-not-stored": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `${name} is no stored field, so \`stored\` says nothing of it.`,
    hint: () => "Take `, stored` away.",
  }),
  "versioning/stored-from-there": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ name }) => `Stores that never had ${name} are refused, and yet its heading is still there.`,
    hint: () => "Take the heading away with all before it, or leave `Stored from` out.",
  }),
};
