/** Parameters of an imported operation as inputs, and in notes where the notation lacks a form. */
import { type StatedName, statedNames, isInputName } from "../description/field-names.ts";
import { inputOf, type InputRow } from "./inputs.ts";
import { isObjectSayable, listStyleOf } from "../description/list-styles.ts";
import type { Operation, Parameter } from "../description/operations.ts";
import { boundsOf, type Type } from "../description/schemas.ts";
import { meaningOfOperation, typeText } from "../description/statements.ts";
import type { Writing } from "./context.ts";
import { ownNames } from "../description/extensions.ts";
import { isOfStatedRecord } from "./extensions.ts";

export function numberInQuery(parameters: readonly { readonly in: string }[]): number {
  return parameters.filter((parameter) => parameter.in === "query").length;
}

export function parametersOf(writing: Writing, operation: Operation, notes: string[]): readonly InputRow[] {
  const { schemas } = writing.facts;
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const saidAs = statedNames(
    inQuery.map(({ name }) => name),
    isInputName,
  );
  const ownAs = ownNames(operation, "query");
  const nameOf = ({ in: place, name }: Parameter, type: Type): StatedName | undefined => {
    if (place !== "query") return { name, rules: [] };
    // A list is read by this name, too.
    const [, plain] = type.kind === "list" ? (/^(.+)\[\]$/.exec(name) ?? []) : [];
    if (plain !== undefined && isInputName(plain) && !inQuery.some((parameter) => parameter.name === plain))
      return { name: plain, rules: [] };
    return ownAs.get(name) ?? saidAs.get(name);
  };
  return operation.parameters.flatMap((parameter) => {
    const type = schemas.type(parameter.schema);
    if (parameter.in === "path") return pathParameter(writing, operation, parameter, notes);
    const statedName = nameOf(parameter, type);
    const isUnsayable =
      !["query", "header"].includes(parameter.in) ||
      (parameter.in === "header" && !/^[A-Za-z][\w-]*$/.test(parameter.name)) ||
      /^(authorization|content-type|accept)$/i.test(parameter.name) ||
      ((type.kind === "value" || type.kind === "map") && !isObjectSayable(parameter));
    if (isUnsayable || !statedName) {
      notes.push(`${parameter.in} ${parameter.name}: ${typeText(type).slice(0, 80)}`);
      return [];
    }
    const style = listStyleOf(parameter, type);
    notes.push(...style.notes);
    return [
      inputOf(
        writing,
        {
          stated: statedName,
          location: parameter.in,
          type,
          node: parameter.schema,
          required: parameter.required,
          style: style.rules,
          isDeprecated:
            parameter.node["deprecated"] === true ||
            schemas.read(parameter.schema).own["deprecated"] === true,
        },
        operation,
        notes,
      ),
    ];
  });
}

/** The input of a path parameter, unless it has the type of a record's identifier or is a plain text. */
function pathParameter(
  writing: Writing,
  operation: Operation,
  { name, schema }: Parameter,
  notes: string[],
): readonly InputRow[] {
  const { facts } = writing;
  const type = facts.schemas.type(schema);
  const isText = type.kind === "plain" && type.text === "string";
  const { rules } = boundsOf(facts.schemas.read(schema), type);
  const isKnown = meaningOfOperation(facts, operation) || isOfStatedRecord(writing, operation, name);
  if ((isText && rules.length === 0) || !isInputName(name) || isKnown) return [];
  const stated = { name, rules: [] };
  return [
    inputOf(writing, { stated, location: "path", type, node: schema, required: false }, operation, notes),
  ];
}
