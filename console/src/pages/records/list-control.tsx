/**
 * A list of single values: listed choices are selected; other values are typed, one on each line.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ControlProperties } from "../../parts/field.tsx";
import { t } from "../../words/words.ts";
import { type Json, readJson, type Type, typedValue } from "./control.tsx";

/** Values with parts have their own controls; a reference is selected. */
const withParts = new Set(["list", "map", "value", "object", "json", "not shown", "reference"]);

/** The values if a list can show them; undefined if only JSON can. */
export function lineValues(text: string, { of }: Type): readonly string[] | undefined {
  if (of === undefined || withParts.has(of)) return undefined;
  const list = text === "" ? [] : readJson(text);
  if (!Array.isArray(list)) return undefined;
  const isLine = (element: Json) =>
    element !== null &&
    typeof element !== "object" &&
    String(element).trim() === String(element) &&
    !/^$|\n/.test(String(element));
  return list.every(isLine) ? list.map(String) : undefined;
}

export function ListControl({
  name,
  type,
  values,
  change,
  control,
}: {
  readonly name: string;
  readonly type: Type;
  readonly values: readonly string[];
  readonly change: (text: string) => void;
  readonly control: ControlProperties;
}): VNode {
  const { choices = [], of: kind = "string" } = type;
  const otherValues = values.filter((value) => !choices.includes(value));
  const [text, setText] = useState(otherValues.join("\n"));
  const say = (next: readonly string[]) =>
    change(
      JSON.stringify(
        next.map((text) => typedValue(text, { kind }) as Json),
        null,
        2,
      ),
    );
  const toggle = (choice: string) =>
    say(values.includes(choice) ? values.filter((value) => value !== choice) : [...values, choice]);
  return (
    <>
      {choices.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: the field around it has the name already.
        <div class="choices" role="group" aria-label={name}>
          {choices.map((choice) => (
            <label key={choice}>
              <input type="checkbox" checked={values.includes(choice)} onChange={() => toggle(choice)} />{" "}
              <code>{choice}</code>
            </label>
          ))}
        </div>
      )}
      {kind !== "enum" && (
        <textarea
          {...control}
          aria-label={choices.length > 0 ? t("records.otherValues", { field: name }) : undefined}
          placeholder={choices.length > 0 ? t("records.otherValuesForm") : undefined}
          rows={choices.length > 0 ? 1 : Math.min(10, 2 + otherValues.length)}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            const lines = value.split("\n").map((line) => line.trim());
            say([
              ...values.filter((value) => choices.includes(value)),
              ...lines.filter((line) => line !== ""),
            ]);
          }}
        />
      )}
    </>
  );
}
