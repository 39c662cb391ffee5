/**
 * Text literals where a timestamp, an enum or a similar type is expected: they become literals of
 * that type.
 */
import { nearest } from "../../support/nearest.ts";
import { decimalOf, readDecimal } from "../decimal.ts";
import type { Node } from "../node.ts";
import { readDate, readDuration, readTimestamp } from "../time.ts";
import type { Type } from "../type.ts";
import { type Binding, mistake, withPosition, rangeOf, textOf } from "./context.ts";

interface TextForm {
  readonly expected: string;
  readonly example: string;
  /** Reads the canonical value of the literal. Undefined if the text doesn't have the form of the type. */
  read(text: string): string | number | undefined;
}

const forms: Readonly<Partial<Record<Type["kind"], TextForm>>> = {
  timestamp: { expected: "a timestamp", example: "2026-11-20T10:00:00Z", read: readTimestamp },
  date: { expected: "a date", example: "2026-11-20", read: readDate },
  duration: { expected: "a duration", example: "1h30m", read: readDuration },
  decimal: { expected: "a decimal", example: "12.50", read: readDecimal },
  uuid: { expected: "a uuid", example: "0190b2a4-7f3c-7c3e-8b6a-3f1d2c4b5a69", read: readUuid },
};

function readUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Converts a literal whose text or number has the form of another type. Other nodes are returned unchanged. A text in
 * another form is a mistake.
 */
export function convertLiteral(binding: Binding, node: Node, to: Type): Node {
  if (node.op !== "literal" || node.value === null) return node;
  const range = rangeOf(binding, node);
  const literal = (value: string | number) =>
    withPosition(binding, { op: "literal", value, type: to } as const, range);
  if (typeof node.value === "string" && node.type.kind === "string") {
    if (to.kind === "enum") return enumLiteral(binding, node, node.value, to.values);
    const form = forms[to.kind];
    if (!form) return node;
    const value = form.read(node.value);
    if (value !== undefined) return literal(value);
    return mistake(binding, "expressions/not-of-form", range, {
      value: node.value,
      expected: form.expected,
      example: form.example,
    });
  }
  if (typeof node.value !== "number") return node;
  if (to.kind === "number" && node.type.kind === "integer") return literal(node.value);
  if (to.kind === "decimal" && (node.type.kind === "integer" || node.type.kind === "number")) {
    // The digits as written: 1.19 is exactly 1.19 and not the nearest binary fraction.
    return literal(readDecimal(textOf(binding, range).replace(/\s+/g, "")) ?? decimalOf(node.value) ?? "0");
  }
  return node;
}

function enumLiteral(binding: Binding, node: Node, value: string, values: readonly string[]): Node {
  if (values.includes(value)) {
    return withPosition(
      binding,
      { op: "literal", value, type: { kind: "enum", values } } as const,
      rangeOf(binding, node),
    );
  }
  return mistake(binding, "expressions/not-one-of", rangeOf(binding, node), {
    value,
    values,
    nearest: nearest(value, values),
  });
}
