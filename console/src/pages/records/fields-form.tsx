/**
 * A form of fields: the typed texts, their values, and their errors. Used to create and change
 * records, and for transitions.
 */
import type { RefObject, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FieldResponse } from "../../../../src/admin/api/records/resources.ts";
import type { ApiError, FieldError } from "../../api/api-error.ts";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Field } from "../../parts/field.tsx";
import { t } from "../../words/words.ts";
import { Control, fieldHint, type Json, typedValue } from "./control.tsx";

export type RequestedField = Pick<FieldResponse, "name" | "type" | "required"> &
  Partial<Pick<FieldResponse, "meaning" | "rules">>;

export interface FieldTexts {
  readonly texts: Readonly<Record<string, string>>;
  type(name: string, text: string): void;
  /** Fills in several fields at once. */
  fill(texts: Readonly<Record<string, string>>): void;
  clear(): void;
}

export function useFieldTexts(first: FieldTexts["texts"] = {}): FieldTexts {
  const [texts, setTexts] = useState(first);
  return {
    texts,
    type: (name, text) => setTexts((last) => ({ ...last, [name]: text })),
    fill: (some) => setTexts((last) => ({ ...last, ...some })),
    clear: () => setTexts({}),
  };
}

/** The values of the typed texts, or the errors of those that can't be parsed. */
export function parseFieldTexts(
  fields: readonly RequestedField[],
  texts: Readonly<Record<string, string>>,
): { readonly values: Readonly<Record<string, Json>>; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const values: Record<string, Json> = {};
  for (const { name, type } of fields) {
    const text = texts[name];
    if (text === undefined) continue;
    const value = typedValue(text, type);
    if (value === undefined) errors.push({ field: name, message: t("records.notJson") });
    else values[name] = value;
  }
  return { values, errors };
}

/** The error of a field; an error of a part (`address.city`) is shown there too. */
function errorOf(errors: readonly FieldError[], name: string): string | undefined {
  const fieldErrors = errors.filter(
    ({ field }) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
  );
  const words = fieldErrors.map(({ field, message }) =>
    field === name ? message : `${field.slice(name.length).replace(/^\./, "")} ${message}`,
  );
  return words.length === 0 ? undefined : words.join("; ");
}

/** Moves the focus to the first field with an error. */
export function useInvalidFocus(form: RefObject<HTMLFormElement | null>, error: ApiError | undefined): void {
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
}

/** The error of the form, if no field shows all of it. */
export function OtherErrors({
  error,
  fields,
}: {
  readonly error: ApiError | undefined;
  readonly fields: readonly RequestedField[];
}): VNode | null {
  if (!error) return null;
  const isShown = ({ field }: FieldError) =>
    fields.some(({ name }) => errorOf([{ field, message: "" }], name) !== undefined);
  return error.errors.length > 0 && error.errors.every(isShown) ? null : <ErrorNotice error={error} />;
}

export function FormFields({
  fields,
  fieldTexts,
  startText,
  errors,
  noteOf,
}: {
  readonly fields: readonly RequestedField[];
  readonly fieldTexts: FieldTexts;
  /** The initial text of a control. */
  readonly startText?: (field: RequestedField) => string;
  readonly errors: readonly FieldError[];
  readonly noteOf?: (field: RequestedField) => string | undefined;
}): VNode {
  return (
    <>
      {fields.map((field) => {
        const { name, type, required } = field;
        const start = startText?.(field) ?? "";
        const text = fieldTexts.texts[name] ?? start;
        const isEdited = fieldTexts.texts[name] !== undefined && text !== start;
        return (
          <div key={name} data-field={name} class={`form-field ${isEdited && startText ? "is-staged" : ""}`}>
            <Field
              label={
                <>
                  <code>{name}</code>
                  {isEdited && startText && <span class="muted"> {t("records.staged")}</span>}
                </>
              }
              hint={fieldHint(field, text, field.meaning, noteOf?.(field))}
              error={errorOf(errors, name)}
              isRequired={required}
            >
              {(control) => (
                <Control
                  name={name}
                  type={type}
                  text={text}
                  change={(next) => fieldTexts.type(name, next)}
                  isSecret={type.kind === "password"}
                  control={{ ...control, required: false }}
                />
              )}
            </Field>
          </div>
        );
      })}
    </>
  );
}
