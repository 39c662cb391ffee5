/**
 * A control for a value by its type, and the value as editable text. The service validates the
 * text; only JSON is parsed here.
 */
import type { ComponentChildren, VNode } from "preact";
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { FieldResponse } from "../../../../src/admin/api/records/resources.ts";
import type { ControlProperties } from "../../parts/field.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { listText, t } from "../../words/words.ts";
import { lineValues, ListControl } from "./list-control.tsx";
import { isNested, NestedControl } from "./nested-control.tsx";
import { ReferencePicker } from "./reference-picker.tsx";

export type Json = StoredRecordResponse["fields"][string];
export type Type = FieldResponse["type"];

const withParts = new Set(["list", "map", "value", "object", "json"]);

/** Texts from this length on are edited in several lines. */
const longFrom = 60;

export function textOf(value: Json | undefined, { kind }: Type): string {
  if (value === null || value === undefined) return "";
  if (withParts.has(kind)) return JSON.stringify(value, null, 2);
  return typeof value === "object" ? Object.values(value).join("/") : String(value);
}

/** The value of a text; undefined where it should be JSON and isn't. */
export function typedValue(text: string, { kind }: Pick<Type, "kind">): Json | undefined {
  if (text === "") return null;
  if (withParts.has(kind)) return readJson(text);
  if (kind === "boolean") return text === "true";
  // A number with more digits than a double stays a text, and the service rejects it instead of
  // rounding.
  if ((kind === "integer" || kind === "number") && String(Number(text)) === text.trim()) return Number(text);
  return text;
}

export function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function Control({
  name,
  type,
  text,
  change,
  isSecret = false,
  isInner = false,
  control,
}: {
  readonly name: string;
  readonly type: Type;
  readonly text: string;
  readonly change: (text: string) => void;
  readonly isSecret?: boolean;
  /** Whether it is a part of another value. */
  readonly isInner?: boolean;
  readonly control: ControlProperties;
}): VNode {
  const values = type.kind === "boolean" ? ["true", "false"] : type.values;
  if (values) {
    return (
      <select {...control} value={text} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{t("records.choose")}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {type.values ? value : t(value === "true" ? "records.yes" : "records.no")}
          </option>
        ))}
      </select>
    );
  }
  if (type.kind === "reference")
    return (
      <ReferencePicker resource={type.resource as string} text={text} change={change} control={control} />
    );
  const lines = type.kind === "list" ? lineValues(text, type) : undefined;
  if (lines) return <ListControl name={name} type={type} values={lines} change={change} control={control} />;
  if (isNested(type, text))
    return (
      <NestedControl
        name={name}
        type={type}
        text={text}
        change={change}
        control={control}
        isInner={isInner}
      />
    );
  const input = (event: { readonly currentTarget: { readonly value: string } }) =>
    change(event.currentTarget.value);
  if (withParts.has(type.kind) || text.length > longFrom || text.includes("\n"))
    return (
      <textarea
        {...control}
        rows={Math.min(10, 2 + text.split("\n").length)}
        value={text}
        onInput={input}
        spellcheck={false}
      />
    );
  const properties = { ...control, spellcheck: false, value: text, onInput: input };
  if (isSecret) return <input {...properties} type="password" autocomplete="new-password" />;
  // The browser's own picker, if it can show the text.
  if (type.kind === "date" && /^(\d{4}-\d{2}-\d{2})?$/.test(text))
    return <input {...properties} type="date" />;
  return <input {...properties} type="text" autocomplete="off" inputMode={keyboardOf(type)} />;
}

/** The on-screen keyboard of a phone. */
function keyboardOf({ kind }: Type): "numeric" | "decimal" | "text" {
  if (kind === "integer") return "numeric";
  return kind === "number" || kind === "decimal" ? "decimal" : "text";
}

/** What to type, and the rules of the value. */
export function fieldHint(
  { type, rules = [] }: { readonly type: Type; readonly rules?: readonly string[] },
  text: string,
  ...notes: readonly (string | undefined)[]
): ComponentChildren {
  const hints = [formHint(type, text), ...rules, ...notes].filter((hint) => hint);
  return withCode(hints.map((hint) => `${hint?.replace(/\.$/, "")}.`).join(" "));
}

function formHint(type: Type, text: string): string | undefined {
  const { kind, of, parts } = type;
  if (isNested(type, text) && !lineValues(text, type)) return undefined;
  switch (kind) {
    case "timestamp":
      return t("records.hintTimestamp");
    case "duration":
      return t("records.hintDuration");
    case "list":
      if (!lineValues(text, type)) return t("records.hintList", { of: of ?? "" });
      return type.choices ? undefined : t("records.hintLines");
    case "value":
    case "object":
      return t("records.hintParts", { parts: listText(parts ?? []) });
    case "map":
    case "json":
      return t("records.hintJson");
    default:
      return undefined;
  }
}
