/** Plain data as JavaScript source text. */
import { memberKey } from "../typescript/schema-type.ts";

/** A piece of code within a value that is otherwise data. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type CodeValue =
  | string
  | number
  | boolean
  | undefined
  | Code
  | readonly CodeValue[]
  | { readonly [key: string]: CodeValue };

const lineLength = 100;

/** On one line if it fits; members without a value are omitted. */
export function codeText(value: CodeValue, indent = ""): string {
  if (value instanceof Code) return value.text;
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList
    ? (value as readonly CodeValue[]).map((codeValue) => codeText(codeValue, inner))
    : Object.entries(value).flatMap(([key, member]) =>
        member === undefined ? [] : [`${propertyKey(key)}: ${codeText(member as CodeValue, inner)}`],
      );
  const [open, close] = isList ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  const space = isList ? "" : " ";
  const line = `${open}${space}${members.join(", ")}${space}${close}`;
  if (!line.includes("\n") && indent.length + line.length <= lineLength) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join("")}${indent}${close}`;
}

/** In a literal, a plain `__proto__` sets the prototype and adds no member. */
function propertyKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : memberKey(name);
}
